"""What several fills say about each cell: alternatives with their probabilities, the median, an interval.

Let X_1 … X_n be fills of a cell and Y the value that was there. If the fills are draws from the distribution of Y given
what is visible, the n + 1 values are exchangeable, and Y is as likely to fall into one of the n + 1 gaps between the
order statistics X_(1) <= … <= X_(n) as into any other. Hence

    P(X_(k) <= Y <= X_(n + 1 - k)) = (n + 1 - 2 k) / (n + 1),

and more where values come up twice. `ranks` takes the largest k for which this is at least the coverage that was asked
for, and says what it is. (Empirical quantiles of the fills cover less: those of 19 fills at .05 and .95 hold Y four
times in five.)
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any

from noisekernel.core import checks
from noisekernel.core.errors import InputError


@dataclass(frozen=True)
class FilledCell:
    """A cell that was filled in n times."""

    #: Which of the rows it belongs to, counted from 0, and its column.
    row: int
    column: str
    #: The median of the fills where the column has an order, and else the most frequent one.
    value: Any
    #: The values of the fills and the share of each, the most frequent first.
    alternatives: tuple[tuple[Any, float], ...]
    #: The ends of the interval; None where the column has no order.
    low: Any = None
    high: Any = None
    #: Whether the column has an order.
    ordered: bool = False

    @property
    def probability(self) -> float:
        """The share of the fills that are `value`."""
        return next((share for value, share in self.alternatives if value == self.value), 0.0)


@dataclass(frozen=True)
class Summary(Sequence[FilledCell]):
    """All cells that were filled in, row by row. `print` shows them; `csv` is a table with a row for each."""

    cells: tuple[FilledCell, ...]
    #: How many fills there were of each, the coverage that was asked for, and that of the intervals, which is not less.
    n: int
    coverage: float
    attained: float
    #: How cells are written in a file, by column.
    written: Mapping[str, Callable[[Any], str]]

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, i: Any) -> Any:
        return self.cells[i]

    def __iter__(self) -> Iterator[FilledCell]:
        return iter(self.cells)

    def of(self, row: int, column: str) -> FilledCell:
        """The cell of this row, counted from 0, and column.

        Args:
            row: The number of the row.
            column: The name of the column.
        """
        found = self._by_name.get((row, column))
        if found is None:
            raise InputError(f"{column} of row {row} was not filled in, so there is nothing to say about it")
        return found

    @cached_property
    def _by_name(self) -> Mapping[tuple[int, str], FilledCell]:
        return {(cell.row, cell.column): cell for cell in self.cells}

    def csv(self, names: Sequence[str] | None = None) -> str:
        """A CSV table: row, column, value, probability, low, high, alternatives (as JSON), one line per cell.

        Args:
            names: What to call each row; its number, counted from 0, unless given.
        """
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["row", "column", "value", "probability", "low", "high", "alternatives"])
        for cell in self.cells:
            write = self.written[cell.column]
            ends = [write(cell.low), write(cell.high)] if cell.ordered else ["", ""]
            others = json.dumps({write(value): share for value, share in cell.alternatives}, ensure_ascii=False)
            name = cell.row if names is None else names[cell.row]
            table.writerow([name, cell.column, write(cell.value), cell.probability, *ends, others])
        return text.getvalue()

    def __str__(self) -> str:
        lines = [f"{len(self):,} cells, {self.n:,} fills of each; intervals hold the truth {self.attained:.1%} of the"]
        lines[0] += " time or more if the fills have the right distribution"
        for cell in self.cells[:20]:
            write = self.written[cell.column]
            if cell.ordered:
                said = f"{write(cell.value)} [{write(cell.low)}, {write(cell.high)}]"
            else:
                said = ", ".join(f"{write(value)} {share:.0%}" for value, share in cell.alternatives[:4])
            lines.append(f"  row {cell.row}, {cell.column}: {said}")
        return "\n".join([*lines, *([f"  and {len(self) - 20:,} more"] if len(self) > 20 else [])])


def ranks(n: int, coverage: float) -> tuple[int, float]:
    """The rank k of the lower end of an interval of n draws, whose upper end is n + 1 - k, and what it covers.

    Args:
        n: How many draws there are.
        coverage: What the interval is to cover at least.

    >>> ranks(19, 0.9), ranks(99, 0.9), ranks(50, 0.8)
    ((1, 0.9), (5, 0.9), (5, 0.803921568627451))
    """
    checks.number("coverage", coverage, 0, 1, open_low=True, open_high=True)
    fewest = ceil(2 / (1 - coverage) - 1 - 1e-9)
    if n < fewest:
        raise InputError(
            f"{n} fills are too few for intervals that hold the truth {coverage:.0%} of the time: that takes at least "
            f"{fewest:,} of them; make more, or ask for less (coverage)"
        )
    k = floor((n + 1) * (1 - coverage) / 2 + 1e-9)
    return k, (n + 1 - 2 * k) / (n + 1)


def summarised(
    rows: Sequence[Sequence[Mapping[str, Any]]],
    hidden: Sequence[Sequence[str]],
    orders: Mapping[str, Callable[[Any], float | None]],
    written: Mapping[str, Callable[[Any], str]],
    coverage: float,
    n: int,
) -> Summary:
    """A summary of fills.

    Args:
        rows: The fills of each row, as cells by name; of rows of which nothing was filled in there may be none.
        hidden: The names of the columns that were filled in, for each row.
        orders: For each column that has an order: its cells as numbers.
        written: For each column: its cells as they are written.
        coverage: What intervals are to cover at least.
        n: How many fills each row has.
    """
    k, attained = ranks(n, coverage)
    cells = [
        _cell(i, name, [fill[name] for fill in fills], orders.get(name), k)
        for i, fills in enumerate(rows)
        for name in hidden[i]
    ]
    return Summary(tuple(cells), n, coverage, attained, written)


def _cell(row: int, column: str, values: list[Any], order: Callable[[Any], float | None] | None, k: int) -> FilledCell:
    if any(value is None for value in values):
        raise InputError(
            f"{column} of row {row} is empty in some of these; a summary is one of fills (model.fill), which leave "
            "nothing empty"
        )
    n, first = len(values), {value: i for i, value in reversed(list(enumerate(values)))}
    often = sorted(Counter(values).items(), key=lambda each: (-each[1], first[each[0]]))
    alternatives = tuple((value, count / n) for value, count in often)
    if order is None:
        return FilledCell(row, column, alternatives[0][0], alternatives)
    ranked = sorted(values, key=lambda value: order(value) or 0.0)
    return FilledCell(row, column, ranked[(n - 1) // 2], alternatives, ranked[k - 1], ranked[n - k], True)
