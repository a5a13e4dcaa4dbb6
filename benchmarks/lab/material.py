"""The pictures that arms are trained on and scored against, in sizes that two cores can train on.

`digits` comes with scikit-learn. The other materials need `--data FOLDER` with the idx files of Fashion-MNIST and MNIST
in subfolders of these names, or with `cifar10.npz`.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

import noisekernel as nk
from noisekernel.kinds.pictures.codecs import ContinuousCodec


@dataclass(frozen=True)
class Material:
    """Training and held-out pictures (bytes) with their labels, and the network and training budget of every arm."""

    name: str
    pixels: Tensor
    labels: Tensor
    held_out: Tensor
    held_out_labels: Tensor
    channels: int
    multipliers: tuple[int, ...]
    images: int
    batch: int = 64
    rate: float = 1.5e-3
    #: Whether samples are scored by Inception; else by a small classifier trained on the material.
    by_inception: bool = False

    @cached_property
    def z(self) -> Tensor:
        return ContinuousCodec().encode(self.pixels)

    @cached_property
    def held_out_z(self) -> Tensor:
        return ContinuousCodec().encode(self.held_out)

    def settings(self) -> dict[str, object]:
        """The settings of a recipe that all arms share."""
        return {
            "data.labels": False,
            "network.channels": self.channels,
            "network.multipliers": list(self.multipliers),
            "network.blocks": 1,
            "training.images": self.images,
            "training.batch": self.batch,
            "training.rate": self.rate,
            "training.warmup": self.images // 20,
            "training.average.kind": "half_life",
            "training.average.images": self.images // 30,
            "training.draw_every": 10**9,
            "training.save_every": 10**9,
            "training.held_out": 0,  # the material has pictures of its own for that
        }

    def write(self, folder: Path) -> Path:
        """Write the training pictures to a file to train on, unless it is there."""
        path = folder / f"{self.name}.npz"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            pixels = self.pixels.movedim(1, -1)
            np.savez(path, pixels=(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).numpy())
        return path


def load(name: str, data: Path | None, share: float = 1.0) -> Material:
    """Load a material, with `share` of its usual number of training images."""
    if name == "digits":
        pictures = nk.data.load_data("digits")[0]
        assert pictures.labels is not None
        order = torch.randperm(len(pictures), generator=torch.Generator().manual_seed(0))
        own, held = order[500:], order[:500]
        pixels, labels = pictures.values, pictures.labels
        return Material(name, pixels[own], labels[own], pixels[held], labels[held], 24, (1, 2), round(60_000 * share))
    if data is None:
        raise SystemExit(f"{name} needs pictures: --data FOLDER, with idx files of the set in a subfolder")
    family, side = name[:-2], int(name[-2:])
    own_pixels, own_labels = _pictures(data, family, "train", side)
    test_pixels, test_labels = _pictures(data, family, "t10k", side)
    channels, multipliers = (24, (1, 2)) if side == 14 else (16, (1, 2, 4))
    images = {14: 60_000, 16: 120_000, 28: 120_000, 32: 60_000}[side]
    # So few images allow few steps: with batches of 16 instead of 64 the held-out KL at 24,000 images is 15 % lower.
    return Material(
        name,
        own_pixels,
        own_labels,
        test_pixels,
        test_labels,
        channels,
        multipliers,
        round(images * share),
        batch=16,
        rate=2e-3,
        by_inception=name == "cifar32",
    )


def _pictures(data: Path, family: str, part: str, side: int) -> tuple[Tensor, Tensor]:
    if family == "cifar":
        with np.load(data / "cifar10.npz") as content:
            word = {"train": "train", "t10k": "test"}[part]
            pixels = torch.from_numpy(content[f"x_{word}"]).movedim(-1, 1).contiguous()
            return _shrunk(pixels, side), torch.from_numpy(content[f"y_{word}"].reshape(-1).astype(np.int64))
    folder = data / {"fashion": "fashion-mnist", "mnist": "mnist"}[family]
    found = next(iter(sorted(folder.glob(f"{part}-images*"))))
    pictures = nk.data.load_data(found)[0]
    assert pictures.labels is not None
    return _shrunk(pictures.values, side), pictures.labels


def _shrunk(pixels: Tensor, side: int) -> Tensor:
    """The pictures at this size, which is theirs or half of theirs: then each pixel is the mean of 2 x 2."""
    if side * 2 != pixels.shape[-1]:
        assert side == pixels.shape[-1]
        return pixels
    return torch.nn.functional.avg_pool2d(pixels.float(), 2).round().to(torch.uint8)
