"""One judge for all arms of a material: Fréchet distance to the training pictures, on features.

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
from noisekernel.measuring.samples.extractors import Extractor, learn_small, open_extractor, small_extractor
from noisekernel.measuring.samples.frechet import frechet_distance

#: Inception sees a few pictures a second on a processor, so this many stand for all: of training, and held out.
MOST_COLOURED = {"truth": 5_000, "held_out": 2_000}


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


def judge_of(material: Material, work: Path, inception: Path | None = None) -> Judge:
    """Grey pictures are judged by a classifier of their own, coloured ones by Inception, as everyone's."""
    work.mkdir(parents=True, exist_ok=True)
    coloured = material.pixels.shape[1] == 3
    if coloured and inception is None:
        raise SystemExit(f"{material.name} is judged by Inception: --inception FILE, see docs/howto/evaluate.md")
    extractor = open_extractor(f"inception:{inception}", torch.device("cpu")) if coloured else _small(material, work)
    most = MOST_COLOURED if coloured else {}
    path = work / "-".join(["seen", material.name, *map(str, most.values())])
    path = path.with_suffix(".safetensors")
    if not path.exists():
        seen = {
            name: _features(extractor, pixels[: most.get(name)])
            for name, pixels in (("truth", material.pixels), ("held_out", material.held_out))
        }
        save_file(seen, path)
    seen = load_file(path)
    return Judge(extractor, seen["truth"].double(), seen["held_out"].double())


def _small(material: Material, work: Path) -> Extractor:
    path = work / f"judge-{material.name}.safetensors"
    if not path.exists():
        save_file(learn_small(material.pixels, material.labels), path)
    shape = (material.pixels.shape[1], material.pixels.shape[2], material.pixels.shape[3])
    return small_extractor(load_file(path), shape, torch.device("cpu"))


def _distance(one: Tensor, other: Tensor) -> float:
    return round(float(frechet_distance(one, other)), 4)


def _features(extractor: Extractor, pixels: Tensor) -> Tensor:
    return torch.cat([extractor(rows).features for rows in pixels.split(500)])
