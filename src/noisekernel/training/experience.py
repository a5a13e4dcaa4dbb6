"""What time budgets have given: a small table, measured by `benchmarks/budgets.py` and kept in `budgets.json`.

Each row is one run on two cores of one machine. Machines differ, so a run is compared with a row by its arithmetic (the
floating-point operations of the whole training), not by its minutes. Of the rows of the same kind of data, the nearest
in size of the examples and in arithmetic is told. Where either differs by more than a factor of `NEAR`, the sentence
says that it is an extrapolation.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from noisekernel.kinds.base import Kind

FILE = "budgets.json"
#: Rows within this factor, in size and in arithmetic, tell what to expect.
NEAR = 1.6
#: What samples are called: how many times the distance of real data theirs is at most, and their recall at least. Where
#: the lines are was decided by looking at the pictures of all rows (docs/howto/train.md).
WORDS = {"good": (5.0, 0.7), "recognisable": (10.0, 0.5), "fog": (math.inf, 0.0)}


@dataclass(frozen=True)
class Row:
    """What a budget gave."""

    data: str
    kind: str
    shape: tuple[int, ...]
    #: Different examples in the data, and examples seen in training.
    examples: int
    images: int
    #: On two idle cores.
    minutes: float
    network: str
    #: Floating-point operations of the training.
    operations: float
    #: Fréchet distance of samples from the data, and the same of as many real examples.
    distance: float
    real: float
    precision: float
    recall: float
    date: str

    @property
    def ratio(self) -> float:
        """The distance of the samples in units of that of real data."""
        return self.distance / self.real

    @property
    def word(self) -> str:
        """What such samples look like."""
        return next(word for word, (most, least) in WORDS.items() if self.ratio <= most and self.recall >= least)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def told(self) -> str:
        """The row in a sentence."""
        return (
            f"{self.minutes:g} minutes on two cores gave, on {self.examples:,} {self.kind} of "
            f"{' x '.join(map(str, self.shape))} ({self.data}, {self.images:,} examples seen): {self.word}; "
            f"distance {self.ratio:.1f} times that of real data, precision {self.precision:.2f}, recall "
            f"{self.recall:.2f}"
        )


@cache
def rows() -> tuple[Row, ...]:
    """The table."""
    content = (files("noisekernel.training") / FILE).read_text(encoding="utf-8")
    return tuple(Row(**{**row, "shape": tuple(row["shape"])}) for row in json.loads(content))


def expected(kind: Kind, operations: float, known: Sequence[Row] | None = None) -> list[str]:
    """What a training of so many operations has given on such data, in sentences; a warning where it will not do.

    Args:
        kind: The data, with their size.
        operations: The floating-point operations of the training.
        known: The table; by default that of the package.
    """
    of_kind = [row for row in (rows() if known is None else known) if row.kind == kind.kind]
    if not of_kind:
        return [f"what a time budget gives on {kind.many} has not been measured"]
    elements = math.prod(kind.shape)

    def away(row: Row) -> tuple[float, float]:
        return abs(math.log(row.elements / elements)), abs(math.log(row.operations / operations))

    nearest = min(of_kind, key=lambda row: sum(away(row)))
    size, work = away(nearest)
    sentences = [f"what to expect: {nearest.told()}"]
    if size > math.log(NEAR):
        sentences.append(f"{kind.described()} were not measured; that row is the nearest, and this is an extrapolation")
    if work > math.log(NEAR):
        times = operations / nearest.operations
        much = f"{times:.1f} times" if times > 1.0 else f"1/{1.0 / times:.1f} of"
        sentences.append(f"this run does {much} the arithmetic of that one, so this is an extrapolation")
    if _will_not_do(elements, operations, of_kind):
        sentences.append(_warning(kind, elements, of_kind))
    return sentences


def _will_not_do(elements: int, operations: float, of_kind: Sequence[Row]) -> bool:
    """Whether samples will hardly be recognisable.

    That is so where a run of as much arithmetic on examples that were no larger gave fog. It is also so where a run has
    less than a quarter of the arithmetic that ever did, per element of an example.
    """
    did = [row for row in of_kind if row.word != "fog"]
    if any(row.elements * NEAR >= elements and operations * 2 >= row.operations for row in did):
        return False
    fog = [row for row in of_kind if row.word == "fog"]
    if any(row.elements <= elements * NEAR and operations <= row.operations * NEAR for row in fog):
        return True
    needed = min((row.operations * elements / row.elements for row in did), default=0.0)
    return operations < needed / 4


def _warning(kind: Kind, elements: int, of_kind: Sequence[Row]) -> str:
    did = [row for row in of_kind if row.word != "fog"]
    enough = min((row for row in did if row.elements * NEAR >= elements), key=lambda row: row.minutes, default=None)
    if enough is not None:
        more = f"{enough.minutes:g} minutes on two cores did on {enough.kind} of {' x '.join(map(str, enough.shape))}"
    else:
        more = f"no budget that was measured here did for {kind.described()}"
    return (
        f"WARNING: samples of this run will hardly be recognisable. {more}; or make the {kind.many} smaller, or begin "
        "with the weights of a model (--from)"
    )
