"""How much noise should a sampler redraw on its way from noise to sample?"""

from collections.abc import Iterator
from dataclasses import replace

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import CHURNS, Ours, ours
from lab.studies.categorical_data import CATEGORICAL_ARMS
from lab.tables import over_seeds, table
from lab.unit import Unit

STUDY = "churn"


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    for arm in (ours(material), CATEGORICAL_ARMS["categorical carried"]):
        yield Unit(STUDY, material, arm, seed, [(_with_churn(arm, churn), effort.ends) for churn in CHURNS])


def _with_churn(arm: Ours, churn: float) -> Ours:
    return replace(arm, name=f"{arm.name}, churn {churn:g}", sampler=f"churn {churn:g}", weights=arm.name)


def churn_table(found: Findings, material: str, effort: Effort) -> str:
    shown = {"": "ours", "categories": "categorical carried"}
    rows = [
        [
            f"{label} {churn:g}",
            *(over_seeds(found.fids(material, f"{arm}, churn {churn:g}", n).values()) for n in effort.ends),
        ]
        for label, arm in shown.items()
        for churn in CHURNS
    ]
    return table(["churn", *(f"{n} calls" for n in effort.ends)], rows)
