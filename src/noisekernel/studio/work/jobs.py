"""Rounds as jobs of the queue: a step of the chain a turn, frames on the way, nodes at the end."""

import time
from collections.abc import Iterator
from typing import Any

import torch

from noisekernel.sampling.chain import ChainState
from noisekernel.studio import rounds, viewing
from noisekernel.studio.models import Served
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.queue import Job

#: Seconds between two frames.
BETWEEN_FRAMES = 0.1
END = object()


def use_threads(threads: int) -> None:
    """Compute with so many threads: the last bits of a sum may depend on it."""
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


class RoundJob(Job):
    """A round that ends by itself."""

    #: Its record, which has to be there before the job is put on the queue.
    round: Row

    def __init__(self, store: Store, served: Served, client: str, *, attended: bool) -> None:
        super().__init__(client, attended=attended)
        self.store, self.served = store, served
        self._doing: rounds.Doing | None = None
        self._work: Iterator[None] = iter(())
        self._total = self._done = 0
        self._shown = 0.0
        self._accepted: list[float] = []

    def begin(self) -> None:
        self.store.set_round(self.round["id"], state="running")
        self._work = self._working()
        self.step()

    def step(self) -> bool:
        use_threads(self.round["made"]["threads"])
        return next(self._work, END) is END

    def _working(self) -> Iterator[None]:
        """A step of the chain at a time, each a network call; where it is steered, its score takes some more."""
        doing = self._doing = yield from rounds.beginning(self.served.model, self.round, self.store)
        self._total = len(doing.run)
        self._show(doing.run.state)
        yield
        for state, info in doing.run:
            self._done += 1
            last = self._done == self._total
            if self.round["task"] == "steer":
                self._accepted.append(float(info.accepted.float().mean()))
            if last or time.monotonic() - self._shown >= BETWEEN_FRAMES:
                self._show(state)
            if not last:
                yield
        self._keep()

    def _show(self, state: ChainState) -> None:
        assert self._doing is not None
        self._shown = time.monotonic()
        if not (self.heard or self.attended):
            return
        more: dict[str, Any] = {"step": self._done, "steps": self._total}
        if self._accepted:
            more["accepted"] = sum(self._accepted) / len(self._accepted)
        self.tell({**more, **viewing.frame(self.served.model, self._doing.clean, state.x)})

    def _keep(self) -> None:
        assert self._doing is not None
        record = self.round
        z = self._doing.clean.detach().cpu()
        parents = record["parents"] or [None]
        made = self.store.add_nodes(
            record["design"],
            z,
            [{}] * len(z),
            [parents[i % len(parents)] for i in range(len(z))],
            round=record["id"],
            done=True,
        )
        self.result = {"round": record["id"], "nodes": [node["id"] for node in made]}

    def end(self, status: str, detail: str | None) -> None:
        self._doing, self._work = None, iter(())
        if status != "done":
            self.store.set_round(self.round["id"], state=status, detail=detail)
