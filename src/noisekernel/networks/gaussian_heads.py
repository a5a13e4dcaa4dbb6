"""Heads for continuous data: r is a normal distribution per element."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import softplus

from noisekernel.core import checks
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import InputError
from noisekernel.core.levels import log_snr_of
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.head import Head, with_channel

#: The largest log factor by which sigma2 may differ from that of the best linear denoiser.
WIDEST = 5.0


@dataclass(frozen=True)
class _Gaussian(Head):
    """What Gaussian heads share: two features per element, for a mean and a variance.

    Args:
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.
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
    """The paper's head (eq. 18): the features are mu, and sigma2 through a softplus. The network is told beta.

    Args:
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.

    >>> head = PlainGaussian(channels=3)
    >>> head.in_channels, head.out_channels
    (3, 6)
    """

    #: Keeps sigma2 positive where softplus underflows.
    smallest_variance: ClassVar[float] = 1e-8

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        return with_channel(checks.floating("x", x), self.channels), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Normal:
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

    Args:
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.
        mean: The mean of the data over all elements.
        variance: The variance of the data over all elements, above 0.

    >>> PreconditionedGaussian.of(torch.tensor([[0.0, 2.0]]), channels=2)
    PreconditionedGaussian(channels=2, mean=1.0, variance=1.0)
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        checks.number("mean", self.mean, -1e6, 1e6)
        checks.number("variance", self.variance, 0.0, 1e12, open_low=True)

    @classmethod
    def of(cls, z: Float[Tensor, "batch *event"], channels: int | None) -> "PreconditionedGaussian":
        """The head with the mean and the variance of these examples, over all their elements.

        Args:
            z: Examples, (batch, *event).
            channels: The size of dimension 1 of the data; None for data that has no channel dimension.
        """
        z = checks.floating("z", z)
        variance = float(z.double().var(correction=0))
        if variance <= 0:
            raise InputError("all the data have one and the same value; there is nothing to learn from them")
        return cls(channels, float(z.double().mean()), variance)

    def known(self, x: Tensor, beta: Tensor) -> Normal:
        return exact_denoiser(x, beta, self.mean, self.variance)

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = with_channel(checks.floating("x", x), self.channels)
        level = checks.spread(beta, x)
        alpha = 1.0 - level
        scale = torch.rsqrt(alpha**2 * self.variance + level)
        return (x - (alpha * self.mean).to(x)) * scale.to(x), -0.5 * log_snr_of(beta)

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Normal:
        return corrected(self.known(x, beta) if known is None else known, features)


def corrected(linear: Normal, features: Tensor) -> Normal:
    """A linear denoiser (mu0, s0) corrected by features (f, g): mu = mu0 + sqrt(s0) f, sigma2 = s0 exp(5 tanh(g / 5)).

    Args:
        linear: The denoiser to correct.
        features: Two features per element, (batch, 2 channels, *space).
    """
    x = linear.loc
    correction, raw = (f.reshape(x.shape) for f in features.to(x.dtype).chunk(2, dim=1))
    mean = x + linear.variance.sqrt() * correction
    return Normal(mean, linear.variance * torch.exp(WIDEST * torch.tanh(raw / WIDEST)))
