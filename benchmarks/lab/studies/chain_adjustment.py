"""What does contrastive adjustment add? Balance and a chain that stays, beside more training at the same cost."""

from collections.abc import Iterator

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import Ours
from lab.studies.training_objectives import OBJECTIVES
from lab.tables import over_seeds, table
from lab.unit import Unit
from lab.walk_arms import constant_noise

STUDY = "chain_adjustment"

#: Adjustment costs twice as much as KL per image, so KL with twice the images costs the same.
ADJUSTED = {
    "kl": Ours("kl", OBJECTIVES["kl"]),
    "kl, twice the images": Ours("kl, twice the images", OBJECTIVES["kl"], budget=2.0),
    "kl, eight times the images": Ours("kl, eight times the images", OBJECTIVES["kl"], budget=8.0),
    "anchored 1, control .9": Ours("anchored 1, control .9", OBJECTIVES["anchored 1, control .9"]),
}


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Walks by many walkers, and long ones where pictures are small."""
    large = effort.large(material)
    stops = effort.stops[:3] if large else effort.long_stops
    for name, arm in ADJUSTED.items():
        if large and arm.budget > 2.0:
            continue
        walk = {f"{name}, many": (constant_noise, stops)}
        draws = [(arm, effort.middle)]
        yield Unit(STUDY, material, arm, seed, draws, walk, balance=True, walkers=effort.samples)


def adjusted_table(found: Findings, material: str, effort: Effort) -> str:
    """Samples, balance and a long walk by many walkers."""
    stops = effort.long_stops
    rows = []
    for name in ADJUSTED:
        steps = found.walk(material, f"{name}, many")
        rows.append(
            [
                name,
                *(over_seeds(found.fids(material, name, calls).values()) for calls in effort.middle),
                over_seeds(entry["after 1"]["auc"] for entry in found.balance(material, name).values()),
                *(over_seeds(steps[n][0]) if n in steps else "-" for n in stops),
            ]
        )
    return table(["", *(f"{n} calls" for n in effort.middle), "AUC", *(f"step {n:,}" for n in stops)], rows)
