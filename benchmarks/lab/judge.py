"""One judge for all arms of a material: Fréchet distance to the training pictures on a small classifier's features.

As in the paper, samples are rounded to bytes and compared with the training set; and with the pictures held out, which
a network that learns its training pictures by heart does not come near to. `floor` is what as many held-out pictures
(or all, where they are fewer) score against the training set.
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

    def distances(self, z: Tensor) -> dict[str, float]:
        """Of samples in [-1, 1]: from the training pictures, and from those held out."""
        seen = self.features(z).double()
        return {"fid": _distance(seen, self.truth), "held_out": _distance(seen, self.held_out)}

    def floor(self, n: int) -> float:
        return _distance(self.held_out[:n], self.truth)


def judge_of(material: Material, work: Path) -> Judge:
    path = work / f"judge-{material.name}.safetensors"
    if not path.exists():
        work.mkdir(parents=True, exist_ok=True)
        save_file(learn_small(material.pixels, material.labels), path)
    shape = (material.pixels.shape[1], material.pixels.shape[2], material.pixels.shape[3])
    extractor = small_extractor(load_file(path), shape, torch.device("cpu"))
    truth, held_out = (_features(extractor, pixels).double() for pixels in (material.pixels, material.held_out))
    return Judge(extractor, truth, held_out)


def _distance(one: Tensor, other: Tensor) -> float:
    return round(float(frechet_distance(one, other)), 4)


def _features(extractor: Extractor, pixels: Tensor) -> Tensor:
    return torch.cat([extractor(rows).features for rows in pixels.split(1_000)])
