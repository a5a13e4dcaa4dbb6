"""Tables: rows of categories, numbers and dates with a name for each column, from a CSV or Parquet file or a DataFrame.

Every column is one element of z, of one of its own classes: a category, or the bin of a number (`bins`). For each
column of numbers z has one more element behind these, the place within the bin, which no network needs to learn. Where
numbers are to be learned as numbers, that element is a number too (`scored`). What is missing is a class where rows are
made, and open where they are filled in.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.formats import write_text
from noisekernel.kinds.base import Kind, Sort
from noisekernel.kinds.exchanged import Hidden, How, Items, Named, Rows, Shown, Stored, Variable
from noisekernel.kinds.masking import blocks
from noisekernel.kinds.summary import Summary, summarised
from noisekernel.kinds.tables import reading
from noisekernel.kinds.tables.cells import MISSING, as_number
from noisekernel.kinds.tables.codes import Codes, codes_of
from noisekernel.kinds.tables.column import OPEN, Column, bits_of
from noisekernel.kinds.tables.inference import Said
from noisekernel.kinds.tables.on_page import TablesOnPage
from noisekernel.kinds.tables.reading import cells_of_row, columns_found, row_of_words, rows_of_file
from noisekernel.kinds.tables.scores import scores_of
from noisekernel.kinds.tables.shown import aligned, line_of
from noisekernel.kinds.tables.telling import told_of

#: Rows that are looked at to tell the kind.
LOOKED_AT = 50
#: What stands in the place of a cell that is hidden.
HOLE = "?"
#: What an empty cell is called among categories.
EMPTY = "(empty)"


class Tables(Kind):
    """Rows of a table."""

    kind: Literal["tables"] = "tables"
    #: What columns are, by name, where that is not to be found out.
    types: dict[str, Said] = Field(default_factory=dict)
    #: The values of ordinal columns, by the column's name, the lowest first.
    orders: dict[str, tuple[int | float | str, ...]] = Field(default_factory=dict)
    #: What stands in a cell where nothing is known.
    missing: tuple[str, ...] = MISSING
    #: How numbers and dates are learned: as the bins of quantiles that they lie in, or as numbers.
    numbers: Literal["bins", "continuous"] = "bins"
    #: About how many bins a column of numbers has.
    bins: Annotated[int, Field(ge=1, le=1000, strict=True)] = 64
    #: The columns, and the names of those that are left out; by default those of the data.
    columns: tuple[Column, ...] | None = None
    left_out: tuple[str, ...] = ()

    one: ClassVar[str] = "row"
    many: ClassVar[str] = "rows"
    fixed: ClassVar[frozenset[str]] = frozenset({"columns", "left_out", "missing", "numbers"})
    suffix: ClassVar[str] = ".csv"
    gathered: ClassVar[bool] = True
    page: ClassVar[str] = ".txt"
    reel: ClassVar[str] = ".csv"
    viewer: ClassVar[str] = "tables"

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    def takes(cls, items: Items) -> bool:
        """Rows of named cells, whatever these are."""
        return all(isinstance(items.item(i), Mapping) for i in range(min(len(items), LOOKED_AT)))

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Rows of named cells that are not all numbers; those are points."""
        return cls.takes(items) and any(
            as_number(cell) is None for i in range(min(len(items), LOOKED_AT)) for cell in items.item(i).values()
        )

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "tables"

    @classmethod
    def parts(cls, before: Mapping[str, Any], settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """A kernel and a head for mixed rows where numbers become numbers, and those for categories on the way back.

        Mixed rows are learned by KL at lag 0, whose steps tell enough of z for the variance of r to matter.
        """
        was = before.get("numbers", "bins")
        wanted = settings.get("numbers", was)
        if wanted == was:
            return {}
        mixed = wanted == "continuous"
        return {
            "kernel": {"kind": "product" if mixed else "categorical", "carry_visible": True},
            "head": {"kind": "product" if mixed else "columns"},
            "objective": {"kind": "kl", "lag": 0.0 if mixed else None},
        }

    def fitted(self, items: Items | None) -> tuple["Tables", str | None]:
        if self.columns is not None:
            return self, None
        if items is None:
            raise InputError("the columns of a stream are not known beforehand; give a table that is on this disk")
        bins = self.bins if self.numbers == "bins" else None
        found = columns_found(items, self.missing, self.types, self.orders, bins)
        few = reading.LOOKED_AT
        seen = f", found by the first {few:,} of {len(items):,} rows" if len(items) > few else ""
        columns = tuple(each.column for each in found.values() if each.column is not None)
        if not any(column.count > 1 for column in columns):
            raise InputError(f"there is nothing to learn from this table: {told_of(found, seen)}")
        if self.numbers == "continuous" and not any(column.is_number for column in columns):
            raise InputError(
                f"no column of this table is one of numbers or dates, so none can be learned as numbers; leave out "
                f"data.numbers: {told_of(found, seen)}"
            )
        left_out = tuple(name for name, each in found.items() if each.column is None)
        return self.model_copy(update={"columns": columns, "left_out": left_out}), told_of(found, seen)

    def following(self, other: "Tables", items: Items | None) -> "Tables":
        """The columns and classes of the other table: weights mean nothing for others."""
        return self.model_copy(update={name: getattr(other, name) for name in self.fixed})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._codes.columns)

    @property
    def _codes(self) -> Codes:
        if self.columns is None:
            raise InputError("the columns of this table are not known yet; they are taken from the data")
        return codes_of(self.columns)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self._codes.elements,)

    @property
    def channels(self) -> None:
        return None

    @property
    def counts(self) -> tuple[int, ...] | None:
        return None if self.columns is None else self._codes.counts

    @property
    def ordered(self) -> tuple[int, ...]:
        return () if self.columns is None else self._codes.ordered

    @property
    def uniform(self) -> int:
        return 0 if self.columns is None or not self.categorical else len(self._codes.numeric)

    @property
    def classes(self) -> int | None:
        return None if self.columns is None or not self.categorical else self._codes.classes

    @property
    def categorical(self) -> bool:
        return self.numbers == "bins"

    @property
    def made_of(self) -> Sort:
        return "categories" if self.categorical else "both"

    def categories_from(self, other: "Tables") -> Tensor | None:
        """None: a class means something else in each column."""
        return None

    def described(self) -> str:
        few = ", ".join(self.names[:4]) + (" …" if len(self.names) > 4 else "")
        return f"rows of {len(self.names)} columns ({few})"

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        """A mapping from columns to cells, or the cells in order. A cell in which nothing stands is missing or open."""
        cells = self._cells(item)
        codes = [column.code(cell) for column, cell in zip(self._codes.columns, cells, strict=True)]
        numeric = [codes[i] for i in self._codes.numeric]
        numbers = [code.number for code in codes] + [code.place for code in numeric] + [code.bits for code in numeric]
        return Stored(np.array(numbers, dtype=np.int64))

    def encode(self, values: Tensor) -> Tensor:
        return self._codes.encoded(values)

    def decode(self, z: Tensor) -> Tensor:
        return self._codes.settled(z)

    def kept(self, values: Tensor, given: Tensor, hidden: Hidden = None) -> Tensor:
        """A number whose bin and place, or whose nearest known value, are those that it had is that number, to its last
        digit."""
        return self._codes.kept(values, given, hidden)

    def drawn(self, values: Tensor) -> list[dict[str, Any]]:
        """Cells by the names of their columns, of the types that they have in the data; None where nothing stands."""
        codes = self._codes
        at = {i: codes.elements + j for j, i in enumerate(codes.numeric)}
        return [
            {c.name: c.cell(row[i], row[at[i]] if i in at else 0) for i, c in enumerate(codes.columns)}
            for row in values.tolist()
        ]

    def augmented(self, values: Tensor, chance: Tensor) -> Tensor:
        """As they are, and whole: what is open can be filled in and not learned from."""
        self.check_whole(values[:, : self._codes.elements])
        return values

    @property
    def bytes_stored(self) -> int:
        return 8 * self._codes.width

    def differs(self, item: Any) -> str | None:
        """Numbers beyond all that were seen, which the model takes for the last ones that it knows."""
        for column, cell in zip(self._codes.columns, self._cells(item), strict=True):
            if cell is not None and column.beyond(cell):
                low, high = (
                    column.text(column.cell(0, bits_of(value))) for value in (column.values[0], column.values[-1])
                )
                return f"{column.name} is {cell}, and training saw {low} to {high}"
        return None

    def check_whole(self, z: Tensor) -> None:
        open_ = (z.reshape(-1, z.shape[-1])[:, : len(self.names)] == OPEN).nonzero()
        if len(open_):
            i, column = open_[0].tolist()
            raise InputError(
                f"row {i + 1}: the cell of {self.names[column]} is empty, which it never was in training; "
                "fill it in first (nk fill, model.fill)"
            )

    def check_range(self, z: Tensor, what: str) -> None:
        self.check_whole(z)
        super().check_range(z, what)

    # For people -------------------------------------------------------------------------------------------------------

    def given(self, words: Sequence[str]) -> list[Named]:
        """Cells by name (age=50, married=yes; the others are open), all cells in order, or CSV or Parquet files."""
        found: list[Named] = []
        for word in words:
            if Path(word).is_file():
                found += rows_of_file(Path(word))
            else:
                found.append(Named(word, row_of_words(word, self.names)))
        return found

    def _cells(self, item: Any) -> list[Any]:
        return cells_of_row(item, self.names, self.left_out, self.missing)

    def masked(self, x: Tensor) -> Tensor:
        """Which elements of noisy states are masked: cells of which nothing is seen."""
        return self._codes.masked(x)

    def show_state(self, x: Tensor) -> list[Shown]:
        masked = self.masked(x)
        return self.show(self.decode(x.where(~masked, 0)), masked)

    def texts(self, values: Tensor, hidden: Hidden = None) -> list[list[str]]:
        """The cells of each row as text; what is hidden is a question mark."""
        columns, found = self._codes.columns, []
        for i, row in enumerate(self.drawn(values)):
            lost = [False] * len(columns) if hidden is None else hidden[i].tolist()
            found.append([HOLE if lost[j] else c.text(row[c.name]) for j, c in enumerate(columns)])
        return found

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """A line of CSV; what is hidden is a question mark."""
        head, lines = line_of(self.names), [line_of(cells) for cells in self.texts(values, hidden)]
        return [Shown("text/csv", f"{head}\n{line}\n".encode(), line) for line in lines]

    def together(self, shown: Sequence[Shown]) -> Shown:
        body = "\n".join(each.text for each in shown)
        return Shown("text/csv", f"{line_of(self.names)}\n{body}\n".encode(), body)

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        """A row per line, those that belong together under each other."""
        text = aligned(self.names, self.texts(values, hidden), columns or 0)
        return Shown("text/plain; charset=utf-8", f"{text}\n".encode(), text)

    def check_film(self, path: Path) -> None:
        if path.suffix != ".csv":
            raise InputError(f"{path.name}: walks of rows are written as .csv")

    def film(self, frames: Iterable[Tensor], path: Path, fps: float) -> None:
        """A table of step, chain and columns."""
        lines = [line_of(["step", "chain", *self.names])]
        for step, values in enumerate(frames):
            lines += [line_of([str(step), str(chain), *cells]) for chain, cells in enumerate(self.texts(values))]
        write_text(path, "\n".join(lines) + "\n")

    @property
    def on_page(self) -> TablesOnPage:
        return TablesOnPage(self)

    # Masks ------------------------------------------------------------------------------------------------------------

    def mask_of(self, wanted: Sequence[str]) -> Tensor:
        """The mask of these columns."""
        return self._codes.spread(torch.tensor([name in wanted for name in self.names]))

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """The names of the columns to fill in, with commas between them."""
        wanted = [name.strip() for name in word.split(",")]
        odd = next((name for name in wanted if name not in self.names), None)
        if odd is not None:
            raise InputError(unknown("column", odd, self.names))
        return self.mask_of(wanted), None

    def holes(self, z: Tensor) -> Tensor:
        """The cells in which nothing stands."""
        classes = z[:, : len(self.names)].cpu()
        return self._codes.spread((classes == OPEN) | (classes == self._codes.missing))

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        return self._codes.spread(blocks(len(self.names), tile, keep, n, seed=seed, first=first))

    def check_summary(self) -> None:
        return

    def summarise(self, z: Tensor, hidden: Tensor, coverage: float) -> Summary:
        """Each cell: categories with their shares; of columns with an order the median and an interval too."""
        names, columns = self.names, self._codes.columns
        lost = [[name for name, out in zip(names, row, strict=False) if out] for row in hidden.bool().tolist()]
        drawn = [self.drawn(self.decode(fills)) if own else [] for fills, own in zip(z, lost, strict=True)]
        orders = {c.name: c.number for c in columns if c.is_number or c.type == "ordinal"}
        return summarised(drawn, lost, orders, {c.name: c.text for c in columns}, coverage, z.shape[1])

    # Judging ----------------------------------------------------------------------------------------------------------

    def known(self, z: Tensor, visible: Tensor) -> Tensor:
        """The places of cells that have none: nothing stands there, or the bin is of one value."""
        return self._codes.decided(z, visible)

    def barred(self, z: Tensor, hidden: Tensor) -> Tensor | None:
        """That nothing stands in a cell which is filled in."""
        return self._codes.barred(hidden)

    def flat(self, values: Tensor) -> Tensor:
        """Of each category whether it is the one; of each number its rank, and whether there is one."""
        z = self.encode(values)
        self.check_whole(z)
        return self._codes.features(z)

    def rows(self, values: Tensor) -> Rows:
        """Numbers and dates as numbers, all else as categories, an empty cell of which is one."""
        codes, found, variables = self._codes, [], []
        for i, column in enumerate(codes.columns):
            classes = values[:, i].numpy()
            if column.is_number:
                bits = values[:, codes.elements + codes.numeric.index(i)].numpy()
                there = (classes >= 0) & (classes < column.known)
                found.append(np.where(there, bits.copy().view(np.float64), np.nan))
                variables.append(Variable(column.name, None, partial(_as_cell, column)))
            else:
                found.append(np.where(classes < 0, column.known, classes).astype(np.float64))
                names = (*map(str, column.categories), EMPTY)
                variables.append(Variable(column.name, names[: column.known + 1]))
        return Rows(tuple(variables), np.stack(found, axis=1))

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        """Each column that has an order, by its name, and its negative with a minus before it."""
        return scores_of(self._codes.columns)


def _as_cell(column: Column, number: float) -> str:
    """A number of a column as it is written there."""
    return column.text(column.cell(0, bits_of(number)))
