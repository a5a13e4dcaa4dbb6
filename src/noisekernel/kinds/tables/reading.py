"""Rows as people have them: cells under names, files, words such as "age=50, married=yes"."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.parquet import rows_of_parquet
from noisekernel.files.text import rows_in
from noisekernel.kinds.exchanged import Items, Named
from noisekernel.kinds.tables.cells import is_missing
from noisekernel.kinds.tables.inference import Found, Said, found

#: Rows that columns are found by, at most: all of a table of usual size.
LOOKED_AT = 1_000_000
MOST_COLUMNS = 512


def cells_by_name(items: Items, missing: Sequence[str]) -> dict[str, list[Any]]:
    """All cells of each column, None where nothing stands."""
    if len(items) == 0:
        raise InputError("the table has no row")
    first = items.item(0)
    if not isinstance(first, Mapping):
        raise InputError(f"{items.name(0)} is a {type(first).__name__} and no row of named cells")
    cells: dict[str, list[Any]] = {str(name): [] for name in first}
    if len(cells) > MOST_COLUMNS:
        raise InputError(f"the table has {len(cells):,} columns; at most {MOST_COLUMNS:,} are taken")
    for i in range(min(len(items), LOOKED_AT)):
        row = items.item(i)
        for name, own in cells.items():
            cell = row.get(name)
            own.append(None if is_missing(cell, missing) else cell)
    return cells


def columns_found(
    items: Items,
    missing: Sequence[str],
    types: Mapping[str, Said],
    orders: Mapping[str, Sequence[Any]],
    bins: int | None,
) -> dict[str, Found]:
    """What each column is, in order.

    Args:
        items: The rows.
        missing: What stands in a cell where nothing is known.
        types: What the user said that columns are.
        orders: The values of ordinal columns, in order.
        bins: How many bins a column of numbers is to have; None to learn it as numbers.
    """
    cells = cells_by_name(items, missing)
    for setting, names in (("types", types), ("orders", orders)):
        odd = next((name for name in names if name not in cells), None)
        if odd is not None:
            raise InputError(f"data.{setting}: {unknown('column', odd, list(cells))}")
    return {
        name: found(
            name, own, types.get(name, "ordinal" if name in orders else None), orders.get(name), bins, items.name
        )
        for name, own in cells.items()
    }


def rows_of_file(path: Path) -> Iterator[Named]:
    """The rows of a CSV or a Parquet file, each with a name."""
    columns, rows = rows_of_parquet(path) if path.suffix == ".parquet" else rows_in(path)[:2]
    for i, row in enumerate(rows):
        yield Named(f"{path.stem}-{i}", dict(zip(columns, row, strict=True)))


def row_of_words(word: str, names: Sequence[str]) -> dict[str, Any]:
    """A row from a line of text: "age=50, married=yes", where all other cells are open, or all cells in their order.

    Args:
        word: The text.
        names: The names of the columns.
    """
    (cells,) = csv.reader([word], skipinitialspace=True)
    told = [cell.partition("=") for cell in cells]
    if told and all(sign and name.strip() in names for name, sign, _ in told):
        row: dict[str, Any] = dict.fromkeys(names)
        for name, _, cell in told:
            if row[name.strip()] is not None:
                raise InputError(f"{name.strip()} stands twice in {word!r}")
            row[name.strip()] = cell.strip()
        return row
    if len(cells) == len(names):
        return dict(zip(names, (cell.strip() for cell in cells), strict=True))
    odd = next((name.strip() for name, sign, _ in told if sign and name.strip() not in names), None)
    if odd is not None:
        raise InputError(unknown("column", odd[:100], names))
    raise InputError(
        f"{word[:100]!r} is neither a .csv or .parquet file, nor cells by name such as {names[0]}=…, nor "
        f"{len(names)} cells with commas between them"
    )


def cells_of_row(item: Any, names: Sequence[str], others: Sequence[str], missing: Sequence[str]) -> list[Any]:
    """The cells of a row in the order of the columns, None where nothing stands.

    Args:
        item: A mapping from names to cells, or the cells in order.
        names: The names of the columns.
        others: Columns that a row may have beside these, which are left out.
        missing: What stands in a cell where nothing is known.
    """
    if isinstance(item, Mapping):
        absent = next((name for name in names if name not in item), None)
        if absent is not None:
            raise BadExampleError(f"the column {absent} is missing; leave its cell empty for one that is open")
        odd = next((str(name) for name in item if name not in names and name not in others), None)
        if odd is not None:
            raise BadExampleError(unknown("column", odd[:100], names))
        cells = [item[name] for name in names]
    elif isinstance(item, list | tuple):
        cells = list(item)
    else:
        raise BadExampleError(f"a {type(item).__name__} is no row; give cells by the names of their columns")
    if len(cells) != len(names):
        raise BadExampleError(f"it has {len(cells)} cells where there are {len(names)} columns")
    return [None if is_missing(cell, missing) else cell for cell in cells]
