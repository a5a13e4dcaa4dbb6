"""Work that is done a network call at a time, so that others can take turns with it or stop it.

It is a generator: each `next` makes at most one network call, and what it returns at its end is the result.
"""

from collections.abc import Callable, Generator
from typing import TypeVar

Result = TypeVar("Result")
Stepwise = Generator[None, None, Result]

#: What is called after every network call of some work, to show its progress.
Advance = Callable[[], None]


def nothing() -> None:
    """The `Advance` of work that nobody watches."""


def finished(work: Stepwise[Result], advance: Advance = nothing) -> Result:
    """Do all of the work that is left, and return its result. `advance` is called after every network call.

    >>> def three():
    ...     yield
    ...     return 3
    >>> finished(three())
    3
    """
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
        advance()
