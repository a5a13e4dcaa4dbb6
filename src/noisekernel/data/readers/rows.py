"""Sources of rows: a CSV file, or a DataFrame. An item is a mapping from the names of columns to cells."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError

#: What may stand between cells.
DELIMITERS = ",;\t|"


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
    """A CSV file with commas, semicolons, tabs or bars; its first row names the columns unless all of it is numbers."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is no text in UTF-8 (at byte {error.start})") from None
    except OSError as error:
        raise InputError(f"{path.name} cannot be opened: {error.strerror}") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path.name} holds no row")
    delimiter = max(DELIMITERS, key=lines[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    named = not all(map(is_number, rows[0]))
    columns = tuple(rows[0]) if named else tuple(f"x{i}" for i in range(len(rows[0])))
    if len(set(columns)) < len(columns):
        raise InputError(f"{path.name}: two columns have the same name; give each its own: {', '.join(columns)}")
    body = rows[1:] if named else rows
    odd = next((i for i, row in enumerate(body) if len(row) != len(columns)), None)
    if odd is not None:
        raise InputError(
            f"{path.name}, row {odd + 1 + named}: {len(body[odd])} cells where there are {len(columns)} columns"
        )
    if not body:
        raise InputError(f"{path.name} names columns but holds no row")
    return RowsSource(columns, body, path.name, 1 + named)


def rows_of(frame: Any) -> RowsSource:
    """A DataFrame of pandas, or of any library with the same `columns` and `itertuples`."""
    columns = tuple(map(str, frame.columns))
    return RowsSource(columns, [tuple(row) for row in frame.itertuples(index=False)], "the DataFrame")


def is_number(cell: Any) -> bool:
    """Whether a cell holds a finite number."""
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return False
    return value - value == 0.0
