"""The denoising curve of rows of numbers and categories: what is told of both at each level.

As beta falls from 1 to 0, categories become visible and the noise of numbers falls (`kernels.product`). What the row
tells by that is the sum of what each column tells at each moment, given the state of the whole row. Of a category
(`categorical`) that is the cross-entropy where it is masked, over beta. Of a number (`gaussian`) it is half of the
squared error e at the signal-to-noise ratio s for each unit of s, and here s is a function of beta,

    1 + s = (1 + S)^(1 - beta),        ds = -(1 + s) log(1 + S) d(beta).

So a denoiser takes to send a row, its numbers up to noise of a hundredth of their deviation, at most

    int_0^1 [ sum_{i masked} -log2 r(z_i | x) / beta + sum_j (1 + s) log2(1 + S) e_j / 2 ] d(beta)    bits,

with equality for the true posterior. For numbers that are normal and independent, e = 1 / (1 + s) and the second sum is
the same at all levels. What is under the integral, over the number of columns, is the error at a level.
"""

import math

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import Categorical
from noisekernel.core.checks import Level
from noisekernel.core.products import Product, parted
from noisekernel.core.randomness import Streams
from noisekernel.kernels.product import MOST, ProductKernel, number_level
from noisekernel.measuring.denoising.categorical import FEW, LEVELS, nodes
from noisekernel.measuring.denoising.curve import DenoisingCurve, measured
from noisekernel.networks.denoiser import Denoise
from noisekernel.networks.exact import exact_denoiser


class OfMixed:
    """The yardstick of a product kernel."""

    reference = "each column alone"
    error = "bits of a column for each unit of beta"

    def __init__(self, kernel: ProductKernel) -> None:
        self.kernel = kernel

    def levels(self, few: bool) -> tuple[float, ...]:
        return nodes(FEW if few else LEVELS)[0]

    def curve(
        self, denoiser: Denoise, z: Tensor, *, few: bool, seed: int, first: int, batch_size: int
    ) -> DenoisingCurve:
        kernel, counts = self.kernel, self.kernel.counts
        z = kernel.check_data(z)

        def errors(some: Tensor, beta: float, streams: Streams) -> Tensor:
            x = kernel.noise(some, beta).sample(streams)
            r = denoiser(x, beta)
            assert isinstance(r, Product)
            numbers, classes = parted(some, counts)
            nats = -r.categories.log_prob_elements(classes.long())
            of_classes = torch.where(parted(x, counts)[1] == kernel.masked, nats, 0.0).sum(dim=1) / beta
            squared = (r.normal.mean - numbers).square().sum(dim=1)
            of_numbers = 0.5 * MOST * math.exp((1.0 - beta) * MOST) * squared
            return (of_classes + of_numbers) / (len(counts) * math.log(2.0))

        levels, weights = nodes(FEW if few else LEVELS)
        return measured(errors, z, levels, weights, "beta", seed=seed, first=first, batch_size=batch_size)

    def simple(self, z: Tensor) -> Denoise:
        """The denoiser that knows each column alone: the mean and variance of numbers, how often each class comes up.

        Every class that a column has comes up at least once.
        """
        kernel, counts = self.kernel, self.kernel.counts
        numbers, classes = parted(kernel.check_data(z), counts)
        mean, variance = numbers.double().mean(dim=0), numbers.double().var(dim=0, correction=0).clamp(min=1e-12)
        few = [count for count in counts if count]
        table = torch.zeros(len(few), kernel.classes, dtype=torch.float64)
        for place, count in enumerate(few):
            found = torch.bincount(classes[:, place].long().cpu(), minlength=count).clamp(min=1)
            table[place, :count] = found / found.sum()

        def denoise(x: Tensor, beta: Level) -> Product:
            level = checks.level("beta", beta, x)
            noisy = parted(x, counts)[0]
            normal = exact_denoiser(noisy, number_level(level), mean.to(x.device), variance.to(x.device))
            probs = table.to(x).expand(len(x), -1, -1)
            return Product(normal, Categorical.from_probs(probs), counts)

        return denoise
