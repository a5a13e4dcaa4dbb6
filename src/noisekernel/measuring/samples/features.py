"""Features without a download, of clean data: those that the kind of data learns, else principal components.

They are those of `nk evaluate`: for pictures with classes the hidden layer of a small classifier. They rank samples of
one data set; they are not Inception's, and numbers on them compare with nothing outside.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.files.digest import digest
from noisekernel.kinds.base import Kind
from noisekernel.kinds.components import component_features, learn_components
from noisekernel.measuring.samples import cache
from noisekernel.tasks.distances import flat

Features = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Described:
    """Features, and what to call them."""

    features: Features
    name: str


def learned_features(z: Tensor, labels: Tensor | None, kind: Kind | None, seed: int = 0) -> Described:
    """Features learned from clean data, in seconds to a minute: by their kind, where it is known.

    Those of a kind are kept on disk for the next time.
    """
    if kind is None:
        made = learn_components(flat(z), seed)
        plain = component_features(flat, made, torch.device("cpu"))
        return Described(lambda z: plain.function(z).double(), plain.name)
    values, known = kind.decode(z), labels if _can_learn(kind) else None
    key = digest("of z", kind.bare.model_dump_json(), values, known if known is not None else "none", seed)
    made = cache.found_or_made("features", key, lambda: kind.learn_features(values, known, seed))
    found = kind.features(made, torch.device("cpu"))

    def features(z: Tensor) -> Tensor:
        with torch.no_grad():
            given = [found.function(some) for some in kind.decode(z).split(500)]
        return torch.cat([each[0] if isinstance(each, tuple) else each for each in given]).double()

    return Described(features, found.name)


def _can_learn(kind: Kind) -> bool:
    """Whether the kind learns features of its own from such data; principal components it learns from any."""
    try:
        kind.check_features()
    except InputError:
        return False
    return True
