"""What every source of examples offers, and reading one into memory.

A source is a numbered list of items, some of which may turn out to be no examples; what an item means is for a kind of
data to say (`noisekernel.kinds`). `load` reads them all; what cannot be read is either the end of it (`bad="fail"`) or
left out and listed by name and reason (`bad="skip"`): never a silent hole.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.base import Kind


@runtime_checkable
class Source(Protocol):
    """Items by number."""

    @property
    def classes(self) -> Sequence[str]:
        """The names of the classes, in the order of their numbers; empty where there are no labels."""
        ...

    def __len__(self) -> int: ...

    def name(self, i: int) -> str: ...

    def label(self, i: int) -> int | None: ...

    def item(self, i: int) -> Any:
        """What a kind of data reads (`Kind.store`); `BadExampleError` where there is nothing to read."""
        ...


@runtime_checkable
class FarSource(Protocol):
    """Items that come one after the other, with no way to ask for one by number."""

    @property
    def classes(self) -> Sequence[str]: ...

    def turn(self, number: int, seed: int) -> Iterator[tuple[str, Any, int | None]]:
        """Name, item and label of each example, in the order of this pass over them."""
        ...


@dataclass
class Summary:
    """What became of each example that was not simply read."""

    #: One of them, and several, in words.
    one: str = "example"
    many: str = "examples"
    read: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.read} {self.one if self.read == 1 else self.many} read, {len(self.skipped)} skipped"]
        lines += [f"  skipped {name}: {reason}" for name, reason in self.skipped]
        lines += [f"  {name}: {note}" for name, note in self.notes]
        return "\n".join(lines)


@dataclass(frozen=True)
class Loaded:
    """A set of examples in memory, as they are stored: (n, …)."""

    values: Tensor
    #: A class number each, -1 where it is not known; None where none is known.
    labels: Tensor | None
    classes: tuple[str, ...]
    summary: Summary

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class ArraySource:
    """Examples that are an array already: item i is its row i."""

    values: NDArray[Any] | Tensor
    labels: NDArray[np.integer] | None
    classes: Sequence[str]
    origin: str

    def __post_init__(self) -> None:
        if self.values.ndim == 0 or len(self.values) == 0:
            raise InputError(f"{self.origin} has shape {self.values.shape}; the first dimension numbers the examples")
        if self.labels is not None and self.labels.shape != (len(self.values),):
            raise InputError(f"{self.origin}: {len(self.values)} examples but labels of shape {self.labels.shape}")

    def __len__(self) -> int:
        return len(self.values)

    def name(self, i: int) -> str:
        return f"{self.origin}[{i}]"

    def label(self, i: int) -> int | None:
        return None if self.labels is None else int(self.labels[i])

    def item(self, i: int) -> Any:
        return self.values[i]


@dataclass(frozen=True)
class SomeOf:
    """Some examples of a source, as a source."""

    source: Source
    numbers: Sequence[int]

    @property
    def classes(self) -> Sequence[str]:
        return self.source.classes

    def __len__(self) -> int:
        return len(self.numbers)

    def name(self, i: int) -> str:
        return self.source.name(self.numbers[i])

    def label(self, i: int) -> int | None:
        return self.source.label(self.numbers[i])

    def item(self, i: int) -> Any:
        return self.source.item(self.numbers[i])


def some_of(source: Source, most: int, seed: int = 0) -> Source:
    """At most so many examples of a source, drawn at random; all of them in their order if there are no more."""
    if len(source) <= most:
        return source
    generator = torch.Generator().manual_seed(seed % 2**63)
    return SomeOf(source, torch.randperm(len(source), generator=generator)[:most].tolist())


def number_classes(names: Iterable[str]) -> dict[str, int]:
    """Class numbers in the alphabetical order of their names."""
    return {name: i for i, name in enumerate(sorted(set(names)))}


def check_bad(bad: str) -> None:
    """That `bad` is one of the two things to do."""
    if bad not in ("fail", "skip"):
        raise InputError(f"bad is {bad!r}; an example that cannot be read can 'fail' the whole or be left out: 'skip'")


def load(source: Source, kind: Kind, bad: str = "fail", progress: Callable[[int], None] = lambda done: None) -> Loaded:
    """All examples of a source, in memory, as `kind` stores them.

    Args:
        source: Where the items are.
        kind: What they are; fitted to them (`Kind.fitted`).
        bad: What to do with an item that is no example: "fail", or "skip".
        progress: Called with the number of items that have been read.
    """
    check_bad(bad)
    values: NDArray[Any] | None = None
    labels, summary = [], Summary(kind.one, kind.many)
    for i in range(len(source)):
        progress(i)
        try:
            stored = kind.store(source.item(i))
        except BadExampleError as error:
            if bad == "fail":
                raise InputError(
                    f"{source.name(i)}: {error}. Remove it, or have such files left out: bad='skip' (nk train: --set "
                    "data.bad=skip)"
                ) from None
            summary.skipped.append((source.name(i), str(error)))
            continue
        if stored.note:
            summary.notes.append((source.name(i), stored.note))
        if values is None:
            values = np.empty((len(source), *stored.values.shape), dtype=stored.values.dtype)
        values[summary.read] = stored.values
        labels.append(source.label(i))
        summary.read += 1
    if values is None:
        raise InputError(f"there is no {kind.one} to be had there. {summary}")
    unknown = sum(label is None for label in labels)
    if 0 < unknown < summary.read:
        summary.notes.append(("labels", f"{unknown} {kind.many} have none"))
    return Loaded(
        torch.from_numpy(values[: summary.read]),
        None if unknown == summary.read else torch.tensor([-1 if label is None else label for label in labels]),
        tuple(source.classes),
        summary,
    )
