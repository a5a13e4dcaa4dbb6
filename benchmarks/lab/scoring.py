"""One scorer for all arms of a material: the Fréchet distance between features of samples and of real pictures.

Samples are rounded to bytes and compared with the training set, as in the paper, and also with the held-out pictures: a
network that memorises its training pictures scores badly against those. `floor` is the score of equally many held-out
pictures (or of all, if there are fewer) against the training set.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lab.material import Material
from noisekernel.kinds.pictures import Pictures, Size
from noisekernel.kinds.pictures.codecs import ContinuousCodec
from noisekernel.measuring.samples.extractors import Extractor, open_extractor, small_extractor
from noisekernel.measuring.samples.frechet import frechet_distance

#: Inception processes only a few pictures per second on a CPU, so this many training and held-out pictures are used.
MOST_SEEN = {"truth": 5_000, "held_out": 5_000}


@dataclass
class Scorer:
    """The feature extractor of a material, and the features of its real pictures."""

    extractor: Extractor
    truth: Tensor
    held_out: Tensor

    def features(self, z: Tensor) -> Tensor:
        return _features(self.extractor, ContinuousCodec().decode(z))

    def distances(self, z: Tensor) -> dict[str, float]:
        """The distances of samples in [-1, 1] from the training pictures and from the held-out ones."""
        seen = self.features(z).double()
        return {"fid": _distance(seen, self.truth), "held_out": _distance(seen, self.held_out)}

    def floor(self, n: int) -> float:
        """The score of `n` real pictures."""
        return _distance(self.held_out[:n], self.truth)


def scorer_of(material: Material, work: Path, inception: Path | None = None) -> Scorer:
    """Large coloured pictures are scored by Inception as is usual, all others by a classifier trained on them."""
    work.mkdir(parents=True, exist_ok=True)
    if material.by_inception and inception is None:
        raise SystemExit(
            f"{material.name} is scored by Inception: give its weights as --inception FILE, see docs/howto/evaluate.md"
        )
    extractor = (
        open_extractor(f"inception:{inception}", _kind(material), torch.device("cpu"))
        if material.by_inception
        else _small(material, work)
    )
    most = MOST_SEEN if material.by_inception else {}
    path = work / "-".join(["seen", material.name, *map(str, most.values())])
    path = path.with_suffix(".safetensors")
    if not path.exists():
        seen = {
            name: _features(extractor, pixels[: most.get(name)])
            for name, pixels in (("truth", material.pixels), ("held_out", material.held_out))
        }
        save_file(seen, path)
    seen = load_file(path)
    return Scorer(extractor, seen["truth"].double(), seen["held_out"].double())


def _small(material: Material, work: Path) -> Extractor:
    path = work / f"classifier-{material.name}.safetensors"
    if not path.exists():
        save_file(_kind(material).learn_features(material.pixels, material.labels), path)
    return small_extractor(_kind(material), load_file(path), torch.device("cpu"))


def _kind(material: Material) -> Pictures:
    channels, height, width = material.pixels.shape[1:]
    return Pictures().of_size(Size(channels, height, width))


def _distance(one: Tensor, other: Tensor) -> float:
    return round(float(frechet_distance(one, other)), 4)


def _features(extractor: Extractor, pixels: Tensor) -> Tensor:
    return torch.cat([extractor(rows).features for rows in pixels.split(500)])
