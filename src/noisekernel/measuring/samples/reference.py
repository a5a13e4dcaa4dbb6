"""The data that samples are measured against: read as needed, and hashed so that nothing kept on disk is stale."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.data.opening import Data, open_source
from noisekernel.data.source import Source, check_bad
from noisekernel.kinds.base import Kind


@dataclass(frozen=True)
class Reference:
    """Examples as the model can express them: a model of ten levels of brightness is held against ten levels."""

    source: Source
    kind: Kind
    #: The numbers of those that can be read, and a hash of all they hold.
    numbers: tuple[int, ...]
    digest: str
    labels: Tensor | None

    def __len__(self) -> int:
        return len(self.numbers)

    def values(self, rows: Sequence[int]) -> Tensor:
        """Stored values of some."""
        read = [self.kind.store(self.source.item(self.numbers[row])).values for row in rows]
        return self.kind.decode(self.kind.encode(torch.from_numpy(np.stack(read))))


def some_rows(examples: Reference, most: int, seed: int) -> Tensor:
    """Stored values of at most so many examples, drawn at random."""
    order = torch.randperm(len(examples), generator=torch.Generator().manual_seed(seed % 2**63))
    return examples.values(order[:most].tolist())


def open_data(data: Data, kind: Kind) -> Source:
    """Examples of a kind that can be read more than once."""
    source = open_source(data)
    if not isinstance(source, Source):
        raise InputError(f"{data} is a stream; to be measured against, data is read more than once: download it")
    found: Source = kind.excerpts(source)
    return found


def read_through(
    source: Source, kind: Kind, bad: str = "fail", advance: Callable[[], None] = lambda: None
) -> Reference:
    """Read every example once: which can be read, and what do they hold?"""
    check_bad(bad)
    total = hashlib.sha256(kind.bare.model_dump_json().encode())
    numbers, labels = [], []
    for number in range(len(source)):
        try:
            total.update(kind.store(source.item(number)).values.tobytes())
        except BadExampleError as error:
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
        raise InputError(f"there is no {kind.one} to be had there")
    total.update(repr(labels).encode())
    known = torch.tensor(labels) if max(labels) >= 0 else None
    return Reference(source, kind, tuple(numbers), total.hexdigest(), known)
