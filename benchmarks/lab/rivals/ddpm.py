"""DDPM (Ho et al. 2020) with the cosine schedule of Nichol and Dhariwal (2021), sampled by `diffusers`.

The network predicts the noise n of x = sqrt(a) z + sqrt(1 - a) n at one of 1,000 steps. With u = (step + 1) / 1,000,

    a(u) = cos^2(pi/2 (u + s) / (1 + s)) / cos^2(pi/2 s / (1 + s)),      s = .008.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from lab.rivals.rival import Rival
from noisekernel.core.randomness import Streams, normal, uniform

#: The number of steps, and the offset of the schedule.
STEPS, OFFSET = 1_000, 0.008


def step_of(sigma: float) -> float:
    """The step, between whole ones too, at which noise and signal have the ratio sigma: sigma^2 = (1 - a) / a.

    Beyond the first and the last step, which training never goes, it is the first or the last step.
    """
    first = math.cos(0.5 * math.pi * OFFSET / (1.0 + OFFSET))
    u = (1.0 + OFFSET) * math.acos(first / math.sqrt(1.0 + sigma**2)) / (0.5 * math.pi) - OFFSET
    return min(max(STEPS * u - 1.0, 0.0), STEPS - 1.0)


@cache
def _noising() -> Any:
    """The scheduler that adds noise in training."""
    return DDPM().scheduler("DDPMScheduler")


@dataclass
class DDPM(Rival):
    """Noise prediction with the cosine schedule of 1,000 steps, sampled by `diffusers`.

    Time steps are spaced by the library's default for DDPM ("leading"), which is the best of its three ways here.
    """

    name: str = "ddpm"
    #: DDPMScheduler, DDIMScheduler or DPMSolverMultistepScheduler.
    sampler: str = "DDPMScheduler"
    #: Whether DPM-Solver++ solves the stochastic equation instead of the deterministic one.
    stochastic: bool = False

    def scheduler(self, name: str) -> Any:
        import diffusers

        options: dict[str, Any] = {}
        if name.startswith("DPMSolver"):
            # The library asks for these with this schedule, because its last step is pure noise.
            kind = "sde-dpmsolver++" if self.stochastic else "dpmsolver++"
            options = {"lambda_min_clipped": -5.1, "algorithm_type": kind}
        return getattr(diffusers, name)(STEPS, beta_schedule="squaredcos_cap_v2", timestep_spacing="leading", **options)

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        t = (uniform((len(z),), streams) * STEPS).long()
        noise = normal(z.shape, streams)
        x = _noising().add_noise(z, noise, t)
        return (network(x, t / STEPS) - noise).square().flatten(1).mean(1)

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        scheduler = self.scheduler(self.sampler)
        scheduler.set_timesteps(calls)
        generator = torch.Generator().manual_seed(streams.seed * 1_000_003 + int(streams.samples[0]))
        x = noise
        for t in scheduler.timesteps:
            x = scheduler.step(self.call(x, t / STEPS), t, x, generator=generator).prev_sample
        return x

    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        """x = sqrt(a) (z + sigma n) at a = 1 / (1 + sigma^2), and z = (x - sqrt(1 - a) n) / sqrt(a)."""
        noise = self.call(noisy / math.sqrt(1.0 + sigma**2), step_of(sigma) / STEPS)
        return noisy - sigma * noise
