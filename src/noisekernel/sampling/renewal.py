"""The noise that a sample is made of, and a chain that walks through noise.

Annealing from pure noise draws only standard normal numbers (a category's uniform number is Phi of one). So a sample is
a function of them: z = D(e), where e ~ N(0, I) holds all draws. This gives a chain whose balance need not be learned.
Keep most of the noise and redraw a share s of it,

    e' = sqrt(1 - s^2) e + s n,    n ~ N(0, I),                                          `renewed`

then compute D(e'). The step is the continuous noise kernel at beta = 1 (eq. 15 with a = 0 and b = 1 - w^2). So N(0, I)
is exactly stationary and the chain is exactly reversible. D(e) therefore has the distribution of new samples after any
number of steps, *whatever the denoiser's error is*. A walk at constant noise accumulates that error; this one does not.

A walk that redraws n at every step trembles. A walk that keeps most of n glides: a rotation turns the noise towards n
and n away from the noise, and a little of n is redrawn. A rotation also leaves two independent N(0, I) as they are:

    n <- c n + sqrt(1 - c^2) new,    (e', n') = (sqrt(1 - s^2) e + s n, sqrt(1 - s^2) n - s e)       `glided`

c = exp(-2 asin s) is critical friction. With less friction the noise would swing back and forth; with more it would
forget its start more slowly.

Every draw may have a share of its own. Noise that is drawn at high levels decides what a picture shows; noise that is
drawn later decides its details. So a variant takes a noise level and redraws the noise below it: `shares`.

To vary a given z, its noise is needed. `retrace` simulates a path from pure noise to z by p(y | z, x), the step of the
kernel for known z (eqs 15, 23). For each step of that path, `noise_of` returns the noise that makes the model take the
step. Annealing with that noise (`tasks.development`) ends at z again. (For DDPM: Wu and De la Torre 2022;
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
    """Find noise from which `schedule`, an annealing from beta = 1, makes z again (up to the noise at its end).

    Many noises lead to z. The path to this one is drawn from `streams`, which count the draws.

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
    """The noise of `n` new samples, drawn from `streams`, which count the draws."""
    shape = (n, *model.shape)
    parts = tuple(normal(shape, streams, device=streams.samples.device) for _ in range(draws_of(model, schedule)))
    return Recorded(streams.seed, streams.samples, noise=parts)


def draws_of(model: NoiseModel, schedule: Schedule) -> int:
    """The number of draws per sample: one per step, and one of pure noise unless pure noise is a single point."""
    prior = model.kernel.prior((1, *model.shape))
    return schedule.starting_from_noise().steps + (prior.noise_of(prior.mode, Streams.of(0, [0])) is not None)


def check_record(model: NoiseModel, noise: Recorded, schedule: Schedule) -> None:
    """Refuse noise that has another number of draws than `schedule`."""
    if len(noise.noise) != (draws := draws_of(model, schedule)):
        raise InputError(f"noise is on record in {len(noise.noise)} draws; {schedule.steps} steps take {draws} of them")


def shares(kernel: NoiseKernel, schedule: Schedule, draws: int, below: float, share: float = 1.0) -> list[float]:
    """How much of each draw to redraw: `share` of noise at levels well below `below`, and less of louder noise.

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
    """The noise with a share of each draw redrawn from `streams`, which count the draws: 0 redraws nothing, 1 all."""
    parts = []
    for each, share in zip(noise.noise, by, strict=True):
        anew = normal(each.shape, streams, dtype=each.dtype, device=each.device)
        parts.append((1.0 - share**2) ** 0.5 * each + share * anew)
    return Recorded(noise.seed, streams.samples, noise=tuple(parts), spent=streams.draws)


def glided(
    noise: Recorded, motion: Sequence[Tensor] | None, by: Sequence[float], streams: Streams
) -> tuple[Recorded, tuple[Tensor, ...]]:
    """The noise moved by a share of each draw, and its motion after that. Noise without a motion yet is `renewed`."""
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
    """The noise of these rows; a row may occur several times."""
    rows = rows.to(noise.samples.device)
    return replace(noise, samples=noise.samples[rows], noise=tuple(each[rows] for each in noise.noise))


def together(records: Sequence[Recorded]) -> Recorded:
    """One record of several batches."""
    samples = torch.cat([record.samples for record in records])
    parts = tuple(torch.cat(each) for each in zip(*(record.noise for record in records), strict=True))
    return Recorded(records[0].seed, samples, noise=parts, spent=max(record.spent for record in records))
