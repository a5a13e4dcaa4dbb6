"""Numbers as numbers: each value of a column by its normal score, and values that come up often as classes too.

The normal score of a value v is Phi^-1(F(v)), with F(v) the share of the column that is below v and half of that which
is equal to it. Whatever the distribution of a column, that of its scores is near N(0, 1), and scores keep the order of
the values. On the way back a score is taken for the nearest one that belongs to a value, so rows that are made hold
values of the data only.

A value that makes up a share of `OFTEN` or more of a column (no overtime; a wage of 0) is no point of a density. So
a column of numbers is two elements of z: its class, which says which of the often values the cell has, or that it has
another one, or that nothing stands there; and its score. Where the class says which value it is, the score is that
value's, and 0 where nothing stands. Where a column has no more than `FEW` different values, all of them count as often:
years of schooling are numbers, and yet a class each.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import one_hot

from noisekernel.kinds.tables.bins import Floats
from noisekernel.kinds.tables.codes import Codes
from noisekernel.kinds.tables.column import OPEN, Column

#: A value is often if it makes up this share of a column.
OFTEN = 1 / 20
#: Of so few different values each has a class.
FEW = 20
#: So many different values of a column are kept, and beyond that those at its quantiles.
KEPT = 4096


class Scores(NamedTuple):
    """What stands for a column of numbers."""

    #: The values, in order, and the normal score of each.
    values: tuple[float, ...]
    scores: tuple[float, ...]
    #: The numbers of those values that come up often.
    often: tuple[int, ...]


def scored(values: Floats) -> Scores:
    """The values that stand for a column, their normal scores, and which of them come up often.

    Args:
        values: The numbers of a column, all of them, in any order.

    >>> found = scored(np.array([0.0] * 40 + list(range(1, 61))))
    >>> found.often, found.values[:3], [round(score, 2) for score in found.scores[:3]]
    ((0,), (0.0, 1.0, 2.0), [-0.84, -0.24, -0.21])
    """
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    often = (counts >= OFTEN * counts.sum()) | (len(distinct) <= FEW)
    kept = np.arange(len(distinct))
    if len(distinct) > KEPT:
        # Those in the middle of equal shares, the ends, and what is often.
        at = np.searchsorted(counts.cumsum(), (np.arange(KEPT) + 0.5) * (counts.sum() / KEPT))
        kept = np.unique(np.concatenate((at, [0, len(distinct) - 1], np.flatnonzero(often))))
    middle = torch.from_numpy((counts.cumsum() - 0.5 * counts)[kept] / counts.sum())
    return Scores(
        tuple(distinct[kept].tolist()),
        tuple(torch.special.ndtri(middle).tolist()),
        tuple(np.flatnonzero(often[kept]).tolist()),
    )


class ScoredCodes(Codes):
    """The numbers of rows of columns whose numbers have scores.

    values  (n, C + 2 N)   the class of each column; for each column of numbers which of its values; for each its bits
    z       (n, C + N)     the classes and the scores, as floating-point numbers

    Args:
        columns: The columns, in order.
    """

    def _prepare(self, numeric: Sequence[Column]) -> None:
        self._scores = [torch.tensor(column.scores, dtype=torch.float32) for column in numeric]
        self._others = [torch.tensor(column.others, dtype=torch.int64) for column in numeric]
        self._often = [torch.tensor(column.often, dtype=torch.int64) for column in numeric]

    def _counts(self, columns: Sequence[Column]) -> tuple[int, ...]:
        return tuple(column.count for column in columns) + (0,) * len(self.numeric)

    def _ordered(self, columns: Sequence[Column]) -> tuple[int, ...]:
        """Often values of numbers, and those of an ordinal column."""
        return tuple(
            len(column.often) if column.is_number else column.known if column.type == "ordinal" else 0
            for column in columns
        ) + (0,) * len(self.numeric)

    def encoded(self, values: Tensor) -> Tensor:
        """Values as z.

        Args:
            values: Rows as they are stored, (n, C + 2 N).
        """
        own = values[:, : len(self.columns)]
        found = [own.float()]
        for j, i in enumerate(self.numeric):
            there = (own[:, i] >= 0) & (own[:, i] < self.columns[i].known)
            score = self._scores[j][values[:, len(self.columns) + j].clamp(0, len(self._scores[j]) - 1)]
            found.append(torch.where(there, score, 0.0)[:, None])
        return torch.cat(found, dim=1)

    def settled(self, z: Tensor) -> Tensor:
        """z as values: a number is an often value if its class says so, and else that of the nearest score.

        Args:
            z: Classes and scores, (n, C + N).
        """
        z = z.to("cpu", torch.float32)
        classes, which, bits = z[:, : len(self.columns)].round().long(), [], []
        for j, i in enumerate(self.numeric):
            own, often, others = classes[:, i], self._often[j], self._others[j]
            there = (own >= 0) & (own < self.columns[i].known)
            at = torch.zeros_like(own)
            if len(others):
                at = others[_nearest(self._scores[j][others], z[:, len(self.columns) + j])]
            if len(often):
                at = torch.where(own < len(often), often[own.clamp(0, len(often) - 1)], at)
            which.append(torch.where(there, at, 0))
            bits.append(torch.where(there, self._bits[j][at], 0))
        return torch.cat((classes, *(part[:, None] for part in (*which, *bits))), dim=1)

    def masked(self, x: Tensor) -> Tensor:
        """Which elements of noisy states are masked: classes, and the scores of columns whose class is."""
        return self.spread(x[:, : len(self.columns)] >= self.classes)

    def decided(self, z: Tensor, visible: Tensor) -> Tensor:
        """Scores of cells whose class says which value it is, or that there is none."""
        found = torch.zeros_like(visible)
        for j, i in enumerate(self.numeric):
            own, column = z[..., i].round().long(), self.columns[i]
            other = (own >= len(column.often)) & (own < column.known)
            found[..., len(self.columns) + j] = visible[..., i] & (own != OPEN) & ~other
        return found

    def features(self, z: Tensor) -> Tensor:
        """Of each category whether it is the one; of each number its rank in [0, 1], and whether there is one."""
        parts: list[Tensor] = []
        for i, column in enumerate(self.columns):
            own = z[:, i].round().long()
            if column.is_number:
                rank = torch.special.ndtr(z[:, len(self.columns) + self.numeric.index(i)].float())
                there = own < column.known
                parts += [torch.where(there, rank, 0.0)[:, None], there[:, None].float()]
            else:
                parts.append(one_hot(own, column.count).float())
        return torch.cat(parts, dim=1)


def _nearest(scores: Tensor, score: Tensor) -> Tensor:
    """The number of the score, of those in order, that is nearest."""
    above = torch.searchsorted(scores, score.contiguous()).clamp(1, max(1, len(scores) - 1)).clamp(max=len(scores) - 1)
    below = (above - 1).clamp(min=0)
    return torch.where(scores[above] - score < score - scores[below], above, below)
