"""Sources of text: a file with one example per line, or a list of strings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from noisekernel.files.text import lines_in


@dataclass(frozen=True)
class LinesSource:
    """Strings by number."""

    lines: Sequence[str]
    origin: str
    #: The number of the line in its file that each string is from, counted from 1.
    numbers: Sequence[int]

    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)

    def name(self, i: int) -> str:
        return f"{self.origin}, line {self.numbers[i]}"

    def label(self, i: int) -> int | None:
        return None

    def item(self, i: int) -> str:
        return self.lines[i]


def read_lines(path: Path) -> LinesSource:
    """A text file in UTF-8, one example per line; empty lines separate and are no examples."""
    numbers, lines = zip(*lines_in(path), strict=True)
    return LinesSource(lines, path.name, numbers)


def lines_of(strings: Sequence[str]) -> LinesSource:
    """A list of strings."""
    return LinesSource(list(strings), "the list", list(range(1, len(strings) + 1)))
