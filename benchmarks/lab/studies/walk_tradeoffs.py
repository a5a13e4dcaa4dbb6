"""How does a walk trade drift for distance travelled? By its lag, and by its noise level."""

from collections.abc import Iterator
from functools import partial

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import ours
from lab.tables import walks_table
from lab.unit import Unit
from lab.walk_arms import WalkFrom, constant_noise, deep

STUDY = "walk_tradeoffs"

LAGS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
DEEP_LAGS = (0.0, 0.5, 0.9)
#: Noise levels to walk at, and the numbers of steps after which those walks are scored.
NOISES, NOISE_STOPS = (0.1, 0.2, 0.3, 0.4, 0.6), (1, 3, 10, 30, 100)


def lags(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """On large pictures three lags, for one seed."""
    large = effort.large(material)
    if large and seed > 0:
        return
    shallow, below = ((0.9, 0.5, 0.98), ()) if large else (LAGS, DEEP_LAGS)
    walks: dict[str, tuple[WalkFrom, tuple[int, ...]]] = {
        **{f"lag {lag}": (partial(constant_noise, lag=lag), effort.stops) for lag in shallow},
        **{f"deep lag {lag}": (partial(deep, lag=lag), effort.stops[:-1]) for lag in below},
    }
    yield Unit(STUDY, material, ours(material), seed, walks=walks)


def noises(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Many steps at a low noise level, or few at a high one?"""
    stops = tuple(n for n in NOISE_STOPS if n <= effort.stops[-1])
    walks: dict[str, tuple[WalkFrom, tuple[int, ...]]] = {
        f"beta {beta}": (partial(constant_noise, beta=beta), stops) for beta in NOISES
    }
    yield Unit(STUDY, material, ours(material), seed, walks=walks)


def lags_table(found: Findings, material: str, effort: Effort) -> str:
    names = [f"lag {lag}" for lag in LAGS] + [f"deep lag {lag}" for lag in DEEP_LAGS]
    return walks_table(found, material, names, effort.stops)


def noises_table(found: Findings, material: str, effort: Effort) -> str:
    return walks_table(found, material, [f"beta {beta}" for beta in NOISES], NOISE_STOPS)
