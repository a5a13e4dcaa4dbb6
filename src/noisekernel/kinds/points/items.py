"""What may be a point: rows of cells, and vectors of numbers."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor


def as_number(cell: Any) -> float | None:
    """A cell as a finite number, if it is one."""
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def is_point(item: Any) -> bool:
    """Whether this may be one point: a row of numbers, or an array of them in one dimension."""
    if isinstance(item, Mapping):
        return bool(item) and all(as_number(cell) is not None for cell in item.values())
    if isinstance(item, np.ndarray | Tensor):
        return item.ndim == 1 and str(item.dtype).removeprefix("torch.").startswith(("float", "int"))
    return False


def columns_of(item: Any) -> tuple[str, ...]:
    """The names of the columns of a row; x0, x1, … where it has none."""
    return tuple(map(str, item)) if isinstance(item, Mapping) else tuple(f"x{i}" for i in range(len(item)))
