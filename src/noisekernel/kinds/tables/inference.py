"""What the columns of a table are, from a look at all of their cells.

Every decision is told to the user, who may say otherwise (`data.types`). What cannot be decided is refused by name.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from noisekernel.core.errors import InputError
from noisekernel.kinds.tables.bins import binned
from noisekernel.kinds.tables.cells import (
    OBJECTS,
    TWO_WAYS,
    YES_NO,
    as_date,
    as_number,
    decimals_of,
    how_dated,
    looks_like_number,
    plain,
    text_of,
)
from noisekernel.kinds.tables.column import Column
from noisekernel.kinds.tables.scored import scored

#: The name of a row, by its number among the cells.
Where = Callable[[int], str]
#: What a user may say that a column is.
Said = Literal["category", "ordinal", "number", "date", "yes/no", "identifier"]
#: A column may have so many categories.
MOST_CATEGORIES = 1000
#: With fewer cells than this, that all of them differ does not make them identifiers.
FEWEST_IDENTIFIERS = 20
#: Numbers among words are categories if there are no more of them than this.
MOST_MIXED = 20


@dataclass(frozen=True)
class Found:
    """A column, or the reason why it is left out; and what else should be known of it."""

    column: Column | None
    reason: str = ""
    note: str = ""


def found(
    name: str,
    cells: Sequence[Any],
    said: Said | None = None,
    order: Sequence[Any] | None = None,
    most: int | None = 64,
    where: Where = lambda i: f"row {i + 1}",
) -> Found:
    """What a column is.

    Args:
        name: Its name.
        cells: All its cells; None where nothing stands.
        said: What the user said that it is; None to find out.
        order: The values of an ordinal column in their order; None for that of the alphabet, or of numbers.
        most: How many bins a column of numbers is to have; None to learn it as numbers.
        where: What to call a row by its number.
    """
    there = [plain(cell) for cell in cells if cell is not None]
    empty = len(there) < len(cells)
    if said == "identifier":
        return Found(None, "as you said")
    if not there:
        return Found(None, "empty in every row")
    kind, note = (said, "") if said is not None else _guessed(name, cells, there, where)
    if kind == "identifier":
        return Found(None, note)
    if kind == "number":
        return Found(_of_numbers(name, cells, there, empty, most, where), note=note)
    if kind == "date":
        return Found(*_of_dates(name, cells, there, empty, most, where))
    return Found(_of_categories(name, cells, there, kind, order, empty), note=note)


def _guessed(name: str, cells: Sequence[Any], there: Sequence[Any], where: Where) -> tuple[Said, str]:
    """The type of a column by its cells, or "identifier", with a note: for identifiers the reason."""
    texts = Counter(text_of(cell) for cell in there)
    if _yes_no(texts) is not None:
        return "yes/no", ""
    numbers = sum(as_number(cell) is not None for cell in there)
    if numbers == len(there):
        return ("identifier", "whole numbers that count the rows") if _counts_rows(there) else ("number", "")
    if 2 * numbers >= len(there):
        odd = next(i for i, cell in enumerate(cells) if cell is not None and as_number(cell) is None)
        if len(texts) > MOST_MIXED:
            raise InputError(
                f"{where(odd)}: {name} is {cells[odd]!r}, and {numbers:,} of the {len(there):,} cells of this column "
                f"are numbers. Correct it; or if that means that nothing is known, empty the cell (or "
                f"--set 'data.missing=[\"\", {_quoted(cells[odd])}]'); or say what the column is (--set "
                f"data.types.{name}=category, or identifier to leave it out)"
            )
        return "category", f"{name} is taken for categories because of {cells[odd]!r} ({where(odd)})"
    if how_dated(there):
        return "date", ""
    commas = all(looks_like_number(text) for text in texts)
    hint = "; they look like numbers with commas: write 1234.5 for a number" if commas else ""
    every = len(texts) == len(there) and len(there) >= FEWEST_IDENTIFIERS
    if every or (len(texts) > MOST_CATEGORIES and 2 * len(texts) > len(there)):
        return "identifier", f"{len(texts):,} different words in {len(there):,} rows{hint}"
    return "category", f"{name} has words for cells{hint}" if commas else ""


def _quoted(cell: Any) -> str:
    return '"' + str(cell)[:40] + '"'


def _yes_no(texts: Mapping[str, int]) -> tuple[str, str] | None:
    """The words for no and yes, if there are these two and no others."""
    lower = {text.lower(): text for text in texts}
    for no, yes in YES_NO:
        if len(texts) == 2 and lower.keys() == {no, yes}:
            return lower[no], lower[yes]
    return None


def _counts_rows(there: Sequence[Any]) -> bool:
    """Whether these are whole numbers that go up by one from row to row: the number of the row."""
    numbers = np.array([as_number(cell) for cell in there], dtype=np.float64)
    return len(numbers) >= FEWEST_IDENTIFIERS and bool((np.diff(numbers) == 1).all())


def _standing_for(numbers: Sequence[float | None], most: int | None) -> dict[str, Any]:
    """What stands for a column of these numbers: values in bins, or with scores."""
    column = np.array(numbers, dtype=np.float64)
    if most is None:
        return scored(column)._asdict()
    values, starts = binned(column, most)
    return {"values": tuple(values.tolist()), "starts": tuple(starts.tolist())}


def _of_numbers(
    name: str, cells: Sequence[Any], there: Sequence[Any], empty: bool, most: int | None, where: Where
) -> Column:
    numbers = [as_number(cell) for cell in there]
    if None in numbers:
        odd = next(i for i, cell in enumerate(cells) if cell is not None and as_number(cell) is None)
        raise InputError(f"{where(odd)}: {name} is {cells[odd]!r}, and this column is to be numbers")
    texts = [cell for cell in there if isinstance(cell, str)]
    decimals = {decimals_of(text) for text in texts}
    whole = all(value is not None and value.is_integer() for value in numbers)
    written = ""
    if len(decimals) == 1 and None not in decimals and decimals != {0}:
        written, whole = str(next(iter(decimals))), False
    whole = whole and decimals <= {0}
    return Column(
        name=name,
        type="integer" if whole else "decimal",
        **_standing_for(numbers, most),
        empty=empty,
        written=written,
    )


def _of_dates(
    name: str, cells: Sequence[Any], there: Sequence[Any], empty: bool, most: int | None, where: Where
) -> tuple[Column | None, str, str]:
    ways = how_dated(there)
    if not ways:
        first = next(iter(how_dated(there[:1])), OBJECTS)
        odd = next(i for i, cell in enumerate(cells) if cell is not None and as_date(cell, first) is None)
        raise InputError(
            f"{where(odd)}: {name} is {cells[odd]!r}, and this column is to be dates; all of them are written in one "
            "way, such as 2024-12-31, 31.12.2024, 12/31/2024 or 2024-12-31 23:59:59"
        )
    note = ""
    if set(TWO_WAYS) <= set(ways):
        note = f"the dates of {name} are taken to have the day before the month"
    column = Column(
        name=name,
        type="date",
        **_standing_for([as_date(cell, ways[0]) for cell in there], most),
        empty=empty,
        written=ways[0],
    )
    return column, "", note


def _of_categories(
    name: str, cells: Sequence[Any], there: Sequence[Any], kind: str, order: Sequence[Any] | None, empty: bool
) -> Column:
    by_text: dict[str, Any] = {}
    for cell in there:
        by_text.setdefault(text_of(cell), cell)
    if len(by_text) > MOST_CATEGORIES:
        raise InputError(
            f"the column {name} has {len(by_text):,} different values, and a column of categories may have "
            f"{MOST_CATEGORIES:,}. Group them; or leave the column out (--set data.types.{name}=identifier)"
        )
    if order is not None:
        known = [text_of(each) for each in order]
        odd = [text for text in by_text if text not in known]
        if odd or len(set(known)) < len(known):
            what = f"{odd[0]!r} is not in" if odd else "a value stands twice in"
            raise InputError(f"{what} data.orders.{name}; it lists every value of the column {name} once")
        ordered = [by_text.get(text, each) for text, each in zip(known, order, strict=True)]
    elif kind == "yes/no":
        two = _yes_no(Counter(by_text))
        if two is None:
            few = ", ".join(list(by_text)[:4])
            raise InputError(f"the column {name} is to be yes or no, but has the values {few}")
        ordered = [by_text[text] for text in two]
    else:
        ordered = [by_text[text] for text in sorted(by_text, key=_sorting)]
    return Column(
        name=name,
        type=kind,  # type: ignore[arg-type]
        categories=tuple(each if isinstance(each, bool | int | float | str) else str(each) for each in ordered),
        empty=empty,
    )


def _sorting(text: str) -> tuple[bool, float, str]:
    """Numbers in their order, and words behind them in theirs."""
    value = as_number(text)
    return (value is None, value or 0.0, text)
