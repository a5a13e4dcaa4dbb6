"""EDM (Karras et al. 2022): a denoiser of z + sigma n with preconditioning, its weighting, its levels, its samplers.

With d the standard deviation of the data,

    D(x, sigma) = c_skip x + c_out F(c_in x, c_noise),      c_skip = d^2 / (sigma^2 + d^2),
    c_out = sigma d / sqrt(sigma^2 + d^2),   c_in = 1 / sqrt(sigma^2 + d^2),   c_noise = log(sigma) / 4,

trained by (sigma^2 + d^2) / (sigma d)^2 |D - z|^2 at log sigma ~ N(-1.2, 1.2^2). Samples follow dx / dsigma =
(x - D) / sigma down N levels by Heun's rule, with Euler's rule for the last step: 2 N - 1 network calls. The stochastic
sampler adds noise before each step.

The paper sets d = .5 for pictures in [-1, 1]; here d is that of the training pictures.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from lab.material import Material
from lab.rivals.rival import Rival
from noisekernel.core.randomness import Streams, normal

#: Mean and standard deviation of log sigma in training.
MEAN, STD = -1.2, 1.2
#: The ends of the levels in sampling, and how they are spread.
LOWEST, HIGHEST, RHO = 0.002, 80.0, 7.0


@dataclass(frozen=True)
class Churn:
    """The noise that the stochastic sampler adds: how much over all steps, from and to which level, inflated by what.

    The paper chose these for each data set.
    """

    amount: float
    low: float
    high: float
    inflation: float

    def share(self, sigma: float, steps: int) -> float:
        """By which share of itself the level is raised before a step."""
        return min(self.amount / steps, math.sqrt(2.0) - 1.0) if self.low <= sigma <= self.high else 0.0


#: As chosen for CIFAR-10 and the variance preserving network, and for ImageNet at 64 x 64.
CIFAR = Churn(30.0, 0.01, 1.0, 1.007)
IMAGENET = Churn(40.0, 0.05, 50.0, 1.003)


def levels(steps: int) -> list[float]:
    """The levels from the highest to the lowest, and 0."""
    high, low = HIGHEST ** (1.0 / RHO), LOWEST ** (1.0 / RHO)
    return [(high + i / max(steps - 1, 1) * (low - high)) ** RHO for i in range(steps)] + [0.0]


@dataclass
class EDM(Rival):
    """Deterministic unless it has a churn."""

    name: str = "edm"
    churn: Churn | None = None

    def meet(self, material: Material) -> None:
        super().meet(material)
        self.spread = float(material.z.double().std())

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        sigma = torch.exp(MEAN + STD * normal((len(z),), streams))
        noisy = z + _like(sigma, z) * normal(z.shape, streams)
        weight = (sigma**2 + self.spread**2) / (sigma * self.spread) ** 2
        return weight * (self.denoised(network, noisy, sigma) - z).square().flatten(1).mean(1)

    def denoised(self, network: nn.Module, x: Tensor, sigma: Tensor) -> Tensor:
        """D(x, sigma), with one level per sample."""
        total = _like(sigma**2 + self.spread**2, x)
        out = _like(sigma, x) * self.spread * total.rsqrt()
        return self.spread**2 / total * x + out * network(total.rsqrt() * x, sigma.log() / 4.0)

    @torch.no_grad()
    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        return self.denoised(self.network, noisy, torch.full((len(noisy),), float(sigma)))

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        steps = (calls + 1) // 2
        x = HIGHEST * noise
        for sigma, after in pairwise(levels(steps)):
            here = sigma
            if self.churn is not None:
                # Drawn at every level, so that the number of draws does not depend on the settings.
                fresh = self.churn.inflation * normal(x.shape, streams)
                here = sigma * (1.0 + self.churn.share(sigma, steps))
                x = x + math.sqrt(here**2 - sigma**2) * fresh
            slope = (x - self.estimate(x, here)) / here
            ahead = x + (after - here) * slope
            if after > 0.0:
                slope = 0.5 * (slope + (ahead - self.estimate(ahead, after)) / after)
            x = x + (after - here) * slope
        return x


def _like(values: Tensor, x: Tensor) -> Tensor:
    """One number per sample, with the dimensions of x."""
    return values.reshape(-1, *[1] * (x.ndim - 1))
