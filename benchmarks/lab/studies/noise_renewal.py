"""The walk of the noise and variants of variants, beside walks at constant noise, all by many walkers.

Distances of 200 walkers would be too imprecise to tell these apart.
"""

from collections.abc import Iterator
from functools import partial

from lab.effort import FULL, Effort
from lab.findings import Findings
from lab.own_arms import ours
from lab.tables import walks_table
from lab.unit import Unit
from lab.walk_arms import WalkFrom, constant_noise, noise_walk, rounds

STUDY = "noise_renewal"

Walks = dict[str, tuple[WalkFrom, tuple[int, ...]]]

#: The walk of the noise, variants of variants, variants by noise level, and walks at constant noise.
RENEWALS: Walks = {
    "renewal, many": (noise_walk, FULL.renewal_stops),
    "rounds, noise carried": (partial(rounds, carried=True), (1, 3, 10)),
    "rounds, noise found again": (partial(rounds, carried=False), (1, 3)),
    **{f"renewed below {beta}": (partial(rounds, carried=True, beta=beta), (1,)) for beta in (0.1, 0.3, 0.5, 0.7, 0.9)},
    "beta 0.2, many": (constant_noise, (1, 10, 100)),
    "beta 0.4, many": (partial(constant_noise, beta=0.4), (1, 10)),
    "beta 0.6, many": (partial(constant_noise, beta=0.6), (1, 10)),
}


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    walks = renewals(effort, *RENEWALS)
    yield Unit(STUDY, material, ours(material), seed, walks=walks, walkers=effort.samples)


def renewals(effort: Effort, *names: str, prefix: str = "") -> Walks:
    """The named walks, as far as the effort allows, under names that start with the prefix."""
    most = {"renewal, many": effort.renewal_stops[-1]}
    found: Walks = {}
    for name in names:
        walk, stops = RENEWALS[name]
        found[f"{prefix}{name}"] = (walk, tuple(n for n in stops if n <= most.get(name, effort.stops[-1])))
    return found


def renewals_table(found: Findings, material: str, effort: Effort) -> str:
    names = [f"{prefix}{name}" for prefix in ("", "bundled, ") for name in RENEWALS]
    return walks_table(found, material, names, effort.renewal_stops)
