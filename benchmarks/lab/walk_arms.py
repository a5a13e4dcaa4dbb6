"""Ways to walk from held-out pictures: ours at constant noise, the walk of the noise, and what others would do.

Every walk yields, at each of the requested stops, its number of steps, the network calls so far, and clean pictures.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol

import torch
from torch import Tensor

import noisekernel as nk
from lab.own_arms import Ours
from lab.rivals.ddpm import DDPM
from lab.rivals.rival import Rival
from noisekernel import tasks
from noisekernel.core.randomness import Streams, normal
from noisekernel.sampling import chain
from noisekernel.sampling.samplers import annealing

Stops = Iterator[tuple[int, int, Tensor]]
#: The noise level at which chains walk, unless a study varies it.
BETA = 0.2
#: The noise's standard deviation at that level, relative to the picture: sqrt(beta) / alpha.
SIGMA = BETA**0.5 / (1.0 - BETA)


class WalkFrom(Protocol):
    """A walk of a trained arm from clean pictures. Studies set the other options beforehand, with `partial`."""

    def __call__(self, arm: Any, z: Tensor, stops: Sequence[int], /) -> Stops: ...


def constant_noise(
    arm: Ours, z: Tensor, stops: Sequence[int], lag: float | None = None, beta: float = BETA, compiled: bool = False
) -> Stops:
    """Our chain at constant noise. Ten annealing steps give the clean pictures.

    Compiling takes minutes and cuts the time of a walk to two thirds, which pays for walks of hours.
    """
    model = arm.model
    if compiled:
        model.denoiser.backbone.compile()  # type: ignore[attr-defined]
    run = tasks.equilibration(model, z, beta=beta, steps=stops[-1], lag=tasks.lag_of(model, lag), seed=3)
    for number, (state, _) in enumerate(run, start=1):
        if number in stops:
            yield number, number, tasks.read_out(model, state, 10)


def deep(arm: Ours, z: Tensor, stops: Sequence[int], lag: float, inner: int = 4, beta: float = BETA) -> Stops:
    """Eq. 10 by sampling: draw z from x by `inner` stochastic annealing steps, then y from p(y | z, x)."""
    model = arm.model
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


def noise_walk(arm: Ours, z: Tensor, stops: Sequence[int], share: float = 0.1, calls: int = 20) -> Stops:
    """The walk of the noise that pictures are made of. Each step redraws a share of it.

    A step needs no network call, and k steps equal one step with share sqrt(1 - (1 - share^2)^k). Network calls are
    made only to find the noise of the start and to turn noise into pictures at the stops.
    """
    walk, behind, spent = nk.walk(arm.model, z, steps=calls, glide=False, below=1.0, seed=3), 0, calls
    for number in stops:
        walk.pace = (1.0 - (1.0 - share**2) ** (number - behind)) ** 0.5
        walk.step()
        behind, spent = number, spent + calls
        yield number, spent, walk.clean


def rounds(arm: Ours, z: Tensor, stops: Sequence[int], carried: bool, beta: float = 0.5, calls: int = 20) -> Stops:
    """Variants of variants of variants. Each round carries the noise on, or finds it again from the pictures."""
    noise: Any = None
    spent = 0
    for number in range(1, stops[-1] + 1):
        run = tasks.variation(arm.model, z, below=beta, steps=calls, seed=number, noise=noise)
        z, spent = run.result(), spent + calls * (1 if carried and number > 1 else 2)
        noise = run.noise if carried else None
        if number in stops:
            yield number, spent, z


def loopback(arm: DDPM, z: Tensor, stops: Sequence[int], calls: int = 10) -> Stops:
    """img2img in a loop: add noise up to the level of `BETA`, denoise completely by DDIM in `calls` calls, repeat."""
    scheduler = arm.scheduler("DDIMScheduler")
    ratio = ((1.0 - scheduler.alphas_cumprod) / scheduler.alphas_cumprod).sqrt()
    start = int((ratio - SIGMA).abs().argmin())
    steps = torch.linspace(start, 0, calls + 1).round().long().tolist()
    streams = Streams.of(3, range(len(z)))
    for number in range(1, stops[-1] + 1):
        x = scheduler.add_noise(z, normal(z.shape, streams), torch.tensor(start))
        for t, after in pairwise(steps):
            x = _ddim(scheduler, arm, x, t, after)
        z = x.clamp(-1, 1)
        if number in stops:
            yield number, number * calls, z


def _ddim(scheduler: object, rival: Rival, x: Tensor, t: int, after: int) -> Tensor:
    cumulative = scheduler.alphas_cumprod  # type: ignore[attr-defined]
    here, there = cumulative[t], cumulative[after] if after > 0 else torch.tensor(1.0)
    noise = rival.call(x, t / 1_000)
    guess = ((x - (1 - here).sqrt() * noise) / here.sqrt()).clamp(-1, 1)
    return there.sqrt() * guess + (1 - there).sqrt() * noise


def walk_jump(arm: Rival, z: Tensor, stops: Sequence[int], size: float = 0.5) -> Stops:
    """Walk-jump sampling (Saremi 2019): Langevin steps in the density noised by `SIGMA`, then a jump to the mean."""
    streams = Streams.of(3, range(len(z)))
    x = z + SIGMA * normal(z.shape, streams)
    step = size * SIGMA**2
    for number in range(1, stops[-1] + 1):
        score = -arm.call(x, 1.0) / SIGMA
        x = x + 0.5 * step * score + step**0.5 * normal(z.shape, streams)
        if number in stops:
            yield number, number, (x - SIGMA * arm.call(x, 1.0)).clamp(-1, 1)


class FixedNoise(Rival):
    """Denoising score matching at one noise level, for `walk_jump`."""

    def loss(self, network: torch.nn.Module, z: Tensor, streams: Streams) -> Tensor:
        noise = normal(z.shape, streams)
        return (network(z + SIGMA * noise, torch.ones(len(z))) - noise).square().flatten(1).mean(1)


def travelled(z: Tensor, start: Tensor) -> float:
    """The distance from the start (root mean square), in units of the distance between two unrelated pictures."""
    unrelated = (start - start.roll(1, 0)).square().mean()
    return round(float(((z - start).square().mean() / unrelated).sqrt()), 4)
