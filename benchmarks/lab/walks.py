"""Long walks from held-out pictures: ours at constant noise, and what others would do instead.

Every walk yields, after each of the asked numbers of steps, clean pictures and the network calls made so far.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

import noisekernel as nk
from lab.methods import DDPM, Rival
from noisekernel import tasks
from noisekernel.core.randomness import Streams, normal
from noisekernel.sampling import chain
from noisekernel.sampling.samplers import annealing

Stops = Iterator[tuple[int, int, Tensor]]
BETA = 0.2
#: sqrt(beta) / alpha there: the noise's deviation when the picture is at scale 1.
SIGMA = BETA**0.5 / (1.0 - BETA)


def ours(model: nk.Model, z: Tensor, stops: Sequence[int], lag: float | None = None, beta: float = BETA) -> Stops:
    """The chain at constant noise, read out sharp by ten annealing steps."""
    carried = tasks.lag_of(model, lag)
    run = tasks.equilibration(model, z, beta=beta, steps=stops[-1], lag=carried, seed=3)
    for number, (state, _) in enumerate(run, start=1):
        if number in stops:
            yield number, number, tasks.read_out(model, state, 10)


def deep(model: nk.Model, z: Tensor, stops: Sequence[int], inner: int, lag: float, beta: float = BETA) -> Stops:
    """Eq. 10 sampled: z drawn from x by `inner` stochastic annealing steps, then y from p(y | z, x)."""
    streams = Streams.of(3, range(len(z)))
    x = model.kernel.noise(z, beta).sample(streams)
    down = annealing(model.kernel, inner, first=beta)
    for number in range(1, stops[-1] + 1):
        state = chain.start(model, x, beta, streams)
        for state, _ in chain.run(model, state, down):  # noqa: B007, B020 (the last one is wanted)
            pass
        guess = tasks.best(state.view)
        streams = state.streams.fork()
        x = model.kernel.with_lag(lag).conditional(guess, x, beta, beta).sample(streams)
        if number in stops:
            start = chain.start(model, x, beta, streams)
            yield number, number * (inner + 1), tasks.read_out(model, start, 10)


def renewed(model: nk.Model, z: Tensor, stops: Sequence[int], share: float = 0.1, calls: int = 20) -> Stops:
    """The chain of the noise, see `noisekernel.sampling.renewal`: a share of it drawn anew each step.

    Its steps need no network until somebody looks, and k of them are one of share sqrt(1 - (1 - share^2)^k): so the
    calls are those of looking, and of finding the noise.
    """
    walk, behind, spent = nk.walk(model, z, steps=calls, glide=False, below=1.0, seed=3), 0, calls
    for number in stops:
        walk.pace = (1.0 - (1.0 - share**2) ** (number - behind)) ** 0.5
        walk.step()
        behind, spent = number, spent + calls
        yield number, spent, walk.clean


def rounds(model: nk.Model, z: Tensor, stops: Sequence[int], beta: float, carried: bool, calls: int = 20) -> Stops:
    """Variants of variants of variants. Their noise is carried on, or found again from each picture."""
    noise: Any = None
    spent = 0
    for number in range(1, stops[-1] + 1):
        run = tasks.variation(model, z, below=beta, steps=calls, seed=number, noise=noise)
        z, spent = run.result(), spent + calls * (1 if carried and number > 1 else 2)
        noise = run.noise if carried else None
        if number in stops:
            yield number, spent, z


def loopback(rival: DDPM, z: Tensor, stops: Sequence[int], calls: int = 10) -> Stops:
    """img2img in a loop: noise to the level of `BETA`, denoise all the way by DDIM in `calls` calls, and again."""
    scheduler = rival.scheduler("DDIMScheduler")
    ratio = ((1.0 - scheduler.alphas_cumprod) / scheduler.alphas_cumprod).sqrt()
    start = int((ratio - SIGMA).abs().argmin())
    steps = torch.linspace(start, 0, calls + 1).round().long().tolist()
    streams = Streams.of(3, range(len(z)))
    for number in range(1, stops[-1] + 1):
        x = scheduler.add_noise(z, normal(z.shape, streams), torch.tensor(start))
        for t, after in pairwise(steps):
            x = _ddim(scheduler, rival, x, t, after)
        z = x.clamp(-1, 1)
        if number in stops:
            yield number, number * calls, z


def _ddim(scheduler: object, rival: Rival, x: Tensor, t: int, after: int) -> Tensor:
    cumulative = scheduler.alphas_cumprod  # type: ignore[attr-defined]
    here, there = cumulative[t], cumulative[after] if after > 0 else torch.tensor(1.0)
    noise = rival.call(x, t / 1_000)
    guess = ((x - (1 - here).sqrt() * noise) / here.sqrt()).clamp(-1, 1)
    return there.sqrt() * guess + (1 - there).sqrt() * noise


def walk_jump(rival: Rival, z: Tensor, stops: Sequence[int], size: float = 0.5) -> Stops:
    """Langevin steps in the noised density at `SIGMA`, and a jump to the mean: walk-jump sampling (Saremi 2019)."""
    streams = Streams.of(3, range(len(z)))
    x = z + SIGMA * normal(z.shape, streams)
    step = size * SIGMA**2
    for number in range(1, stops[-1] + 1):
        score = -rival.call(x, 1.0) / SIGMA
        x = x + 0.5 * step * score + step**0.5 * normal(z.shape, streams)
        if number in stops:
            yield number, number, (x - SIGMA * rival.call(x, 1.0)).clamp(-1, 1)


class FixedNoise(Rival):
    """Denoising score matching at one noise level, for `walk_jump`."""

    def loss(self, network: torch.nn.Module, z: Tensor, streams: Streams) -> Tensor:
        noise = normal(z.shape, streams)
        return (network(z + SIGMA * noise, torch.ones(len(z))) - noise).square().flatten(1).mean(1)


def travelled(z: Tensor, start: Tensor) -> float:
    """How far from the start, where two unrelated pictures are at distance 1 (root mean square)."""
    unrelated = (start - start.roll(1, 0)).square().mean()
    return round(float(((z - start).square().mean() / unrelated).sqrt()), 4)


Walk = Callable[[Tensor, Sequence[int]], Stops]
