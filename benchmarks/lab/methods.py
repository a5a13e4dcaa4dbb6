"""The arms: ours as recipes with changes, rivals with the samplers of their own libraries.

Every arm is trained by the same `Trainer` with the same network, optimiser, average, batches and number of images. A
rival is an objective of its own for that trainer, and a way to sample.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

import noisekernel as nk
from lab.material import Material
from noisekernel import models, recipes
from noisekernel.core.randomness import Streams, normal, uniform
from noisekernel.objectives.base import Info
from noisekernel.sampling import samplers
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule

LEVELS = "objective.levels"
BATCH = 250
#: Ours, for continuous data.
DEFAULT_SAMPLER = "stochastic"
#: How much noise to draw anew on the way down.
CHURNS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)


def _churned(churn: float, kernel: nk.NoiseKernel, calls: int) -> Schedule:
    return annealing(kernel, calls, churn=churn)


#: Those of the package, and by their churn.
SAMPLERS: dict[str, Callable[[nk.NoiseKernel, int], Schedule]] = {
    **{name: partial(samplers.sampler, name) for name in samplers.SAMPLERS},
    **{f"churn {churn:g}": partial(_churned, churn) for churn in CHURNS},
}


class Arm(Protocol):
    """Something to train and to sample from."""

    name: str
    #: Arms that differ only in their sampler share the weights of this one.
    weights: str | None

    def train(self, material: Material, seed: int, work: Path) -> None: ...

    def draw(self, n: int, calls: int, seed: int) -> Tensor: ...


def batches(n: int) -> Iterator[range]:
    for first in range(0, n, BATCH):
        yield range(first, min(n, first + BATCH))


def _weights(work: Path, material: Material, name: str, seed: int) -> Path:
    return work / f"{material.name}-{material.images}-{name}-{seed}.safetensors".replace(" ", "_")


# Ours -----------------------------------------------------------------------------------------------------------------


@dataclass
class Ours:
    """A recipe of ours with changes, and the sampler it is judged by."""

    name: str
    changes: dict[str, Any] = field(default_factory=dict)
    sampler: str = DEFAULT_SAMPLER
    recipe: str = "small"
    weights: str | None = None
    #: Images to train on, as a multiple of what the others have.
    budget: float = 1.0

    def train(self, material: Material, seed: int, work: Path) -> None:
        path = _weights(work, material, self.weights or self.name, seed)
        if not path.exists():
            budget = replace(material, images=round(self.budget * material.images))
            settings = {**budget.settings(), **self.changes}
            data = material.write(work)
            models.save(nk.train(data, recipe=self.recipe, settings=settings, seed=seed, progress=False), path)
        self.model = nk.load(path)

    def draw(self, n: int, calls: int, seed: int) -> Tensor:
        schedule = SAMPLERS[self.sampler](self.model.kernel, calls)
        return self.as_continuous(nk.synthesize(self.model, n, schedule=schedule, seed=seed, batch_size=BATCH))

    def as_continuous(self, z: Tensor) -> Tensor:
        """What the judge looks at: bytes as [-1, 1], whatever the model's own data are."""
        return nk.data.ContinuousCodec().encode(self.model.codec.decode(z))


@dataclass
class Bundled(Ours):
    """A model that comes with the package: larger, and trained for longer, than those of the bench."""

    bundled: str = "fashion"

    def train(self, material: Material, seed: int, work: Path) -> None:
        self.model = nk.load(self.bundled)


# Rivals ---------------------------------------------------------------------------------------------------------------


class Bare(nn.Module):
    """A network where the trainer expects a denoiser."""

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, x: Tensor, level: Tensor) -> Tensor:
        return self.backbone(x, level)


@dataclass
class Rival:
    """What rivals share: the same network and training."""

    name: str
    weights: str | None = None

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        """One number a sample."""
        raise NotImplementedError

    def __call__(self, kernel: Any, network: nn.Module, z: Tensor, streams: Streams) -> tuple[Tensor, Info]:
        """As an objective of the trainer."""
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
        path = _weights(work, material, self.weights or self.name, seed)
        if not path.exists():
            recipe = recipes.recipe("small", material.settings())
            data = nk.data.load(nk.data.open_source(material.write(work)))  # type: ignore[arg-type]
            examples = InMemory(data, Treatment(nk.data.ContinuousCodec(), seed))
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
        for rows in batches(n):
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
    """Noise prediction with the cosine schedule of 1,000 steps; sampled by `diffusers`.

    Time steps are spaced as the library does by default for DDPM ("leading"), the best of its three ways here.
    """

    name: str = "ddpm"
    #: DDPMScheduler, DDIMScheduler or DPMSolverMultistepScheduler.
    sampler: str = "DDPMScheduler"
    #: DPM-Solver++ of the stochastic equation instead of the deterministic one.
    stochastic: bool = False

    def scheduler(self, name: str) -> Any:
        import diffusers

        options: dict[str, Any] = {}
        if name.startswith("DPMSolver"):
            # What the library asks for with this schedule, whose last step is pure noise.
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
    """Conditional flow matching as in `torchcfm`, sampled by Euler's or the midpoint rule."""

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
