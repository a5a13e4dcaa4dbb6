"""A round that ends by itself: a step of the chain a turn, frames on the way, nodes at the end."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from noisekernel.core.stepwise import Stepwise
from noisekernel.sampling.chain import ChainState
from noisekernel.studio.models import Served
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.round_job import BETWEEN_FRAMES, RoundJob

if TYPE_CHECKING:
    from noisekernel.studio.rounds.task import Doing


class EndingJob(RoundJob):
    """Runs what `beginning` begins, and keeps all candidates at the end."""

    def __init__(
        self, round: Row, beginning: "Stepwise[Doing]", store: Store, served: Served, client: str, *, attended: bool
    ) -> None:
        super().__init__(round, store, served, client, attended=attended)
        self._beginning = beginning
        self._doing: Doing | None = None
        self._total = self._done = 0
        self._shown = 0.0
        self._accepted: list[float] = []

    def working(self) -> Iterator[None]:
        """A step of the chain at a time, each a network call; where it is steered, its score takes some more."""
        doing = self._doing = yield from self._beginning
        self._total = len(doing.run)
        self._show(doing.run.state)
        yield
        for state, info in doing.run:
            self._done += 1
            last = self._done == self._total
            if doing.run.score is not None:
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
        self.tell({**more, **self.served.model.kind.on_page.frame(self._doing.clean, state.x)})

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
        self._beginning.close()
        self._doing, self._work = None, iter(())
        if status != "done":
            self.store.set_round(self.round["id"], state=status, detail=detail)
