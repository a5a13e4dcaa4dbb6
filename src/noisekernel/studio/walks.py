"""The live walk: a chain without end, whose noise level is under the hand, and every frame of which can be had again.

A walk is a list of segments (beta, lag, steps). Each starts from sharp clean data: the first from the parent, every
other from the last state of the one before, read out. Segment k draws from stream k of the walk's seed. So a frame is
known by the segments up to its step, and `Walk` walks there again, on the way to any number of frames.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from noisekernel import tasks
from noisekernel.chain import ChainState, StepInfo
from noisekernel.errors import InputError
from noisekernel.models import Model

#: Annealing steps by which a frame is made sharp.
READOUT = 10
#: A segment ends by itself here, so that no schedule is without end.
MOST_STEPS = 5000

Segment = dict[str, Any]


@dataclass
class Walk:
    """A walk under way."""

    model: Model
    start: Tensor
    seed: int
    beta: float
    lag: float
    label: str | None = None
    #: The segments so far, the present one last.
    segments: list[Segment] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._run: tasks.Run | None = None
        self._steps: Iterator[tuple[ChainState, StepInfo]] = iter(())
        self._enter(self.start)

    def _enter(self, z: Tensor) -> None:
        label = None if self.label is None else self.model.label([self.label], 1)
        self._run = tasks.variation(
            self.model,
            z,
            beta=self.beta,
            steps=MOST_STEPS,
            lag=self.lag,
            readout=0,
            label=label,
            seed=self.seed,
            first=len(self.segments),
        )
        self._steps = iter(self._run)
        self.segments.append({"beta": self.beta, "lag": self.lag, "steps": 0})

    def step(self) -> None:
        """One step, in a new segment if the level or the lag was changed or the present one is full."""
        present = self.segments[-1]
        if (present["beta"], present["lag"]) != (self.beta, self.lag) or present["steps"] == MOST_STEPS:
            self._enter(self.sharp())
        next(self._steps)
        self.segments[-1]["steps"] += 1

    @property
    def run(self) -> tasks.Run:
        assert self._run is not None
        return self._run

    def sharp(self) -> Tensor:
        """The clean data of the present state, sharp. The walk itself is not disturbed."""
        return tasks.read_out(self.run.model, self.run.state, READOUT)

    def place(self) -> list[Segment]:
        """Where the walk is: the segments up to here, as a copy."""
        return [dict(segment) for segment in self.segments]


def frames_again(
    model: Model, start: Tensor, seed: int, label: str | None, places: Sequence[Sequence[Mapping[str, Any]]]
) -> list[Tensor]:
    """The frames at these places of one walk, walked again in one go."""
    longest = max(places, key=_length)
    walk = Walk(model, start, seed, longest[0]["beta"], longest[0]["lag"], label)
    found: dict[int, Tensor] = {}

    def look() -> None:
        here = walk.place()
        for i, place in enumerate(places):
            if _length(place) == _length(here) and list(place) == here:
                found[i] = walk.sharp()

    look()
    for segment in longest:
        walk.beta, walk.lag = segment["beta"], segment["lag"]
        for _ in range(segment["steps"]):
            walk.step()
            look()
    if len(found) != len(places):
        raise InputError("the frames of a walk have segments that do not belong together")
    return [found[i] for i in range(len(places))]


def _length(place: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    return len(place), place[-1]["steps"]
