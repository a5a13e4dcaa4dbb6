"""A job for the queue: something to do a step at a time, that others can listen to and ask things of."""

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from noisekernel.core.errors import InputError
from noisekernel.studio.ids import new_id

Answer = TypeVar("Answer")
ENDS = ("done", "cancelled", "failed")


class Job(ABC):
    """Something to do on the model, a step at a time. The worker calls `begin`, `step` and `end`; others may `ask`."""

    #: Whether it goes on until it is stopped.
    endless = False

    def __init__(self, client: str, *, attended: bool) -> None:
        self.id = new_id()
        self.client = client
        #: Whether somebody has to listen for it to go on.
        self.attended = attended
        self.status = "waiting"
        self.position = 0
        self.detail: str | None = None
        self.result: dict[str, Any] | None = None
        self.frame: dict[str, Any] | None = None
        #: Counts what changed, so that a listener knows what it has not seen.
        self.frames = 0
        self.changes = 0
        self.cancelled = False
        self.turn = 0
        self.left_at = time.monotonic()
        self._listeners: set[Callable[[], None]] = set()
        self._asked: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._lock = threading.Lock()
        self._wake: Callable[[], None] = lambda: None

    @abstractmethod
    def begin(self) -> None:
        """Before the first step."""

    @abstractmethod
    def step(self) -> bool:
        """One step. Was it the last?"""

    @abstractmethod
    def end(self, status: str, detail: str | None) -> None:
        """Afterwards, before anyone is told: leave word of how it ended."""

    def due(self) -> float:
        """When the next step may be made, on the monotonic clock; infinity while the job rests."""
        return 0.0

    def tell(self, frame: dict[str, Any] | None = None) -> None:
        """Say that something changed, and show a frame if there is one."""
        with self._lock:
            self.changes += 1
            if frame is not None:
                self.frame, self.frames = frame, self.frames + 1
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have `listener` called (from any thread) whenever something changed; returns how to stop that."""
        with self._lock:
            self._listeners.add(listener)

        def leave() -> None:
            with self._lock:
                self._listeners.discard(listener)
                self.left_at = time.monotonic()
            self._wake()

        return leave

    @property
    def heard(self) -> bool:
        return bool(self._listeners)

    def deserted(self, now: float, grace: float) -> bool:
        return self.attended and not self._listeners and now - self.left_at > grace

    def ask(self, question: Callable[[], Answer]) -> "Future[Answer]":
        """Have the worker answer something between two steps."""
        future: Future[Answer] = Future()
        with self._lock:
            if self.status in ENDS:
                raise InputError("this job has ended")
            self._asked.append((question, future))
        self._wake()
        return future

    def answer(self) -> None:
        """Answer what was asked."""
        while True:
            with self._lock:
                if not self._asked:
                    return
                question, future = self._asked.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(question())
            except Exception as error:
                future.set_exception(error)

    @property
    def asked(self) -> bool:
        return bool(self._asked)

    def finish(self, status: str, detail: str | None = None) -> None:
        """The last word: nothing can be asked any more."""
        with self._lock:
            self.status, self.detail = status, detail
            left, self._asked = list(self._asked), deque()
        for _, future in left:
            if future.set_running_or_notify_cancel():
                future.set_exception(InputError("this job has ended"))
