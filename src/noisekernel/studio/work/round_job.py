"""A round as a job: what those that end by themselves and those that do not have in common."""

from abc import abstractmethod
from collections.abc import Iterator

from noisekernel.studio.models import Served
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.job import Job
from noisekernel.studio.work.threads import use_threads

#: Seconds between two frames.
BETWEEN_FRAMES = 0.1
_END = object()


class RoundJob(Job):
    """A round under way, with its record. A turn is one network call."""

    def __init__(self, round: Row, store: Store, served: Served, client: str, *, attended: bool) -> None:
        super().__init__(client, attended=attended)
        self.round, self.store, self.served = round, store, served
        self._work: Iterator[None] = iter(())

    @abstractmethod
    def working(self) -> Iterator[None]:
        """All that there is to do, a turn at a time."""

    def begin(self) -> None:
        self.store.set_round(self.round["id"], state="running")
        self._work = self.working()
        self.step()

    def step(self) -> bool:
        use_threads(self.round["made"]["threads"])
        return next(self._work, _END) is _END
