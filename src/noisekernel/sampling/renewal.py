"""The noise a sample is made of, and a chain that walks there.

Annealing from pure noise draws standard normal numbers and nothing else (a category's uniform number is Phi of one), so
a sample is a function of them: z = D(e), e ~ N(0, I), over all draws. Hence a chain that needs no balance to be
learned. Keep most of the noise and draw a share of it anew,

    e' = sqrt(1 - s^2) e + s n,    n ~ N(0, I),                                          `renewed`

and look at D(e). This is the continuous noise kernel at beta = 1 (eq. 15: there a = 0 and b = 1 - w^2), so N(0, I) is
stationary, and the chain reversible, exactly; and D(e) therefore has the distribution of new samples after any number
of steps, *whatever the denoiser's error is*. A walk at constant noise adds that error up; this one never does.

A walk that draws n anew at every step trembles. One that keeps most of it glides: the noise turns towards n, n turns
away from it, and a little of n is drawn anew. That is a circle's motion, which N(0, I) of both survives, exactly too:

    n <- c n + sqrt(1 - c^2) new,    (e', n') = (sqrt(1 - s^2) e + s n, sqrt(1 - s^2) n - s e)       `glided`

c = exp(-2 asin s): with less friction the noise would swing to and fro, with more be slower to forget where it was.

Every draw may have a share of its own. What is drawn while the noise is loud decides what a picture is of, what is
drawn later its details. So a variant takes a noise level, and renews what is drawn below it: `shares`.

What it needs is the noise of a given z. `retrace` simulates the path to z: were z known, the kernel would take pure
noise down to it by p(y | z, x) (eqs 15, 23). For each step of that path `noise_of` returns the noise that makes the
model take it. Annealing with that noise (`tasks.development`) ends at z again. (For DDPM: Wu and De la Torre 2022;
Huberman-Spiegelglas et al. 2023.)
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Recorded, Streams, normal
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.kernels.base import NoiseKernel
from noisekernel.sampling import chain
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.schedule import Schedule


def retrace(model: NoiseModel, z: Tensor, schedule: Schedule, streams: Streams) -> Recorded:
    """Noise from which `schedule`, an annealing from beta = 1, makes z again (up to the noise at its end).

    One of many: the way there is drawn from `streams`, which go on.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> from noisekernel.sampling.samplers import annealing
    >>> z, down = torch.tensor([[0.5, 2.0]]), annealing(model.kernel, 10)
    >>> noise = retrace(model, z, down, Streams.of(0, [0]))
    >>> from noisekernel.tasks.run import development
    >>> development(model, noise, down).result().round(decimals=1)
    tensor([[0.5000, 2.0000]])
    """
    return finished(retracing(model, z, schedule, streams))


@torch.no_grad()
def retracing(model: NoiseModel, z: Tensor, schedule: Schedule, streams: Streams) -> Stepwise[Recorded]:
    """`retrace`, a network call at a time."""
    schedule.starting_from_noise().check(model)
    x = model.kernel.noise(z, 1.0).sample(streams)
    drawn = [model.kernel.prior(z.shape, device=z.device).noise_of(x, streams)]
    state = chain.start(model, x, 1.0, streams)
    yield
    for t in range(schedule.steps):
        beta_next, lag = float(schedule.beta[t + 1]), float(schedule.lag[t])
        y = model.kernel.with_lag(lag).conditional(z, state.x, state.beta, beta_next).sample(streams)
        proposal = chain.propose(model, state, beta_next, lag, bool(schedule.point[t]), float(schedule.ahead[t]))
        drawn.append(proposal.noise_of(y, streams))
        if t + 1 < schedule.steps:
            state = chain.move(model, state, y, beta_next, streams)
            yield
    return Recorded(streams.seed, streams.samples, noise=tuple(each for each in drawn if each is not None))


def fresh(model: NoiseModel, n: int, schedule: Schedule, streams: Streams) -> Recorded:
    """The noise of `n` new samples, drawn from `streams`, which go on."""
    shape = (n, *model.shape)
    parts = tuple(normal(shape, streams, device=streams.samples.device) for _ in range(draws_of(model, schedule)))
    return Recorded(streams.seed, streams.samples, noise=parts)


def draws_of(model: NoiseModel, schedule: Schedule) -> int:
    """How many draws a sample takes: one a step, and one of pure noise, unless that is a point."""
    prior = model.kernel.prior((1, *model.shape))
    return schedule.starting_from_noise().steps + (prior.noise_of(prior.mode, Streams.of(0, [0])) is not None)


def check_record(model: NoiseModel, noise: Recorded, schedule: Schedule) -> None:
    """That noise is what `schedule` draws."""
    if len(noise.noise) != (draws := draws_of(model, schedule)):
        raise InputError(f"noise is on record in {len(noise.noise)} draws; {schedule.steps} steps take {draws} of them")


def shares(kernel: NoiseKernel, schedule: Schedule, draws: int, below: float, share: float = 1.0) -> list[float]:
    """How much of each draw to renew: `share` of what is drawn at noise quieter than `below`, and of louder noise less.

    A draw at a level of loudness l (`kernel.loudness`) is renewed by share / sqrt(1 + (l / l_below)^2). So below = 1
    renews `share` of every draw, and below = 0 renews nothing.

    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.sampling.samplers import annealing
    >>> kernel = GaussianKernel()
    >>> [round(s, 2) for s in shares(kernel, annealing(kernel, 5), 6, below=0.5)]
    [0.0, 0.01, 0.14, 0.82, 1.0, 1.0]
    """
    below, share = checks.number("below", below, 0.0, 1.0), checks.number("share", share, 0.0, 1.0)
    if draws - schedule.steps not in (0, 1):  # a prior that is a point draws nothing
        raise InputError(f"{draws} draws are recorded, but the schedule has {schedule.steps} steps: take as many")
    reached = torch.cat((torch.ones(draws - schedule.steps, dtype=torch.float64), schedule.beta[1:]))
    if below in (0.0, 1.0):
        return [share * below] * draws
    louder = kernel.loudness(reached) / kernel.loudness(torch.tensor(below, dtype=torch.float64))
    return (share / torch.sqrt(1.0 + louder**2)).tolist()


def renewed(noise: Recorded, by: Sequence[float], streams: Streams) -> Recorded:
    """The noise with a share of each draw drawn anew from `streams`, which go on: 0 none, 1 all."""
    parts = []
    for each, share in zip(noise.noise, by, strict=True):
        anew = normal(each.shape, streams, dtype=each.dtype, device=each.device)
        parts.append((1.0 - share**2) ** 0.5 * each + share * anew)
    return Recorded(noise.seed, streams.samples, noise=tuple(parts), spent=streams.draws)


def glided(
    noise: Recorded, motion: Sequence[Tensor] | None, by: Sequence[float], streams: Streams
) -> tuple[Recorded, tuple[Tensor, ...]]:
    """The noise moved on by a share of each draw, and its motion now. From rest, where it has none, it is `renewed`."""
    parts, moved = [], []
    for i, (each, share) in enumerate(zip(noise.noise, by, strict=True)):
        towards = normal(each.shape, streams, dtype=each.dtype, device=each.device)
        if motion is not None:
            kept = math.exp(-2.0 * math.asin(share))
            towards = kept * motion[i] + (1.0 - kept**2) ** 0.5 * towards
        rest = (1.0 - share**2) ** 0.5
        parts.append(rest * each + share * towards)
        moved.append(rest * towards - share * each)
    return Recorded(noise.seed, streams.samples, noise=tuple(parts), spent=streams.draws), tuple(moved)


def rows_of(noise: Recorded, rows: Tensor) -> Recorded:
    """The noise of these rows, of which any may come several times."""
    rows = rows.to(noise.samples.device)
    return replace(noise, samples=noise.samples[rows], noise=tuple(each[rows] for each in noise.noise))


def together(records: Sequence[Recorded]) -> Recorded:
    """One record of several batches."""
    samples = torch.cat([record.samples for record in records])
    parts = tuple(torch.cat(each) for each in zip(*(record.noise for record in records), strict=True))
    return Recorded(records[0].seed, samples, noise=parts, spent=max(record.spent for record in records))
