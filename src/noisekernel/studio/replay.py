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
from noisekernel.studio import rounds
from noisekernel.studio.files import DesignFile, NodeRecord, check_round, segments_of
from noisekernel.studio.rounds.lineage import Round, stream_of
from noisekernel.studio.rounds.walk import frames_again
from noisekernel.studio.work.jobs import use_threads

#: The largest difference, in any element of z, that is put down to rounding: an eighth of a step of 8-bit pixels.
#: Categories are the same or not.
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
        self._rounds = {one.id: {**one.model_dump(), "settings": check_round(one)} for one in file.record.rounds}
        self._nodes = {node.id: node for node in file.record.nodes}

    def round(self, id: str) -> Round:
        return self._rounds[id]

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        return torch.stack([self.z[id] for id in ids])

    def came_of(self, id: str) -> tuple[Round, int] | None:
        node = self._nodes[id]
        return None if node.round is None else (self._rounds[node.round], node.place)


def replay(file: DesignFile, model: Model, advance: Callable[[], None] = lambda: None) -> Iterator[Replayed]:
    """Each node of the file, in the order they came about. `advance` is called after every step of `steps_of`."""
    known = Again(file)
    by_round: dict[str, list[NodeRecord]] = {}
    for node in file.record.nodes:
        if node.round is None:
            known.z[node.id] = model.check_batch(file.z[node.id][None], f"node {node.id}")[0]
            yield Replayed(node, known.z[node.id], file.z[node.id])
        else:
            by_round.setdefault(node.round, []).append(node)
    before = torch.get_num_threads()
    try:
        for one in file.record.rounds:
            use_threads(one.made.threads)
            for node, z in _round_again(model, known.round(one.id), by_round.get(one.id, []), known, advance):
                known.z[node.id] = z
                yield Replayed(node, z, file.z[node.id])
    finally:
        use_threads(before)


def steps_of(file: DesignFile) -> int:
    """How many steps it takes to replay a file."""
    frames: dict[str | None, list[NodeRecord]] = {}
    for node in file.record.nodes:
        frames.setdefault(node.round, []).append(node)
    total = 0
    for one in file.record.rounds:
        nodes = frames.get(one.id, [])
        if one.task == "walk":
            total += max((sum(part["steps"] for part in segments_of(node)) for node in nodes), default=0)
        elif nodes:
            settings = check_round(one)
            total += settings["steps"] + (settings.get("readout") or 0 if settings.get("beta") is not None else 0)
    return total


def _round_again(
    model: Model, one: Round, nodes: list[NodeRecord], known: Again, advance: Callable[[], None]
) -> Iterator[tuple[NodeRecord, Tensor]]:
    if not nodes:
        return
    if one["task"] == "walk":
        start, label = known.clean_of(one["parents"]), one["settings"]["label"]
        places = [segments_of(node) for node in nodes]
        again = frames_again(model, start, one["seed"], label, places, stream_of(one, known.came_of), advance)
        for node, z in zip(nodes, again, strict=True):
            yield node, z[0].cpu()
        return
    doing = rounds.begin(model, one, known)
    for _ in doing.run:
        advance()
    z = doing.clean.cpu()
    for node in nodes:
        yield node, z[node.place]
