"""Replay: every node of a design file computed again from its origins, and compared with what the file holds.

The machine that made a design computes it again bit for bit. Another processor, or another version of torch, rounds
otherwise, so there a node is the same if it differs by no more than rounding can explain: `ROUNDING`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.files.digest import digest
from noisekernel.models.model import Model
from noisekernel.studio.design_file import DesignFile, NodeRecord, RoundRecord
from noisekernel.studio.rounds.record import Round
from noisekernel.studio.rounds.task import Place
from noisekernel.studio.work.threads import use_threads

#: The largest difference, in any element of z, that is put down to rounding: far less than anyone sees, in data whose
#: standard deviation is about 1. Categories are the same or not.
ROUNDING = 1e-3


@dataclass(frozen=True)
class Replayed:
    """A node, computed again (an origin is as it is in the file)."""

    node: NodeRecord
    z: Tensor
    #: What the file holds of it.
    before: Tensor

    @property
    def bits(self) -> bool:
        """Whether it is the same bit for bit."""
        return digest(self.z) == self.node.digest

    @property
    def difference(self) -> float:
        """The largest difference from the file, in any element; infinite if the file does not hold what it names."""
        if digest(self.before) != self.node.digest:
            return math.inf
        return float((self.z.double() - self.before.double()).abs().max())

    @property
    def same(self) -> bool:
        """Whether it is the same up to rounding."""
        return self.difference <= ROUNDING


class Again:
    """What is known of the nodes of a file while it is replayed: origins, and what was computed again."""

    def __init__(self, file: DesignFile) -> None:
        self.z: dict[str, Tensor] = {}
        self.rounds = {one.id: one.checked() for one in file.record.rounds}
        self._nodes = {node.id: node for node in file.record.nodes}

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        return torch.stack([self.z[id] for id in ids])

    def came_of(self, id: str) -> tuple[Round, int] | None:
        node = self._nodes[id]
        return None if node.round is None else (self.rounds[node.round], node.place)


def replay(file: DesignFile, model: Model, advance: Callable[[], None] = lambda: None) -> Iterator[Replayed]:
    """Each node of the file, in the order they came about. `advance` is called after every step of `steps_of`."""
    file.check(model)
    known, by_round = Again(file), file.record.by_round()
    for node in by_round.get(None, []):
        known.z[node.id] = file.z[node.id]
        yield Replayed(node, known.z[node.id], file.z[node.id])
    before = torch.get_num_threads()
    try:
        for one in file.record.rounds:
            if not (nodes := by_round.get(one.id, [])):
                continue
            use_threads(one.made.threads)
            again = one.of().again(model, known.rounds[one.id], _places(one, nodes), known, advance)
            for node, z in zip(nodes, again, strict=True):
                known.z[node.id] = z
                yield Replayed(node, z, file.z[node.id])
    finally:
        use_threads(before)


def steps_of(file: DesignFile) -> int:
    """How many steps it takes to replay a file."""
    by_round = file.record.by_round()
    rounds = [(one, nodes) for one in file.record.rounds if (nodes := by_round.get(one.id, []))]
    return sum(one.of().steps(one.checked(), _places(one, nodes)) for one, nodes in rounds)


def _places(one: RoundRecord, nodes: Sequence[NodeRecord]) -> list[Place]:
    return [(node.place, one.of().own(node.settings)) for node in nodes]
