"""Text files: lines, and rows of cells. What cannot be read is refused in a sentence that names the file."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from noisekernel.core.errors import InputError

#: What may stand between cells.
DELIMITERS = ",;\t|"


def text_of(path: Path) -> str:
    """A text file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        told = "UTF-16" if path.read_bytes()[:2] in (b"\xff\xfe", b"\xfe\xff") else "LATIN1"
        raise InputError(
            f"{path.name} is no text in UTF-8 (at byte {error.start}). Save it as UTF-8, or convert it, if it is in "
            f"{told}: iconv -f {told} -t UTF-8 {path.name} > new-{path.name}"
        ) from None
    except OSError as error:
        raise InputError(f"{path.name} cannot be opened: {error.strerror}") from None


def lines_in(path: Path) -> list[tuple[int, str]]:
    """Each line that holds anything but spaces, with its number, counted from 1."""
    kept = [(i, line.rstrip("\r")) for i, line in enumerate(text_of(path).split("\n"), 1) if line.strip()]
    if not kept:
        raise InputError(f"{path.name} holds no line of text")
    return kept


def rows_in(path: Path) -> tuple[tuple[str, ...], list[list[str]], int]:
    """The names of the columns of a CSV file, its rows, and the number of the first of them.

    Between cells are commas, semicolons, tabs or bars. The first row names the columns unless all of it is numbers.
    """
    rows = _parsed(text_of(path), path.name)
    named = not all(map(is_number, rows[0]))
    columns = tuple(rows[0]) if named else tuple(f"x{i}" for i in range(len(rows[0])))
    if len(set(columns)) < len(columns):
        raise InputError(f"{path.name}: two columns have the same name; give each its own: {', '.join(columns)}")
    body = rows[1:] if named else rows
    odd = next((i for i, row in enumerate(body) if len(row) != len(columns)), None)
    if odd is not None:
        lines = max(cell.count("\n") for cell in body[odd]) + 1
        raise InputError(
            f"{path.name}, row {odd + 1 + named}: {len(body[odd])} cells where there are {len(columns)} columns"
            + (f". One of them has {lines:,} lines: is a quote never closed?" if lines > 1 else "")
        )
    if not body:
        raise InputError(f"{path.name} names columns but holds no row")
    return columns, body, 1 + named


def _parsed(text: str, name: str) -> list[list[str]]:
    """The cells of a CSV file, row by row, without empty lines. A cell in quotes may hold line ends."""
    first = next((line for line in text.splitlines() if line.strip()), None)
    if first is None:
        raise InputError(f"{name} holds no line of text")
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(first))
        return [[cell.strip() for cell in row] for row in rows if len(row) > 1 or (row and row[0].strip())]
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}; is a quote never closed?") from None


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=line.count)


def cells_of(lines: Sequence[str], name: str) -> list[list[str]]:
    """The cells of each of these lines of a CSV file of this name."""
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=_delimiter(lines[0]))]
    except csv.Error as error:
        raise InputError(f"{name} is no CSV: {error}") from None


def is_number(cell: object) -> bool:
    """Whether a cell holds a finite number."""
    try:
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return value - value == 0.0
