"""How far variants go: a curve from noise levels to distances, read both ways.

A distance is the root mean square distance of variants from their starts, divided by that of two unrelated examples. So
two unrelated examples are at distance 1. A *strength* is a share of the way to an unrelated example, and the curve says
which noise level goes that far. `tasks.strength` measures curves; a model carries its own (`NoiseModel.curves`).
"""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from noisekernel.core import checks
from noisekernel.core.errors import InputError


@dataclass(frozen=True)
class StrengthCurve:
    """Noise levels, and the relative distance of a variant at each, with its standard error. Plain data.

    >>> curve = StrengthCurve((0.2, 0.5), (0.3, 0.6), (0.01, 0.01), steps=100, lag=0.9, readout=10)
    >>> round(curve.distance(0.35), 3), round(curve.beta(0.45), 3)
    (0.45, 0.35)
    >>> StrengthCurve.of(curve.figures()) == curve
    True
    """

    betas: tuple[float, ...]
    distances: tuple[float, ...]
    errors: tuple[float, ...]
    #: The steps of annealing if noise was redrawn; otherwise those of the chain at constant noise.
    steps: int
    #: The lag and the read-out of the chain at constant noise; None if noise was redrawn.
    lag: float | None = None
    readout: int | None = None

    def __post_init__(self) -> None:
        if not self.betas or len({len(self.betas), len(self.distances), len(self.errors)}) != 1:
            raise InputError(
                "a strength curve needs a distance and an error for each of its noise levels, at least one"
            )
        if list(self.betas) != sorted(set(self.betas)):
            raise InputError(f"the noise levels of a strength curve rise; given {self.betas}")
        if not all(math.isfinite(number) for number in (*self.betas, *self.distances, *self.errors)):
            raise InputError("a strength curve has numbers that are not finite")

    @property
    def monotone(self) -> tuple[float, ...]:
        """The distances, made to rise with the noise level.

        This is isotonic regression: neighbours that fall are pooled into their mean until none do.

        >>> StrengthCurve((0.1, 0.2, 0.4), (0.2, 0.5, 0.4), (0.0,) * 3, steps=1).monotone
        (0.2, 0.45, 0.45)
        """
        pools: list[tuple[float, int]] = []
        for distance in self.distances:
            pools.append((distance, 1))
            while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
                (a, m), (b, n) = pools[-2:]
                pools[-2:] = [((m * a + n * b) / (m + n), m + n)]
        return tuple(max(0.0, mean) for mean, size in pools for _ in range(size))

    def distance(self, beta: float) -> float:
        """The distance of a variant at noise level `beta`: 0 without noise, constant beyond the last level."""
        beta = checks.number("beta", beta, 0.0, 1.0)
        return float(np.interp(beta, (0.0, *self.betas), (0.0, *self.monotone)))

    def beta(self, distance: float) -> float:
        """The lowest noise level whose variants go this far; the last one if none does."""
        distance = checks.number("distance", distance, 0.0, math.inf)
        levels, reached = (0.0, *self.betas), (0.0, *self.monotone)
        end = bisect_left(reached, distance)  # the first level that goes as far
        if end == 0 or end == len(levels):
            return levels[min(end, len(levels) - 1)]
        part = (distance - reached[end - 1]) / (reached[end] - reached[end - 1])
        return levels[end - 1] + part * (levels[end] - levels[end - 1])

    def turned(self, strength: float, least: float = 0.0) -> float:
        """The noise level of a strength. Equal turns of the dial from `least` to the last level move equally far.

        Distances are in units of the last distance of the curve. That is the distance of two unrelated examples, 1, up
        to the error of measuring it. In these units strength 1 is the last level, whatever that error was. The level
        is rounded to three digits, so that a curve measured on another machine nearly always gives the same level.
        """
        strength = checks.number("strength", strength, 0.0, 1.0)
        if strength == 1.0:
            return self.betas[-1]
        first, last = self.distance(least), self.monotone[-1]
        return max(least, float(f"{self.beta(first + strength * (last - first)):.3g}"))

    def figures(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def of(cls, figures: Mapping[str, Any]) -> "StrengthCurve":
        """What `figures` gave."""
        lists = {name: tuple(map(float, figures[name])) for name in ("betas", "distances", "errors")}
        return cls(**lists, steps=figures["steps"], lag=figures["lag"], readout=figures["readout"])
