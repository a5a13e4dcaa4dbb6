"""Is the chain stationary? The Fréchet distance to the data, on features, as a walk from the data goes on.

The walk starts at some examples and is compared with the others. The floor is the distance of those starting examples
themselves to the others: two parts of the data, at the same sample sizes, which is the best there is. Step 0 is the
start, noised and read out again: what lies between it and the floor is the read-out's doing, not the walk's.

Standard errors are by resampling chains with replacement. A chain is drawn with all its steps, so that the error of a
difference between two steps knows that the same chains made both.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.measuring.samples.frechet import frechet_distance


@dataclass(frozen=True)
class Distance:
    """The distance to the data after so many steps; how much more it is than the floor, and than after one step."""

    steps: int
    distance: float
    error: float
    excess: float
    excess_error: float
    drift: float
    drift_error: float


@dataclass(frozen=True)
class Stationarity:
    """The distances along a walk, and the floor."""

    #: The constant level, or that below which the noise moves at full pace.
    beta: float
    #: Of the chain at constant noise; None for the walk of the noise.
    lag: float | None
    chains: int
    features: str
    floor: float
    floor_error: float
    distances: tuple[Distance, ...]

    @property
    def rise(self) -> float:
        """The last distance over that after one step."""
        return self.distances[-1].distance / next(d.distance for d in self.distances if d.steps >= 1)


def stationarity(
    walked: Mapping[int, Float[Tensor, "chains features"]],
    start: Float[Tensor, "chains features"],
    truth: Float[Tensor, "others features"],
    *,
    beta: float,
    lag: float | None,
    name: str = "features",
    resamples: int = 50,
    seed: int = 0,
) -> Stationarity:
    """From features of the chains after so many steps, of where they started, and of the other examples.

    >>> g = torch.Generator().manual_seed(0)
    >>> start, truth = torch.randn(100, 2, generator=g), torch.randn(500, 2, generator=g)
    >>> found = stationarity({1: start, 10: start + 1.0}, start, truth, beta=0.2, lag=0.5)
    >>> round(found.distances[1].drift)
    2
    """
    if not any(steps >= 1 for steps in walked):
        raise InputError("there is no step to measure; give the features after at least one step")
    order = sorted(walked)
    one = next(steps for steps in order if steps >= 1)
    rng = np.random.default_rng(seed)
    draws = [
        torch.from_numpy(rng.integers(len(start), size=len(start)))
        for _ in range(checks.count("resamples", resamples, 2))
    ]

    def measure(values: Tensor) -> tuple[float, np.ndarray]:
        return frechet_distance(values, truth), np.array([frechet_distance(values[rows], truth) for rows in draws])

    floor, floors = measure(start)
    whole = {steps: measure(walked[steps]) for steps in order}
    distances = tuple(
        Distance(
            steps,
            whole[steps][0],
            _error(whole[steps][1]),
            whole[steps][0] - floor,
            _error(whole[steps][1] - floors),
            whole[steps][0] - whole[one][0],
            _error(whole[steps][1] - whole[one][1]),
        )
        for steps in order
    )
    return Stationarity(beta, lag, len(start), name, floor, _error(floors), distances)


def _error(resampled: np.ndarray) -> float:
    error = float(np.std(resampled, ddof=1))
    return error if math.isfinite(error) else 0.0
