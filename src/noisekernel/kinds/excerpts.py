"""Examples that are parts of larger works: windows of a piece of music, and which work each of them is from.

Windows overlap, so those of one work say much about each other: what is held out of the data is whole works.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Excerpts:
    """A source of examples, each of which is a part of a work.

    Args:
        parts: The examples, as the kind of data stores them.
        works: The number of the work that each of them is from.
        names: The names of the works.
        labels: The class of each work; empty where there are none.
        classes: The names of the classes.
    """

    parts: Sequence[Any]
    works: Sequence[int]
    names: Sequence[str]
    labels: Sequence[int | None] = ()
    classes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.parts)

    def name(self, i: int) -> str:
        first = next(j for j in range(i, -1, -1) if j == 0 or self.works[j - 1] != self.works[i])
        return f"{self.names[self.works[i]]}, part {i - first + 1}"

    def label(self, i: int) -> int | None:
        return self.labels[self.works[i]] if self.labels else None

    def item(self, i: int) -> Any:
        return self.parts[i]
