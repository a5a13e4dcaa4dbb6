"""Many samples in batches."""

from collections.abc import Callable

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.tasks.run import Run


def times(n: int, z: Tensor, label: Tensor | None) -> tuple[Tensor, Tensor | None]:
    checks.count("n", n)
    labels = None if label is None else checks.labels(label, len(z)).repeat_interleave(n, dim=0)
    return z.repeat_interleave(n, dim=0), labels


def rows_of_label(label: Tensor | None, rows: slice) -> Tensor | None:
    return None if label is None else label[rows]


def in_batches(total: int, batch_size: int | None, part: Callable[[slice], Run]) -> Tensor:
    size = total if batch_size is None else checks.count("batch_size", batch_size)
    return torch.cat([part(slice(at, min(at + size, total))).result() for at in range(0, total, size)])
