"""Many samples, in batches."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.tasks.run import Run


def times(n: int, z: Tensor, label: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """Every example, and its label, `n` times in a row."""
    checks.count("n", n)
    labels = None if label is None else checks.labels(label, len(z)).repeat_interleave(n, dim=0)
    return z.repeat_interleave(n, dim=0), labels


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
    total: int, batch_size: int | None, part: Callable[[range], Run], advance: Advance = nothing
) -> Iterator[Run]:
    """The finished run of each batch. `advance` is called after every step of each."""
    for rows in batches(total, batch_size):
        run = part(rows)
        run.result(advance)
        yield run


def all_of(runs: Iterator[Run]) -> Tensor:
    """The clean data of finished runs, one after the other."""
    return torch.cat([run.clean for run in runs])
