"""Columns as few classes each, cut where the real rows say, and tables of how often each comes up."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisekernel.kinds.exchanged import Rows
from noisekernel.kinds.tables.bins import numbered

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Cuts:
    """How the columns of real rows are cut into about so many classes; other rows are cut at the same places.

    Numbers of few different values have a class each. Of more values a frequent one has a class of its own, and the
    others are cut at quantiles. Beyond `most`, the rarest categories are one class. Empty cells have a class too.

    Args:
        real: The rows that say where.
        most: About how many classes a column has, but for that of empty cells.
    """

    def __init__(self, real: Rows, most: int) -> None:
        self._edges: list[Floats | None] = []
        self._groups: list[Ints | None] = []
        counts = []
        for variable, cells in zip(real.variables, real.table.T, strict=True):
            edges = groups = None
            if variable.categories is None:
                edges = _edges(cells[~np.isnan(cells)], most)
                counts.append(len(edges) + 2)
            else:
                groups = _grouped(cells.astype(np.int64), len(variable.categories), most)
                counts.append(int(groups.max()) + 1)
            self._edges.append(edges)
            self._groups.append(groups)
        #: How many classes each column has.
        self.counts: Sequence[int] = counts

    def edges(self, column: int) -> Floats | None:
        """Where a column of numbers is cut; None for categories."""
        return self._edges[column]

    def __call__(self, rows: Rows) -> Ints:
        """The class of each cell, (n, columns)."""
        found = []
        for j, cells in enumerate(rows.table.T):
            edges, groups = self._edges[j], self._groups[j]
            if edges is not None:
                classes = np.searchsorted(edges, cells, side="right")
                found.append(np.where(np.isnan(cells), len(edges) + 1, classes))
            else:
                assert groups is not None
                found.append(groups[cells.astype(np.int64)])
        return np.stack(found, axis=1)


def _edges(numbers: Floats, most: int) -> Floats:
    distinct, counts = np.unique(numbers, return_counts=True)
    number = np.arange(len(distinct)) if len(distinct) <= most else numbered(counts, most)
    last = np.flatnonzero(np.diff(number))
    return (distinct[last] + distinct[last + 1]) / 2


def _grouped(cells: Ints, number: int, most: int) -> Ints:
    if number <= most:
        return np.arange(number)
    often = np.argsort(-np.bincount(cells, minlength=number), kind="stable")[: most - 1]
    groups = np.full(number, most - 1)
    groups[often] = np.arange(most - 1)
    return groups


def shares(classes: Ints, count: int) -> Floats:
    """How often each class comes up in a column."""
    return np.bincount(classes, minlength=count) / max(1, len(classes))


def variation(one: Floats, other: Floats) -> float:
    """The total variation distance of two distributions: 0 for equal ones, 1 for ones that share nothing."""
    return float(np.abs(one - other).sum() / 2)
