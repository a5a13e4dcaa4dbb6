"""A task, written once: which chain to begin for which samples.

Of such a plan, `@task` makes the verb, which does all of it and returns clean data. The noun is the same with the same
arguments, as a `Run` to iterate over:

    @task
    def vary(model, z, n=1, *, strength=None, …) -> Work[Run]: …

    variation = as_run(vary, "variation", Run)
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.tasks.batching import in_batches
from noisekernel.tasks.run import Run, Underway

P = ParamSpec("P")
R = TypeVar("R")
#: What a task is while it is under way: a `Run`, unless its chain is of another sort.
U = TypeVar("U", bound=Underway)


@dataclass(frozen=True)
class Work(Generic[U]):
    """What a task has to do, before the first step of it."""

    #: How many samples there are to make.
    total: int
    #: Begins the chain of some of them, by their numbers.
    begin: Callable[[range], U]
    #: How many samples belong to each example; None where there are no examples.
    each: int | None = None
    batch_size: int | None = None
    advance: Advance = nothing

    def run(self) -> U:
        """All samples at once, to iterate over."""
        if self.batch_size is not None:
            raise InputError("a run is a chain of all samples at once; leave out batch_size")
        return self.begin(range(self.total))

    def finished(self) -> Iterator[U]:
        """The finished run of each batch."""
        return in_batches(self.total, self.batch_size, self.begin, self.advance)

    def result(self) -> Tensor:
        """The clean data of all samples: (total, *shape), or (examples, each, *shape)."""
        clean = torch.cat([run.clean for run in self.finished()])
        return clean if self.each is None else clean.unflatten(0, (-1, self.each))


def task(plan: Callable[P, Work[U]]) -> Callable[P, Tensor]:
    """The verb of a plan."""
    return _derived(plan, lambda *args, **options: plan(*args, **options).result(), Tensor, plan.__name__, plan.__doc__)


def as_run(verb: Callable[P, Tensor], name: str, of: type[U]) -> Callable[P, U]:
    """The noun of a verb, under its own name: what it is while it is under way."""
    plan = cast(Callable[P, Work[U]], as_work(verb))
    about = f"`{verb.__name__}` as a `{of.__name__}` to iterate over. The arguments are those of `{verb.__name__}`."
    return _derived(plan, lambda *args, **options: plan(*args, **options).run(), of, name, about, without="batch_size")


def as_work(verb: Callable[P, Tensor]) -> Callable[P, Work[Run]]:
    """The plan of a verb, for who goes through its batches by themselves."""
    return cast(Callable[P, Work[Run]], verb.plan)  # type: ignore[attr-defined]


def _derived(
    plan: Callable[P, Work[Any]],
    function: Callable[..., R],
    returns: type[R],
    name: str,
    about: str | None,
    without: str | None = None,
) -> Callable[P, R]:
    """The function, which looks like the plan to whoever asks for its signature."""
    made: Any = update_wrapper(function, plan)
    del made.__wrapped__
    signature = inspect.signature(plan)
    kept = [each for each in signature.parameters.values() if each.name != without]
    made.__signature__ = signature.replace(parameters=kept, return_annotation=returns)
    made.__name__, made.__qualname__, made.__doc__, made.plan = name, name, about, plan
    return made
