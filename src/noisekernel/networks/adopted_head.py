"""The head of an adopted network: one that was trained as a diffusion or flow model by another library.

A noise kernel needs nothing but r(z | x), and every trained diffusion or flow model is a denoiser. Only its coordinates
differ. Ours is x = alpha z + sqrt(beta) n with alpha = 1 - beta. Theirs are

    variance preserving    x' = sqrt(abar) z + sqrt(1 - abar) n,       abar a decreasing table over timesteps t
    flow                   x' = (1 - s) z + s n,                       t = s times the number of timesteps

Both are ours up to scale. With sigma = sqrt(beta) / alpha, the noise beside a signal of 1, x' = c x where

    variance preserving    c = 1 / sqrt(alpha^2 + beta),    t where sqrt((1 - abar) / abar) = sigma,
    flow                   c = 1 / (alpha + sqrt(beta)),    s = sqrt(beta) c.

Between whole timesteps t is interpolated, linearly in log sigma. With a = alpha c and b = sqrt(beta) c (so that
x' = a z + b n), the network's output f says of z

    epsilon         f = n                 mu = (x' - b f) / a
    sample          f = z                 mu = f
    v_prediction    f = a n - b z         mu = a x' - b f
    flow            f = n - z             mu = x' - b f

A step of the Gaussian kernel at its largest lag with sigma2 = 0 (eqs 15-17) is then x / alpha -> mu + (sigma' / sigma)
(x / alpha - mu), which is the step of DDIM, and for flows Euler's step.

**The variance of r** is not learned by such networks. It is measured: the mean squared error of mu on examples, at some
levels (`knots`), as a ratio to the variance of the best linear denoiser for data of this mean and variance. The
logarithm of the ratio is interpolated in log sigma, and constant beyond the knots.

**Levels that the network never saw.** Below its lowest sigma it is asked at its first timestep. Most variance
preserving schedules end at a finite sigma; beyond that x says almost nothing of z, and r is the best linear denoiser
(`exact_denoiser`) for data of the mean of each element and the variance that were measured. At pure noise, beta = 1, it
has the mean and the variance of the data, as it should. A network that was trained on pure noise (`from_noise`: a flow,
or a schedule without signal at its end) is asked there too.
"""

import math
from typing import Any, Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.levels import level_of_ratio
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.head import Head, with_channel

#: What a network's output stands for.
Prediction = Literal["epsilon", "sample", "v_prediction", "flow"]
#: The number of levels at which the error is measured, and between which sigmas at most.
KNOTS, LOWEST, HIGHEST = 24, 0.005, 150.0
#: How far log sigma may lie beyond the end of a schedule and count as its end: the rounding of its table.
ROUNDING = 1e-4


