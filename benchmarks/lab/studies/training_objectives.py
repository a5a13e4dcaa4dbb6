"""Which objective, and which noise levels in training? Effects on samples and on a walk of a few hundred steps."""

from collections.abc import Iterator
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, Ours, log_normal
from lab.tables import over_seeds, table
from lab.unit import Unit
from lab.walk_arms import constant_noise

STUDY = "training_objectives"

_KINDS: dict[str, dict[str, Any]] = {
    "kl": {"kind": "kl"},
    "contrastive": {"kind": "contrastive", "control": 0.0},
    "contrastive, control .9": {"kind": "contrastive", "control": 0.9},
    "reconstruction": {"kind": "reconstruction"},
    "anchored .1": {"kind": "anchored", "weight": 0.1, "control": 0.0},
    "anchored 1": {"kind": "anchored", "weight": 1.0, "control": 0.0},
    "anchored 1, control .9": {"kind": "anchored", "control": 0.9},
    "unrolled": {"kind": "unrolled"},
}
#: All objectives train at log sigma ~ N(-1.2, 1.2^2) without a lift, which suits them all: only anchors bear a lift.
OBJECTIVES = {
    name: {**DEFAULT, **{f"objective.{key}": value for key, value in changes.items()}, **log_normal(-1.2, 1.2)}
    for name, changes in _KINDS.items()
}

#: Noise levels in training, beside those of "kl" and of "ours".
LEVEL_ARMS: dict[str, dict[str, Any]] = {
    "levels -.6": {**DEFAULT, **log_normal(-0.6, 1.2)},
    "levels 0": {**DEFAULT, **log_normal(0.0, 1.2)},
    "levels -.4, 1.4": {**DEFAULT, **log_normal(-0.4, 1.4)},
    "levels -1.2, lifted": {**DEFAULT, **log_normal(-1.2, 1.2, 1.0)},
    "levels -.6, lifted": {**DEFAULT, **log_normal(-0.6, 1.2, 1.0)},
}


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    for name, changes in (OBJECTIVES | LEVEL_ARMS).items():
        arm = Ours(name, changes)
        yield Unit(STUDY, material, arm, seed, [(arm, effort.middle)], {name: (constant_noise, effort.stops)})


def objectives_table(found: Findings, material: str, effort: Effort) -> str:
    last, middle = effort.stops[-1], 50 if 50 in effort.calls else effort.calls[-1]
    rows = []
    for name in OBJECTIVES:
        steps = found.walk(material, name)
        ends = [over_seeds(steps[n][0]) if n in steps else "-" for n in (1, last)]
        rows.append([name, over_seeds(found.fids(material, name, middle).values()), *ends])
    return table(["objective", f"samples, {middle} calls", "walk, step 1", f"walk, step {last}"], rows)


def levels_table(found: Findings, material: str, effort: Effort) -> str:
    shown = {"levels -1.2": "kl", **{name: name for name in LEVEL_ARMS}, "levels -.4, 1.4, lifted: ours": "ours"}
    last = effort.stops[-1]
    rows = []
    for label, name in shown.items():
        steps = found.walk(material, "lag 0.9" if name == "ours" else name)
        samples = [over_seeds(found.fids(material, name, calls).values()) for calls in effort.middle]
        rows.append([label, *samples, over_seeds(steps.get(last, ([], []))[0])])
    return table(["", *(f"{n} calls" for n in effort.middle), f"walk, step {last}"], rows)
