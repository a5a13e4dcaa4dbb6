"""What rivals share.

Every rival is trained by the same `Trainer` as ours, with the same network, optimiser, average, batches and number of
images. A rival is an objective for that trainer, a way to draw samples, and an estimate of clean data from noisy data.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import noisekernel as nk
from lab.material import Material
from lab.own_arms import BATCH, weights_path
from noisekernel import recipes
from noisekernel.core.randomness import Streams, normal
from noisekernel.objectives.base import Info, Passes, TrainerObjective


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
    beside: dict[str, Any] = field(default_factory=dict, kw_only=True)

    def loss(self, network: nn.Module, z: Tensor, streams: Streams) -> Tensor:
        """One number per sample."""
        raise NotImplementedError

    def meet(self, material: Material) -> None:
        """Learn what has to be known of the data before training."""
        self.shape = tuple(material.z.shape[1:])

    def train(self, material: Material, seed: int, work: Path) -> None:
        from accelerate.state import AcceleratorState
        from safetensors.torch import load_file, save_file

        from noisekernel.data.examples import InMemory, Treatment
        from noisekernel.training.trainer import Trainer

        self.meet(material)
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
                RivalObjective(rival=self),
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
        """Samples from standard normal numbers, with at most `calls` calls of the network."""
        raise NotImplementedError

    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        """E[z | z + sigma n] by this network: what its prediction says about z."""
        raise NotImplementedError

    @torch.no_grad()
    def call(self, x: Tensor, level: float) -> Tensor:
        return self.network(x, torch.full((len(x),), float(level)))


@dataclass(frozen=True)
class RivalObjective(TrainerObjective):
    """The loss of a rival, as the trainer calls it."""

    rival: Rival = field(kw_only=True)

    @property
    def passes(self) -> Passes:
        return Passes(forward=0, with_gradient=1)

    def __call__(self, kernel: Any, denoiser: Any, z: Tensor, generator: Any) -> tuple[Tensor, Info]:
        loss = self.rival.loss(denoiser, z, generator)
        return loss.mean(), Info(loss.detach(), {"loss": loss.detach()}, {})


def _batches(n: int) -> Iterator[range]:
    for first in range(0, n, BATCH):
        yield range(first, min(n, first + BATCH))
