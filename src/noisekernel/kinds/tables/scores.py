"""What one can choose rows by, by name: the columns that have an order."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from noisekernel.kinds.tables.column import Column


def scores_of(columns: Sequence[Column]) -> Mapping[str, Callable[[Any], float]]:
    """Of each column of numbers, dates, yes or no, or ordinal values: its cell as a number, and the negative of that.

    Where nothing stands in the cell, both are minus infinity, which forbids the row.

    Args:
        columns: The columns.
    """
    found: dict[str, Callable[[Any], float]] = {}
    for column in columns:
        if column.type != "category":
            found |= {column.name: _score(column, 1.0), f"-{column.name}": _score(column, -1.0)}
    return found


def _score(column: Column, sign: float) -> Callable[[Any], float]:
    def score(row: Mapping[str, Any]) -> float:
        value = column.number(row[column.name])
        return -math.inf if value is None else sign * value

    return score
