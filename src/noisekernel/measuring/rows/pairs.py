"""Pairs of columns: how strongly they go together, and whether they do so in the same way.

Both are of columns cut into classes. The association is Cramér's V with Bergsma's correction of its bias (2013), from 0
to 1, whatever the columns are. It forgets how two columns go together, rising or falling; so pairs are judged by the
total variation distance of their joint tables, new against real, which forgets nothing but the cuts.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from noisekernel.kinds.exchanged import Rows
from noisekernel.measuring.rows.classes import Cuts, Floats, Ints, variation

#: Classes of a column, and columns that are paired, at most.
CLASSES = 8
MOST_COLUMNS = 60


@dataclass(frozen=True)
class Joint:
    """What pairs of columns show in some rows."""

    #: Cramér's V of each pair, (columns, columns).
    association: Floats
    #: Of each pair the shares of all combinations of their classes.
    tables: dict[tuple[int, int], Floats]

    def distance(self, other: "Joint") -> float:
        """The total variation distance of the joint tables, on average over pairs."""
        found = [variation(table, other.tables[pair]) for pair, table in self.tables.items()]
        return float(np.mean(found)) if found else 0.0


def joint(rows: Rows, cuts: Cuts) -> Joint:
    """The first `MOST_COLUMNS` columns in pairs.

    Args:
        rows: Rows.
        cuts: How their columns are cut.
    """
    classes = cuts(rows)
    width = min(classes.shape[1], MOST_COLUMNS)
    association, tables = np.eye(width), {}
    for i, j in combinations(range(width), 2):
        table = _counted(classes[:, i], classes[:, j], cuts.counts[i], cuts.counts[j])
        association[i, j] = association[j, i] = cramers_v(table)
        tables[i, j] = (table / table.sum()).flatten()
    return Joint(association, tables)


def _counted(one: Ints, other: Ints, rows: int, columns: int) -> Floats:
    return np.bincount(one * columns + other, minlength=rows * columns).reshape(rows, columns).astype(np.float64)


def cramers_v(table: Floats) -> float:
    """Cramér's V of a table of counts, less its bias.

    >>> cramers_v(np.array([[50.0, 0.0], [0.0, 50.0]])), cramers_v(np.array([[25.0, 25.0], [25.0, 25.0]]))
    (1.0, 0.0)
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n, (r, k) = table.sum(), table.shape
    if min(r, k) < 2:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / n
    square = float(((table - expected) ** 2 / expected).sum() / n)
    bias, shrunk = (r - 1) * (k - 1) / (n - 1), [each - (each - 1) ** 2 / (n - 1) for each in (r, k)]
    return float(min(1.0, np.sqrt(max(0.0, square - bias) / (min(shrunk) - 1)))) if min(shrunk) > 1 else 0.0
