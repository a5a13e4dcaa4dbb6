"""What a task of the studio is. Each is one file of this package and one line of its registry (`TASKS`).

A task says what a request for a round may say, what is recorded of it, how a round begins, what it costs, what a record
in a design file has to satisfy, and how nodes are computed again. Everything else in the studio asks the task, and
nothing compares its name.

A round is a task, its settings, a seed, parents and a number of candidates. What it begins with is a function of these,
of the parents' clean data and of how those came about (`lineage`), and of nothing else; and all candidates are one
batch. So the bits of a node are a function of what its round and those before it record, the model and the number of
threads. Candidate i starts from parent i mod (number of parents), which is its parent in the tree.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

from pydantic import ValidationError
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.models.model import Model
from noisekernel.studio.models import Served
from noisekernel.studio.rounds.fields import Asked
from noisekernel.studio.rounds.lineage import stream_of
from noisekernel.studio.rounds.record import Known, Round, damaged
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.ending_job import EndingJob
from noisekernel.studio.work.round_job import RoundJob
from noisekernel.tasks.run import Run

#: A node of a round: its place there, and the settings that are its own.
Place = tuple[int, Mapping[str, Any]]


class Task(ABC):
    """A task. Those whose rounds end by themselves are `Ending`."""

    #: What a request for a round may say.
    request: ClassVar[type[Asked]]
    #: Whether a round goes on until it is stopped. What it makes is what a person saves, so it is not run again.
    live: ClassVar[bool] = False
    #: Whether it fills in what its parents leave open; all others want them whole.
    completes: ClassVar[bool] = False
    #: The numbers of its settings that are told beside a node on paper.
    told: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """What requests, records and files call it."""
        return get_args(self.request.model_fields["task"].annotation)[0]

    @property
    def from_nodes(self) -> bool:
        """Whether a round starts from nodes, rather than from nothing."""
        return "parents" in self.request.model_fields

    # From a request to a round ----------------------------------------------------------------------------------------

    def settled(self, request: Asked, served: Served, store: Store, design: str) -> dict[str, Any]:
        """The settings to record: checked against the model and the design, and with nothing left open."""
        settings = request.settings()
        if settings.get("label") is not None:
            served.model.label([settings["label"]], 1)
        parents = getattr(request, "parents", [])
        if parents and not self.completes:
            served.model.kind.check_whole(store.clean_of(parents))
        return settings

    @abstractmethod
    def calls(self, one: Round, known: Known) -> list[tuple[int, int]]:
        """What a round takes: so many network calls, each with so many samples at once, one pair after the other."""

    @abstractmethod
    def job(self, one: Row, store: Store, served: Served, client: str, *, attended: bool) -> RoundJob:
        """The round as a job for the queue."""

    # In a design file -------------------------------------------------------------------------------------------------

    def checked(self, one: Round) -> dict[str, Any]:
        """The settings of a round from a file, held to what a request may say."""
        given = {"task": self.name, **one["settings"], "seed": one["seed"]}
        given |= {key: one[key] for key in ("n", "parents") if key in self.request.model_fields}
        try:
            return self.request.model_validate(given).settings()
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise damaged(f"a round of {self.name}: {place}: {first['msg']}") from None

    def own(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of a node from a file that are its own, not its round's, held to what the studio writes."""
        return {}

    def named(self, settings: Mapping[str, Any]) -> list[str]:
        """The nodes that a round's settings name beside its parents."""
        return []

    def renamed(self, settings: Mapping[str, Any], new: Mapping[str, str]) -> dict[str, Any]:
        """A round's settings with new ids for the nodes that they name."""
        return dict(settings)

    # Computed again ---------------------------------------------------------------------------------------------------

    @abstractmethod
    def again(
        self, model: Model, one: Round, places: Sequence[Place], known: Known, advance: Callable[[], None]
    ) -> list[Tensor]:
        """The clean data of these nodes of a round, computed again. `advance` is called after every step."""

    @abstractmethod
    def steps(self, one: Round, places: Sequence[Place]) -> int:
        """How many steps that takes."""


@dataclass(frozen=True)
class Doing:
    """A round under way: the chain, and what is done to its clean data at the end."""

    run: Run
    #: What is done to the clean data, where a feather blends them into others.
    blend: Callable[[Tensor], Tensor] | None = None

    @property
    def clean(self) -> Tensor:
        """The clean data of the present state."""
        new = self.run.clean
        return new if self.blend is None else self.blend(new)


class Ending(Task):
    """A task whose rounds end by themselves, with all candidates at once."""

    @abstractmethod
    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        """A round under way, at its first state: a generator that makes one network call a step."""

    def job(self, one: Row, store: Store, served: Served, client: str, *, attended: bool) -> RoundJob:
        return EndingJob(one, self.beginning(served.model, one, store), store, served, client, attended=attended)

    def calls(self, one: Round, known: Known) -> list[tuple[int, int]]:
        return [(1 + self.steps(one, []), one["n"])]

    def again(
        self, model: Model, one: Round, places: Sequence[Place], known: Known, advance: Callable[[], None]
    ) -> list[Tensor]:
        doing = finished(self.beginning(model, one, known))
        for _ in doing.run:
            advance()
        z = doing.clean.cpu()
        return [z[place] for place, _ in places]

    def steps(self, one: Round, places: Sequence[Place]) -> int:
        return one["settings"]["steps"]


def rows_of(one: Round) -> list[int]:
    """The number of the parent of each candidate."""
    if not one["parents"]:
        raise InputError(f"a round of {one['task']} starts from at least one node")
    return [i % len(one["parents"]) for i in range(one["n"])]


def label_of(model: Model, one: Round) -> Tensor | None:
    """The class of each candidate, if the round has one."""
    label = one["settings"].get("label")
    return None if label is None else model.label([label], one["n"])


def drawing(model: Model, one: Round, known: Known) -> dict[str, Any]:
    """Label, seed and number of the first stream of a round from nodes, as the tasks of the package take them.

    Streams are numbered by generation: a seed that is used again for what it made draws other noise.
    """
    return {"label": label_of(model, one), "seed": one["seed"], "first": stream_of(one, known.came_of)}
