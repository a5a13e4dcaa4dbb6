"""Is the learned chain in balance? A classifier tries to tell (x, y) from (y, x), for ours and for broken chains."""

from collections.abc import Iterator
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import ours
from lab.tables import table
from lab.unit import Unit

STUDY = "chain_balance"


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    yield Unit(STUDY, material, ours(material), seed, balance=True)


def balance_table(found: Findings, material: str, effort: Effort) -> str:
    """The area under the ROC curve with its standard error and p-value, per seed."""

    def cell(figures: dict[str, Any]) -> str:
        return f"{figures['auc']:.3f} ± {figures['error']:.3f}, p {figures['p_value']:.1g}"

    rows = []
    entries = {f"seed {seed}": entry for seed, entry in found.balance(material).items()}
    entries |= {f"bundled, seed {seed}": entry for seed, entry in found.balance(material, "bundled").items()}
    for label, entry in entries.items():
        rows += [[f"{label}, {n} step(s) apart", cell(entry[f"after {n}"])] for n in (1, 10)]
        rows += [[f"{label}, broken: {name}", cell(figures)] for name, figures in entry["broken"].items()]
    return table(["pairs of held-out pictures at beta .2", "AUC"], rows)
