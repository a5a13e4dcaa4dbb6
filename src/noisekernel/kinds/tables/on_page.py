"""Rows on the studio's page: typed as lines of CSV or by name, shown as text, marked by the names of columns."""

import json
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.text import cells_of
from noisekernel.kinds.on_page import OnPage
from noisekernel.kinds.tables.reading import row_of_words

if TYPE_CHECKING:
    from noisekernel.kinds.tables.kind import Tables


class TablesOnPage(OnPage):
    """Rows on the page."""

    films: ClassVar[tuple[str, ...]] = (".csv",)
    kind: "Tables"

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "columns": list(self.kind.names)}

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
