"""The Fréchet distance between two sets of features, each taken for a Gaussian: what FID is on Inception's features."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core.errors import ShapeError
from noisekernel.measuring.samples.intervals import Figure, Jackknifed, around, groups_of, jackknife


def frechet_distance(a: Float[Tensor, "n features"], b: Float[Tensor, "m features"]) -> float:
    """|mean a - mean b|^2 + tr(cov a + cov b - 2 (cov a cov b)^(1/2)).

    >>> z = torch.randn(1000, 2, generator=torch.Generator().manual_seed(0))
    >>> round(frechet_distance(z, z + 1.0), 6)
    2.0
    """
    _check(a, b)
    return Reference.of(a).distance(*Sums.of(b).moments())


def frechet_intervals(real: Float[Tensor, "n features"], fake: Float[Tensor, "m features"]) -> tuple[Figure, Figure]:
    """The distance to these very examples, and the distance of the distributions.

    The first is the usual figure, whose interval says what other samples, as many, would give. The second is it less
    its bias, which to first order goes with one over the number of samples and of examples; its interval speaks of the
    distance between the distributions that samples and examples were drawn from. It may be negative.
    """
    of_fake, of_real = _left_out(real, fake), _left_out(fake, real)
    corrected = of_fake.value - of_fake.bias - of_real.bias
    return of_fake.plain, around(corrected, math.hypot(of_fake.error, of_real.error), of_fake.freedom)


def _left_out(fixed: Tensor, varying: Tensor) -> Jackknifed:
    _check(fixed, varying)
    reference, groups = Reference.of(fixed), groups_of(len(varying))
    parts = [Sums.of(varying[groups == group]) for group in range(int(groups.max()) + 1)]
    whole = Sums.of(varying)
    without = [reference.distance(*whole.less(part).moments()) for part in parts]
    return jackknife(reference.distance(*whole.moments()), without)


@dataclass(frozen=True)
class Sums:
    """How many, their sum, and the sum of their outer products: all that mean and covariance need."""

    count: int
    sum: Tensor
    outer: Tensor

    @classmethod
    def of(cls, features: Tensor) -> "Sums":
        features = features.double()
        return cls(len(features), features.sum(0), features.T @ features)

    def less(self, part: "Sums") -> "Sums":
        return Sums(self.count - part.count, self.sum - part.sum, self.outer - part.outer)

    def moments(self) -> tuple[Tensor, Tensor]:
        mean = self.sum / self.count
        return mean, (self.outer - self.count * torch.outer(mean, mean)) / (self.count - 1)


@dataclass(frozen=True)
class Reference:
    """The Gaussian that distances are taken to: its mean, covariance and the root of that."""

    mean: Tensor
    cov: Tensor
    root: Tensor

    @classmethod
    def of(cls, features: Tensor) -> "Reference":
        mean, cov = Sums.of(features).moments()
        values, vectors = torch.linalg.eigh(cov)
        return cls(mean, cov, vectors @ torch.diag(values.clamp(min=0).sqrt()) @ vectors.T)

    def distance(self, mean: Tensor, cov: Tensor) -> float:
        # (cov a cov b)^(1/2) has the trace of (root cov b root)^(1/2), which is symmetric.
        mixed = torch.linalg.eigvalsh(self.root @ cov @ self.root).clamp(min=0).sqrt().sum()
        return float((self.mean - mean).square().sum() + self.cov.trace() + cov.trace() - 2.0 * mixed)


def _check(a: Tensor, b: Tensor) -> None:
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or min(len(a), len(b)) < 2:
        raise ShapeError(
            f"features of shapes {tuple(a.shape)} and {tuple(b.shape)}; give (samples, features) each, at least two "
            "samples, and the same features"
        )
