"""Rows on the studio's page: typed as lines of CSV or by name, shown as cells, marked by the names of columns."""

import html
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.text import cells_of
from noisekernel.kinds.on_page import OnPage
from noisekernel.kinds.tables.column import Column, bits_of
from noisekernel.kinds.tables.reading import row_of_words

if TYPE_CHECKING:
    from noisekernel.kinds.tables.kind import Tables


#: Categories of a column that the page offers to choose from, at most; of more it is told how many there are.
MOST_CHOICES = 200


class TablesOnPage(OnPage):
    """Rows on the page."""

    films: ClassVar[tuple[str, ...]] = (".csv",)
    kind: "Tables"

    def facts(self) -> dict[str, Any]:
        columns = self.kind.columns or ()
        few = [not column.is_number and len(column.categories) <= MOST_CHOICES for column in columns]
        return {
            "columns": list(self.kind.names),
            "choices": [[*map(str, c.categories)] if is_few else None for c, is_few in zip(columns, few, strict=True)],
            "hints": [_hint(column) for column in columns],
            "empty": [column.empty for column in columns],
            "feather": self.feathers,
        }

    def inline(self, z: Tensor) -> list[Any]:
        """The cells of each row, as text."""
        return self.kind.texts(self.values(z))

    def noisy(self, x: Tensor) -> list[Any]:
        """The same, with null for a cell that is masked."""
        masked = self.kind.masked(x)
        cells = self.kind.texts(self.kind.decode(x.where(~masked, 0)))
        return [
            [None if lost else cell for cell, lost in zip(row, own, strict=False)]
            for row, own in zip(cells, masked.tolist(), strict=True)
        ]

    def markup(self, z: Tensor, names: Sequence[str]) -> list[str]:
        """A table of the columns."""
        found = []
        for cells in self.inline(z):
            pairs = zip(self.kind.names, cells, strict=True)
            rows = "".join(f"<tr><th>{html.escape(n)}</th><td>{html.escape(cell)}</td></tr>" for n, cell in pairs)
            found.append(f"<table>{rows}</table>")
        return found

    def item(self, content: bytes) -> Any:
        """Cells by name, cells in the order of the columns, or those under a line with the names of the columns."""
        lines = [line for line in self.lines(content) if line.strip()]
        if len(lines) > 2:
            raise InputError(f"the text has {len(lines)} lines; give one row, under a line of names or without")
        if len(lines) < 2:
            return row_of_words(lines[0] if lines else "", self.kind.names)
        names, cells = cells_of(lines, "the row")
        if len(names) != len(cells):
            raise InputError(f"the row has {len(cells)} cells under {len(names)} names; give one for each")
        return dict(zip(names, cells, strict=True))

    def read_mask(self, text: str) -> Tensor:
        """A JSON array with the names of the columns to redo, or these names with commas between them."""
        try:
            wanted = json.loads(text)
        except (ValueError, RecursionError):
            return self.checked_mask(self.kind.mask(text[:10_000], [])[0])
        if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
            raise InputError(f'the mask is no JSON array of names of columns, such as ["{self.kind.names[0]}"]')
        odd = next((name for name in wanted if name not in self.kind.names), None)
        if odd is not None:
            raise InputError(unknown("column", odd[:100], self.kind.names))
        return self.checked_mask(self.kind.mask_of(wanted))


def _hint(column: Column) -> str:
    """What may stand in a cell of this column, in a few words."""
    if column.is_number:
        low, high = (column.text(column.cell(0, bits_of(value))) for value in (column.values[0], column.values[-1]))
        return f"{low} to {high}"
    few = ", ".join(map(str, column.categories[:4]))
    return few if len(column.categories) <= 4 else f"{few} and {len(column.categories) - 4:,} more"
