"""The denoising curve of categories: the cross-entropy of masked elements.

At level beta each of the L elements is masked with probability beta. Let H(beta) be the mean of -log2 r(z_i | x) over
masked elements i, by

    H(beta) = E sum_{i masked} -log2 r(z_i | x) / (beta L),

whose denominator is the expected number of masked elements. Then

    -log2 p(z) / L  <=  int_0^1 H(beta) d(beta),

with equality for the true posterior. To see it, draw the elements one at a time in a random order, each from r given
those before it. This is a model of z, and minus its log-likelihood is at most the mean over orders of the sum of
-log r over the steps (Jensen). A step with k elements left draws one of k masked elements, all of them alike, so the
bound is sum_{k=1}^L h(k), where h(k) is the mean cross-entropy of a masked element when k of them, chosen at random,
are masked. And the integral is that sum over L: k elements are masked with probability
C(L, k) beta^k (1 - beta)^(L - k), they hold k h(k) in all, and

    int_0^1 C(L, k) beta^k (1 - beta)^(L - k) k / (beta L) d(beta) = 1 / L    for each k.

(The denoiser is told beta. The sum is exact for one that takes no notice of it; for any other the integral is the
variational bound of masked diffusion in continuous time.)

For a denoiser that takes no notice of beta, H is a polynomial of degree L - 1. So the integral is by Gauss and
Legendre: `LEVELS` nodes are exact up to L = 2 `LEVELS`, and beyond that H is smooth.
"""

import math

import numpy as np
import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import Categorical
from noisekernel.core.checks import Level
from noisekernel.core.randomness import Streams
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.measuring.denoising.curve import DenoisingCurve, measured
from noisekernel.networks.denoiser import Denoise

#: How many levels a curve has, and one with few.
LEVELS, FEW = 12, 7


def nodes(count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The levels and weights of Gauss and Legendre on (0, 1).

    Args:
        count: How many levels.

    >>> nodes(1)
    ((0.5,), (1.0,))
    """
    places, weights = np.polynomial.legendre.leggauss(count)
    return tuple((0.5 * (1.0 + places)).tolist()), tuple((0.5 * weights).tolist())


class OfCategories:
    """The yardstick of a categorical kernel."""

    reference = "one histogram"
    error = "cross-entropy of a masked element in bits"

    def __init__(self, kernel: CategoricalKernel) -> None:
        self.kernel = kernel

    def levels(self, few: bool) -> tuple[float, ...]:
        return nodes(FEW if few else LEVELS)[0]

    def curve(
        self, denoiser: Denoise, z: Tensor, *, few: bool, seed: int, first: int, batch_size: int
    ) -> DenoisingCurve:
        z = self.kernel.check_data(z)

        def errors(some: Tensor, beta: float, streams: Streams) -> Tensor:
            x = self.kernel.noise(some, beta).sample(streams)
            log_prob = denoiser(x, beta).log_prob_elements(some)
            nats = torch.where(x == self.kernel.masked, -log_prob, 0.0)
            return nats.flatten(1).mean(dim=1) / (beta * math.log(2.0))

        levels, weights = nodes(FEW if few else LEVELS)
        return measured(errors, z, levels, weights, "beta", seed=seed, first=first, batch_size=batch_size)

    def simple(self, z: Tensor) -> Denoise:
        """The denoiser that knows how often each class comes up, in all elements together; each one at least once."""
        z = self.kernel.check_data(z)
        counts = torch.bincount(z.flatten(), minlength=self.kernel.classes).clamp(min=1).double()
        logits = counts.log().float()

        def denoise(x: Tensor, beta: Level) -> Categorical:
            checks.level("beta", beta, x)
            return Categorical.from_logits(logits.to(x.device).expand(*x.shape, -1))

        return denoise
