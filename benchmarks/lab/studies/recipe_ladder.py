"""What does each change from the paper's recipe to ours contribute?"""

from collections.abc import Iterator
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, PAPER, Ours
from lab.studies.training_objectives import OBJECTIVES
from lab.tables import over_seeds, table
from lab.unit import Unit

STUDY = "recipe_ladder"


def _without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in PAPER.items() if key not in keys}


#: Each rung adds one change to the rung before. The last one, correctors, was tried and is not part of our recipe.
LADDER: dict[str, Ours] = {
    "paper": Ours("paper", PAPER, "paper"),
    "+ falling rate": Ours("+ falling rate", _without("training.fall"), "paper"),
    "+ preconditioning": Ours("+ preconditioning", _without("training.fall", "head.kind"), "paper"),
    "+ log-normal levels": Ours("+ log-normal levels", OBJECTIVES["contrastive"] | {"kernel.lag": 0.5}, "paper"),
    "+ kl": Ours("+ kl", OBJECTIVES["kl"], "paper", weights="kl"),
    "+ log-SNR, largest lag": Ours("kl, first order", OBJECTIVES["kl"], "ddim", weights="kl"),
    "+ second order": Ours("kl, deterministic", OBJECTIVES["kl"], "deterministic", weights="kl"),
    "+ more and heavier high noise": Ours("deterministic", DEFAULT, "deterministic", weights="ours"),
    "+ noise drawn anew": Ours("ours", DEFAULT),
    "+ correctors": Ours("correctors", DEFAULT, "corrected", weights="ours"),
}


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """The rungs that `calls_and_rivals` does not measure."""
    kl, ours = Ours("kl", OBJECTIVES["kl"]), Ours("ours", DEFAULT)
    by_kl = [
        (LADDER["+ kl"], (100,)),
        (LADDER["+ log-SNR, largest lag"], effort.ends),
        (LADDER["+ second order"], effort.ends),
    ]
    yield Unit(STUDY, material, kl, seed, by_kl)
    yield Unit(STUDY, material, ours, seed, [(LADDER["+ correctors"], effort.ends)])
    for name in ("+ falling rate", "+ preconditioning", "+ log-normal levels"):
        yield Unit(STUDY, material, LADDER[name], seed, [(LADDER[name], (100,))])


def ladder_table(found: Findings, material: str, effort: Effort) -> str:
    rows = []
    for name, arm in LADDER.items():
        at = [over_seeds(found.fids(material, arm.name, calls).values()) for calls in (20, 100)]
        rows.append([name, *at])
    return table(["", "20 calls", "100 calls"], rows)
