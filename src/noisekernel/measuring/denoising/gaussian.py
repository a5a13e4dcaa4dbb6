"""The denoising curve of numbers: the squared error, at Gaussian noise.

Every method of the field has a denoiser, whatever it predicts: an estimate of E[z | z + sigma n] with n ~ N(0, I). So
methods, networks and recipes can be compared by

    e(sigma) = E | z - zhat(z + sigma n, sigma) |^2 / elements,                                      `denoising_curve`

at the same z and the same n. The true posterior mean has the smallest e at every level. There, the information that
z + sigma n holds about z is an integral over the signal-to-noise ratio s = 1 / sigma^2 (Guo, Shamai and Verdu 2005):

    I(z; z + sigma n) = 1/2 int_0^{1 / sigma^2} e ds = int_{sigma}^inf e / u^2 d(log u),

and for any other denoiser the integral is the number of nats that it would take to send z + sigma n with its help: the
variational bound of diffusion (Kingma et al. 2021). `DenoisingCurve.bits` is this integral per element in bits, down to
the lowest level of the curve. A difference of two denoisers is their difference in log-likelihood of the data at that
level of noise.

Levels are even in log sigma and the integral is a sum of trapezoids. For Gaussian data with a standard deviation from
0.2 to 2 this sum is off by less than 0.0005 bits (by less than 0.003 at the levels of `FEW`). Above the highest level
the error does not grow any more, which leaves e / (2 sigma^2).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.levels import level_of_ratio
from noisekernel.core.randomness import Streams, normal
from noisekernel.kernels.gaussian import GaussianKernel
from noisekernel.measuring.denoising.curve import DenoisingCurve, measured
from noisekernel.networks.denoiser import Denoise
from noisekernel.networks.exact import exact_denoiser

#: Levels from fine detail to pure noise, for data of about unit range: 19 of them, even in log sigma.
SIGMAS = tuple(0.02 * 10 ** (3 * i / 18) for i in range(19))
#: Every third of them: a curve at about a third of the cost.
FEW = SIGMAS[::3]

#: Maps noisy data z + sigma n, (batch, *event), and sigma to an estimate of z.
Estimate = Callable[[Tensor, float], Tensor]


def estimate_of(denoiser: Denoise) -> Estimate:
    """The estimate of a denoiser of ours for the Gaussian kernel: the mean of r at x = alpha (z + sigma n).

    Args:
        denoiser: Maps (x, beta) to r(z | x).
    """

    def estimate(noisy: Tensor, sigma: float) -> Tensor:
        beta = float(level_of_ratio(torch.tensor(sigma, dtype=torch.float64)))
        return denoiser((1.0 - beta) * noisy, beta).mean

    return estimate


def denoising_curve(
    estimate: Estimate,
    z: Float[Tensor, "batch *event"],
    *,
    sigmas: Sequence[float] = SIGMAS,
    seed: int = 0,
    first: int = 0,
    batch_size: int = 250,
) -> DenoisingCurve:
    """The squared error of a denoiser on clean data, by noise level.

    Two denoisers that are measured with the same z and seed see the same noise, so that their difference is far more
    certain than either curve.

    Args:
        estimate: Maps noisy data z + sigma n and sigma to an estimate of z: `estimate_of` a denoiser of ours.
        z: Clean data that the denoiser was not trained on, (batch, *event).
        sigmas: The noise's standard deviations, from low to high.
        seed: Draws the noise.
        first: The number of the first example: the noise is that of the examples from this number on.
        batch_size: How many examples are denoised at a time.

    >>> from functools import partial
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> z = 0.5 * torch.randn(2000, 4, generator=torch.Generator().manual_seed(0))
    >>> curve = denoising_curve(estimate_of(partial(exact_denoiser, mean=0.0, variance=0.25)), z)
    >>> truth = 0.5 * math.log2(1 + 0.25 / 0.02**2)
    >>> curve.bits.low < truth < curve.bits.high
    True
    """
    z = checks.floating("z", z)
    levels = _checked(sigmas)

    def errors(some: Tensor, sigma: float, streams: Streams) -> Tensor:
        found = estimate(some + sigma * normal(some.shape, streams).to(some), sigma)
        checks.same_shape("the estimate", checks.floating(f"the estimate at sigma {sigma:g}", found), "z", some)
        return (found - some).square().flatten(1).mean(dim=1)

    return measured(errors, z, levels, weights_of(levels), "sigma", seed=seed, first=first, batch_size=batch_size)


def weights_of(sigmas: Sequence[float]) -> tuple[float, ...]:
    """The bits per element that a squared error of 1 at each level amounts to: trapezoids in log sigma, and the rest.

    Args:
        sigmas: The levels, from low to high.

    >>> [round(weight, 3) for weight in weights_of((1.0, 2.0))]
    [0.5, 0.305]
    """
    logs = [math.log(sigma) for sigma in sigmas]
    below = [0.0, *(b - a for a, b in pairwise(logs))]
    above = [*below[1:], 1.0]  # the rest above the highest level counts as a trapezoid of width 1
    pairs = zip(sigmas, below, above, strict=True)
    return tuple(0.5 * (low + high) / sigma**2 / math.log(2.0) for sigma, low, high in pairs)


def _checked(sigmas: Sequence[float]) -> tuple[float, ...]:
    levels = tuple(checks.number("each sigma", sigma, 0.0, 1e4, open_low=True) for sigma in sigmas)
    if not levels:
        raise InputError("sigmas is empty; give at least one noise level, such as sigmas=(0.1, 1.0)")
    for low, high in pairwise(levels):
        if low >= high:
            raise InputError(f"sigmas has {low:g} before {high:g}; give them from low to high, each one once")
    return levels


class OfNumbers:
    """The yardstick of a Gaussian kernel."""

    reference = "one variance"
    error = "squared error"

    def __init__(self, kernel: GaussianKernel) -> None:
        self.kernel = kernel

    def levels(self, few: bool) -> tuple[float, ...]:
        return FEW if few else SIGMAS

    def curve(
        self, denoiser: Denoise, z: Tensor, *, few: bool, seed: int, first: int, batch_size: int
    ) -> DenoisingCurve:
        estimate, sigmas = estimate_of(denoiser), self.levels(few)
        return denoising_curve(estimate, z, sigmas=sigmas, seed=seed, first=first, batch_size=batch_size)

    def simple(self, z: Tensor) -> Denoise:
        """The best linear denoiser that knows the mean and the variance of all elements together."""
        z = checks.floating("z", z).double()
        return partial(exact_denoiser, mean=float(z.mean()), variance=float(z.var(correction=0)))
