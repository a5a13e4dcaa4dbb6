"""The endless walk, through what a model can draw."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, Stepwise, finished, nothing
from noisekernel.sampling import noise_walk
from noisekernel.sampling.model import Examples, Labels, NoiseModel, noise_model
from noisekernel.sampling.noise_walk import CleanScore, NoiseInfo, NoiseState
from noisekernel.sampling.renewal import fresh, retracing, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import taken
from noisekernel.tasks.run import Run, development, streams_of


@dataclass
class Walk:
    """A walk under way. Iterating advances `state`, without end; iterating again goes on from there.

    Its pace and its score may be changed on the way. To go on from a state that was kept, set `state` to it.
    """

    model: NoiseModel
    schedule: Schedule
    state: NoiseState
    pace: float = 0.08
    glide: bool = True
    score: CleanScore | None = None
    below: float = 0.5
    #: The score whose value the state may hold.
    _scored_by: CleanScore | None = field(default=None, init=False, repr=False)

    def __iter__(self) -> Iterator[tuple[NoiseState, NoiseInfo]]:
        while True:
            yield self.step()

    def step(self) -> tuple[NoiseState, NoiseInfo]:
        """One step: where it leads, and which samples took it. Only a score makes it ask the network."""
        pace = checks.number("pace", self.pace, 0.0, 1.0)
        by = shares(self.model.kernel, self.schedule, len(self.state.noise.noise), self.below, pace)
        state = self.state if self._scored_by is self.score else replace(self.state, score=None)
        self.state, info = noise_walk.step(self.model, state, self.schedule, by, glide=self.glide, score=self.score)
        self._scored_by = self.score
        return self.state, info

    def look(self) -> Run:
        """The development of the present noise, to iterate over."""
        return development(self.model, self.state.noise, self.schedule)

    @property
    def clean(self) -> Shaped[Tensor, "batch *event"]:
        """Clean data of where the walk is: `steps` network calls, or none where the state was looked at before."""
        self.state = noise_walk.look(self.model, self.state, self.schedule)
        assert self.state.clean is not None
        return self.state.clean


def walk(
    model: NoiseModel,
    start: Examples | int | NoiseState = 1,
    *,
    pace: float = 0.08,
    steps: int = 20,
    glide: bool = True,
    score: CleanScore | None = None,
    below: float = 0.5,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    advance: Advance = nothing,
) -> Walk:
    """An endless walk through what the model can draw, which never drifts away from it.

    The walk is of the noise that samples are made of (`sampling.noise_walk`). To iterate over it gives `(state,
    info)`, step by step; `walk.clean` shows where it is. A step needs no network call, a look `steps` of them.

    Args:
        model: The model to walk through.
        start: Where to begin: clean data of shape (batch, *shape) or examples that the model reads, the number of
            walks from new samples, or a state of a walk that was kept, with the same `steps` and `label` as then.
        pace: How much of the noise a step moves, 0 to 1.
        steps: Annealing steps of a look, and of finding the noise of `start`.
        glide: Keep the direction of the step before, more or less, so that a film of the walk does not tremble.
        score: A function of a batch of clean data to one number per sample, towards which the walk is steered: its
            stationary distribution becomes p(z) exp(score(z)), exactly. Each step then takes a look. `info.accepted`
            says which samples took the step.
        below: The noise that moves at full pace is that below this level, 0 to 1; louder noise moves less. With 1 all
            noise moves at one pace, and the walk jumps, since what a sample is of depends on little of it.
        label: The class of each walk: integers of shape (batch,), or names or numbers of classes, taken by turns.
        seed: The same seed gives the same walk.
        first: The number of the first walk under this seed.
        advance: Called after every network call of finding the noise of `start`.

    >>> from functools import partial
    >>> from itertools import islice
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> going = walk(model, 3, pace=0.1, seed=1)
    >>> states = [state for state, info in islice(going, 100)]
    >>> states[-1].t, going.clean.shape
    (100, torch.Size([3, 2]))
    >>> again = walk(model, states[49], pace=0.1)  # goes on from the fiftieth
    >>> next(iter(again))[0].t
    51
    """
    checks.number("pace", pace, 0.0, 1.0)
    checks.number("below", below, 0.0, 1.0)
    if score is not None and not callable(score):
        raise InputError(
            f"score is a {type(score).__name__}; give a function that maps a batch to one number per sample"
        )
    going = finished(walking(model, start, steps=steps, label=label, seed=seed, first=first), advance)
    going.pace, going.glide, going.score, going.below = pace, glide, score, below
    return going


def walking(
    model: NoiseModel,
    start: Examples | int | NoiseState,
    *,
    steps: int = 20,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
) -> Stepwise[Walk]:
    """The beginning of a walk, a network call at a time. The arguments are those of `walk`."""
    schedule = annealing(noise_model(model).kernel, checks.count("steps", steps))
    if isinstance(start, NoiseState):
        n = len(start.noise.samples)
        labelled = model.labelled(model.as_labels(label, n), n)
        begun = noise_walk.start(labelled, start.noise, schedule, start.streams)
        state = replace(begun, t=start.t, motion=start.motion, clean=start.clean)
    elif isinstance(start, Integral):
        n = checks.count("n", start)
        labelled = model.labelled(model.as_labels(label, n), n)
        streams = streams_of(seed, first, n, model.device, Purpose.NEW)
        state = noise_walk.start(labelled, fresh(labelled, n, schedule, streams), schedule, streams)
    else:
        batch, labels = taken(model, start, label)
        z = model.entering(batch)
        labelled, streams = model.labelled(labels, len(z)), streams_of(seed, first, len(z), z.device, Purpose.FINDING)
        noise = yield from retracing(labelled, z, schedule, streams)
        state = noise_walk.start(labelled, noise, schedule, streams)
    return Walk(labelled, schedule, state)
