"""The one queue for the model: jobs take turns, step by step.

A worker thread advances the active jobs one chain step each. Whose turn it is: the client that has waited longest, and
of its jobs the one that has. At most `active` jobs advance at a time; the others wait, and those of the client with the
fewest active jobs come in first. Jobs without an end of their own have places of their own, `endless` of them, so that
they hold up no job that has one. Both a client's jobs and all jobs are bounded. A job can be cancelled before any step;
one that its tab has left is cancelled after a moment of grace (a reload is no farewell).

What a job does is its own affair (`Job`); that it raised something is not the queue's end.
"""

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from noisekernel.core.errors import FullError, InputError, MissingError, NoiseKernelError
from noisekernel.studio.work.job import Job

log = logging.getLogger(__name__)

#: Seconds that a job goes on when nobody listens any more: a reload on a busy machine takes some.
GRACE = 15.0
#: Finished jobs that can still be asked about.
REMEMBERED = 32


class Queue:
    """Jobs that wait, jobs that advance, and a thread that advances them."""

    def __init__(
        self, *, active: int = 4, endless: int = 4, per_client: int = 6, most: int = 32, grace: float = GRACE
    ) -> None:
        self.limits = (per_client, most)
        self._places = {False: active, True: endless}
        self.grace = grace
        self._waiting: list[Job] = []
        self._active: list[Job] = []
        self._ended: deque[Job] = deque(maxlen=REMEMBERED)
        self._changed = threading.Condition(threading.RLock())
        self._turns = itertools.count(1)
        self._served: dict[str, int] = {}
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(self, setup: Callable[[], None] = lambda: None) -> None:
        """Begin to work, in a thread that calls `setup` first."""

        def work() -> None:
            setup()
            while self._once():
                pass

        self._thread = threading.Thread(target=work, name="studio-model", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the present step."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def check_room(self, client: str) -> None:
        """Say so if there is no room for another job of this client."""
        per_client, most = self.limits
        with self._changed:
            everything = self._waiting + self._active
            if self._closed:
                raise FullError("the studio is closing")
            if len(everything) >= most:
                raise FullError(f"{most} jobs are under way already; try again in a moment")
            if sum(other.client == client for other in everything) >= per_client:
                raise FullError(f"you have {per_client} jobs under way; cancel one or wait for it")

    def submit(self, job: Job) -> None:
        """Take a job in, or say that there is no room."""
        with self._changed:
            self.check_room(job.client)
            job._wake = self._nudge
            job.left_at = time.monotonic()
            self._waiting.append(job)
            self._place()
            self._changed.notify_all()

    def job(self, id: str) -> Job:
        with self._changed:
            for job in itertools.chain(self._active, self._waiting, self._ended):
                if job.id == id:
                    return job
        raise MissingError("there is no such job; it may have ended long ago")

    def jobs(self) -> list[Job]:
        """All that wait or advance."""
        with self._changed:
            return self._waiting + self._active

    def cancel(self, id: str) -> Job:
        """Have a job end before its next step; one that has ended stays as it is."""
        job = self.job(id)
        job.cancelled = True
        self._nudge()
        return job

    def counts(self) -> dict[str, int]:
        return {"active": len(self._active), "waiting": len(self._waiting)}

    @property
    def idle(self) -> bool:
        return not self._active and not self._waiting

    def wait_idle(self) -> None:
        """Return once nothing is under way: for what can be done at any time."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self.idle)
        if self._closed:
            raise FullError("the studio is closing")

    def _nudge(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _once(self) -> bool:
        """One turn of one job, or a rest. False when closed."""
        with self._changed:
            if self._closed:
                return False
            now = time.monotonic()
            leaving = [j for j in self._waiting + self._active if j.cancelled or j.deserted(now, self.grace)]
            self._admit(leaving)
            ready = [j for j in self._active if j not in leaving and (j.asked or j.due() <= now)]
            if not leaving and not ready:
                rest = min((j.due() - now for j in self._active), default=1.0)
                self._changed.wait(timeout=min(1.0, self.grace, max(0.001, rest)))
                return True
        for job in leaving:
            self._end(job, "cancelled")
        if ready:
            self._advance(min(ready, key=lambda j: (self._served.get(j.client, 0), j.turn)))
        return True

    def _admit(self, leaving: list[Job]) -> None:
        """Fill the active places, for the clients with the fewest first."""
        for endless, places in self._places.items():
            coming = [job for job in self._waiting if job.endless == endless and job not in leaving]
            free = places - sum(job.endless == endless for job in self._active)
            for _ in range(min(free, len(coming))):
                job = min(coming, key=lambda j: sum(a.client == j.client for a in self._active))
                coming.remove(job)
                self._waiting.remove(job)
                self._active.append(job)
        self._place()

    def _place(self) -> None:
        for position, job in enumerate(self._waiting):
            if job.position != position + 1:
                job.position = position + 1
                job.tell()

    def _advance(self, job: Job) -> None:
        turn = next(self._turns)
        self._served[job.client] = job.turn = turn
        try:
            if job.status == "waiting":
                job.status, job.position = "running", 0
                job.tell()
                job.begin()
                return
            job.answer()
            if job.due() <= time.monotonic() and job.step():
                self._end(job, "done")
        except NoiseKernelError as error:
            self._end(
                job, "failed", str(error) if isinstance(error, InputError) else "the studio's files are in trouble"
            )
            log.info("a job was refused: %s", error)
        except Exception:
            log.exception("a job failed")
            self._end(job, "failed", "something went wrong in this round, and it is our mistake; the log says what")

    def _end(self, job: Job, status: str, detail: str | None = None) -> None:
        try:
            job.end(status, detail)
        except Exception:  # what cannot be written down is no reason to stop working for others
            log.exception("the end of a job was not written down")
        job.finish(status, detail)
        with self._changed:
            for jobs in (self._waiting, self._active):
                if job in jobs:
                    jobs.remove(job)
            self._ended.append(job)
            if not any(other.client == job.client for other in self._waiting + self._active):
                self._served.pop(job.client, None)
            self._place()
            self._changed.notify_all()
        job.tell()
