"""Intervals for figures: what another seed would have given.

The plain bootstrap draws samples with replacement, and duplicates shrink covariances and distances to neighbours: on
the Fréchet distance or recall its replicates lie to one side of the figure. So none of these intervals draws anything
twice. The delete-a-group jackknife leaves out one group of samples after the other: the spread of what is left gives a
standard error, its mean the bias of first order, and Student's t an interval. How often such intervals cover is counted
by tests/statistical/test_coverage.py: as often as they say, or, for what is not smooth, more often.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.core.errors import InputError

LEVEL = 0.95
GROUPS = 20


@dataclass(frozen=True)
class Figure:
    """A figure with its interval."""

    value: float
    low: float
    high: float

    def limited(self, low: float = -math.inf, high: float = math.inf) -> "Figure":
        """With the interval cut where the figure cannot be."""
        return Figure(self.value, max(low, self.low), min(high, self.high))


@dataclass(frozen=True)
class Jackknifed:
    """What leaving out groups tells of a figure: its standard error, and its bias at this number of samples."""

    value: float
    error: float
    bias: float
    freedom: int

    @property
    def plain(self) -> Figure:
        """Covers the mean of the figure over seeds, at this number of samples."""
        return around(self.value, self.error, self.freedom)


def groups_of(n: int) -> Tensor:
    """A group number for each of n samples: by turns, so that sizes differ by one at most."""
    if n < 3:
        raise InputError(f"an interval needs at least three samples, and there are {n}")
    return torch.arange(n) % min(GROUPS, n)


def jackknife(value: float, without: Sequence[float]) -> Jackknifed:
    """From a figure, and the same figure without each group in turn."""
    count = len(without)
    mean = math.fsum(without) / count
    error = math.sqrt((count - 1) / count * math.fsum((each - mean) ** 2 for each in without))
    return Jackknifed(value, error, (count - 1) * (mean - value), count - 1)


def around(value: float, error: float, freedom: int) -> Figure:
    """Student's interval."""
    from scipy.stats import t  # scikit-learn, which we need, brings scipy

    reach = float(t.ppf((1 + LEVEL) / 2, freedom)) * error
    return Figure(value, value - reach, value + reach)
