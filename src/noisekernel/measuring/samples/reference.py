"""The pictures that samples are measured against: read as needed, and hashed so that nothing kept on disk is stale."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.data.opening import Data, open_source
from noisekernel.data.source import Source
from noisekernel.kinds.pictures.codecs import Codec
from noisekernel.kinds.pictures.reading import BadPictureError, Size


@dataclass(frozen=True)
class Reference:
    """Pictures of one size, as the model's codec can express them: a model of ten levels is held against ten levels."""

    source: Source
    size: Size
    codec: Codec
    #: The numbers of those that can be read, and a hash of all they hold.
    numbers: tuple[int, ...]
    digest: str
    labels: Tensor | None

    def __len__(self) -> int:
        return len(self.numbers)

    def pixels(self, rows: Sequence[int]) -> Tensor:
        """Bytes of some."""
        read = [self.source.read(self.numbers[row], self.size).pixels for row in rows]
        return self.codec.decode(self.codec.encode(torch.from_numpy(np.stack(read))))


def open_data(data: Data) -> Source:
    """Data that can be read more than once."""
    source = open_source(data)
    if not isinstance(source, Source):
        raise InputError(f"{data} is a stream; to be measured against, data is read more than once: download it")
    return source


def read_through(
    source: Source, size: Size, codec: Codec, bad: str = "fail", advance: Callable[[], None] = lambda: None
) -> Reference:
    """Read every picture once: which can be read, and what do they hold?"""
    if bad not in ("fail", "skip"):
        raise InputError(f"bad is {bad!r}; a picture that cannot be read can 'fail' the whole or be left out: 'skip'")
    total = hashlib.sha256(repr((tuple(size), codec)).encode())
    numbers, labels = [], []
    for number in range(len(source)):
        try:
            total.update(source.read(number, size).pixels.tobytes())
        except BadPictureError as error:
            if bad == "fail":
                raise InputError(
                    f"{source.name(number)}: {error}. Remove it, or have it left out: --bad skip"
                ) from None
        else:
            label = source.label(number)
            labels.append(-1 if label is None else label)
            numbers.append(number)
        advance()
    if not numbers:
        raise InputError("there is no picture to be had there")
    total.update(repr(labels).encode())
    known = torch.tensor(labels) if max(labels) >= 0 else None
    return Reference(source, size, codec, tuple(numbers), total.hexdigest(), known)
