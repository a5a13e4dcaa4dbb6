"""What goes over the wire: bodies that are taken, and answers as they are documented."""

from typing import Annotated, Any

from fastapi import Header, Path, Query
from pydantic import BaseModel, Field

from noisekernel.core.settings import Strict
from noisekernel.measuring.familiarity import UNLIKE, WORDS
from noisekernel.studio.ids import PATTERN
from noisekernel.studio.rounds.fields import Id, Name
from noisekernel.studio.store import Row

#: An id in a path. What is none is not there either: 404.
PathId = Annotated[str, Path(pattern=PATTERN)]
Client = Annotated[
    str | None,
    Header(alias="X-Client", max_length=64, description="A random name of the tab; without one, nobody has to listen."),
]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]
Limit = Annotated[int, Query(ge=1, le=500)]


class Detail(BaseModel):
    """Why not, in a sentence."""

    detail: str


class NewDesign(Strict):
    name: Name = ""
    model: Annotated[str, Field(max_length=200)]


class DesignChange(Strict):
    name: Name | None = None
    present: Id | None = None


class NodeChange(Strict):
    kept: bool | None = None
    starred: bool | None = None
    name: Name | None = None


class Example(Strict):
    example: Annotated[int, Field(ge=0, le=2**31)]


class Opinion(Strict):
    value: Annotated[int, Field(ge=-1, le=1)]


class WalkChange(Strict):
    pace: Annotated[float | None, Field(ge=0.0, le=1.0)] = None
    paused: bool | None = None


class Recording(Strict):
    on: bool


class Node(BaseModel):
    """One example of a design."""

    id: str
    design: str
    parent: str | None
    round: str | None
    index: int
    task: str
    kept: bool
    starred: bool
    opinion: int
    name: str
    deleted: bool
    created: float
    digest: str
    settings: dict[str, Any]
    seed: int
    #: Whether an example of somebody's own is unlike what the model learned from; null where that was not asked.
    unlike: bool | None = None
    #: What a person should know of it, if anything.
    said: str | None = None


class Preview(BaseModel):
    """How an example would be taken, and whether it is unlike what the model learned from (null: not measured yet)."""

    #: As the viewer of the kind takes it: a data URL, a text, numbers, cells.
    shown: Any
    unlike: bool | None
    said: str | None


class Round(BaseModel):
    """A task with its settings, and what became of it."""

    id: str
    design: str
    task: str
    settings: dict[str, Any]
    seed: int
    parents: list[str]
    n: int
    status: str
    detail: str | None
    made: dict[str, Any]
    created: float
    #: The job that works on it, while there is one.
    job: str | None = None


class RoundWithNodes(Round):
    nodes: list[Node]


class Summary(BaseModel):
    """A design in a list of them."""

    id: str
    name: str
    model: str
    nodes: int
    created: float
    updated: float
    thumb: str | None


class Design(BaseModel):
    """A design, whole: its kept nodes, and the candidates of its latest round."""

    id: str
    name: str
    model: str
    created: float
    updated: float
    present: str | None
    deleted: bool
    nodes: list[Node]
    rounds: list[Round]
    opinions: dict[str, int]
    latest: str | None


class Started(BaseModel):
    """A round on the queue: listen to /api/jobs/{job}/events."""

    job: str
    round: str
    seed: int


class Estimate(BaseModel):
    """What a round would take if nothing else were under way."""

    calls: int
    seconds: float


class Imported(BaseModel):
    """A design that came in."""

    id: str


class JobState(BaseModel):
    """How a job is doing."""

    job: str
    status: str
    position: int
    detail: str | None
    result: dict[str, Any] | None


class TasteState(BaseModel):
    """What is known of a taste."""

    ready: bool
    likes: int
    dislikes: int
    sure: float
    said: str


def node_out(row: Row) -> Node:
    known = liking(row["settings"].get("strangeness"))
    return Node(**{**row, "index": row["place"], "deleted": row["deleted"] is not None, **known})


def liking(strangeness: float | None) -> dict[str, Any]:
    """What the strangeness of an example means: `unlike`, and what is `said` of it."""
    unlike = None if strangeness is None else strangeness > UNLIKE
    return {"unlike": unlike, "said": WORDS if unlike else None}


def round_out(row: Row, job: str | None = None) -> Round:
    return Round(**{**row, "status": row["state"], "job": job})
