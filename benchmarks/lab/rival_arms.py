"""Rivals, each with its own objective and the samplers of its own library.

Every rival is trained by the same `Trainer` as ours, with the same network, optimiser, average, batches and number of
images. A rival is an objective for that trainer and a way to draw samples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import noisekernel as nk
from lab.material import Material
from lab.own_arms import BATCH, weights_path
from noisekernel import recipes
from noisekernel.core.randomness import Streams, normal, uniform
from noisekernel.objectives.base import Info


class Bare(nn.Module):
    """A plain network in the place where the trainer expects a denoiser."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, x: Tensor, level: Tensor) -> Tensor:
        return self.backbone(x, level)


@dataclass
class Rival:
    """The network and the training that all rivals share."""

    name: str
    weights: str | None = None

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        """One number per sample."""
        raise NotImplementedError

    def __call__(self, kernel: Any, network: nn.Module, z: Tensor, streams: Streams) -> tuple[Tensor, Info]:
        """The objective, as the trainer calls it."""
        loss = self.loss(network, z, streams)
        return loss.mean(), Info(loss.detach(), {"loss": loss.detach()}, {})

    def train(self, material: Material, seed: int, work: Path) -> None:
        from accelerate.state import AcceleratorState
        from safetensors.torch import load_file, save_file

        from noisekernel.data.examples import InMemory, Treatment
        from noisekernel.training.trainer import Trainer

        self.shape = tuple(material.z.shape[1:])
        torch.manual_seed(seed)
        channels = self.shape[0]
        network = nk.networks.UNet(channels, channels, material.channels, material.multipliers, blocks=1)
        path = weights_path(work, material, self.weights or self.name, seed)
        if not path.exists():
            recipe = recipes.recipe("small", material.settings())
            data, kind = nk.data.load_data(material.write(work))
            examples = InMemory(data, Treatment(kind, seed))
            AcceleratorState._reset_state()
            trainer = Trainer(
                nk.GaussianKernel(),
                Bare(network),  # type: ignore[arg-type]
                self,  # type: ignore[arg-type]
                examples,
                recipe.training,
                seed,
                cpu=True,
            )
            trainer.run()
            averaged = trainer.averaged.backbone.state_dict()
            save_file({name: value.contiguous() for name, value in averaged.items()}, path)
        network.load_state_dict(load_file(path))
        self.network = network.eval().requires_grad_(False)

    def draw(self, n: int, calls: int, seed: int) -> Tensor:
        drawn = []
        for rows in _batches(n):
            streams = Streams.of(seed, rows)
            drawn.append(self.run(normal((len(rows), *self.shape), streams), calls, streams))
        return torch.cat(drawn).clamp(-1, 1)

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        raise NotImplementedError

    @torch.no_grad()
    def call(self, x: Tensor, level: float) -> Tensor:
        return self.network(x, torch.full((len(x),), float(level)))


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
        return getattr(diffusers, name)(1_000, beta_schedule="squaredcos_cap_v2", timestep_spacing="leading", **options)

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        t = (uniform((len(z),), streams) * 1_000).long()
        noise = normal(z.shape, streams)
        x = self.scheduler("DDPMScheduler").add_noise(z, noise, t)
        return (network(x, t / 1_000) - noise).square().flatten(1).mean(1)

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        scheduler = self.scheduler(self.sampler)
        scheduler.set_timesteps(calls)
        generator = torch.Generator().manual_seed(streams.seed * 1_000_003 + int(streams.samples[0]))
        x = noise
        for t in scheduler.timesteps:
            x = scheduler.step(self.call(x, t / 1_000), t, x, generator=generator).prev_sample
        return x


@dataclass
class FlowMatching(Rival):
    """Conditional flow matching as in `torchcfm`, sampled by Euler's rule or the midpoint rule."""

    name: str = "flow matching"
    midpoint: bool = False

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        from torchcfm.conditional_flow_matching import ConditionalFlowMatcher

        t, noise = uniform((len(z),), streams), normal(z.shape, streams)
        _, x, u = ConditionalFlowMatcher(sigma=0.0).sample_location_and_conditional_flow(noise, z, t)
        return (network(x, t) - u).square().flatten(1).mean(1)

    def run(self, noise: Tensor, calls: int, streams: Streams) -> Tensor:
        steps = calls // 2 if self.midpoint else calls
        x = noise
        for i in range(steps):
            t, h = i / steps, 1.0 / steps
            v = self.call(x, t)
            x = x + h * (self.call(x + 0.5 * h * v, t + 0.5 * h) if self.midpoint else v)
        return x


def _batches(n: int) -> Iterator[range]:
    for first in range(0, n, BATCH):
        yield range(first, min(n, first + BATCH))
