"""What a kind of data takes and gives: examples as stored, as named by users, as shown, and what they are judged by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

#: How examples were made, for files that have a place for it.
How: TypeAlias = Mapping[str, Any] | None
#: Which elements of z are shown as missing, as booleans of its shape.
Hidden: TypeAlias = Tensor | None


class Stored(NamedTuple):
    """An example as it is stored, and what a user should know of how it came about."""

    values: NDArray[Any]
    note: str | None = None


class Named(NamedTuple):
    """An example that a user named: what to call its variants, and what to read."""

    name: str
    item: Any


#: How the names of files of a media type end.
SUFFIXES = {
    "image/png": ".png",
    "image/gif": ".gif",
    "image/svg+xml": ".svg",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "audio/midi": ".mid",
    "audio/wav": ".wav",
    "application/json": ".json",
    "application/vnd.recordare.musicxml+xml": ".musicxml",
    "video/mp4": ".mp4",
}


@dataclass(frozen=True)
class Shown:
    """What people see of an example: bytes of a media type, and a line of text where there is one."""

    media: str
    content: bytes
    text: str = ""

    @property
    def suffix(self) -> str:
        """How the name of a file of this ends."""
        return SUFFIXES.get(self.media.partition(";")[0], ".bin")


@dataclass(frozen=True)
class Features:
    """What examples are judged by: values (n, *shape) to (n, width), or to features and logits of classes."""

    function: Callable[[Tensor], Any]
    name: str


@dataclass(frozen=True)
class Variable:
    """A column of rows that are measured: numbers, or categories by their number."""

    name: str
    #: The names of its categories, one for "nothing stands there" among them; None for numbers, where that is NaN.
    categories: tuple[str, ...] | None
    #: A number as people write it.
    text: Callable[[float], str] = str


@dataclass(frozen=True)
class Rows:
    """Rows of columns, for measures that are of columns: (n, columns), a float each."""

    variables: tuple[Variable, ...]
    table: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.table)

    def some(self, rows: Any) -> "Rows":
        """These rows alone."""
        return Rows(self.variables, self.table[rows])


class Items(Protocol):
    """A source of examples, as far as a kind sees one."""

    def __len__(self) -> int: ...

    def name(self, i: int) -> str: ...

    def item(self, i: int) -> Any: ...
