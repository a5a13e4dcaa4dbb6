"""Points: vectors of numbers with a name for each column, from a CSV file, a DataFrame or an array.

The chain sees standardised columns, z = (value - mean) / scale, so that one noise level means the same for all.
"""

import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import model_validator
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.settings import Positive
from noisekernel.core.suggestions import unknown
from noisekernel.files.formats import write_text
from noisekernel.files.text import rows_in
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.masking import blocks
from noisekernel.kinds.points.items import as_number, columns_of, is_point
from noisekernel.kinds.points.on_page import PointsOnPage
from noisekernel.kinds.points.plot import moving, scatter

#: Rows on which the moments of the columns are measured, at most.
MEASURED = 100_000
#: Rows that are looked at to tell the kind.
LOOKED_AT = 50
MOST_COLUMNS = 4096


class Points(Kind):
    """Vectors of numbers."""

    kind: Literal["points"] = "points"
    #: The names of the columns, and their means and standard deviations; by default those of the data.
    columns: tuple[str, ...] | None = None
    means: tuple[float, ...] | None = None
    scales: tuple[Positive, ...] | None = None

    one: ClassVar[str] = "point"
    many: ClassVar[str] = "points"
    fixed: ClassVar[frozenset[str]] = frozenset({"columns", "means", "scales"})
    suffix: ClassVar[str] = ".csv"
    gathered: ClassVar[bool] = True
    page: ClassVar[str] = ".svg"
    reel: ClassVar[str] = ".svg"
    viewer: ClassVar[str] = "points"

    @model_validator(mode="after")
    def _of_one_width(self) -> "Points":
        widths = {len(each) for each in (self.columns, self.means, self.scales) if each is not None}
        if len(widths) > 1 or 0 in widths:
            raise ValueError("data.columns, data.means and data.scales need one entry per column, and have different")
        return self

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Rows all of whose cells are numbers, and arrays of numbers in one dimension."""
        return all(is_point(items.item(i)) for i in range(min(len(items), LOOKED_AT)))

    @classmethod
    def lacks(cls, items: Items) -> str | None:
        for i in range(min(len(items), LOOKED_AT)):
            item = items.item(i)
            if isinstance(item, Mapping):
                odd = next((name for name, cell in item.items() if as_number(cell) is None), None)
                if odd is not None:
                    return f"{items.name(i)}: {odd} is {item[odd]!r}; points are numbers in every column"
        return None

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "points"

    @classmethod
    def of_shape(cls, shape: tuple[int, ...], categories: int | None) -> "Points | None":
        """Vectors of numbers as they are, with columns x0, x1, …."""
        if len(shape) != 1 or categories is not None:
            return None
        names = tuple(f"x{i}" for i in range(shape[0]))
        return cls(columns=names, means=(0.0,) * len(names), scales=(1.0,) * len(names))

    def fitted(self, items: Items | None) -> tuple["Points", str | None]:
        if self.columns is not None and self.means is not None and self.scales is not None:
            return self, None
        if items is None:
            raise InputError("points are measured before training; give data that is on this disk, not a stream")
        columns = self.columns or columns_of(items.item(0))
        if len(columns) > MOST_COLUMNS:
            raise InputError(f"points of {len(columns):,} columns; at most {MOST_COLUMNS:,} are allowed")
        named = self.model_copy(update={"columns": columns})
        rows, odd = [], None
        for i in range(0, len(items), math.ceil(len(items) / MEASURED)):
            try:
                rows.append(named.store(items.item(i)).values)
            except BadExampleError as error:  # whoever reads it hears of it
                odd = odd or f"{items.name(i)}: {error}. Rows of other cells than numbers are a table: --kind tables"
        if not rows:
            raise InputError(f"there is no point to be had there: {items.name(0)} is none")
        values = np.stack(rows).astype(np.float64)
        scales = values.std(axis=0)
        still = [name for name, scale in zip(columns, scales, strict=True) if not scale > 0]
        if still:
            raise InputError(f"the column {still[0]} has one and the same value everywhere; leave it out")
        measured = {"means": tuple(values.mean(axis=0).tolist()), "scales": tuple(scales.tolist())}
        return named.model_copy(update=measured), odd

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        if self.columns is None:
            raise InputError("the columns of these points are not known yet; they are taken from the data")
        return self.columns

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.names),)

    @property
    def channels(self) -> int:
        return len(self.names)

    @property
    def classes(self) -> None:
        return None

    def channels_from(self, other: "Points") -> Tensor:
        """Columns by name."""
        return torch.tensor([[float(own == name) for name in other.names] for own in self.names])

    def described(self) -> str:
        few = ", ".join(self.names[:4]) + (" …" if len(self.names) > 4 else "")
        return f"points of {len(self.names)} columns ({few})"

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        """A mapping from columns to cells, or a vector in the order of the columns."""
        if isinstance(item, Mapping):
            missing = [name for name in self.names if name not in item]
            if missing:
                raise BadExampleError(f"the column {missing[0]} is missing")
            cells: Sequence[Any] = [item[name] for name in self.names]
        elif isinstance(item, np.ndarray | Tensor | list | tuple) and np.ndim(item) == 1:
            cells = list(item)
        else:
            raise BadExampleError(f"a {type(item).__name__} is no point; give a row of numbers")
        if len(cells) != len(self.names):
            raise BadExampleError(f"it has {len(cells)} numbers; these points have {len(self.names)}")
        numbers = [as_number(cell) for cell in cells]
        for name, cell, number in zip(self.names, cells, numbers, strict=True):
            if number is None:
                raise BadExampleError(f"{name} is {cell!r}; points are finite numbers")
        return Stored(np.array(numbers, dtype=np.float32))

    def _moments(self) -> tuple[Tensor, Tensor]:
        if self.means is None or self.scales is None:
            raise InputError("the moments of these points are not known yet; they are measured on the data")
        return torch.tensor(self.means), torch.tensor(self.scales)

    def encode(self, values: Tensor) -> Tensor:
        mean, scale = (each.to(values.device) for each in self._moments())
        return (values - mean) / scale

    def decode(self, z: Tensor) -> Tensor:
        mean, scale = (each.to(z.device) for each in self._moments())
        return z * scale + mean

    def drawn(self, values: Tensor) -> list[dict[str, float]]:
        return [dict(zip(self.names, row, strict=True)) for row in values.tolist()]

    @property
    def bytes_stored(self) -> int:
        return 4 * len(self.names)

    # For people -------------------------------------------------------------------------------------------------------

    def given(self, words: Sequence[str]) -> list[Named]:
        """Numbers with commas between them, or CSV files, each of whose rows is a point."""
        found: list[Named] = []
        for word in words:
            if Path(word).is_file():
                columns, rows, _ = rows_in(Path(word))
                stem = Path(word).stem
                found += [Named(f"{stem}-{i}", dict(zip(columns, row, strict=True))) for i, row in enumerate(rows)]
                continue
            cells = word.split(",")
            if any(as_number(cell) is None for cell in cells):
                raise InputError(f"{word!r} is neither a CSV file nor numbers with commas between them, such as 0.5,-1")
            found.append(Named(word, np.array([float(cell) for cell in cells])))
        return found

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """A line of CSV; what is hidden is a question mark."""
        lines = []
        for i, row in enumerate(values.tolist()):
            cells = [f"{value:.6g}" for value in row]
            if hidden is not None:
                cells = ["?" if lost else cell for cell, lost in zip(cells, hidden[i].tolist(), strict=True)]
            lines.append(",".join(cells))
        return [Shown("text/csv", f"{','.join(self.names)}\n{line}\n".encode(), line) for line in lines]

    def together(self, shown: Sequence[Shown]) -> Shown:
        text = io.StringIO()
        text.write(",".join(self.names) + "\n")
        text.writelines(each.text + "\n" for each in shown)
        return Shown("text/csv", text.getvalue().encode(), "\n".join(each.text for each in shown))

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        """A scatter plot of each pair of the first columns."""
        return Shown("image/svg+xml", scatter(values.tolist(), self.names).encode(), f"{len(values)} points")

    def board(self, writer: Any, name: str, page: Shown, step: int) -> None:
        writer.add_text(name, page.text, step)

    def check_film(self, path: Path) -> None:
        if path.suffix not in (".svg", ".csv"):
            raise InputError(f"{path.name}: walks of points are .svg (a moving plot) or .csv")

    def film(self, frames: Iterable[Tensor], path: Path, fps: float) -> None:
        """A plot that moves, or a table of step, chain and columns."""
        steps = [values.tolist() for values in frames]
        if path.suffix == ".svg":
            return write_text(path, moving(steps, self.names, fps))
        lines = ["step,chain," + ",".join(self.names)]
        for step, points in enumerate(steps):
            lines += [f"{step},{chain}," + ",".join(f"{v:.6g}" for v in point) for chain, point in enumerate(points)]
        return write_text(path, "\n".join(lines) + "\n")

    @property
    def on_page(self) -> PointsOnPage:
        return PointsOnPage(self)

    # Masks ------------------------------------------------------------------------------------------------------------

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """The names of the columns to fill in, with commas between them."""
        wanted = [name.strip() for name in word.split(",")]
        for name in wanted:
            if name not in self.names:
                raise InputError(unknown("column", name, self.names))
        return torch.tensor([name in wanted for name in self.names]), None

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        return blocks(len(self.names), tile, keep, n, seed=seed, first=first)

    # Judging ----------------------------------------------------------------------------------------------------------

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        """Each column, by its name, and its negative with a minus before it."""
        up = {name: (lambda row, name=name: float(row[name])) for name in self.names}
        return {**up, **{f"-{name}": (lambda row, name=name: -float(row[name])) for name in self.names}}
