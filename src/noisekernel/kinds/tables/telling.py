"""What the columns were taken for, in sentences for the user."""

from collections.abc import Iterable, Mapping

from noisekernel.kinds.tables.column import Column
from noisekernel.kinds.tables.inference import Found

#: Types, in the words that a list of columns begins with.
WORDS = {
    "category": "categories",
    "ordinal": "ordinal",
    "yes/no": "yes or no",
    "integer": "whole numbers",
    "decimal": "numbers",
    "date": "dates",
}


def told_of(found: Mapping[str, Found], seen: str = "") -> str:
    """Which columns are of which type, which are left out and why, and how to say otherwise.

    Args:
        found: What was found of each column.
        seen: Which rows that was found by, where that is not all of them.
    """
    columns = [each.column for each in found.values() if each.column is not None]
    lines = [f"a table of {len(found)} columns{seen}"]
    lines += [
        f"  {word}: {', '.join(own)}"
        for kind, word in WORDS.items()
        if (own := [column.described() for column in columns if column.type == kind])
    ]
    empty = [column.name for column in columns if column.empty]
    lines += [f"  with cells in which nothing stands: {', '.join(empty)}"] if empty else []
    lines += [f"  left out: {name} ({each.reason or each.note})" for name, each in found.items() if not each.column]
    lines += [f"  {each.note}" for each in found.values() if each.column is not None and each.note]
    lines += [f"  {column.name} has one value, so there is nothing to learn of it" for column in _still(columns)]
    lines.append(
        "say otherwise with data.types.COLUMN=category, ordinal, number, date, yes/no or identifier (left out)"
    )
    return "\n".join(lines)


def _still(columns: Iterable[Column]) -> list[Column]:
    return [column for column in columns if column.count == 1]
