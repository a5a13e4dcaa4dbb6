"""What every source of pictures offers, and reading one into memory.

A source is a numbered list of pictures, some of which may turn out not to be any. `load` reads them all into bytes;
what cannot be read is either the end of it (`bad="fail"`) or left out and listed by name and reason (`bad="skip"`):
never a silent hole.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.kinds.pictures.reading import BadPictureError, Picture, Size, fit, to_channels


@runtime_checkable
class Source(Protocol):
    """Pictures by number. `read` raises `BadPictureError` for what is none."""

    @property
    def classes(self) -> Sequence[str]:
        """The names of the classes, in the order of their numbers; empty where there are no labels."""
        ...

    def __len__(self) -> int: ...

    def name(self, i: int) -> str: ...

    def label(self, i: int) -> int | None: ...

    def read(self, i: int, size: Size) -> Picture: ...

    def natural_size(self) -> Size | None:
        """The size all pictures have, where that is known without reading them."""
        ...


@runtime_checkable
class FarSource(Protocol):
    """Pictures that come one after the other, with no way to ask for one by number."""

    @property
    def classes(self) -> Sequence[str]: ...

    def turn(self, number: int, seed: int) -> Iterator[tuple[str, bytes, int | None]]:
        """Name, content and label of each picture, in the order of this pass over them."""
        ...

    def read(self, content: bytes, size: Size) -> Picture: ...


@dataclass
class Summary:
    """What became of each picture that was not simply read."""

    read: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.read} pictures read, {len(self.skipped)} skipped"]
        lines += [f"  skipped {name}: {reason}" for name, reason in self.skipped]
        lines += [f"  {name}: {note}" for name, note in self.notes]
        return "\n".join(lines)


@dataclass(frozen=True)
class Pictures:
    """A set of pictures in memory, as bytes (n, channels, height, width)."""

    pixels: Tensor
    #: A class number each, -1 where it is not known; None where none is known.
    labels: Tensor | None
    classes: tuple[str, ...]
    summary: Summary

    def __len__(self) -> int:
        return len(self.pixels)


@dataclass(frozen=True)
class ArraySource:
    """Pictures that are an array of bytes already: (n, height, width) or (n, height, width, channels)."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.integer] | None
    classes: Sequence[str]
    origin: str

    def __post_init__(self) -> None:
        if self.pixels.dtype != np.uint8:
            raise InputError(
                f"{self.origin}: the array is {self.pixels.dtype}; pictures are bytes (uint8), 0 to 255. Numbers in "
                "[0, 1] become them by (255 * array).round().astype('uint8'). What is no picture, such as classes or "
                "measurements, is trained on by a loop of one's own: see the README"
            )
        if self.pixels.ndim not in (3, 4) or (self.pixels.ndim == 4 and self.pixels.shape[3] not in (1, 3, 4)):
            raise InputError(
                f"{self.origin}: the array has shape {self.pixels.shape}; give (n, height, width) or "
                "(n, height, width, channels) with 1, 3 or 4 channels (channels first become last by "
                "array.transpose(0, 2, 3, 1))"
            )
        if self.labels is not None and self.labels.shape != (len(self.pixels),):
            raise InputError(f"{self.origin}: {len(self.pixels)} pictures but labels of shape {self.labels.shape}")

    def __len__(self) -> int:
        return len(self.pixels)

    def name(self, i: int) -> str:
        return f"{self.origin}[{i}]"

    def label(self, i: int) -> int | None:
        return None if self.labels is None else int(self.labels[i])

    def natural_size(self) -> Size:
        return Size(1 if self.pixels.ndim == 3 else self.pixels.shape[3], *self.pixels.shape[1:3])

    def read(self, i: int, size: Size) -> Picture:
        if size == self.natural_size():
            own = self.pixels[i][None] if self.pixels.ndim == 3 else self.pixels[i].transpose(2, 0, 1)
            return Picture(np.ascontiguousarray(own))
        own = self.pixels[i]
        image = Image.fromarray(own[..., 0] if own.ndim == 3 and own.shape[2] == 1 else own)
        return Picture(fit(to_channels(image, size.channels), size))


@dataclass(frozen=True)
class SomeOf:
    """Some pictures of a source, as a source."""

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

    def read(self, i: int, size: Size) -> Picture:
        return self.source.read(self.numbers[i], size)

    def natural_size(self) -> Size | None:
        return self.source.natural_size()


def some_of(source: Source, most: int, seed: int = 0) -> Source:
    """At most so many pictures of a source, drawn at random; all of them in their order if there are no more."""
    if len(source) <= most:
        return source
    generator = torch.Generator().manual_seed(seed % 2**63)
    return SomeOf(source, torch.randperm(len(source), generator=generator)[:most].tolist())


def number_classes(names: Iterable[str]) -> dict[str, int]:
    """Class numbers in the alphabetical order of their names."""
    return {name: i for i, name in enumerate(sorted(set(names)))}


def load(
    source: Source, size: Size | None = None, bad: str = "fail", progress: Callable[[int], None] = lambda done: None
) -> Pictures:
    """All pictures of a source, in memory, at one size (by default their own, where they have one).

    `progress` is told how many have been read.
    """
    if bad not in ("fail", "skip"):
        raise InputError(f"bad is {bad!r}; a picture that cannot be read can 'fail' the whole or be left out: 'skip'")
    size = size or source.natural_size()
    if size is None:
        raise InputError("these pictures have no one size; say which channels, height and width they are to be given")
    size.check()
    pixels = np.empty((len(source), *size), dtype=np.uint8)
    labels, summary = [], Summary()
    for i in range(len(source)):
        progress(i)
        try:
            picture = source.read(i, size)
        except BadPictureError as error:
            if bad == "fail":
                raise InputError(
                    f"{source.name(i)}: {error}. Remove it, or have such files left out: bad='skip' (nk train: --set "
                    "data.bad=skip)"
                ) from None
            summary.skipped.append((source.name(i), str(error)))
            continue
        if picture.note:
            summary.notes.append((source.name(i), picture.note))
        pixels[summary.read] = picture.pixels
        labels.append(source.label(i))
        summary.read += 1
    if summary.read == 0:
        raise InputError(f"there is no picture to be had there. {summary}")
    unknown = sum(label is None for label in labels)
    if 0 < unknown < summary.read:
        summary.notes.append(("labels", f"{unknown} pictures have none"))
    return Pictures(
        torch.from_numpy(pixels[: summary.read]),
        None if unknown == summary.read else torch.tensor([-1 if label is None else label for label in labels]),
        tuple(source.classes),
        summary,
    )
