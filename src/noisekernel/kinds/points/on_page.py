"""Points on the studio's page: typed as numbers, shown as numbers, marked by column."""

import html
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.text import cells_of
from noisekernel.kinds.on_page import OnPage

if TYPE_CHECKING:
    from noisekernel.kinds.points.kind import Points


class PointsOnPage(OnPage):
    """Points on the page."""

    films: ClassVar[tuple[str, ...]] = (".svg", ".csv")
    kind: "Points"

    def facts(self) -> dict[str, Any]:
        kind = self.kind
        told = {"columns": kind.names, "means": kind.means, "scales": kind.scales}
        return {**{name: list(each or ()) for name, each in told.items()}, "feather": self.feathers}

    def item(self, content: bytes) -> Any:
        """A row of numbers: in the order of the columns, or under a line with the names of the columns."""
        rows = cells_of([line for line in self.lines(content) if line.strip()] or [""], "the point")
        if len(rows) > 2:
            raise InputError(f"the text has {len(rows)} lines; give one point, under a line of names or without")
        if len(rows) == 1:
            return rows[0]
        if len(rows[0]) != len(rows[1]):
            raise InputError(f"the point has {len(rows[1])} numbers under {len(rows[0])} names; give one for each")
        for name in rows[0]:
            if name not in self.kind.names:
                raise InputError(unknown("column", name[:100], self.kind.names))
        return dict(zip(*rows, strict=True))

    def inline(self, z: Tensor) -> list[Any]:
        """Numbers in the data's units."""
        return self.values(z).tolist()

    def noisy(self, x: Tensor) -> list[Any]:
        return self.inline(x)

    def markup(self, z: Tensor, names: Sequence[str]) -> list[str]:
        """A table of the columns."""
        found = []
        for text in self.texts(z):
            cells = zip(self.kind.names, text.split(","), strict=True)
            rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{cell}</td></tr>" for name, cell in cells)
            found.append(f"<table>{rows}</table>")
        return found

    def read_mask(self, text: str) -> Tensor:
        """A JSON array with the names of the columns to redo."""
        try:
            wanted = json.loads(text)
        except (ValueError, RecursionError):
            wanted = None
        if not isinstance(wanted, list) or not all(isinstance(name, str) for name in wanted):
            raise InputError(f'the mask is no JSON array of names of columns, such as ["{self.kind.names[0]}"]')
        for name in wanted:
            if name not in self.kind.names:
                raise InputError(unknown("column", name[:100], self.kind.names))
        return self.checked_mask(torch.tensor([name in wanted for name in self.kind.names]))
