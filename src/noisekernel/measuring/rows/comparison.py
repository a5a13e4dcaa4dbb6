"""New rows compared with real ones, and what the figures are to be held against.

Real rows are split into two sets, A and B (with held-out rows: A is data, B is held out). All are compared with A:

    new         rows of the model
    floor       B: as well as rows of the right distribution do
    shuffled    B, each of whose columns is shuffled by itself: right columns and no dependence

All sets have equally many rows, so that the figures can be held against each other.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from noisekernel.core.errors import InputError
from noisekernel.kinds.exchanged import Rows
from noisekernel.measuring.rows.classes import Cuts, shares, variation
from noisekernel.measuring.rows.classifier import Told, told_apart
from noisekernel.measuring.rows.nearest import Nearest, copies, nearest
from noisekernel.measuring.rows.pairs import CLASSES, Joint, joint

#: Classes of a column by itself.
SHAPES = 20
#: Rows of each set: fewer teach a classifier nothing, and more are left out.
FEWEST, MOST = 100, 10_000


@dataclass(frozen=True)
class Against:
    """How rows compare with A."""

    #: Of each column the total variation distance.
    columns: tuple[float, ...]
    #: Of pairs of columns the same, on average.
    pairs: float
    joint: Joint
    told: Told

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "columns": float(np.mean(self.columns)),
            "each_column": list(self.columns),
            "pairs": self.pairs,
            "auc": self.told.auc,
            "auc_error": self.told.error,
        }


@dataclass(frozen=True)
class Comparison:
    """All that is measured of new rows against real ones."""

    names: tuple[str, ...]
    #: How many rows each set has.
    n: int
    #: Whether B was held out.
    held_out: bool
    new: Against
    floor: Against
    shuffled: Against
    #: What pairs of columns show in A.
    real: Joint
    #: The share of new rows that are real rows, of all that there are.
    copies: float
    #: None without held-out rows, for then nothing can be said.
    nearest: Nearest | None
    #: The rows themselves: A and the new ones.
    rows: tuple[Rows, Rows]

    def lines(self) -> list[str]:
        """For people."""
        sets = (self.new, self.floor, self.shuffled)
        found = [
            f"{f'rows ({self.n:,} on each side)':34}{'model':>10}{'real rows':>12}{'columns shuffled':>19}",
            f"{'columns, distance':34}" + "{:>10.3f}{:>12.3f}{:>19.3f}".format(*(np.mean(s.columns) for s in sets)),
            f"{'pairs of columns, distance':34}" + "{:>10.3f}{:>12.3f}{:>19.3f}".format(*(s.pairs for s in sets)),
            f"{'classifier, AUC':34}" + "{:>10.3f}{:>12.3f}{:>19.3f}".format(*(s.told.auc for s in sets)),
        ]
        if self.nearest is not None:
            near = self.nearest
            found.append(f"{'nearer to training than held out':34}{near.nearer:>10.3f}{0.5:>12.3f}")
            found.append(f"{'copies of training rows':34}{near.copies:>10.4f}{near.held_copies:>12.4f}")
            if near.repeats:
                found.append("the model repeats rows of its training data")
        return found

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        near = None if self.nearest is None else {**vars(self.nearest), "repeats": self.nearest.repeats}
        return {
            "names": list(self.names),
            "n": self.n,
            "held_out": self.held_out,
            "new": self.new.as_json(),
            "floor": self.floor.as_json(),
            "shuffled": self.shuffled.as_json(),
            "copies": self.copies,
            "nearest": near,
        }


def compare_rows(data: Rows, new: Rows, held: Rows | None = None, seed: int = 0) -> Comparison:
    """New rows against real ones.

    Args:
        data: Real rows, those of training.
        new: New rows.
        held: Real rows that the model was not trained on; None if there are none. Then B is a half of the data.
        seed: Of the split, of what is shuffled, and of the classifier.
    """
    draw = np.random.default_rng(seed)
    n = min(len(new), len(data) // 2 if held is None else min(len(data), len(held)), MOST)
    if n < FEWEST:
        raise InputError(
            f"{len(new):,} new rows, {len(data):,} real ones"
            + ("" if held is None else f" and {len(held):,} held out")
            + f" are too few for a comparison; it takes {FEWEST} new rows, and as many real ones in each of two sets"
        )
    mixed = data.some(draw.permutation(len(data)))
    a = mixed.some(slice(0, n))
    b = mixed.some(slice(n, 2 * n)) if held is None else held.some(draw.permutation(len(held))[:n])
    mine = new.some(slice(0, n))
    shuffled = Rows(b.variables, np.stack([draw.permutation(cells) for cells in b.table.T], axis=1))
    shapes, pairs = Cuts(data, SHAPES), Cuts(data, CLASSES)
    of_a = joint(a, pairs)

    def against(rows: Rows) -> Against:
        ours, theirs = shapes(rows), shapes(a)
        columns = tuple(
            variation(shares(ours[:, j], count), shares(theirs[:, j], count)) for j, count in enumerate(shapes.counts)
        )
        its = joint(rows, pairs)
        return Against(columns, its.distance(of_a), its, told_apart(a, rows, seed))

    return Comparison(
        tuple(variable.name for variable in data.variables),
        n,
        held is not None,
        against(mine),
        against(b),
        against(shuffled),
        of_a,
        copies(new, data),
        None if held is None else nearest(data, held, new, seed),
        (a, mine),
    )
