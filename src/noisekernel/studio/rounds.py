"""What a round is: a task, its settings, a seed, parents and a number of candidates.

`begin` makes a task under way of these and of nothing else, and all candidates are one batch; so the bits of a node are
a function of what its round records, the model and the number of threads. The server and `nk replay` both call it.

Candidate i starts from parent i mod (number of parents), which is its parent in the tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import torch
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from torch import Tensor

from noisekernel import tasks
from noisekernel.errors import InputError
from noisekernel.models import Model
from noisekernel.renewal import rows_of
from noisekernel.studio.masks import feathered, read_mask, share_of_new
from noisekernel.studio.taste import Taste
from noisekernel.tasks import Run

MOST_CANDIDATES = 64
MOST_STEPS = 5000
#: Below this a chain has nothing left to walk: reading out ends there.
LEAST_BETA = 0.002


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("a name has no control characters")
    return name.strip()


Name = Annotated[str, Field(max_length=200), AfterValidator(_printable)]
Id = Annotated[str, Field(pattern="^[0-9a-f]{16}$", description="The id of a node.")]
Seed = Annotated[
    int | None,
    Field(ge=0, le=2**53 - 1, description="The same seed gives the same candidates; one is drawn if none is given."),
]
Count = Annotated[int, Field(ge=1, le=MOST_CANDIDATES, description="The number of candidates.")]
Steps = Annotated[int, Field(ge=1, le=MOST_STEPS)]
Beta = Annotated[float | None, Field(ge=LEAST_BETA, le=1.0, description="The noise level, if not by the strength.")]
Strength = Annotated[float | None, Field(ge=0.0, le=1.0, description="From subtle to bold.")]
Lag = Annotated[float | None, Field(ge=0.0, lt=1.0, description="How much of a state one step carries over.")]
Label = Annotated[str | None, Field(max_length=200, description="A class by name or number, where there are any.")]
Parents = Annotated[list[Id], Field(min_length=1, max_length=MOST_CANDIDATES)]
OneParent = Annotated[list[Id], Field(min_length=1, max_length=1)]


class Strict(BaseModel):
    """Unknown names are refused, and so are numbers that are none."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Sample(Strict):
    """New pictures, from noise."""

    task: Literal["sample"]
    n: Count = 9
    steps: Steps = 50
    label: Label = None
    seed: Seed = None


class Variants(Strict):
    """What rounds from parents have in common."""

    parents: Parents
    n: Count = 9
    strength: Strength = None
    beta: Beta = None
    steps: Annotated[int | None, Field(ge=0, le=MOST_STEPS)] = None
    lag: Lag = None
    readout: Annotated[int | None, Field(ge=0, le=200)] = None
    label: Label = None
    seed: Seed = None


class Vary(Variants):
    """Variants of the parents: what their noise has that is quieter than the strength is drawn anew.

    With beta instead of a strength, by a walk at that constant noise level; lag and readout are of that walk.
    """

    task: Literal["vary"]


class Inpaint(Strict):
    """Redo what is painted; every other pixel comes back bit by bit."""

    task: Literal["inpaint"]
    parents: OneParent
    mask: Annotated[
        str, Field(max_length=2_000_000, description="A PNG of the model's size in base64: white = redo, black = keep.")
    ]
    feather: Annotated[float, Field(ge=0.0, le=8.0, description="Pixels over which old turns into new.")] = 0.0
    n: Count = 9
    steps: Steps = 100
    label: Label = None
    seed: Seed = None


class Steer(Variants):
    """Variants of the parents by a walk at constant noise, towards what was liked in this design.

    Of its strength equal turns go equally far, as measured for the model.
    """

    task: Literal["steer"]
    taste: Annotated[float, Field(ge=0.0, le=1.0, description="How insistently.")] = 0.5


class Walk(Strict):
    """A live walk, until it is stopped."""

    task: Literal["walk"]
    parents: OneParent
    strength: Annotated[float, Field(ge=0.0, le=1.0, description="The share of noise that a step draws anew.")] = 0.1
    label: Label = None
    seed: Seed = None

    @property
    def n(self) -> int:
        return 1


Request = Annotated[Sample | Vary | Inpaint | Steer | Walk, Field(discriminator="task")]


def settings_of(request: Sample | Vary | Inpaint | Steer | Walk) -> dict[str, Any]:
    """What a round records beside its task, seed, parents and number."""
    return request.model_dump(exclude={"task", "parents", "n", "seed"})


@dataclass(frozen=True)
class Doing:
    """A round under way: the task, and what is done to its clean data at the end."""

    run: Run
    #: The data that a feather blends into, and how much of the new there is at each element.
    blend: tuple[Tensor, Tensor] | None = None

    @property
    def clean(self) -> Tensor:
        """The clean data of the present state."""
        new = self.run.clean
        return new if self.blend is None else feathered(new, *self.blend)


def begin(
    model: Model,
    task: str,
    settings: Mapping[str, Any],
    seed: int,
    n: int,
    parents: Tensor | None,
    judged: Tensor | None = None,
) -> Doing:
    """The round as a task to iterate over; `parents` and `judged` are clean data, of the ids in its record."""
    label = None if settings.get("label") is None else model.label([settings["label"]], n)
    if task == "sample":
        return Doing(tasks.synthesis(model, n, steps=settings["steps"], label=label, seed=seed))
    if parents is None or not len(parents):
        raise InputError(f"a round of {task} starts from at least one node")
    z = parents[[i % len(parents) for i in range(n)]]
    if task == "inpaint":
        fill = read_mask(settings["mask"], model.size)
        run = tasks.inpainting(model, z, fill.expand(z.shape), steps=settings["steps"], label=label, seed=seed)
        return Doing(run, (z, share_of_new(fill, settings["feather"])) if settings["feather"] else None)
    if task == "vary" and settings["beta"] is None:
        return Doing(_renewal(model, settings, seed, n, parents, label))
    options = {key: settings[key] for key in ("beta", "steps", "lag", "readout")}
    if task == "vary":
        return Doing(tasks.variation(model, z, label=label, seed=seed, **options))
    if task == "steer":
        if judged is None:
            raise InputError("a round towards taste needs what was judged")
        taste = Taste.fit(model, judged, list(settings["opinions"].values()))
        score = taste.score(settings["taste"])
        return Doing(tasks.steering(model, z, score, label=label, seed=seed, **options))
    raise InputError(f"there is no task called {task!r} that ends by itself")


def _renewal(
    model: Model, settings: Mapping[str, Any], seed: int, n: int, parents: Tensor, label: Tensor | None
) -> Run:
    """The noise of each parent is found once, by streams that no candidate has."""
    labels = None if label is None else label[:1].expand(len(parents))
    steps, rows = settings["steps"], [i % len(parents) for i in range(n)]
    found = tasks.Walk.of(model, parents, steps=steps, label=labels, seed=seed, first=n).noise
    noise = rows_of(found, torch.tensor(rows))
    return tasks.renewal(
        model, parents[rows], beta=settings["strength"], steps=steps, label=label, seed=seed, noise=noise
    )
