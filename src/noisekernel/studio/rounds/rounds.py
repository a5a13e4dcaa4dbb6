"""What a round is: a task, its settings, a seed, parents and a number of candidates.

`begin` makes a task under way of these, of the parents' pictures and of how those came about (`lineage`), and of
nothing else; and all candidates are one batch. So the bits of a node are a function of what its round and those before
it record, the model and the number of threads. The server and `nk replay` both call it.

Candidate i starts from parent i mod (number of parents), which is its parent in the tree.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import torch
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from torch import Tensor

from noisekernel import tasks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.models.model import Model
from noisekernel.sampling.renewal import renewed, rows_of, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.studio.masks import feathered, read_mask, share_of_new
from noisekernel.studio.rounds.lineage import Round, finding, lines_of, searches, stream_of
from noisekernel.studio.taste import AT_ONCE, Taste, calls_to_see, seeing
from noisekernel.tasks.run import Run

MOST_CANDIDATES = 64
MOST_STEPS = 5000
#: Below this a chain has nothing left to walk: reading out ends there.
LEAST_BETA = 0.002


#: Characters that reverse or reorder what stands around them, so that a name would not read as it is written.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KINDS = {"Cc": "a control character", "Zl": "a line break", "Zp": "a line break"}


def _readable(name: str) -> str:
    """A name, if it is one line of text in any script: emoji that are joined and all kinds of spaces included."""
    for character in name:
        kind = "a mark that reorders text" if character in _REORDERING else _KINDS.get(unicodedata.category(character))
        if kind is not None:
            raise ValueError(f"the character U+{ord(character):04X} is {kind}; a name is one line of text")
    return name.strip()


Name = Annotated[str, Field(max_length=200), AfterValidator(_readable)]
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
    """Variants of the parents: some of their noise is drawn anew.

    Of the strength equal turns go equally far, as measured for the model. With beta instead, variants are made by a
    walk at that constant noise level; lag and readout are of that walk.
    """

    task: Literal["vary"]
    below: Annotated[
        float | None, Field(ge=0.0, le=1.0, description="The noise level up to which it is, if not by the strength.")
    ] = None


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
    pace: Annotated[float, Field(ge=0.0, le=1.0, description="The share of noise that a step moves.")] = 0.1
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


class Known(Protocol):
    """What is known of nodes: by the store of a studio, or by a file that is replayed."""

    def clean_of(self, ids: Sequence[str]) -> Tensor:
        """Their clean data, as a batch."""

    def came_of(self, id: str) -> tuple[Round, int] | None:
        """The round that a node came of and its place there; None for an origin."""


def begin(model: Model, one: Round, known: Known) -> Doing:
    """The round as a task to iterate over."""
    return finished(beginning(model, one, known))


def beginning(model: Model, one: Round, known: Known) -> Stepwise[Doing]:
    """`begin`, a network call at a time."""
    task, settings, seed, n = one["task"], one["settings"], one["seed"], one["n"]
    label = None if settings.get("label") is None else model.label([settings["label"]], n)
    if task == "sample":
        return Doing(tasks.synthesis(model, n, steps=settings["steps"], label=label, seed=seed))
    if not one["parents"]:
        raise InputError(f"a round of {task} starts from at least one node")
    # Numbered by generation: a seed that is used again for what it made draws other noise.
    own: dict[str, Any] = {"label": label, "seed": seed, "first": stream_of(one, known.came_of)}
    rows = [i % len(one["parents"]) for i in range(n)]
    z = known.clean_of(one["parents"])[rows]
    if task == "inpaint":
        fill = read_mask(settings["mask"], model.size)
        run = tasks.filling(model, z, fill.expand(z.shape), steps=settings["steps"], **own)
        return Doing(run, (z, share_of_new(fill, settings["feather"])) if settings["feather"] else None)
    if task == "vary" and settings["beta"] is None:
        return Doing((yield from _renewal(model, one, known, rows, label)))
    options = {key: settings[key] for key in ("beta", "steps", "lag", "readout")}
    if task == "vary":
        return Doing(tasks.equilibration(model, z, **own, **options))
    if task == "steer":
        opinions = settings["opinions"]
        if not opinions:
            raise InputError("a round towards taste needs what was judged")
        seen = yield from seeing(model, known.clean_of(list(opinions)))
        taste = Taste.of(model, seen, list(opinions.values()))
        score = taste.score(settings["taste"])
        return Doing(tasks.steering(model, z, score, **own, **options))
    raise InputError(f"there is no task called {task!r} that ends by itself")


def calls_of(one: Round, known: Known) -> list[tuple[int, int]]:
    """What a round takes: so many network calls, each with so many pictures at once, one pair after the other."""
    task, settings, n = one["task"], one["settings"], one["n"]
    if task == "walk":
        raise InputError("a live walk has no end of its own, so there is no saying how long it takes")
    if task == "vary" and settings["beta"] is None:
        found = [(settings["steps"], len(some)) for some in searches(lines_of(one, known.came_of))]
        return [*found, (settings["steps"] + 1, n)]
    steps = settings["steps"] + settings.get("readout", 0)
    if task == "steer":
        judged = len(settings["opinions"])
        # A walk's steps are scored where they end, the first where it begins too.
        scored = settings["steps"] + (settings["steps"] > 0)
        return [(calls_to_see(judged), min(judged, AT_ONCE)), (1 + steps + scored * calls_to_see(n), n)]
    return [(1 + steps, n)]


def _renewal(model: Model, one: Round, known: Known, rows: list[int], label: Tensor | None) -> Stepwise[Run]:
    """Variants of parents whose noise is that of their lines, by streams of its generation."""
    settings, lines = one["settings"], lines_of(one, known.came_of)
    origins = list(dict.fromkeys(line.origin for line in lines))
    z = dict(zip(origins, known.clean_of(origins), strict=True))
    schedule = annealing(model.kernel, settings["steps"])
    found = yield from finding(model, lines, z, schedule, settings.get("label"))
    noise = rows_of(found, torch.tensor(rows))
    numbers = [lines[row].stream(i) for i, row in enumerate(rows)]
    streams = Streams.of(one["seed"], numbers, model.device, Purpose.RENEWING)
    variants = renewed(noise, shares(model.kernel, schedule, len(noise.noise), settings["below"]), streams)
    return tasks.development(model, variants, schedule, label=label)
