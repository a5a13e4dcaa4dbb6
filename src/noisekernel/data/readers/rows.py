"""Sources of rows: a CSV file, or a DataFrame. An item is a mapping from the names of columns to cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.files.parquet import rows_of_parquet
from noisekernel.files.text import rows_in


@dataclass(frozen=True)
class RowsSource:
    """Rows by number."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    origin: str
    #: The number of the first row in its file.
    first: int = 1

    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def name(self, i: int) -> str:
        return f"{self.origin}, row {i + self.first}"

    def label(self, i: int) -> int | None:
        return None

    def item(self, i: int) -> Mapping[str, Any]:
        return dict(zip(self.columns, self.rows[i], strict=False))


def read_csv(path: Path) -> RowsSource:
    """A CSV file."""
    columns, rows, first = rows_in(path)
    return RowsSource(columns, rows, path.name, first)


def read_parquet(path: Path) -> RowsSource:
    """A Parquet file."""
    columns, rows = rows_of_parquet(path)
    return RowsSource(columns, rows, path.name)


def rows_of_mappings(rows: Sequence[Mapping[str, Any]]) -> RowsSource:
    """A list of mappings from the names of columns to cells, all of the same columns."""
    columns = tuple(map(str, rows[0]))
    for i, row in enumerate(rows):
        if set(map(str, row)) != set(columns):
            other = next(iter(set(map(str, row)) ^ set(columns)))
            raise InputError(f"the list, row {i + 1}: it and the first row do not both have a column {other!r}")
    return RowsSource(columns, [[row[name] for name in rows[0]] for row in rows], "the list")


def rows_of(frame: Any) -> RowsSource:
    """A DataFrame of pandas, or of any library with the same `columns` and `itertuples`."""
    columns = tuple(map(str, frame.columns))
    if len(set(columns)) < len(columns):
        raise InputError(f"two columns of the DataFrame have the same name; give each its own: {', '.join(columns)}")
    if len(frame) == 0:
        raise InputError("the DataFrame has no row")
    return RowsSource(columns, [tuple(row) for row in frame.itertuples(index=False)], "the DataFrame")
