"""The live walk as a job: paced for the eye, changed under the hand, saved and filmed on the way."""

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Stepwise
from noisekernel.studio.models import Served
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.round_job import BETWEEN_FRAMES, RoundJob

if TYPE_CHECKING:
    from noisekernel.studio.rounds.walking import LiveWalk

#: Frames a second: as many as the eye likes, and no more of the processor than that.
STEPS_A_SECOND = 25.0
#: A film has at most so many frames: two minutes of them.
MOST_FRAMES = 1200


class WalkJob(RoundJob):
    """A walk that goes on until it is stopped."""

    endless = True

    def __init__(
        self, round: Row, starting: "Stepwise[LiveWalk]", store: Store, served: Served, client: str, *, attended: bool
    ) -> None:
        super().__init__(round, store, served, client, attended=attended)
        self._starting = starting
        self.paused = self.recording = False
        #: What was recorded: the values of each frame.
        self.film: list[Tensor] = []
        self._walk: LiveWalk | None = None
        #: Whether the next step moves on: the frame of the last one is there.
        self._moving = False
        self._saved = 0
        self._shown = self._next = 0.0

    def due(self) -> float:
        if not self._moving:
            return 0.0
        return math.inf if self.paused else self._next

    @property
    def walk(self) -> "LiveWalk":
        if self._walk is None:
            raise InputError("the walk has not begun yet")
        return self._walk

    def answer(self) -> None:
        if self._walk is not None:  # what is asked before is answered once it has begun
            super().answer()

    def working(self) -> Iterator[None]:
        self._saved = len(self.store.nodes_of_round(self.round["id"]))
        walk = self._walk = yield from self._starting
        while True:
            if time.monotonic() - self._shown >= BETWEEN_FRAMES:
                self._show()
            self._moving = True
            yield
            self._moving = False
            self._next = max(self._next + 1.0 / STEPS_A_SECOND, time.monotonic() - 0.1)
            walk.move()
            yield from walk.looking()

    def _show(self) -> None:
        self._shown = time.monotonic()
        walk = self.walk
        steps = sum(segment["steps"] for segment in walk.seen)
        if self.recording:
            self.film.append(self.served.model.kind.on_page.values(walk.clean))
            self.recording = len(self.film) < MOST_FRAMES
        more = {"step": steps, "steps": None, "pace": walk.pace, **self.told()}
        self.tell({**more, **self.served.model.kind.on_page.frame(walk.clean, walk.noisy)})

    def told(self) -> dict[str, Any]:
        return {"paused": self.paused, "recording": self.recording, "film": len(self.film)}

    # Asked for by people, done between two steps ----------------------------------------------------------------------

    def change(self, pace: float | None, paused: bool | None) -> dict[str, Any]:
        walk = self.walk
        walk.pace = walk.pace if pace is None else pace
        if paused is not None:
            self.paused = paused
            self._next = time.monotonic()
        self._say()
        return {"pace": walk.pace, **self.told()}

    def record(self, on: bool) -> dict[str, Any]:
        """Begin a film, or end it. A new one takes the place of the old."""
        if on and not self.recording:
            self.film = [self.served.model.kind.on_page.values(self.walk.clean)]
        self.recording = on
        self._say()
        return self.told()

    def _say(self) -> None:
        """What was changed, on the frame that is shown: whoever listens later hears of it too."""
        now = {"pace": self.walk.pace, **self.told()}
        self.tell(None if self.frame is None else {**self.frame, **now})

    def save(self) -> Row:
        """The present frame, as a node."""
        self._saved += 1
        (node,) = self.store.add_nodes(
            self.round["design"],
            self.walk.clean.detach().cpu(),
            [{"segments": self.walk.seen}],
            [self.round["parents"][0]],
            round=self.round["id"],
            places=[self._saved - 1],
            kept=True,
        )
        return node

    def end(self, status: str, detail: str | None) -> None:
        self._starting.close()
        self._walk, self._work = None, iter(())
        # A walk has no end of its own: to stop it is to be done with it.
        state = "done" if status == "cancelled" else status
        self.store.set_round(self.round["id"], state=state, detail=detail)
