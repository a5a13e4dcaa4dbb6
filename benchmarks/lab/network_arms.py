"""Other networks in the place of ours, with the same head, objective, optimiser and average, for the same time.

Each is timed by turns with ours before it is trained, and sees as many images as it can in the time that ours takes
for the material's number of images.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from lab.material import Material
from lab.own_arms import Ours, ours, weights_path
from lab.pace import pace
from noisekernel import models
from noisekernel.networks import PaperUNet
from noisekernel.training.preparation import Prepared
from noisekernel.training.trainer import Trainer

#: Builds a backbone for a number of channels in, a number of channels out, and a material.
Build = Callable[[int, int, Material], nn.Module]


class Diffusers(nn.Module):
    """The UNet2DModel of `diffusers` with our widths, attention where ours has it, and its own choices else."""

    def __init__(self, in_channels: int, out_channels: int, material: Material) -> None:
        from diffusers import UNet2DModel

        super().__init__()
        levels = range(len(material.multipliers))
        attends = [level >= 2 for level in levels]
        self.inner = UNet2DModel(
            material.pixels.shape[-1],
            in_channels,
            out_channels,
            block_out_channels=tuple(material.channels * size for size in material.multipliers),
            layers_per_block=1,
            norm_num_groups=8,
            down_block_types=tuple("AttnDownBlock2D" if attends[level] else "DownBlock2D" for level in levels),
            up_block_types=tuple("AttnUpBlock2D" if attends[level] else "UpBlock2D" for level in reversed(levels)),
        )

    def forward(self, h: Tensor, level: Tensor, label: None = None) -> Tensor:
        # Scaled as in our network: the head tells log sigma, and steps of .01 are to be told apart.
        return self.inner(h, 100.0 * level).sample


def paper_unet(in_channels: int, out_channels: int, material: Material) -> nn.Module:
    """The paper's U-Net with our widths."""
    return PaperUNet(in_channels, out_channels, material.channels, material.multipliers)


@dataclass
class OtherNetwork(Ours):
    """The default recipe with another network, trained for as long as ours."""

    build: Build = paper_unet

    def trainer(self, material: Material, seed: int, work: Path) -> tuple[Prepared, Trainer]:
        ready, plain = super().trainer(material, seed, work)
        torch.manual_seed(seed)
        head = plain.denoiser.head
        plain.denoiser.backbone = self.build(head.in_channels, head.out_channels, material)
        trainer = Trainer(plain.kernel, plain.denoiser, plain.objective, plain.examples, plain.settings, seed, cpu=True)
        return ready, trainer

    def train(self, material: Material, seed: int, work: Path) -> None:
        path = weights_path(work, material, self.name, seed)
        if not path.exists():
            times = pace([ours(material.name), self], material, seed, work)
            slower = times["over_first"][self.name]["median"]
            trainer = self.trainer(replace(material, images=round(material.images / slower)), seed, work)[1]
            trainer.run()
            about = {"images": trainer.images, "ms": times["ms"][self.name], "ms_ours": times["ms"]["ours"]}
            save_file(_plain(trainer.averaged), path, {name: str(value) for name, value in about.items()})
        ready, trainer = self.trainer(material, seed, work)
        trainer.denoiser.load_state_dict(load_file(path))
        denoiser = trainer.denoiser.eval().requires_grad_(False)
        self.model = models.build(ready.design, denoiser)
        with safe_open(path, "pt") as file:
            told: dict[str, Any] = file.metadata()
        self.beside = {
            "images_in_equal_time": int(told["images"]),
            "ms_per_image": {"own": float(told["ms"]), "ours": float(told["ms_ours"])},
            "parameters": sum(each.numel() for each in denoiser.backbone.parameters()),
        }


def _plain(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.contiguous() for name, value in module.state_dict().items()}
