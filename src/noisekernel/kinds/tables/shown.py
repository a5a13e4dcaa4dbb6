"""Rows as text: lines of CSV, and a table whose columns stand below each other."""

import csv
import io
from collections.abc import Sequence

#: Cells are cut to so many characters where they are only looked at.
WIDEST = 24


def line_of(cells: Sequence[str]) -> str:
    """A row as a line of CSV, with quotes where a cell needs them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def aligned(names: Sequence[str], rows: Sequence[Sequence[str]], together: int) -> str:
    """Rows below each other, a line each, with an empty line after so many that belong together.

    Args:
        names: The names of the columns.
        rows: The cells of each row.
        together: How many rows belong together; 0 for all.
    """
    lines = [[_short(cell) for cell in row] for row in (names, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
    texts = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() or "-" for line in lines
    ]
    found = [texts[0], "  ".join("-" * width for width in widths)]
    for i, text in enumerate(texts[1:]):
        found += ["", text] if together and i and i % together == 0 else [text]
    return "\n".join(found)


def _short(cell: str) -> str:
    cell = cell.replace("\n", " ")
    return cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 1]}…"
