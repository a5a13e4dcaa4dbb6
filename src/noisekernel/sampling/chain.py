"""The chain: states, one step, and the iteration.

`run` is a generator of `(state, info)`. Callers can stream its states, stop at any of them, and resume from any that
they kept. The state carries what the next step needs; the info holds what was merely seen.

A state holds x and the model's view of it. For a noise model the view is r(z | x), so `state.view.best` is the denoised
data *of this state*, not of the one before. With a score f, equilibrium steps are accepted with probability min(1,
exp(f(y) - f(x))). Since p(x)p(y|x) = p(y)p(x|y), the chain is then stationary for p(x) exp(f(x)), up to a constant,
for any f.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from noisekernel.core.distributions import Distribution, Elementwise
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.core.randomness import Randomness, Streams, uniform
from noisekernel.sampling.model import NoiseModel, TransitionModel
from noisekernel.sampling.schedule import Schedule

#: f: maps a state x and the model's view of it to one number per sample.
Score = Callable[[Tensor, Distribution], Tensor]


@dataclass(frozen=True)
class ChainState:
    """All that the next step depends on."""

    #: The states themselves.
    x: Shaped[Tensor, "batch *event"]
    #: Their noise level.
    beta: float
    #: The model's view of them; for a noise model r(z | x), whose `best` is the denoised data.
    view: Distribution
    #: The random numbers of the steps to come.
    streams: Streams
    #: The number of steps made so far.
    t: int = 0
    #: The view of the state before, for a step that looks ahead.
    before: Distribution | None = None
    #: f at this state, where a step has computed it.
    score: Float[Tensor, " batch"] | None = None


@dataclass(frozen=True)
class StepInfo:
    """What was seen on the way to a state."""

    #: The distribution that the next state was drawn from.
    proposal: Distribution
    #: Which samples moved; all of them, where no score decides.
    accepted: Bool[Tensor, " batch"]


@torch.no_grad()
def start(model: TransitionModel, x: Tensor, beta: float, streams: Streams) -> ChainState:
    """The state of a chain that begins at x, at noise level beta.

    Args:
        model: What the chain runs with: a `NoiseModel`, a `PlainModel`.
        x: States, (batch, *event).
        beta: Their noise level; a `PlainModel` does not look at it.
        streams: One stream of random numbers per sample.
    """
    if len(x) != len(streams.samples):
        raise ShapeError(f"{len(x)} samples need {len(x)} streams; given {len(streams.samples)}")
    return ChainState(x, beta, model.look(x, beta), streams.fork())


def start_from_noise(model: NoiseModel, streams: Streams, schedule: Schedule) -> ChainState:
    """The state of a chain that begins at pure noise, drawn from `streams`, and is to go along `schedule`."""
    schedule.starting_from_noise().check(model)
    x = model.kernel.prior((len(streams.samples), *model.shape), device=streams.samples.device).sample(streams)
    return start(model, x, 1.0, streams)


def best(view: Distribution) -> Tensor:
    """The best guess of the clean data, from a noise model's view of a state."""
    if not isinstance(view, Elementwise):
        raise InputError(f"a {type(view).__name__} has no best guess of clean data; this task needs a NoiseModel")
    return view.best


def propose(
    model: TransitionModel, state: ChainState, beta_next: float, lag: float, point: bool = False, ahead: float = 0.0
) -> Distribution:
    """The distribution of the next state.

    Args:
        model: What the chain runs with.
        state: The present state.
        beta_next: The noise level of the next state.
        lag: How much of the state the step carries over.
        point: Whether only the best guess of r is used.
        ahead: How far r is extrapolated, in units of its change since the state before.
    """
    seen = state.view.beyond(state.before, ahead) if ahead != 0.0 and state.before is not None else state.view
    return model.step(seen, state.x, state.beta, beta_next, lag, point)


@torch.no_grad()
def move(model: TransitionModel, state: ChainState, y: Tensor, beta_next: float, streams: Streams) -> ChainState:
    """The state after this one, if it is y.

    Args:
        model: What the chain runs with.
        state: The present state.
        y: The next states, (batch, *event).
        beta_next: Their noise level.
        streams: The streams that they go on with.
    """
    return ChainState(y, beta_next, model.look(y, beta_next), streams, state.t + 1, before=state.view)


