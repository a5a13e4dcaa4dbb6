"""How far does a variant go? The calibration of the strength dial.

At each noise level: the root mean square distance of variants from their starts, over that of two unrelated examples,
which is 1. The curve is made monotone (isotonic regression) and read both ways: how far does this level go, and which
level goes this far.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Shaped
from torch import Tensor

from noisekernel import checks, tasks
from noisekernel.diagnostics.functions import flat
from noisekernel.errors import InputError
from noisekernel.transitions import NoiseModel

BETAS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


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
    steps: int
    lag: float
    readout: int

    def __post_init__(self) -> None:
        if not self.betas or len({len(self.betas), len(self.distances), len(self.errors)}) != 1:
            raise InputError(
                "a strength curve needs a distance and an error for each of its noise levels, at least one"
            )
        if list(self.betas) != sorted(set(self.betas)):
            raise InputError(f"the noise levels of a strength curve rise; given {self.betas}")

    @property
    def monotone(self) -> tuple[float, ...]:
        """The distances, made to rise with the noise level."""
        from sklearn.isotonic import isotonic_regression

        return tuple(float(d) for d in isotonic_regression(np.array(self.distances), y_min=0.0))

    def distance(self, beta: float) -> float:
        """How far a variant at `beta` goes. Without noise it stays; beyond the last level it goes no further."""
        beta = checks.number("beta", beta, 0.0, 1.0)
        return float(np.interp(beta, (0.0, *self.betas), (0.0, *self.monotone)))

    def beta(self, distance: float) -> float:
        """The lowest noise level whose variants go this far; the last one if none does."""
        distance = checks.number("distance", distance, 0.0, math.inf)
        levels, reached = (0.0, *self.betas), (0.0, *self.monotone)
        end = int(np.searchsorted(reached, distance))  # the first level that goes as far
        if end == 0 or end == len(levels):
            return levels[min(end, len(levels) - 1)]
        part = (distance - reached[end - 1]) / (reached[end] - reached[end - 1])
        return levels[end - 1] + part * (levels[end] - levels[end - 1])

    def figures(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "betas": list(self.betas),
            "distances": list(self.distances),
            "errors": list(self.errors),
            "steps": self.steps,
            "lag": self.lag,
            "readout": self.readout,
        }

    @classmethod
    def of(cls, figures: dict[str, Any]) -> "StrengthCurve":
        """What `figures` gave."""
        lists = {name: tuple(map(float, figures[name])) for name in ("betas", "distances", "errors")}
        return cls(**lists, steps=figures["steps"], lag=figures["lag"], readout=figures["readout"])


def strength_curve(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    *,
    betas: Sequence[float] = BETAS,
    n: int = 64,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 10,
    seed: int = 0,
    batch_size: int = 256,
    advance: Callable[[], None] = lambda: None,
) -> StrengthCurve:
    """Measured on a variant of each of the first `n` examples, by the steps, lag and read-out given.

    All examples tell how far apart two unrelated ones are. `advance` is called after every step of every batch.
    """
    levels = sorted({checks.number("each of betas", beta, 0.0, 1.0, open_low=True) for beta in betas})
    starts = z[: checks.count("n", n, 2)]
    if len(starts) < 2 or not levels:
        raise InputError("how far apart two examples are takes at least two of them, and one noise level")
    # E|z - z'|^2 for independent z, z' is twice the variance.
    unrelated = 2.0 * float(flat(z).double().var(dim=0).sum())
    if unrelated == 0.0:
        raise InputError("all examples are the same; how far a variant goes is told by how far apart examples are")
    distances, errors = [], []
    for beta in levels:
        squared: list[float] = []
        for first in range(0, len(starts), checks.count("batch_size", batch_size)):
            rows = starts[first : first + batch_size]
            # The same seed at every level: what differs between levels is then the level and not the luck.
            run = tasks.variation(model, rows, beta=beta, steps=steps, lag=lag, readout=readout, seed=seed, first=first)
            for _ in run:
                advance()
            squared += (flat(run.clean).cpu() - flat(rows)).double().square().sum(dim=1).tolist()
        share = np.array(squared) / unrelated
        distances.append(math.sqrt(float(share.mean())))
        spread = float(share.std(ddof=1)) / math.sqrt(len(share))
        errors.append(spread / (2.0 * distances[-1]) if distances[-1] else 0.0)
    carried = float(model.kernel.lag if lag is None else lag)
    return StrengthCurve(tuple(levels), tuple(distances), tuple(errors), steps, carried, readout)
