"""What holds the default recipe back in colour? Single changes from it, and some of them together."""

from collections.abc import Iterator
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, Ours, log_normal
from lab.tables import CURVE_HEAD, curve_cells, over_seeds, table
from lab.unit import Unit

STUDY = "colour"

#: How many images each arm is trained on.
IMAGES = 32_000

#: The default recipe as it was when this study was made, whatever has become of it since.
BASE: dict[str, Any] = {**DEFAULT, "head.kind": "preconditioned", **log_normal(-0.4, 1.4, 1.0)}


def _covariance(crossover: float) -> dict[str, Any]:
    return {"head.kind": "covariance", "head.crossover": crossover}


def _network(channels: int, multipliers: tuple[int, ...], blocks: int = 1, **more: Any) -> dict[str, Any]:
    sizes = {"channels": channels, "multipliers": list(multipliers), "blocks": blocks, **more}
    return {f"network.{name}": value for name, value in sizes.items()}


def _average(share: float) -> dict[str, Any]:
    """An average with a half-life of this share of the run."""
    return {"training.average.images": share * IMAGES, "training.average.ramp": max(0.1, share)}


#: Changes of the base, by name. The network of the base has 16 channels, (1, 2, 4), one block, attention at 4x4.
CHANGES: dict[str, dict[str, Any]] = {
    "base": {},
    "covariance": _covariance(0.15),
    "levels -1.2, 1.2, no lift": log_normal(-1.2, 1.2),
    "levels -.8, 1.6, lift .5": log_normal(-0.8, 1.6, 0.5),
    "levels -.8, 1.6": log_normal(-0.8, 1.6, 1.0),
    "levels -.8, 1.4": log_normal(-0.8, 1.4, 1.0),
    "lift .5": log_normal(-0.4, 1.4, 0.5),
    "no lift": log_normal(-0.4, 1.4),
    "covariance .3": _covariance(0.3),
    "covariance .07": _covariance(0.07),
    "covariance, levels -.8, 1.6, lift .5": {**_covariance(0.15), **log_normal(-0.8, 1.6, 0.5)},
    "covariance, levels -.8, 1.6": {**_covariance(0.15), **log_normal(-0.8, 1.6, 1.0)},
    "covariance, levels -1.2, 1.2, no lift": {**_covariance(0.15), **log_normal(-1.2, 1.2)},
    "attention at 8x8 too": _network(16, (1, 2, 4), attention=[1, 2]),
    "attention at the bottom alone": _network(16, (1, 2, 4), attention=[]),
    "two blocks": _network(16, (1, 2, 4), 2),
    "24 channels": _network(24, (1, 2, 4)),
    "24 channels, (1, 2, 2)": _network(24, (1, 2, 2)),
    "12 channels, two blocks": _network(12, (1, 2, 4), 2),
    "24 channels, (1, 2)": _network(24, (1, 2)),
    "rate 1e-3": {"training.rate": 1e-3},
    "rate 4e-3": {"training.rate": 4e-3},
    "batch 8": {"training.batch": 8},
    "batch 32": {"training.batch": 32},
    "batch 32, rate 3e-3": {"training.batch": 32, "training.rate": 3e-3},
    "average 1 %": _average(0.01),
    "average 10 %": _average(0.1),
    "fall by a cosine": {"training.fall": "cosine"},
    "flips": {"data.flip": True},
}
#: Changes whose step takes another time than that of the base.
TIMED = ("base", "covariance", *(name for name, changes in CHANGES.items() if "network.channels" in changes))
#: The changes that are measured for every seed. The others have one.
FINALISTS = ("base", "covariance", "covariance, levels -.8, 1.6, lift .5")


def arm(name: str) -> Ours:
    return Ours(f"colour {name}", {**BASE, **CHANGES[name]})


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    images = round(IMAGES * effort.share)
    for name in CHANGES if seed == 0 and effort.all_changes else FINALISTS:
        unit = Unit(STUDY, material, arm(name), seed, [(arm(name), effort.middle)], curve=True, images=images)
        if name == "base" and seed == 0:
            unit.timed = [arm(each) for each in TIMED if effort.all_changes or each in FINALISTS]
        yield unit


def colour_table(found: Findings, material: str, effort: Effort) -> str:
    """Curves, distances and the time of a training step, each arm beside the base."""
    base = found.bits(material, arm("base").name)
    paces = found.paces(material, STUDY)
    rows = []
    for name in CHANGES:
        own = arm(name).name
        bits = found.bits(material, own)
        less = over_seeds((bits[seed] - base[seed] for seed in bits.keys() & base.keys()), 4)
        fids = [over_seeds(found.fids(material, own, calls).values()) for calls in effort.middle]
        over = [entry["over_first"][own]["median"] for entry in paces.values() if own in entry["over_first"]]
        bits_cell, *errors = curve_cells(found.curves(material, own).values())
        rows.append([name, bits_cell, less, *errors, *fids, over_seeds(over, 2)])
    distances = [f"{calls} calls" for calls in effort.middle]
    return table(["", CURVE_HEAD[0], "less base", *CURVE_HEAD[1:], *distances, "time over base"], rows)
