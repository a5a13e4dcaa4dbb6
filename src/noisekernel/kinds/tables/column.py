"""A column of a table: its name and type, its classes, and the way between its cells and them."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from pydantic import model_validator

from noisekernel.core.errors import BadExampleError
from noisekernel.core.settings import Strict
from noisekernel.core.suggestions import nearest as nearest_name
from noisekernel.kinds.tables.bins import PLACES, nearest
from noisekernel.kinds.tables.cells import as_date, as_number, date_of, plain, text_of

#: What a column may be, as it is learned. Numbers are whole or have decimals.
Type = Literal["category", "ordinal", "yes/no", "integer", "decimal", "date"]
NUMBERS = ("integer", "decimal", "date")
#: The class of a cell that is open: one to be filled in, of a column that has no class for what is missing.
OPEN = -1


class Code(NamedTuple):
    """A cell as it is stored: its class, the place within a bin, and the number itself as the bits of a float.

    Where numbers have scores, the place is the number of the value that is nearest.
    """

    number: int
    place: int = 0
    bits: int = 0


def bits_of(value: float) -> int:
    """A number as the bits of a float, which keep it to the last digit."""
    return int(np.float64(value).view(np.int64))


def value_of(bits: int) -> float:
    """The number that has these bits."""
    return float(np.int64(bits).view(np.float64))


class Column(Strict):
    """A column. The settings are found by a look at the data (`inference`)."""

    name: str
    type: Type
    #: The categories, in order; none for numbers and dates.
    categories: tuple[bool | int | float | str, ...] = ()
    #: For numbers and dates the values that stand for the column, and where the places of each begin (`bins`).
    values: tuple[float, ...] = ()
    starts: tuple[int, ...] = ()
    #: Of numbers that are learned as numbers, in the place of the starts: the normal score of each value, and the
    #: numbers of those values that come up often (`scored`).
    scores: tuple[float, ...] = ()
    often: tuple[int, ...] = ()
    #: Whether cells were missing in the data; "missing" is then the last class.
    empty: bool = False
    #: How a date is written, or with how many decimals a number; as it comes, if neither is said.
    written: str = ""

    @model_validator(mode="after")
    def _of_one_length(self) -> "Column":
        if len(self.values) != len(self.scores or self.starts) or bool(self.values) == bool(self.categories):
            raise ValueError(f"the column {self.name} needs categories, or as many starts or scores as values")
        if any(not 0 <= each < len(self.values) for each in self.often):
            raise ValueError(f"the column {self.name} has often values that are none of its values")
        return self

    @property
    def is_number(self) -> bool:
        """Whether a cell is a number or a date, and so of a bin."""
        return self.type in NUMBERS

    @property
    def known(self) -> int:
        """How many classes it has beside "missing": with scores one for each often value, and one for all others."""
        if self.scores:
            return len(self.often) + bool(self.others)
        return self.starts[-1] // PLACES + 1 if self.is_number else len(self.categories)

    @property
    def count(self) -> int:
        """How many classes it has."""
        return self.known + self.empty

    @cached_property
    def others(self) -> tuple[int, ...]:
        """The numbers of those of its values that do not come up often."""
        often = frozenset(self.often)
        return tuple(i for i in range(len(self.values)) if i not in often)

    @cached_property
    def _classes(self) -> Mapping[str, int]:
        return {text_of(category): i for i, category in enumerate(self.categories)}

    def code(self, cell: Any) -> Code:
        """A cell as it is stored; `BadExampleError` for one that this column cannot have.

        Args:
            cell: A cell, or None for one in which nothing stands.
        """
        if cell is None:
            return Code(self.known if self.empty else OPEN)
        if not self.is_number:
            number = self._classes.get(text_of(cell))
            if number is None:
                raise BadExampleError(f"{self.name} is {cell!r}, which training never saw; {self._few(cell)}")
            return Code(number)
        value = self.number(cell)
        if value is None:
            like = date_of(self.values[0], self.written) if self.type == "date" else None
            what = "a finite number" if like is None else f"a date such as {like}"
            raise BadExampleError(f"{self.name} is {cell!r}; it has to be {what}")
        known = nearest(self.values, value)
        if self.scores:
            return Code(self.often.index(known) if known in self.often else len(self.often), known, bits_of(value))
        start = self.starts[known]
        return Code(start // PLACES, start % PLACES, bits_of(value))

    def cell(self, number: int, bits: int = 0) -> Any:
        """The cell that has this class and, where it is a number, these bits; None where nothing stands.

        Args:
            number: A class, or `OPEN`.
            bits: Those of `bits_of`.
        """
        if number == OPEN or number >= self.known:
            return None
        if not self.is_number:
            return self.categories[number]
        value = value_of(bits)
        if self.type == "date":
            return date_of(value, self.written)
        return round(value) if self.type == "integer" and value.is_integer() else value

    def text(self, cell: Any) -> str:
        """A cell as it is written in a file: nothing where it is None."""
        if cell is None:
            return ""
        if self.type == "decimal" and self.written:
            fixed = f"{cell:.{self.written}f}"
            return fixed if float(fixed) == cell else repr(cell)
        return str(cell)

    def number(self, cell: Any) -> float | None:
        """A cell as a number, for a column that has an order: of an ordinal column, which of its values it is."""
        if cell is None:
            return None
        if self.type == "date":
            return as_date(cell, self.written)
        if self.type in ("ordinal", "yes/no"):
            found = self._classes.get(text_of(cell))
            return None if found is None else float(found)
        return as_number(plain(cell))

    def beyond(self, cell: Any) -> bool:
        """Whether a cell is a number beyond all that were seen."""
        value = self.number(cell) if self.is_number else None
        return value is not None and not self.values[0] <= value <= self.values[-1]

    def described(self) -> str:
        """In a few words: age (73 numbers in 64 bins)."""
        if self.is_number:
            how = f", {len(self.often)} of them often" if self.scores else f" in {self.known} bins"
            return f"{self.name} ({len(self.values):,} values{how})"
        return f"{self.name} ({len(self.categories):,})"

    def _few(self, cell: Any) -> str:
        names = list(self._classes)
        near = nearest_name(text_of(cell), names)
        few = ", ".join(names[:8]) + (f" and {len(names) - 8:,} more" if len(names) > 8 else "")
        return f"it saw {few}" if near is None else f"did you mean {near!r}?"
