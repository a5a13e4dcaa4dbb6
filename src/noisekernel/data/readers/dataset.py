"""A torch Dataset, or anything with a length and items, as a source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from noisekernel.core.errors import InputError


class DatasetSource:
    """Items of a Dataset: an example each, or a pair of an example and the number of its class."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        if len(dataset) == 0:
            raise InputError("the Dataset is empty")
        first = dataset[0]
        #: Whether each item is a tuple of one, as torch's TensorDataset gives.
        self._single = isinstance(first, tuple | list) and len(first) == 1
        first = first[0] if self._single else first
        self._pairs = isinstance(first, tuple | list) and len(first) == 2 and _is_class(first[1])
        if isinstance(first, tuple | list) and not self._pairs:
            raise InputError(
                f"the Dataset gives {len(first)} values per item; give the example alone, or a pair of an example and "
                "the whole number of its class"
            )
        names = getattr(dataset, "classes", None)
        self.classes: Sequence[str] = tuple(map(str, names)) if self._pairs and names else ()
        if self._pairs and not self.classes:
            labels = [int(dataset[i][1]) for i in range(len(dataset))]
            self.classes = tuple(map(str, range(max(labels) + 1))) if min(labels) >= 0 else ()

    def __len__(self) -> int:
        return len(self.dataset)

    def name(self, i: int) -> str:
        return f"the Dataset[{i}]"

    def label(self, i: int) -> int | None:
        return int(self.dataset[i][1]) if self._pairs and self.classes else None

    def item(self, i: int) -> Any:
        item = self.dataset[i]
        return item[0] if self._pairs or self._single else item


def _is_class(value: Any) -> bool:
    if isinstance(value, Tensor | np.ndarray):
        return value.ndim == 0 and not (
            value.is_floating_point() if isinstance(value, Tensor) else value.dtype.kind == "f"
        )
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
