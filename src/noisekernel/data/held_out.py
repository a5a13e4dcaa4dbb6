"""A part of the data that is held out: examples that training never sees, so that it can be measured on them.

Which examples are held out depends on their number alone, and not on the seed of a run. So runs with different seeds
are measured on the same examples. A smaller part of the same data lies within a larger one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from noisekernel.core.errors import BadExampleError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.data.source import SomeOf, Source
from noisekernel.kinds.base import Kind
from noisekernel.kinds.excerpts import Excerpts


@dataclass(frozen=True)
class HeldOut:
    """Examples that are not trained on and as many that are, to be measured side by side, as they are stored."""

    #: The names of all examples that are held out.
    names: tuple[str, ...]
    #: Those of them that are measured, (n, …).
    values: Tensor
    #: Examples that are trained on: as many, or all of them if there are fewer.
    trained: Tensor
    #: All examples that are not held out.
    rest: Source


def hold_out(source: Source, kind: Kind, count: int, measured: int) -> HeldOut | None:
    """Hold out some examples of a source; None where not a single one can be read.

    Items that cannot be read are not held out. They stay with the rest, whose reader says what is done about them.

    Args:
        source: All of the data.
        kind: What they are.
        count: How many examples to hold out.
        measured: How many of these to read, at most all of them.

    >>> from noisekernel.data import load_data
    >>> from noisekernel.data.opening import open_source
    >>> _, kind = load_data("digits")
    >>> part = hold_out(open_source("digits"), kind, 90, 45)
    >>> len(part.names), len(part.rest), len(part.values), len(part.trained)
    (90, 1707, 45, 45)
    """
    if isinstance(source, Excerpts):
        return _hold_out_works(source, kind, count, measured)
    order = iter(_order(len(source)))
    held, values = _readable(source, kind, order, measured)
    if not held:
        return None
    held += [number for number, _ in zip(order, range(count - len(held)), strict=False)]
    _, trained = _readable(source, kind, order, len(values))
    without = set(held)
    rest = SomeOf(source, [number for number in range(len(source)) if number not in without])
    names = tuple(source.name(number) for number in held)
    return HeldOut(names, _stacked(values), _stacked(trained or values[:0]), rest)


def _hold_out_works(source: Excerpts, kind: Kind, count: int, measured: int) -> HeldOut | None:
    """Hold out all excerpts of some works, so many works that there are `count` excerpts at least."""
    of_work: dict[int, list[int]] = {}
    for number, work in enumerate(source.works):
        of_work.setdefault(work, []).append(number)
    works = list(of_work)
    order = [works[i] for i in _order(len(works))]
    held: list[int] = []
    taken = 0
    while len(held) < count and taken < len(order) - 1:
        held += of_work[order[taken]]
        taken += 1
    rest = [number for work in order[taken:] for number in of_work[work]]
    _, values = _readable(source, kind, iter([held[i] for i in _order(len(held))]), measured)
    _, trained = _readable(source, kind, iter([rest[i] for i in _order(len(rest))]), len(values))
    if not values:
        return None
    names = tuple(source.name(number) for number in sorted(held))
    return HeldOut(names, _stacked(values), _stacked(trained or values[:0]), SomeOf(source, sorted(rest)))


def _order(n: int) -> list[int]:
    """All numbers below n, in an order that is the same for every run."""
    words = Streams.of(0, [0], purpose=Purpose.HOLDING_OUT).words(n)[0]
    return words.argsort(stable=True).tolist()


def _readable(
    source: Source, kind: Kind, order: Iterator[int], count: int
) -> tuple[list[int], Sequence[NDArray[np.generic]]]:
    """The next so many numbers of examples that can be read, and their values."""
    numbers: list[int] = []
    values: list[NDArray[np.generic]] = []
    while len(numbers) < count and (number := next(order, None)) is not None:
        try:
            values.append(kind.store(source.item(number)).values)
        except BadExampleError:
            continue
        numbers.append(number)
    return numbers, values


def _stacked(values: Sequence[NDArray[np.generic]]) -> Tensor:
    return torch.from_numpy(np.stack(values)) if values else torch.empty(0)
