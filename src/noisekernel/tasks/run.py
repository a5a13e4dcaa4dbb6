"""A task under way: a chain that is iterated over, and its end."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Recorded, Streams
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling import chain
from noisekernel.sampling.chain import ChainState, Score, StepInfo, best
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.renewal import check_record
from noisekernel.sampling.schedule import Schedule


class Underway(ABC):
    """What every task under way offers: its states, one at a time, and the clean data at its end."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Go on, and give every state with what was seen on the way to it."""

    @abstractmethod
    def __len__(self) -> int:
        """How many steps are still to come."""

    @property
    @abstractmethod
    def clean(self) -> Tensor:
        """The clean data of the present state."""

    def result(self, advance: Advance = nothing) -> Tensor:
        """Go to the end and return clean data.

        Args:
            advance: Called after every step.
        """
        for _ in self:
            advance()
        return self.clean


@dataclass
class Run(Underway):
    """A task under way. Iterating advances `state`; iterating again goes on from there."""

    model: NoiseModel
    state: ChainState
    schedule: Schedule
    score: Score | None = None
    #: What the result must agree with, bit by bit: observed values, and the mask (1 = to be filled in).
    observed: tuple[Tensor, Tensor] | None = None

    def __iter__(self) -> Iterator[tuple[ChainState, StepInfo]]:
        for state, info in chain.run(self.model, self.state, self.schedule, self.score):
            self.state = state
            yield state, info

    def __len__(self) -> int:
        return self.schedule.steps - self.state.t

    @property
    def noise(self) -> Recorded:
        """The noise that this is the development of: pass it on as `noise` to go on from a variant."""
        if not isinstance(self.state.streams, Recorded):
            raise InputError("this run draws its noise as it goes; a variation or a development has it on record")
        return self.state.streams.from_the_first()

    @property
    def clean(self) -> Tensor:
        """The clean data of the present state: the best guess of r."""
        clean = best(self.state.view)
        if self.observed is None:
            return clean
        values, mask = self.observed
        return torch.where(mask, clean, values)


def from_pure_noise(model: NoiseModel, streams: Streams, schedule: Schedule) -> Run:
    return Run(model, chain.start_from_noise(model, streams, schedule), schedule)


def development(model: NoiseModel, noise: Recorded, schedule: Schedule, *, label: Tensor | None = None) -> Run:
    """What `schedule` makes of this noise, instead of drawing its own. See `sampling.renewal`."""
    check_record(model, noise, schedule)
    return from_pure_noise(model.labelled(label, len(noise.samples)), noise.from_the_first(), schedule)


def one_of(schedule: Schedule | None, **options: object) -> Schedule | None:
    """`schedule`, if it is one and nothing that it replaces was given too."""
    given = [name for name, value in options.items() if value is not None]
    if schedule is not None and given:
        raise InputError(
            f"both schedule and {' and '.join(given)} were given; the schedule says it all, so leave out the rest"
        )
    if schedule is not None and not isinstance(schedule, Schedule):
        raise InputError(
            f"schedule is {schedule!r}; give a Schedule, such as Schedule.along(linear(1, 0.01), 100, lag=0.5)"
        )
    return schedule


def streams_of(seed: int, first: int, n: int, device: torch.device, purpose: Purpose) -> Streams:
    checks.count("first", first, 0)
    return Streams.of(seed, range(first, first + n), device, purpose)


def lag_of(model: NoiseModel, lag: float | None) -> float:
    """The lag given, or the kernel's own."""
    if lag is not None:
        return lag
    if isinstance(model.kernel.lag, Tensor):
        raise InputError("the kernel has a lag for each sample; say with lag=… which one the chain is to use")
    return model.kernel.lag
