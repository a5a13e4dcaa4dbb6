"""How far does a variant go? The calibration of the strength dial.

At each noise level: the root mean square distance of variants from their starts, over that of two unrelated examples,
which is 1. The curve is made monotone (isotonic regression) and read both ways: how far does this level go, and which
level goes this far. Of variants by a walk at constant noise (`strength_curve`), and of those whose noise below a level
is drawn anew (`renewal_curve`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Shaped
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.measuring.chains.functions import flat
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.noise_walk import NoiseWalk
from noisekernel.tasks.run import Run

BETAS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
#: Where renewing is measured: up to a new sample; the curve is steep at either end.
RENEWED = (0.0005, 0.002, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1.0)


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
    #: Of the walk; of annealing, where noise was drawn anew.
    steps: int
    #: Of the walk, if it was one.
    lag: float | None = None
    readout: int | None = None

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

    def turned(self, strength: float, least: float = 0.0) -> float:
        """The level of a dial turned to this share of its way, from `least` to the last: equal turns, equal distances.

        To three digits: a curve measured on another machine then says the same, but for rare levels in between.
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

    def vary(rows: Tensor, first: int, beta: float) -> Run:
        # The same seed at every level: what differs between levels is then the level and not the luck.
        return tasks.variation(model, rows, beta=beta, steps=steps, lag=lag, readout=readout, seed=seed, first=first)

    carried = tasks.lag_of(model, lag)
    measured = _measured(vary, z, betas, n, batch_size, advance)
    return StrengthCurve(*measured, steps=steps, lag=carried, readout=readout)


def renewal_curve(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    *,
    betas: Sequence[float] = RENEWED,
    n: int = 64,
    steps: int = 20,
    seed: int = 0,
    batch_size: int = 256,
    advance: Callable[[], None] = lambda: None,
) -> StrengthCurve:
    """The same of variants whose noise quieter than each level was drawn anew (`tasks.renewal`)."""
    noises = {}

    def vary(rows: Tensor, first: int, beta: float) -> Run:
        if first not in noises:
            noises[first] = NoiseWalk.of(model, rows, steps=steps, seed=seed, first=n + first).noise
        return tasks.renewal(model, rows, below=beta, steps=steps, seed=seed, first=first, noise=noises[first])

    return StrengthCurve(*_measured(vary, z, betas, n, batch_size, advance), steps=steps)


Curve = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]


def _measured(
    vary: Callable[[Tensor, int, float], Run],
    z: Tensor,
    betas: Sequence[float],
    n: int,
    batch_size: int,
    advance: Callable[[], None],
) -> Curve:
    """Levels, distances and their standard errors; `vary` takes a batch of starts, the number of the first, a level."""
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
            run = vary(rows, first, beta)
            for _ in run:
                advance()
            squared += (flat(run.clean).cpu() - flat(rows).cpu()).double().square().sum(dim=1).tolist()
        share = np.array(squared) / unrelated
        distances.append(math.sqrt(float(share.mean())))
        spread = float(share.std(ddof=1)) / math.sqrt(len(share))
        errors.append(spread / (2.0 * distances[-1]) if distances[-1] else 0.0)
    return tuple(levels), tuple(distances), tuple(errors)
