"""Denoisers: r(z | x, beta), the one thing that is learned.

A denoiser is a backbone (`noisekernel.nn`) between the two halves of a *head*: `encode` turns the state into what the
backbone likes to see, `decode` turns its features into a distribution over z. Anything that maps (x, beta) to a
distribution will do in its place: a closed form, a denoiser with its label filled in (`functools.partial`), or one that
was told part of the answer (`Clamped`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn
from torch.nn.functional import one_hot, softplus

from noisekernel import checks
from noisekernel.categories import Categorical, Logistics
from noisekernel.checks import Level
from noisekernel.distributions import Elementwise, Normal
from noisekernel.errors import InputError, ShapeError
from noisekernel.kernels.gaussian import exact_denoiser, log_snr_of

Denoise = Callable[..., Elementwise]


@runtime_checkable
class Head(Protocol):
    """Between the state and the backbone, and between its features and r."""

    @property
    def in_channels(self) -> int: ...

    @property
    def out_channels(self) -> int: ...

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        """The backbone's input, (batch, in_channels, *space), and the noise level on the scale it is told."""
        ...

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Elementwise: ...


class Denoiser(nn.Module):
    """A backbone and a head.

    >>> from noisekernel.nn import MLP
    >>> head = PlainGaussian(channels=2)
    >>> denoiser = Denoiser(MLP(head.in_channels, head.out_channels), head)
    >>> denoiser(torch.zeros(3, 2), beta=0.5).mean.shape
    torch.Size([3, 2])
    """

    def __init__(self, backbone: nn.Module, head: Head) -> None:
        super().__init__()
        self.backbone, self.head = backbone, head

    def forward(self, x: Shaped[Tensor, "batch *event"], beta: Level, label: Tensor | None = None) -> Elementwise:
        level = checks.level("beta", beta, checks.tensor("x", x))
        h, told = self.head.encode(x, level)
        # The network computes in its own precision; r comes back in that of the data.
        dtype = next((p.dtype for p in self.backbone.parameters()), torch.float32)
        features = self.backbone(h.to(dtype), told.float(), label)
        expected = (len(h), self.head.out_channels, *h.shape[2:])
        if tuple(features.shape) != expected:
            raise ShapeError(
                f"the backbone returned features of shape {tuple(features.shape)}; its head needs {expected}: build it "
                f"with out_channels={self.head.out_channels}"
            )
        return self.head.decode(features, x, level)


def _with_channel(x: Tensor, channels: int | None) -> Tensor:
    """(batch, channels, *space): where the data has no channel dimension, one is put in."""
    if channels is None:
        return x.unsqueeze(1)
    if x.ndim < 2 or x.shape[1] != channels:
        raise ShapeError(f"x has shape {tuple(x.shape)}; this denoiser was made for {channels} channels in dimension 1")
    return x


@dataclass(frozen=True)
class _Gaussian:
    """What Gaussian heads share: two features, for a mean and a variance, an element.

    `channels` is the size of dimension 1 of the data; None for data that has no channel dimension.
    """

    channels: int | None

    @property
    def in_channels(self) -> int:
        return self.channels or 1

    @property
    def out_channels(self) -> int:
        return 2 * self.in_channels


@dataclass(frozen=True)
class PlainGaussian(_Gaussian):
    """The paper's head (eq. 18): the features are mu, and sigma2 through a softplus. The network is told beta."""

    #: Keeps sigma2 positive where softplus underflows.
    smallest_variance = 1e-8

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        return _with_channel(checks.floating("x", x), self.channels), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Normal:
        mean, raw = features.to(x.dtype).chunk(2, dim=1)
        return Normal(mean.reshape(x.shape), (softplus(raw) + self.smallest_variance).reshape(x.shape))


