"""Sources of rows: a CSV file, or a DataFrame. An item is a mapping from the names of columns to cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


def rows_of(frame: Any) -> RowsSource:
    """A DataFrame of pandas, or of any library with the same `columns` and `itertuples`."""
    columns = tuple(map(str, frame.columns))
    return RowsSource(columns, [tuple(row) for row in frame.itertuples(index=False)], "the DataFrame")
