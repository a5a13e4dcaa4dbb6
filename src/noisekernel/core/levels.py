"""Noise levels: curves of them, the noise's size beside the signal's, and how a level is drawn in training.

    alpha = 1 - beta,    sigma = sqrt(beta) / alpha,    SNR = alpha^2 / beta

Levels come from a *curve*, a function from [0, 1] to noise levels, so that the same curve can be walked in any number
of steps.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.randomness import Randomness, normal, uniform

Curve = Callable[[Tensor], Tensor]


def linear(first: float = 1.0, last: float = 0.01) -> Curve:
    """Straight from `first` to `last`: the paper's annealing (section 3.1: 1 to 0.01; categorical 1 to 0.5)."""
    first = checks.number("first", first, 0.0, 1.0, open_low=True)
    last = checks.number("last", last, 0.0, 1.0, open_low=True)
    return lambda u: first * (1.0 - u) + last * u


def flat(beta: float) -> Curve:
    """Always `beta`."""
    beta = checks.number("beta", beta, 0.0, 1.0, open_low=True)
    return lambda u: torch.full_like(u, beta)


def log_snr(first: float = 0.99, last: float = 1e-4) -> Curve:
    """Even in the logarithm of the signal-to-noise ratio alpha^2 / beta, from `first` to `last`.

    At beta = 1 the signal is zero and its logarithm infinite, so a chain that starts there takes one step to `first`:
    see `from_pure_noise`.
    """
    first = checks.number("first", first, 0.0, 1.0, open_low=True, open_high=True)
    last = checks.number("last", last, 0.0, 1.0, open_low=True, open_high=True)
    a, b = (math.log(noise_ratio(beta)) for beta in (first, last))
    return lambda u: level_of_ratio(torch.exp(a + (b - a) * u))


def noise_ratio(beta: float) -> float:
    """sigma = sqrt(beta) / alpha: the noise's standard deviation when the signal is scaled to 1."""
    return math.sqrt(beta) / (1.0 - beta)


def level_of_ratio(sigma: Tensor) -> Tensor:
    """The beta with sqrt(beta) / (1 - beta) = sigma. The root of a quadratic, in the form that does not cancel."""
    s2 = sigma**2
    return 2.0 * s2 / (2.0 * s2 + 1.0 + torch.sqrt(4.0 * s2 + 1.0))


@runtime_checkable
class Levels(Protocol):
    """How the noise level of each training example is drawn, and what the loss there weighs."""

    def sample(self, batch: int, generator: Randomness) -> Tensor:
        """Draw a noise level for each example of a batch.

        Args:
            batch: The number of examples.
            generator: A `torch.Generator`, or `Streams` with one stream per example.

        Returns:
            Noise levels in (0, 1], (batch,).
        """
        ...

    def weight(self, beta: Tensor) -> Tensor:
        """What the loss at each noise level is multiplied by.

        Args:
            beta: Noise levels, (batch,).
        """
        ...


@dataclass(frozen=True)
class UniformLevels(Levels):
    """beta ~ U(low, high), with weight 1. The paper trains with U(0.01, 1).

    Args:
        low: The lowest noise level, above 0.
        high: The highest noise level, at most 1.

    >>> levels = UniformLevels(0.1, 0.2).sample(1000, torch.Generator().manual_seed(0))
    >>> bool(levels.min() > 0.1), bool(levels.max() < 0.2)
    (True, True)
    """

    low: float = 0.01
    high: float = 1.0

    def __post_init__(self) -> None:
        checks.number("low", self.low, 0.0, 1.0, open_low=True)
        checks.number("high", self.high, self.low, 1.0)

    def sample(self, batch: int, generator: Randomness) -> Tensor:
        return self.low + (self.high - self.low) * uniform((batch,), generator)

    def weight(self, beta: Tensor) -> Tensor:
        return torch.ones_like(beta)


@dataclass(frozen=True)
class LogNormalLevels(Levels):
    """log sigma ~ N(mean, std^2) with sigma = sqrt(beta) / (1 - beta): most of training where detail is decided.

    In nats a step at high noise is worth almost nothing, since the KL falls like 1 / sigma^2. But coarse properties,
    such as the class of a picture, are decided there. With `lift` = 1 the loss is weighted by 1 + sigma^2, so that a
    squared error of the denoiser counts the same at every high level. (Above sigma = 100 the weight is constant.)

    Args:
        mean: The mean of log sigma.
        std: The standard deviation of log sigma.
        lift: How much of sigma^2 is added to the weight, from 0 (constant weight) to 1.

    >>> LogNormalLevels().weight(torch.tensor([0.1, 0.5]))
    tensor([1.1235, 3.0000])
    """

    mean: float = -0.4
    std: float = 1.4
    lift: float = 1.0

    def __post_init__(self) -> None:
        checks.number("mean", self.mean, -5.0, 5.0)
        checks.number("std", self.std, 0.0, 4.0, open_low=True)
        checks.number("lift", self.lift, 0.0, 1.0)

    def sample(self, batch: int, generator: Randomness) -> Tensor:
        sigma = torch.exp(self.mean + self.std * normal((batch,), generator))
        return level_of_ratio(sigma)

    def weight(self, beta: Tensor) -> Tensor:
        return 1.0 + self.lift * beta / (1.0 - beta).clamp(min=0.01) ** 2


def log_snr_of(beta: Tensor) -> Tensor:
    """log(alpha^2 / beta), with beta = 1 read as 1 - 1e-6 so that it stays finite."""
    return 2.0 * torch.log((1.0 - beta).clamp(min=1e-6)) - torch.log(beta)