@dataclass(frozen=True)
class PreconditionedGaussian(_Gaussian):
    """A head that knows the data's mean m and variance v, so that the network learns only what they do not say.

    In: (x - alpha m) / sqrt(alpha^2 v + beta), of variance 1 at every noise level; told: log sigma. Out: the best
    linear denoiser (`exact_denoiser`, right if the data were Gaussian) with mean mu0 and variance s0, corrected by
    the features,

        mu = mu0 + sqrt(s0) f,      sigma2 = s0 exp(5 tanh(g / 5)),

    so that a network of zeros is already that denoiser, its targets have variance about 1 at every level, and sigma2
    can neither collapse nor explode (a factor of e^5 either way).
    """

    mean: float
    variance: float

    #: The largest log factor by which sigma2 may differ from that of the best linear denoiser.
    range = 5.0

    def __post_init__(self) -> None:
        checks.number("mean", self.mean, -1e6, 1e6)
        checks.number("variance", self.variance, 0.0, 1e12, open_low=True)

    @classmethod
    def of(cls, z: Float[Tensor, "batch *event"], channels: int | None) -> "PreconditionedGaussian":
        """With the moments of these examples, over all their elements."""
        z = checks.floating("z", z)
        variance = float(z.double().var(correction=0))
        if variance <= 0:
            raise InputError("all the data have one and the same value; there is nothing to learn from them")
        return cls(channels, float(z.double().mean()), variance)

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        x = _with_channel(checks.floating("x", x), self.channels)
        level = checks.spread(beta, x)
        alpha = 1.0 - level
        scale = torch.rsqrt(alpha**2 * self.variance + level)
        return (x - (alpha * self.mean).to(x)) * scale.to(x), -0.5 * log_snr_of(beta)

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Normal:
        correction, raw = (f.reshape(x.shape) for f in features.to(x.dtype).chunk(2, dim=1))
        linear = exact_denoiser(x, beta, self.mean, self.variance)
        mean = linear.loc + linear.variance.sqrt() * correction
        return Normal(mean, linear.variance * torch.exp(self.range * torch.tanh(raw / self.range)))


@dataclass(frozen=True)
class CategoricalHead:
    """r = Cat(f) (eq. 26): in one-hot over K + 1 states, out logits over K classes. The network is told beta."""

    classes: int
    channels: int | None

    @property
    def in_channels(self) -> int:
        return (self.channels or 1) * (self.classes + 1)

    @property
    def out_channels(self) -> int:
        return (self.channels or 1) * self.classes

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        x = _with_channel(checks.classes("x", x, self.classes + 1), self.channels)
        hot = one_hot(x, self.classes + 1).movedim(-1, 2)  # (batch, channels, states, *space)
        return hot.flatten(1, 2).float(), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Categorical:
        logits = features.float().unflatten(1, (-1, self.classes)).movedim(2, -1)
        return Categorical.from_logits(logits.reshape(*x.shape, self.classes))


@dataclass(frozen=True)
class OrdinalHead:
    """r = Cat(f) for many classes in order, such as 256 levels of brightness: f is a mixture of logistics, cut into
    classes (`Logistics`).

    In: the class as a number in [-1, 1], and whether it is masked. Out, for each of `components`, a weight, a place
    and a scale. Features and input do not grow with the number of classes, and a class never seen in training is
    likely where its neighbours are.
    """

    classes: int
    channels: int | None
    components: int = 5

    #: The scale at zero features, and the largest log factor by which it may differ from that.
    scale, range = 0.5, 7.0

    def __post_init__(self) -> None:
        checks.count("classes", self.classes, 2)
        checks.count("components", self.components)

    @property
    def in_channels(self) -> int:
        return 2 * (self.channels or 1)

    @property
    def out_channels(self) -> int:
        return 3 * self.components * (self.channels or 1)

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        x = _with_channel(checks.classes("x", x, self.classes + 1), self.channels)
        masked = x == self.classes
        value = torch.where(masked, 0.0, (2.0 * x + 1.0) / self.classes - 1.0)
        return torch.stack((value, masked.to(value.dtype)), dim=2).flatten(1, 2), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Logistics:
        features = features.float().unflatten(1, (-1, 3, self.components)).movedim((2, 3), (-2, -1))
        weight, place, scale = features.reshape(*x.shape, 3, self.components).unbind(-2)
        # Places start evenly spread: components that start alike stay alike.
        place = place + torch.linspace(-1.0, 1.0, self.components, device=x.device)
        scale = self.scale * torch.exp(self.range * torch.tanh(scale / self.range))
        return Logistics(torch.log_softmax(weight, dim=-1), place, scale, self.classes)


@dataclass(frozen=True)
class Clamped:
    """A denoiser that was told part of z: a point mass at `observed` where `mask` is 0 (section 3.4, eqs 28-29)."""

    denoiser: Denoise
    observed: Shaped[Tensor, "batch *event"]
    mask: Shaped[Tensor, "batch *event"]

    def __call__(self, x: Tensor, beta: Level) -> Elementwise:
        return self.denoiser(x, beta).clamp(self.observed, self.mask)
