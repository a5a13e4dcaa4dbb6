"""The walk of the noise: a chain through what the model can draw, without end and without drift.

A sample is a function of the noise that annealing draws, z = D(e) (`sampling.renewal`). The walk is a chain of e. Each
step moves e by a share of each draw and needs no network call. To *look* at a state is to anneal with its noise, which
takes as many network calls as the schedule has steps. Like every chain, the walk is a generator of `(state, info)`. A
state holds all that the next step needs and never changes, so the walk can continue from any state that was kept.

With a score f of clean data, a step is taken with probability min(1, exp(f(z') - f(z))). Steps of the noise balance
with N(0, I) exactly, so the walk is stationary for p(z) exp(f(z)), up to a constant, with p the distribution of new
samples: for any f, and whatever the denoiser's error is. (In the noise it is the preconditioned Crank-Nicolson walk of
Cotter, Roberts, Stuart and White, 2013.) A walk that glides rotates (e, n), the noise and its motion, by an angle. The
rotation back is the same rotation with the motion reversed. So where a step is refused, the noise stays and its motion
is reversed, which keeps the balance. (Horowitz, 1991, does so for Hamiltonian dynamics.)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from noisekernel.core.randomness import Recorded, Streams, uniform
from noisekernel.sampling import chain
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.renewal import check_record, glided, renewed
from noisekernel.sampling.schedule import Schedule

#: f: a batch of clean data to one number per sample.
CleanScore = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class NoiseState:
    """All that the next step depends on."""

    noise: Recorded
    streams: Streams
    t: int = 0
    #: The motion of the noise; None before the first step, and in a walk that does not glide.
    motion: tuple[Tensor, ...] | None = None
    #: The clean data that the noise develops into, if `look` has computed them.
    clean: Shaped[Tensor, "batch *event"] | None = None
    #: The score at this state, where a step has computed it.
    score: Float[Tensor, " batch"] | None = None


@dataclass(frozen=True)
class NoiseInfo:
    """What was seen on the way to a state: which samples took the step. Without a score, all of them do."""

    accepted: Bool[Tensor, " batch"]


def start(model: NoiseModel, noise: Recorded, schedule: Schedule, streams: Streams) -> NoiseState:
    """The state of a walk that begins at this noise, which `schedule` develops, and draws from `streams`."""
    check_record(model, noise, schedule)
    return NoiseState(noise.from_the_first(), streams.fork())


@torch.no_grad()
def look(model: NoiseModel, state: NoiseState, schedule: Schedule) -> NoiseState:
    """The same state with its clean data. This takes `schedule.steps` network calls, or none if the state has them."""
    if state.clean is not None:
        return state
    at = chain.start_from_noise(model, state.noise.from_the_first(), schedule)
    for after, _ in chain.run(model, at, schedule):
        at = after
    return replace(state, clean=chain.best(at.view))


@torch.no_grad()
def step(
    model: NoiseModel,
    state: NoiseState,
    schedule: Schedule,
    by: Sequence[float],
    *,
    glide: bool = True,
    score: CleanScore | None = None,
) -> tuple[NoiseState, NoiseInfo]:
    """One step.

    Args:
        model: What the noise is developed by; only a score makes the step ask it.
        state: Where the walk is.
        schedule: What the noise is developed along.
        by: How much of each draw is moved (`renewal.shares`).
        glide: Continue in nearly the direction of the last step, so that a film of the walk does not tremble.
            Otherwise each step draws a new direction.
        score: What the walk is steered by.
    """
    streams = state.streams.fork()
    if glide:
        noise, motion = glided(state.noise, state.motion, by, streams)
    else:
        noise, motion = renewed(state.noise, by, streams), None
    there = NoiseState(noise, streams, state.t + 1, motion)
    if score is None:
        n, device = len(noise.samples), noise.samples.device
        return there, NoiseInfo(torch.ones(n, dtype=torch.bool, device=device))
    here, there = look(model, state, schedule), look(model, there, schedule)
    assert here.clean is not None
    assert there.clean is not None
    before = chain.evaluate(score, here.clean) if here.score is None else here.score
    after = chain.evaluate(score, there.clean)
    u = uniform((len(after),), streams, device=after.device)
    accepted = torch.log(u) < after - before

    def chosen(new: Tensor, old: Tensor) -> Tensor:
        return torch.where(accepted.reshape(-1, *[1] * (new.ndim - 1)), new, old)

    def chosen_of(new: Sequence[Tensor], old: Sequence[Tensor]) -> tuple[Tensor, ...]:
        return tuple(chosen(a, b) for a, b in zip(new, old, strict=True))

    kept = replace(
        there,
        noise=replace(noise, noise=chosen_of(noise.noise, state.noise.noise)),
        motion=None if motion is None else chosen_of(motion, _reversed(noise, motion, by)),
        clean=chosen(there.clean, here.clean),
        score=torch.where(accepted, after, before),
    )
    return kept, NoiseInfo(accepted)


def run(
    model: NoiseModel,
    state: NoiseState,
    schedule: Schedule,
    by: Sequence[float],
    *,
    glide: bool = True,
    score: CleanScore | None = None,
) -> Iterator[tuple[NoiseState, NoiseInfo]]:
    """Steps from `state` on, without end.

    >>> from functools import partial
    >>> from itertools import islice
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> from noisekernel.sampling.renewal import fresh
    >>> from noisekernel.sampling.samplers import annealing
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> down, streams = annealing(model.kernel, 5), Streams.of(0, range(3))
    >>> begin = start(model, fresh(model, 3, down, streams), down, streams)
    >>> [state.t for state, info in islice(run(model, begin, down, [0.1] * 6), 3)]
    [1, 2, 3]
    """
    state = replace(state, score=None)  # what is there may be of another f
    while True:
        state, info = step(model, state, schedule, by, glide=glide, score=score)
        yield state, info


def _reversed(noise: Recorded, motion: Sequence[Tensor], by: Sequence[float]) -> list[Tensor]:
    """The motion before the turn that led to this noise and motion, reversed."""
    return [-(share * e + (1.0 - share**2) ** 0.5 * n) for e, n, share in zip(noise.noise, motion, by, strict=True)]
