"""How well a denoiser denoises: its squared error by noise level on held-out data, and what that is in bits.

Distances between sets of samples are noisy, depend on a sampler and forgive what features do not see. The error of the
denoiser has none of these faults. Every method of the field has a denoiser, whatever it predicts: an estimate of
E[z | z + sigma n] with n ~ N(0, I). So methods, networks and recipes can be compared by

    e(sigma) = E | z - zhat(z + sigma n, sigma) |^2 / elements,                                      `denoising_curve`

at the same z and the same n. The true posterior mean has the smallest e at every level. There, the information that
z + sigma n holds about z is an integral over the signal-to-noise ratio s = 1 / sigma^2 (Guo, Shamai and Verdu 2005):

    I(z; z + sigma n) = 1/2 int_0^{1 / sigma^2} e ds,

and for any other denoiser the integral is the number of nats that it would take to send z + sigma n with its help: the
variational bound of diffusion (Kingma et al. 2021). `DenoisingCurve.bits` is this integral per element in bits, down to
the lowest level of the curve. Fewer bits are better, and a difference of two denoisers is their difference in
log-likelihood of the data at that level of noise.

A curve says more than its integral: what a picture is of is decided at high noise, which weighs little in bits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.levels import level_of_ratio
from noisekernel.core.randomness import Purpose, Streams, normal
from noisekernel.measuring.samples.intervals import Figure, around
from noisekernel.networks.denoiser import Denoise

#: Levels from fine detail to pure noise, for data of about unit range: 19 of them, even in log sigma.
SIGMAS = tuple(0.02 * 10 ** (3 * i / 18) for i in range(19))

#: Maps noisy data z + sigma n, (batch, *event), and sigma to an estimate of z.
Estimate = Callable[[Tensor, float], Tensor]


@dataclass(frozen=True)
class DenoisingCurve:
    """The squared error of a denoiser per element, by noise level and by example."""

    #: The noise's standard deviations, beside a signal of 1.
    sigmas: tuple[float, ...]
    #: The squared error of each example at each level, per element.
    of_examples: Float[Tensor, "examples levels"]

    @property
    def errors(self) -> tuple[float, ...]:
        """The mean squared error per element at each level."""
        return tuple(self.of_examples.mean(dim=0).tolist())

    @property
    def bits_of_examples(self) -> Float[Tensor, " examples"]:
        """The bits per element that each example takes, down to the lowest level."""
        log_sigma = torch.tensor(self.sigmas, dtype=torch.float64).log()
        information = self.of_examples.double() * torch.exp(-2.0 * log_sigma)  # per unit of log sigma
        # Above the highest level the error does not grow any more.
        above = 0.5 * information[:, -1]
        return (torch.trapezoid(information, log_sigma, dim=1) + above) / math.log(2.0)

    @property
    def bits(self) -> Figure:
        """The mean of the bits per element, with an interval for the draw of the examples and of their noise."""
        bits = self.bits_of_examples
        error = float(bits.std()) / math.sqrt(len(bits)) if len(bits) > 1 else math.inf
        return around(float(bits.mean()), error, max(1, len(bits) - 1))


def estimate_of(denoiser: Denoise) -> Estimate:
    """The estimate of a denoiser of ours for the Gaussian kernel: the mean of r at x = alpha (z + sigma n).

    Args:
        denoiser: Maps (x, beta) to r(z | x).
    """

    def estimate(noisy: Tensor, sigma: float) -> Tensor:
        beta = float(level_of_ratio(torch.tensor(sigma, dtype=torch.float64)))
        return denoiser((1.0 - beta) * noisy, beta).mean

    return estimate


@torch.no_grad()
def denoising_curve(
    estimate: Estimate,
    z: Float[Tensor, "batch *event"],
    *,
    sigmas: Sequence[float] = SIGMAS,
    seed: int = 0,
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
    levels = tuple(checks.number("each sigma", sigma, 0.0, 1e4, open_low=True) for sigma in sigmas)
    errors = torch.empty(len(z), len(levels), dtype=torch.float64)
    for first in range(0, len(z), batch_size):
        some = z[first : first + batch_size]
        streams = Streams.of(seed, range(first, first + len(some)), some.device, Purpose.COMPARING)
        for place, sigma in enumerate(levels):
            noisy = some + sigma * normal(some.shape, streams).to(some)
            error = (estimate(noisy, sigma) - some).square().flatten(1).mean(dim=1)
            errors[first : first + len(some), place] = error.double().cpu()
    return DenoisingCurve(levels, errors)
