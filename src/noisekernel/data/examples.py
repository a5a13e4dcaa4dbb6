"""Training examples by number: what example k of a run is depends on the seed and k alone.

Each pass over the data takes it in a new order, drawn from the seed and the number of the pass. Whether example k is
changed (mirrored, say), and whether its label is withheld, is drawn from the seed and k. So a run that is resumed, or
shared among any number of processes, sees the very same examples, and there is no state to save.

Small sets live in memory as they are stored (`InMemory`). Large ones are read as they are needed, by worker processes
(`ReadAsNeeded`), and what has no numbers at all, a stream from afar, is read from its beginning (`Streamed`).
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from noisekernel.core.errors import BadExampleError, InputError, NoiseKernelError
from noisekernel.core.randomness import Purpose, Streams, uniform
from noisekernel.data.ahead import ahead
from noisekernel.data.source import FarSource, Loaded, Source, Summary
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Stored

#: So many unreadable examples in a row are the end of it, even if such are to be left out.
MOST_BAD = 100


#: Clean data, and a label a sample where there are labels.
Batch = tuple[Tensor, Tensor | None]


class Order:
    """Numbers of examples in a run to numbers in the data: pass after pass, each in a new order."""

    def __init__(self, n: int, seed: int) -> None:
        self.n, self.seed = n, seed
        self._pass, self._permutation = -1, torch.empty(0, dtype=torch.int64)

    def __call__(self, numbers: range) -> Tensor:
        """The numbers in the data of consecutive examples."""
        pieces, first = [], numbers.start
        while first < numbers.stop:
            turn, place = divmod(first, self.n)
            pieces.append(self._turn(turn)[place : place + numbers.stop - first])
            first += len(pieces[-1])
        return torch.cat(pieces)

    def _turn(self, turn: int) -> Tensor:
        if turn != self._pass:
            words = Streams.of(self.seed, [turn], purpose=Purpose.ORDERING).words(self.n)[0]
            self._pass, self._permutation = turn, words.argsort(stable=True)
        return self._permutation


@dataclass(frozen=True)
class Treatment:
    """From stored values to what is trained on."""

    kind: Kind
    seed: int
    #: The number of classes, or None for training without labels, and the share of labels that is withheld.
    classes: int | None = None
    forget: float = 0.0

    def __call__(self, values: Tensor, labels: Tensor | None, numbers: range, device: torch.device) -> Batch:
        # Stored values are moved, bytes a quarter of what floats would be, and become z where the network is.
        values = _moved(values, device)
        streams = Streams.of(self.seed, numbers, device, Purpose.AUGMENTING)
        chance, withheld = uniform((len(numbers), 2), streams).unbind(dim=1)
        values, told = self.kind.augmented(values, chance), self.told(numbers, device)
        if told is not None and self.kind.augmentation is not None:
            values = self.kind.augmentation.applied(values, told)
        z = self.kind.encode(values)
        if self.classes is None or labels is None:
            return z, None
        labels = _moved(labels, device)
        return z, torch.where((withheld < self.forget) | (labels < 0), self.classes, labels)

    def told(self, numbers: range, device: torch.device) -> Tensor | None:
        """What the network is told of how these examples are changed, (n, numbers); None where none ever is."""
        augmentation = self.kind.augmentation
        if augmentation is None:
            return None
        # The first draw is that of flips and of withheld labels.
        streams = replace(Streams.of(self.seed, numbers, device, Purpose.AUGMENTING), draws=1)
        return augmentation.drawn(uniform((len(numbers), augmentation.chances), streams))


def _moved(tensor: Tensor, device: torch.device) -> Tensor:
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


class Examples(Protocol):
    """What a trainer asks of data."""

    @property
    def summary(self) -> Summary: ...

    def stream(self, parts: Iterable[range], device: torch.device) -> Iterator[Batch]:
        """A batch for each range of example numbers, in their order."""
        ...


@dataclass
class InMemory:
    """Examples in memory.

    >>> from noisekernel.data import load_data
    >>> loaded, kind = load_data("digits")
    >>> examples = InMemory(loaded, Treatment(kind, seed=0))
    >>> z, label = next(examples.stream([range(4)], torch.device("cpu")))
    >>> z.shape, label
    (torch.Size([4, 1, 8, 8]), None)
    """

    loaded: Loaded
    treatment: Treatment

    @property
    def summary(self) -> Summary:
        return self.loaded.summary

    def stream(self, parts: Iterable[range], device: torch.device) -> Iterator[Batch]:
        order = Order(len(self.loaded), self.treatment.seed)
        labels = self.loaded.labels
        for numbers in parts:
            chosen = order(numbers)
            own = None if labels is None else labels[chosen]
            yield self.treatment(self.loaded.values[chosen], own, numbers, device)


@dataclass
class ReadAsNeeded:
    """Examples read by `workers` processes shortly before they are needed (0: by this one)."""

    source: Source
    treatment: Treatment
    bad: str = "fail"
    workers: int = 4
    summary: Summary = field(default_factory=Summary)

    def stream(self, parts: Iterable[range], device: torch.device) -> Iterator[Batch]:
        parts = list(parts)
        loader = DataLoader(
            _Numbered(self.source, self.treatment.kind, self.treatment.seed, self.bad),
            batch_sampler=parts,  # type: ignore[arg-type]
            num_workers=self.workers,
            collate_fn=_collate,
            prefetch_factor=4 if self.workers else None,
        )
        try:
            for numbers, many in zip(parts, loader, strict=True):
                _account(self.summary, many, self.bad)
                yield self.treatment(many.values, many.labels, numbers, device)
        except RuntimeError as error:
            if "worker" not in str(error):
                raise
            raise NoiseKernelError(f"a process that reads the data ended unexpectedly: {error}") from None


@dataclass(frozen=True)
class _Read:
    name: str
    stored: Stored | None
    label: int | None
    #: Names and reasons of what could not be read on the way.
    bad: tuple[tuple[str, str], ...] = ()


class _Numbered(Dataset[_Read]):
    """Example number to example. One that cannot be read gives its place to the next that can."""

    def __init__(self, source: Source, kind: Kind, seed: int, bad: str) -> None:
        self.source, self.kind, self.bad = source, kind, bad
        self.order = Order(len(source), seed)

    def __getitem__(self, k: int) -> _Read:
        first = int(self.order(range(k, k + 1)))
        bad: list[tuple[str, str]] = []
        for i in ((first + step) % len(self.source) for step in range(len(self.source))):
            try:
                stored = self.kind.store(self.source.item(i))
                return _Read(self.source.name(i), stored, self.source.label(i), tuple(bad))
            except BadExampleError as error:
                bad.append((self.source.name(i), str(error)))
                if self.bad == "fail" or len(bad) >= MOST_BAD:
                    break
        return _Read("", None, None, tuple(bad))


@dataclass
class Streamed:
    """Examples from a stream, read ahead by a thread (unless `workers` is 0). Resuming skips what was seen, unread."""

    source: FarSource
    treatment: Treatment
    bad: str = "fail"
    workers: int = 1
    summary: Summary = field(default_factory=Summary)

    def stream(self, parts: Iterable[range], device: torch.device) -> Iterator[Batch]:
        parts = list(parts)
        read = iter(_InOrder(self.source, self.treatment.kind, self.treatment.seed, parts))
        # A thread, not a process: the libraries behind a stream have threads of their own, and do not survive a fork.
        for numbers, many in zip(parts, ahead(read) if self.workers else read, strict=True):
            _account(self.summary, many, self.bad)
            yield self.treatment(many.values, many.labels, numbers, device)


class _InOrder:
    def __init__(self, source: FarSource, kind: Kind, seed: int, parts: list[range]) -> None:
        self.source, self.kind, self.seed, self.parts = source, kind, seed, parts

    def _items(self) -> Iterator[tuple[str, Any, int | None]]:
        """The stream, pass after pass."""
        for turn in count():
            some = False
            for item in self.source.turn(turn, self.seed):
                some = True
                yield item
            if not some:
                raise InputError(f"the stream holds no {self.kind.one}")

    def __iter__(self) -> Iterator[Any]:
        # Every process reads the whole stream but unpacks only its own part of it. Example k is item k of the stream,
        # or, if that cannot be read, the next that can: so the items from k on are kept until k is done.
        items, first = self._items(), 0
        window: deque[tuple[str, Any, int | None]] = deque()
        for part in self.parts:
            while first < part.start:
                _ = window.popleft() if window else next(items)
                first += 1
            reads = []
            for k in part:
                bad: list[tuple[str, str]] = []
                for place in range(k - first, k - first + MOST_BAD):
                    while len(window) <= place:
                        window.append(next(items))
                    name, content, label = window[place]
                    try:
                        reads.append(_Read(name, self.kind.store(content), label, tuple(bad)))
                        break
                    except BadExampleError as error:
                        bad.append((name, str(error)))
                else:
                    reads.append(_Read("", None, None, tuple(bad)))
            yield _collate(reads)


@dataclass(frozen=True)
class _Many:
    """What a reader hands on: a batch, and what became of the examples on the way to it."""

    values: Tensor
    labels: Tensor | None
    bad: list[tuple[str, str]]
    notes: list[tuple[str, str]]


def _collate(reads: list[_Read]) -> _Many:
    stored = [read.stored for read in reads if read.stored is not None]
    labels = [-1 if read.label is None else read.label for read in reads]
    whole = len(stored) == len(reads)
    return _Many(
        torch.from_numpy(np.stack([each.values for each in stored])) if whole else torch.empty(0),
        torch.tensor(labels),
        [note for read in reads for note in read.bad],
        [(read.name, read.stored.note) for read in reads if read.stored is not None and read.stored.note],
    )


def _account(summary: Summary, many: _Many, wanted: str) -> None:
    if many.bad and (wanted == "fail" or not len(many.values)):
        name, reason = many.bad[0]
        raise InputError(f"{name}: {reason}. Remove it, or have such files left out: data.bad=skip")
    for known, new in ((summary.skipped, many.bad), (summary.notes, many.notes)):
        names = {name for name, _ in known}
        known += [item for item in dict(new).items() if item[0] not in names]
    summary.read += len(many.values)
