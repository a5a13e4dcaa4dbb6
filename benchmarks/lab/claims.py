"""Which process works with which weights, so that several processes can share the units of one run."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def claimed(work: Path, *weights: object) -> Iterator[bool]:
    """Whether this process now has these weights to itself. A process that dies releases its claims."""
    path = work / "claims" / "-".join(str(part) for part in weights).replace(" ", "_")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
