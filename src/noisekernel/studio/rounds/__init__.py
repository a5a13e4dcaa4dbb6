"""What the studio computes: rounds of candidates, each of a task, and where their noise comes from."""

import operator
from functools import reduce
from typing import Annotated, Any

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.studio.rounds.fields import Asked
from noisekernel.studio.rounds.fill import FillTask
from noisekernel.studio.rounds.sample import SampleTask
from noisekernel.studio.rounds.steer import SteerTask
from noisekernel.studio.rounds.task import Task
from noisekernel.studio.rounds.vary import VaryTask
from noisekernel.studio.rounds.walk import WalkTask

#: Every task of the studio, by name. A new one is a file and a line here; nothing else lists them.
TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        SampleTask(),
        VaryTask(),
        FillTask(),
        SteerTask(),
        WalkTask(),
    )
}


def task_of(name: str) -> Task:
    if name not in TASKS:
        raise InputError(unknown("task", name, TASKS))
    return TASKS[name]


class _OfAnyTask:
    """Has pydantic read the request of whichever task it names, of those that there are when a schema is built."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds: Any = reduce(operator.or_, (task.request for task in TASKS.values()))
        return handler.generate_schema(Annotated[kinds, Field(discriminator="task")])


#: A request for a round of any task.
AnyRequest = Annotated[Asked, _OfAnyTask()]

__all__ = ["TASKS", "AnyRequest", "Asked", "Task", "task_of"]
