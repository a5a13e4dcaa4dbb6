"""Replay: every node of a design file computed again from its origins, and compared bit for bit."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.evaluate.cache import digest
from noisekernel.models import Model
from noisekernel.studio import rounds
from noisekernel.studio.files import DesignFile, NodeRecord, RoundRecord, check_round, segments_of
from noisekernel.studio.jobs import use_threads
from noisekernel.studio.walks import frames_again


@dataclass(frozen=True)
class Replayed:
    """A node, computed again (an origin is as it is in the file)."""

    node: NodeRecord
    z: Tensor

    @property
    def same(self) -> bool:
        return digest(self.z) == self.node.digest


def replay(file: DesignFile, model: Model, advance: Callable[[], None] = lambda: None) -> Iterator[Replayed]:
    """Each node of the file, in the order they came about. `advance` is called after every round."""
    known: dict[str, Tensor] = {}
    by_round: dict[str, list[NodeRecord]] = {}
    for node in file.record.nodes:
        if node.round is None:
            known[node.id] = model.check_batch(file.z[node.id][None], f"node {node.id}")[0]
            yield Replayed(node, known[node.id])
        else:
            by_round.setdefault(node.round, []).append(node)
    before = torch.get_num_threads()
    try:
        for one in file.record.rounds:
            use_threads(one.made.threads)
            for node, z in _round_again(model, one, by_round.get(one.id, []), known):
                known[node.id] = z
                yield Replayed(node, z)
            advance()
    finally:
        use_threads(before)


def _round_again(
    model: Model, one: RoundRecord, nodes: list[NodeRecord], known: Mapping[str, Tensor]
) -> Iterator[tuple[NodeRecord, Tensor]]:
    if not nodes:
        return
    settings = check_round(one)
    parents = torch.stack([known[id] for id in one.parents]) if one.parents else None
    if one.task == "walk":
        assert parents is not None
        places = [segments_of(node) for node in nodes]
        for node, z in zip(nodes, frames_again(model, parents, one.seed, settings["label"], places), strict=True):
            yield node, z[0].cpu()
        return
    judged = [known[id] for id in settings.get("opinions", {})]
    doing = rounds.begin(model, one.task, settings, one.seed, one.n, parents, torch.stack(judged) if judged else None)
    for _ in doing.run:
        pass
    z = doing.clean.cpu()
    for node in nodes:
        yield node, z[node.place]
