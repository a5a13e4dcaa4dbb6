"""One judge for all arms of a material: Fréchet distance to the training pictures on a small classifier's features.

As in the paper, samples are rounded to bytes and compared with the training set. `floor` is what as many held-out
pictures score: no sampler can be expected to score less.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lab.material import Material
from noisekernel.data import ContinuousCodec
from noisekernel.evaluate.extractors import Extractor, learn_small, small_extractor
from noisekernel.evaluate.frechet import frechet_distance


@dataclass
class Judge:
    extractor: Extractor
    truth: Tensor
    held_out: Tensor

    def features(self, z: Tensor) -> Tensor:
        return _features(self.extractor, ContinuousCodec().decode(z))

    def distance(self, z: Tensor) -> float:
        """Of samples in [-1, 1]."""
        return round(float(frechet_distance(self.features(z).double(), self.truth)), 4)

    def floor(self, n: int) -> float:
        return round(float(frechet_distance(self.held_out[:n], self.truth)), 4)


def judge_of(material: Material, work: Path) -> Judge:
    path = work / f"judge-{material.name}.safetensors"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        save_file(learn_small(material.pixels, material.labels), path)
    shape = (material.pixels.shape[1], material.pixels.shape[2], material.pixels.shape[3])
    extractor = small_extractor(load_file(path), shape, torch.device("cpu"))
    truth, held_out = (_features(extractor, pixels).double() for pixels in (material.pixels, material.held_out))
    return Judge(extractor, truth, held_out)


def _features(extractor: Extractor, pixels: Tensor) -> Tensor:
    return torch.cat([extractor(rows).features for rows in pixels.split(1_000)])