@torch.no_grad()
def step(
    model: TransitionModel,
    state: ChainState,
    beta_next: float,
    lag: float,
    point: bool = False,
    score: Score | None = None,
    ahead: float = 0.0,
) -> tuple[ChainState, StepInfo]:
    """One step.

    Args:
        model: What the chain runs with.
        state: The present state.
        beta_next: The noise level of the next state.
        lag: How much of the state the step carries over.
        point: Whether only the best guess of r is used.
        score: Decides over equilibrium steps (the same level, all of r): y is accepted with probability
            min(1, exp(f(y) - f(x))).
        ahead: How far r is extrapolated, in units of its change since the state before.
    """
    streams = state.streams.fork()
    proposal = propose(model, state, beta_next, lag, point, ahead)
    y = proposal.sample(streams)
    moved = move(model, state, y, beta_next, streams)
    view = moved.view
    if score is None or point or not math.isclose(beta_next, state.beta, rel_tol=1e-9):
        return moved, StepInfo(proposal, torch.ones(len(y), dtype=torch.bool, device=y.device))
    here = evaluate(score, state.x, state.view) if state.score is None else state.score
    value = evaluate(score, y, view)
    accepted, x, view, value = accept((state.x, state.view, here), (y, view, value), streams)
    return replace(moved, x=x, view=view, score=value), StepInfo(proposal, accepted)


#: States, the model's view of them, and f there.
Scored = tuple[Tensor, Distribution, Tensor]


def accept(
    before: Scored, after: Scored, generator: Randomness
) -> tuple[Bool[Tensor, " batch"], Tensor, Distribution, Tensor]:
    """Accept each new state with probability min(1, exp(f(y) - f(x))); else the state stays.

    Args:
        before: x, the view of it and f(x).
        after: y, the view of it and f(y).
        generator: Draws one uniform number per sample.

    Returns:
        Which samples moved, and the states, views and f after that.
    """
    (x, view, here), (y, seen, there) = before, after
    accepted = torch.log(uniform((len(y),), generator, device=y.device)) < there - here
    moved = torch.where(accepted.reshape(-1, *[1] * (y.ndim - 1)), y, x)
    return accepted, moved, seen.select(accepted, view), torch.where(accepted, there, here)


def run(
    model: TransitionModel, state: ChainState, schedule: Schedule, score: Score | None = None
) -> Iterator[tuple[ChainState, StepInfo]]:
    """The steps of `schedule` that are still to come for `state`, one at a time.

    Args:
        model: What the chain runs with.
        state: Where it begins: from `start`, or any state that an earlier run gave.
        schedule: Noise levels and lags.
        score: Decides over equilibrium steps; see `step`.

    >>> from noisekernel.kernels import FiniteKernel
    >>> from noisekernel.core.levels import flat
    >>> from noisekernel.sampling.model import PlainModel
    >>> model, walk = PlainModel(FiniteKernel(6)), Schedule.along(flat(1.0), steps=3, lag=0.0)
    >>> begin = start(model, torch.zeros(2, dtype=torch.int64), 1.0, Streams.of(0, range(2)))
    >>> [state.t for state, info in run(model, begin, walk)]
    [1, 2, 3]
    """
    schedule.check(model)
    if state.t > schedule.steps:
        raise InputError(f"the state has made {state.t} steps but the schedule has only {schedule.steps}")
    if abs(state.beta - float(schedule.beta[state.t])) > 1e-9:
        raise InputError(
            f"the state is at beta {state.beta:g} but step {state.t} of the schedule begins at "
            f"{float(schedule.beta[state.t]):g}; start it there"
        )
    return _run(model, replace(state, score=None), schedule, score)  # what is there may be of another f


def _run(
    model: TransitionModel, state: ChainState, schedule: Schedule, score: Score | None
) -> Iterator[tuple[ChainState, StepInfo]]:
    levels, lags, points = schedule.beta.tolist(), schedule.lag.tolist(), schedule.point.tolist()
    looks = schedule.ahead.tolist()
    for t in range(state.t, schedule.steps):
        state, info = step(model, state, levels[t + 1], lags[t], points[t], score, looks[t])
        yield state, info


def evaluate(score: Callable[..., Tensor], x: Tensor, *view: Distribution) -> Tensor:
    """The score at x: one number per sample, finite or minus infinity.

    Args:
        score: A function of x, and of the view where one is given.
        x: States or clean data, (batch, *event).
        view: The model's view of x, for a score that takes one.
    """
    value = score(x, *view)
    if not isinstance(value, Tensor) or value.shape != (len(x),):
        given = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"a {type(value).__name__}"
        raise ShapeError(f"the score returned {given}; it must return one number per sample: shape ({len(x)},)")
    if not value.is_floating_point():
        raise DtypeError(f"the score returned {value.dtype}; it must return floating-point numbers: .float()")
    if bool(torch.isnan(value).any()) or bool((value == torch.inf).any()):
        raise InputError(
            "the score returned NaN or infinity; it may be any finite number, or minus infinity to forbid a state"
        )
    return value
