"""Items made ready before they are asked for."""

from collections.abc import Iterator
from queue import Full, Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterator[Item], depth: int = 8) -> Iterator[Item]:
    """The same items, up to `depth` of them made ready by a thread before they are asked for."""
    queue: Queue[tuple[Item | None, BaseException | None]] = Queue(depth)
    left = Event()

    def put(item: Item | None, error: BaseException | None) -> None:
        while not left.is_set():
            try:
                return queue.put((item, error), timeout=0.1)
            except Full:
                continue

    def work() -> None:
        try:
            for item in items:
                put(item, None)
                if left.is_set():
                    return
            put(None, StopIteration())
        except BaseException as error:  # handed on to whoever asks for the item
            put(None, error)

    Thread(target=work, daemon=True).start()
    try:
        while True:
            item, error = queue.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]
    finally:
        left.set()
