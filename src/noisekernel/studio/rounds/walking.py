"""The live walk: a chain without end or drift, whose pace is under the hand, and every frame of which can be had again.

The walk is of the noise that the example is made of (`tasks.walk`). It is a list of segments (pace, steps), where
the pace is the share of the noise that each step moves on. All is drawn from one stream of the walk's seed, so
a frame is known by the segments up to its step, and is had again by stepping there, which needs no network, and a look.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.models.model import Model
from noisekernel.tasks.walks import Walk, walking

#: Annealing steps by which a frame is developed.
LOOK = 20
#: The noisy state of a frame is that when annealing comes below this level.
NOISY = 0.3
#: A segment ends by itself here, so that none in a file is without end.
MOST_STEPS = 1_000_000

Segment = dict[str, Any]


@dataclass
class LiveWalk:
    """A walk under way. `move` takes it a step on, which needs no network; `look` develops the frame there."""

    noise: Walk
    pace: float
    #: The segments so far, the present one last.
    segments: list[Segment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.segments.append({"pace": self.pace, "steps": 0})

    @classmethod
    def of(
        cls, model: Model, start: Tensor, seed: int, pace: float, label: str | None = None, number: int = 0
    ) -> "LiveWalk":
        """From an example (a batch of one), by stream `number` of the seed, and a look at where it begins."""
        return finished(cls.starting(model, start, seed, pace, label, number))

    @classmethod
    def starting(
        cls, model: Model, start: Tensor, seed: int, pace: float, label: str | None = None, number: int = 0
    ) -> Stepwise["LiveWalk"]:
        """`of`, a network call at a time."""
        labels = None if label is None else model.label([label], 1)
        noise = yield from walking(model, start, steps=LOOK, label=labels, seed=seed, first=number)
        walk = cls(noise, pace)
        yield from walk.looking()
        return walk

    def step(self) -> None:
        """One step, and a look."""
        self.move()
        self.look()

    def move(self) -> None:
        """One step, in a new segment if the pace was changed or the present one is full."""
        present = self.segments[-1]
        if present["pace"] != self.pace or present["steps"] == MOST_STEPS:
            self.segments.append({"pace": self.pace, "steps": 0})
        self.noise.pace = self.pace
        self.noise.step()
        self.segments[-1]["steps"] += 1

    def look(self) -> None:
        """Develop the present frame."""
        finished(self.looking())

    def looking(self) -> Stepwise[None]:
        """`look`, a network call at a time. At its end the frame is there: `clean`, `noisy` on the way to it, where it
        was `seen`. Until then these are those of the frame before."""
        run = self.noise.look()
        noisy = run.state.x
        yield
        for state, _ in run:
            if state.beta >= NOISY:
                noisy = state.x
            yield
        self.clean, self.noisy, self.seen = run.clean, noisy, self.place()

    def place(self) -> list[Segment]:
        """Where the walk is: the segments up to here, as a copy."""
        return [dict(segment) for segment in self.segments]


def frames_again(
    model: Model,
    start: Tensor,
    seed: int,
    label: str | None,
    places: Sequence[Sequence[Mapping[str, Any]]],
    number: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> list[Tensor]:
    """The frames at these places of one walk, walked again in one go. `advance` is called after every step."""
    longest = max(places, key=_length)
    walk = LiveWalk.of(model, start, seed, longest[0]["pace"], label, number)
    found: dict[int, Tensor] = {}

    def look() -> None:
        here = walk.place()
        asked = [i for i, place in enumerate(places) if list(place) == here]
        if asked:
            walk.look()
        found.update(dict.fromkeys(asked, walk.clean))

    look()
    for segment in longest:
        walk.pace = segment["pace"]
        for _ in range(segment["steps"]):
            walk.move()
            look()
            advance()
    if len(found) != len(places):
        raise InputError("the frames of a walk have segments that do not belong together")
    return [found[i] for i in range(len(places))]


def _length(place: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    return len(place), place[-1]["steps"]