class AdoptedGaussian(nn.Module, Head):
    """The head of a network that was trained as a diffusion or flow model.

    Args:
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.
        shape: The shape of one sample.
        prediction: What the network's output stands for: "epsilon", "sample", "v_prediction" or "flow".
        timesteps: The number of timesteps that the network was trained with.
        clip: mu is kept within [-clip, clip], as the samplers of the model do; None for not at all. In training the
            gradient is that of mu before.
        from_noise: Whether the network was trained on pure noise too, as every flow was; else r is linear beyond the
            schedule.
        ignored: The output channels of the network that are not used: those of a variance that it learned.

    >>> head = AdoptedGaussian(3, (3, 8, 8), "flow")
    >>> head.encode(torch.ones(1, 3, 8, 8), torch.tensor([0.25], dtype=torch.float64))[1]
    tensor([400.], dtype=torch.float64)
    """

    def __init__(
        self,
        channels: int | None,
        shape: tuple[int, ...],
        prediction: Prediction = "epsilon",
        timesteps: int = 1000,
        clip: float | None = None,
        from_noise: bool = False,
        ignored: int = 0,
    ) -> None:
        super().__init__()
        if prediction not in get_args(Prediction):
            raise InputError(f"prediction is {prediction!r}; give one of {', '.join(get_args(Prediction))}")
        self.channels, self.prediction, self.clip, self.ignored = channels, prediction, clip, ignored
        self.timesteps, self.from_noise = checks.count("timesteps", timesteps, 2), from_noise or prediction == "flow"
        self.settings = {
            "prediction": prediction,
            "timesteps": timesteps,
            "clip": clip,
            "from_noise": from_noise,
            "ignored": ignored,
        }
        #: log sigma at each timestep, rising; a flow needs none.
        self.register_buffer("log_sigmas", torch.zeros(0 if prediction == "flow" else timesteps))
        self.register_buffer("mean", torch.zeros(shape))
        self.register_buffer("variance", torch.ones(()))
        self.register_buffer("knots", torch.linspace(math.log(LOWEST), math.log(HIGHEST), KNOTS))
        self.register_buffer("log_ratios", torch.zeros(KNOTS))

    log_sigmas: Float[Tensor, " timesteps"]
    mean: Float[Tensor, "*event"]
    variance: Float[Tensor, ""]
    knots: Float[Tensor, " knots"]
    log_ratios: Float[Tensor, " knots"]

    @property
    def in_channels(self) -> int:
        return self.channels or 1

    @property
    def out_channels(self) -> int:
        return self.in_channels + self.ignored

    # What is measured -------------------------------------------------------------------------------------------------

    def follow(self, log_sigmas: Float[Tensor, " timesteps"]) -> None:
        """Take the noise levels of a variance preserving schedule.

        Args:
            log_sigmas: log sqrt((1 - abar) / abar) at each timestep, rising.
        """
        if self.prediction == "flow" or log_sigmas.shape != (self.timesteps,):
            raise ShapeError(f"the schedule has shape {tuple(log_sigmas.shape)}; this head takes {self.timesteps}")
        if not bool(torch.isfinite(log_sigmas).all()) or bool((log_sigmas.diff() <= 0).any()):
            raise InputError("the noise of the schedule does not grow from each timestep to the next")
        self.log_sigmas.copy_(log_sigmas)
        low, high = max(math.log(LOWEST), float(log_sigmas[0])), min(math.log(HIGHEST), float(log_sigmas[-1]))
        self.knots.copy_(torch.linspace(low, high, KNOTS))

    def fit(self, z: Float[Tensor, "batch *event"]) -> None:
        """Measure the mean of each element of these examples, and their variance around it.

        Args:
            z: Examples, (batch, *event).
        """
        mean = checks.floating("z", z).double().mean(dim=0)
        variance = (z.double() - mean).square().mean() * len(z) / max(len(z) - 1, 1)
        if not float(variance) > 0:
            raise InputError("all examples are one and the same, so that nothing can be measured of them")
        self.mean.copy_(mean)
        self.variance.copy_(variance)

    @property
    def levels(self) -> Float[Tensor, " knots"]:
        """The noise levels at which the error of mu is to be measured, for `calibrate`."""
        return level_of_ratio(self.knots.double().exp())

    def calibrate(self, errors: Float[Tensor, " knots"]) -> None:
        """Take the mean squared error of mu at `levels` as the variance of r.

        Args:
            errors: One number per level, above 0.
        """
        if not bool((torch.isfinite(errors) & (errors > 0)).all()):
            raise InputError("the error of the network on these examples is 0 or no number, so r has no variance")
        sigma2, variance = self.knots.double().exp() ** 2, self.variance.double()
        linear = variance * sigma2 / (variance + sigma2)
        self.log_ratios.copy_((errors.double().to(linear) / linear).log())

    # A head -----------------------------------------------------------------------------------------------------------

    def timestep(self, beta: Float[Tensor, " batch"]) -> Float[Tensor, " batch"]:
        """The timestep that the network is told at these noise levels.

        Args:
            beta: Noise levels, (batch,).
        """
        if self.prediction == "flow":
            return self.timesteps * beta.sqrt() * self._scale(beta)
        steps = torch.arange(self.timesteps, device=beta.device)
        return interpolated(_log_sigma(beta), self.log_sigmas, steps)

    def known(self, x: Tensor, beta: Tensor) -> Normal:
        """The best linear denoiser for data of the mean and the variance that were measured."""
        return exact_denoiser(x, beta, self.mean.to(x), self.variance.to(beta))

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = with_channel(checks.floating("x", x), self.channels)
        return x * self._scale(checks.spread(beta, x)).to(x), self.timestep(beta)

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Normal:
        linear = self.known(x, beta) if known is None else known
        told = features[:, : self.in_channels].to(x.dtype).reshape(x.shape)
        sigma, log_ratio = _log_sigma(beta), interpolated(_log_sigma(beta), self.knots, self.log_ratios)
        mean, variance = self._mean(told, x, checks.spread(beta, x)), linear.variance
        variance = variance * checks.spread(log_ratio, x).exp().to(x)
        if self.from_noise:
            return Normal(mean, variance)
        beyond = checks.spread(sigma > self.log_sigmas[-1].to(sigma) + ROUNDING, x)
        return Normal(torch.where(beyond, linear.loc, mean), torch.where(beyond, linear.variance, variance))

    def _mean(self, told: Tensor, x: Tensor, level: Tensor) -> Tensor:
        """mu: what the network's output says of z."""
        scale = self._scale(level)
        a, b = (1.0 - level) * scale, level.sqrt() * scale
        if self.prediction == "sample":
            mean = told
        elif self.prediction == "epsilon":
            mean = (x * scale.to(x) - b.to(x) * told) / a.clamp(min=1e-9).to(x)  # at a = 0 it is not used
        else:
            signal = a if self.prediction == "v_prediction" else torch.ones_like(a)
            mean = (signal * scale).to(x) * x - b.to(x) * told
        return mean if self.clip is None else mean + (mean.clamp(-self.clip, self.clip) - mean).detach()

    def _scale(self, level: Tensor) -> Tensor:
        """c: the network's state is c x."""
        alpha = 1.0 - level
        return 1.0 / (alpha + level.sqrt()) if self.prediction == "flow" else torch.rsqrt(alpha**2 + level)


def _log_sigma(beta: Tensor) -> Tensor:
    """log(sqrt(beta) / alpha); infinite at beta = 1."""
    return 0.5 * torch.log(beta) - torch.log1p(-beta)


def interpolated(at: Tensor, places: Tensor, values: Tensor) -> Tensor:
    """The values at rising places, in straight lines between them and constant beyond.

    Args:
        at: Where they are wanted, of any shape.
        places: The places, rising, at least two.
        values: A value for each.

    >>> interpolated(torch.tensor([-1.0, 0.25, 9.0]), torch.tensor([0.0, 1.0]), torch.tensor([4.0, 8.0]))
    tensor([4., 5., 8.])
    """
    places, values = places.to(at), values.to(at)
    at = torch.minimum(torch.maximum(at, places[0]), places[-1])
    right = torch.searchsorted(places, at.contiguous()).clamp(1, len(places) - 1)
    low, high = places[right - 1], places[right]
    return torch.lerp(values[right - 1], values[right], (at - low) / (high - low))
