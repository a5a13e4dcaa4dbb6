"""Pictures as categories: ten brightness levels as in the paper, and all 256, ordered and unordered."""

from collections.abc import Iterator
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT_SAMPLER, LEVELS, Ours
from lab.tables import over_seeds, table
from lab.unit import Unit

STUDY = "categorical_data"


def _in_levels(levels: int, head: str) -> dict[str, Any]:
    """Settings for pictures with this many levels of brightness, and a head for them."""
    return {
        "data.codec": {"kind": "levels", "levels": levels},
        "kernel": {"kind": "categorical", "classes": levels, "lag": 0.95},
        "head": {"kind": head, "classes": levels},
        LEVELS: {"kind": "uniform"},
    }


#: The changed settings and the sampler of each way to train.
_WAYS: dict[str, tuple[dict[str, Any], str]] = {
    "paper": ({"objective.kind": "contrastive", "training.fall": "constant"}, "paper"),
    "contrastive": ({"objective.kind": "contrastive"}, DEFAULT_SAMPLER),
    "kl": ({"objective.kind": "kl"}, DEFAULT_SAMPLER),
    "reconstruction": ({"objective.kind": "reconstruction"}, DEFAULT_SAMPLER),
    "unrolled": ({"objective.kind": "unrolled", "objective.by": "reconstruction"}, DEFAULT_SAMPLER),
    "carried": ({"objective.kind": "kl", "kernel.carry_visible": True}, DEFAULT_SAMPLER),
    "masked diffusion": ({"objective.kind": "kl", "kernel.carry_visible": True}, "deterministic"),
}


def _arms(prefix: str, levels: int, head: str, *ways: str) -> dict[str, Ours]:
    arms = {}
    for way in ways:
        changes, sampler = _WAYS[way]
        weights = f"{prefix} carried" if way == "masked diffusion" else None
        name = f"{prefix} {way}"
        arms[name] = Ours(name, {**_in_levels(levels, head), **changes}, sampler, weights=weights)
    return arms


CATEGORICAL_ARMS = {
    **_arms("categorical", 10, "categorical", *_WAYS),
    **_arms("256 ordinal", 256, "ordinal", "paper", "contrastive", "kl", "carried", "masked diffusion"),
    **_arms("256 unordered", 256, "categorical", "carried"),
}


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    for name, arm in CATEGORICAL_ARMS.items():
        yield Unit(STUDY, material, arm, seed, [(arm, (500,) if name.endswith("paper") else effort.ends)])


def categorical_table(found: Findings, material: str, effort: Effort) -> str:
    many = (*effort.calls, 500)
    rows = [[name, *(over_seeds(found.fids(material, name, n).values()) for n in many)] for name in CATEGORICAL_ARMS]
    return table(["", *(f"{n} calls" for n in many)], rows)
