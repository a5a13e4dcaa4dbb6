"""Where do long walks at constant noise end? Ours to 10,000 steps, and those of others until their drift shows."""

from collections.abc import Iterator
from functools import partial

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, Ours, log_normal, ours
from lab.rivals.ddpm import DDPM
from lab.tables import over_seeds, table, walks_table
from lab.unit import Unit
from lab.walk_arms import FixedNoise, WalkFrom, constant_noise, deep, loopback, walk_jump

STUDY = "long_walks"

#: Bengio et al. (2013): learn to return from one's own steps, then add noise and denoise in turn.
GSN = Ours("gsn walkback", {"objective.kind": "unrolled", "kernel.lag": 0.0, **log_normal(-1.2, 1.2)})
LONG = ("ours", "walk-jump", "gsn walkback", "loopback")


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """On large pictures for one seed only; rivals other than loopback for one seed only."""
    stops, large = effort.long_stops, effort.large(material)
    if large and seed > 0:
        return
    walk = partial(constant_noise, compiled=large)
    yield Unit(STUDY, material, ours(material), seed, walks={"long ours": (walk, stops)})
    hundred, thousand = (tuple(n for n in stops if n <= most) for most in (100, 1_000))
    yield Unit(STUDY, material, DDPM("ddpm"), seed, walks={"long loopback": (loopback, hundred)})
    if large or seed > 0:
        return
    walkback = partial(constant_noise, lag=0.0)
    yield Unit(STUDY, material, GSN, seed, walks={"long gsn walkback": (walkback, thousand)})
    yield Unit(STUDY, material, FixedNoise("walk-jump"), seed, walks={"long walk-jump": (walk_jump, stops)})


def as_many_samples(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """As many new samples as there are walkers: the score of a walk that forgets its start and errs as they do."""
    few = Ours("ours, as many as walkers", DEFAULT, weights="ours")
    yield Unit(STUDY, material, few, seed, [(few, effort.calls[-2:-1])], samples=effort.walkers)


def far(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Thousands of calls for one seed: at low noise, and at high noise by the deep kernel."""
    if seed > 0:
        return
    high = partial(deep, lag=0.0, inner=10, beta=0.6)
    walks: dict[str, tuple[WalkFrom, tuple[int, ...]]] = {
        "far, beta 0.2": (constant_noise, (1, 10, 100, 1_000, 2_000)),
        "far, deep, beta 0.6": (high, (1, 10, 30, 100)),
    }
    yield Unit(STUDY, material, ours(material), seed, walks=walks)


def long_table(found: Findings, material: str, effort: Effort) -> str:
    rows = []
    for name in LONG:
        steps = found.walk(material, f"long {name}")
        rows.append([name, *(over_seeds(steps[n][0]) if n in steps else "-" for n in effort.long_stops)])
    rest = ["-"] * (len(effort.long_stops) - 1)
    fresh = found.fids(material, "ours, as many as walkers", effort.calls[-2])
    rows.append(["as many new samples of ours", over_seeds(fresh.values()), *rest])
    fresh = found.fids(material, "bundled, as many as walkers", 20)
    rows.append(["as many new samples of bundled", over_seeds(fresh.values()), *rest])
    if (floor := found.walk_floor(material)) is not None:
        rows.append(["as many real pictures", f"{floor:.3f}", *rest])
    return table(["walk", *(f"step {n:,}" for n in effort.long_stops)], rows)


def far_table(found: Findings, material: str, effort: Effort) -> str:
    names = ("bundled", "far, beta 0.2", "far, deep, beta 0.6")
    return walks_table(found, material, names, (1, 10, 30, 100, 1_000, 2_000))
