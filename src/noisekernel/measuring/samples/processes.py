"""One process or many: who does which batch, and how the main one comes by the results.

Batches are dealt out by their numbers, so each is computed as one process would have, and the figures are the same.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch

from noisekernel.measuring.samples.figures import Encoded
from noisekernel.tasks.batching import batches

Some = TypeVar("Some")


@dataclass(frozen=True)
class Processes:
    """Which process this is, of how many."""

    rank: int = 0
    world: int = 1

    @classmethod
    def here(cls, device: torch.device) -> "Processes":
        """As `torchrun` and `accelerate launch` say."""
        world = int(os.environ.get("WORLD_SIZE", "1"))
        if world == 1:
            return cls()
        from accelerate import PartialState

        state = PartialState(cpu=device.type == "cpu")
        return cls(state.process_index, state.num_processes)

    @property
    def main(self) -> bool:
        return self.rank == 0

    def from_main(self, make: Callable[[], Some]) -> Some:
        """What the main process makes, in all of them."""
        if self.world == 1:
            return make()
        from accelerate.utils import broadcast_object_list

        return broadcast_object_list([make() if self.main else None])[0]

    def encode(
        self, n: int, size: int, encode: Callable[[range], Encoded], advance: Callable[[], None] = lambda: None
    ) -> Encoded | None:
        """Features of n examples, `size` at a time, in the main process; None in the others."""
        parts = batches(n, size)
        own = []
        for number in range(self.rank, len(parts), self.world):
            own.append((number, encode(parts[number])))
            advance()
        return _joined(own) if self.world == 1 else self._gathered(own)

    def share(self, n: int, size: int) -> int:
        """How many batches of n examples, `size` at a time, are this process's."""
        return len(range(self.rank, -(-n // size), self.world))

    def _gathered(self, own: list[tuple[int, Encoded]]) -> Encoded | None:
        everyone: list[list[tuple[int, Encoded]] | None] | None = [None] * self.world if self.main else None
        torch.distributed.gather_object(own, everyone)
        return None if everyone is None else _joined([part for parts in everyone for part in parts or ()])


def _joined(parts: Sequence[tuple[int, Encoded]]) -> Encoded:
    ordered = [encoded for _, encoded in sorted(parts, key=lambda part: part[0])]
    logits = [encoded.logits for encoded in ordered if encoded.logits is not None]
    return Encoded(torch.cat([each.features for each in ordered]), torch.cat(logits) if logits else None)
