"""A whole row as numbers: which parts of values and of z are what, for all columns together.

    values  (n, C + 2 N)   the class of each column; for each column of numbers its place; for each its bits
    z       (n, C + N)     the classes and the places

C is the number of columns, N that of columns of numbers. The bits hold a number to its last digit. z has no room for
them: what z says is the nearest of the values that stand for a column, and `settled` writes that one's bits.
"""

from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from noisekernel.kinds.tables.bins import PLACES
from noisekernel.kinds.tables.column import Column, bits_of


class Codes:
    """The numbers of rows of these columns.

    Args:
        columns: The columns, in order.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        #: Which columns are of numbers.
        self.numeric = [i for i, column in enumerate(columns) if column.is_number]
        #: How many classes each element has; 0 for one that is a number.
        self.counts = self._counts(columns)
        #: How many classes of each element stand in an order: bins, and the values of an ordinal column.
        self.ordered = self._ordered(columns)
        self.classes = max(2, *self.counts)
        #: How many elements z has, and how many numbers a row is stored as.
        self.elements = len(self.counts)
        self.width = self.elements + len(self.numeric)
        self._bits = [torch.tensor([bits_of(value) for value in columns[i].values]) for i in self.numeric]
        self._prepare([columns[i] for i in self.numeric])
        #: The class "missing" of each column; -2, which is none, of one that has none.
        self.missing = torch.tensor([column.known if column.empty else -2 for column in columns])

    def _prepare(self, numeric: Sequence[Column]) -> None:
        """What belongs to the columns of numbers alone."""
        self._starts = [torch.tensor(column.starts) for column in numeric]
        #: For each column of numbers and each of its classes, whether its place says nothing.
        self.alone = [self._alone(column) for column in numeric]

    def _counts(self, columns: Sequence[Column]) -> tuple[int, ...]:
        return tuple(column.count for column in columns) + (PLACES,) * len(self.numeric)

    def _ordered(self, columns: Sequence[Column]) -> tuple[int, ...]:
        own = (column.known if column.is_number or column.type == "ordinal" else 0 for column in columns)
        return (*own, *(0 for _ in self.numeric))

    @staticmethod
    def _alone(column: Column) -> Tensor:
        values = torch.bincount(torch.tensor(column.starts) // PLACES, minlength=column.known)
        return torch.cat((values == 1, torch.ones(int(column.empty), dtype=torch.bool)))

    def encoded(self, values: Tensor) -> Tensor:
        """Values as z.

        Args:
            values: Rows as they are stored, (n, C + 2 N).
        """
        return values[:, : self.elements].long()

    def masked(self, x: Tensor) -> Tensor:
        """Which elements of noisy states are masked; of a cell of numbers its place counts for nothing.

        Args:
            x: Noisy states, (n, C + N).
        """
        return self.spread(x[:, : len(self.columns)] >= self.classes) | (x >= self.classes)

    def settled(self, z: Tensor) -> Tensor:
        """z as values: a number is the one that its place stands for, and what is equal is written equally.

        Args:
            z: Classes and places, (n, C + N).
        """
        z = z.to("cpu", torch.int64)
        classes, places, bits = z[:, : len(self.columns)], [], []
        for j, i in enumerate(self.numeric):
            own, there = classes[:, i], classes[:, i] < self.columns[i].known
            there = there & (own >= 0)
            place = own.clamp(min=0) * PLACES + z[:, len(self.columns) + j]
            at = (torch.searchsorted(self._starts[j], place, right=True) - 1).clamp(0, len(self._starts[j]) - 1)
            places.append(torch.where(there, self._starts[j][at] - own * PLACES, 0))
            bits.append(torch.where(there, self._bits[j][at], 0))
        return torch.cat((classes, *(part[:, None] for part in (*places, *bits))), dim=1)

    def kept(self, values: Tensor, given: Tensor, hidden: Tensor | None) -> Tensor:
        """Values of which those cells that have not changed since `given`, and were not hidden, have their bits."""
        same = values[:, : self.elements] == given[:, : self.elements]
        if hidden is not None:
            same = same & ~hidden.bool()
        found = values.clone()
        for j, i in enumerate(self.numeric):
            at = self.elements + j
            unchanged = same[:, i] & same[:, len(self.columns) + j]
            found[:, at] = torch.where(unchanged, given[:, at], values[:, at])
        return found

    def decided(self, z: Tensor, visible: Tensor) -> Tensor:
        """Places that say nothing, as is known once their column is visible: of the shape of z."""
        found = torch.zeros_like(visible)
        for j, i in enumerate(self.numeric):
            alone = self.alone[j].to(z.device)
            found[..., len(self.columns) + j] = visible[..., i] & alone[z[..., i].clamp(0, len(alone) - 1)]
        return found

    def barred(self, hidden: Tensor) -> Tensor | None:
        """The class "missing" of hidden elements, (…, C + N, classes); None where no column has it."""
        if bool((self.missing < 0).all()):
            return None
        classes = torch.arange(self.classes)
        of_places = torch.zeros(len(self.numeric), self.classes, dtype=torch.bool)
        missing = torch.cat((self.missing[:, None] == classes, of_places)).to(hidden.device)
        return hidden.bool()[..., None] & missing

    def features(self, z: Tensor) -> Tensor:
        """Of each category whether it is the one; of each number its rank in [0, 1], and whether there is one."""
        parts: list[Tensor] = []
        for i, column in enumerate(self.columns):
            if column.is_number:
                place, there = z[:, len(self.columns) + self.numeric.index(i)], z[:, i] < column.known
                rank = (z[:, i] + (place + 0.5) / PLACES) / column.known
                parts += [torch.where(there, rank, 0.0)[:, None], there[:, None].float()]
            else:
                parts.append(one_hot(z[:, i], column.count).float())
        return torch.cat(parts, dim=1)

    def spread(self, of_columns: Tensor) -> Tensor:
        """Something said of each column, (…, C), as said of each element of z: of a place what is of its column."""
        return torch.cat((of_columns, of_columns[..., self.numeric]), dim=-1)


class _Same:
    """A key that is equal to itself alone, so that long columns are not compared."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self.columns = columns

    def __hash__(self) -> int:
        return id(self.columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.columns is other.columns


@lru_cache(maxsize=32)
def _codes(key: _Same) -> Codes:
    from noisekernel.kinds.tables.scored import ScoredCodes

    with torch.device("cpu"):  # a network may be being planned, without memory, around this
        return (ScoredCodes if any(column.scores for column in key.columns) else Codes)(key.columns)


def codes_of(columns: tuple[Column, ...]) -> Codes:
    """The codes of these columns, made once."""
    return _codes(_Same(columns))
