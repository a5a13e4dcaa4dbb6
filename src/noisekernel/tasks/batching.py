"""Many samples, in batches."""

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import torch
from torch import Tensor

from noisekernel.core import checks, machine
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_bytes
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling.model import Examples, Labels, NoiseModel, noise_model
from noisekernel.tasks.run import Underway

R = TypeVar("R", bound=Underway)

#: Of one element of clean data.
BYTES = 4


def taken(model: NoiseModel, z: Examples, label: Labels | None) -> tuple[Tensor, Tensor | None]:
    """What was given, as a batch of clean data and a class for each."""
    batch = noise_model(model).as_batch(z)
    return batch, model.as_labels(label, len(batch))


def times(model: NoiseModel, n: int, z: Tensor, label: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Every example, and its label, `n` times in a row."""
    check_room(model, len(z) * checks.count("n", n))
    return z.repeat_interleave(n, dim=0), None if label is None else label.repeat_interleave(n, dim=0)


def check_room(model: NoiseModel, samples: int) -> None:
    """Refuse more samples than the memory of this machine can hold, before any of them is made."""
    needed, there = BYTES * samples * math.prod(model.shape), machine.memory_of(torch.device("cpu"))
    if there is not None and needed > there:
        raise InputError(
            f"{samples:,} samples of {' x '.join(map(str, model.shape))} take {told_bytes(needed)} of memory, and "
            f"there are {told_bytes(there)}; ask for fewer at a time, and number them on with first=…"
        )


def rows_of_label(label: Tensor | None, rows: range | slice) -> Tensor | None:
    return None if label is None else label[rows.start : rows.stop]


def batches(total: int, batch_size: int | None) -> list[range]:
    """The numbers of `total` samples, at most `batch_size` at a time.

    >>> batches(5, 2)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    size = total if batch_size is None else checks.count("batch_size", batch_size)
    return [range(at, min(at + size, total)) for at in range(0, total, size)]


def in_batches(
    total: int, batch_size: int | None, part: Callable[[range], R], advance: Advance = nothing
) -> Iterator[R]:
    """The finished run of each batch. `advance` is called after every step of each."""
    for rows in batches(total, batch_size):
        run = part(rows)
        run.result(advance)
        yield run
