"""Features by name: from bytes of pictures (n, channels, height, width) to (n, width) numbers, some with logits.

| name | features |
|---|---|
| none, or `small` | learned from the data: a classifier's hidden layer where there are labels, else components |
| `inception:PATH` | the Inception-V3 of that file: TorchScript, or safetensors, which gives logits too |
| `inception` | the same by torch-fidelity, which downloads it; with logits |
| `MODULE:FUNCTION`, `FILE.py:FUNCTION` | your own function; it is your code, and it is run |

In Python a torch module or any function will do. Your own gets bytes, and returns features, or features and logits.
"""

import importlib
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError
from noisekernel.files.digest import digest, digest_of_file
from noisekernel.kinds.pictures.classifier import IMAGES, PASSES, WIDTH, SmallClassifier, can_classify, train_classifier
from noisekernel.kinds.pictures.inception import load_fidelity, load_inception
from noisekernel.measuring.samples.figures import Encoded

#: Pictures to learn small features from, at most, and the longest side that they are for.
LEARNED_FROM, LONGEST_SIDE = 60_000, 64
COMPONENTS = 32
#: Changed whenever the same file would give other features: what is fed to it, and how.
FED = 1


@dataclass(frozen=True)
class Extractor:
    """Features, what to call them, and what tells them from all others (None: nothing does, so keep none on disk)."""

    function: Callable[[Tensor], Any]
    name: str
    identity: str | None = None

    def __call__(self, pixels: Tensor) -> Encoded:
        """Of one batch of bytes, to the CPU."""
        with torch.no_grad():
            try:
                given = self.function(pixels)
            except NoiseKernelError:
                raise
            except Exception as error:
                said = (str(error).splitlines() or [""])[0]
                raise InputError(
                    f"features {self.name} failed on bytes of shape {tuple(pixels.shape)}: "
                    f"{type(error).__name__}: {said}"
                ) from error
        features, logits = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        return Encoded(
            _checked(features, len(pixels), "features", self.name),
            None if logits is None else _checked(logits, len(pixels), "logits", self.name),
        )


def _checked(value: Any, n: int, what: str, name: str) -> Tensor:
    shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
    if not isinstance(value, Tensor) or value.ndim != 2 or len(value) != n or not value.is_floating_point():
        raise ShapeError(f"{what} of {name} are {shape} for {n} pictures; give a floating-point tensor ({n}, {what})")
    if not bool(value.isfinite().all()):
        raise InputError(f"{what} of {name} are not all finite numbers")
    return value.float().cpu()


def open_extractor(what: str | nn.Module | Callable[[Tensor], Any], device: torch.device) -> Extractor:
    """Features other than small ones, on this device."""
    if isinstance(what, nn.Module):
        return Extractor(_on(what.eval(), device), f"of your {type(what).__name__}")
    if not isinstance(what, str):
        return Extractor(_moved(what, device), f"of your {getattr(what, '__name__', 'function')}")
    if what == "inception":
        network, version = load_fidelity()
        return Extractor(_on(network, device), "Inception-V3 (torch-fidelity)", f"torch-fidelity {version} {FED}")
    if what.startswith("inception:"):
        path = Path(what.removeprefix("inception:")).expanduser()
        network = load_inception(path)
        return Extractor(_on(network, device), f"Inception-V3 ({path.name})", f"inception {digest_of_file(path)} {FED}")
    return Extractor(_moved(_imported(what), device), what)


def _on(network: nn.Module, device: torch.device) -> Callable[[Tensor], Any]:
    network = network.to(device)
    return lambda pixels: network(pixels.to(device))


def _moved(function: Callable[[Tensor], Any], device: torch.device) -> Callable[[Tensor], Any]:
    return lambda pixels: function(pixels.to(device))


def _imported(what: str) -> Callable[[Tensor], Any]:
    """MODULE:FUNCTION, or FILE.py:FUNCTION."""
    place, _, name = what.rpartition(":")
    if not place or not name.isidentifier():
        raise InputError(
            f"there are no features called {what!r}; give small, inception, inception:PATH, MODULE:FUNCTION or "
            "FILE.py:FUNCTION"
        )
    try:
        if place.endswith(".py"):
            found: Mapping[str, Any] = runpy.run_path(place)
        else:
            if "" not in sys.path:  # a module beside the user, as `python -m` would find it
                sys.path.insert(0, "")
            found = vars(importlib.import_module(place))
    except Exception as error:  # it is someone's own code, and may raise anything
        raise InputError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    if not callable(found.get(name)):
        raise InputError(f"{place} has no function {name!r}")
    function: Callable[[Tensor], Any] = found[name]
    return function.eval() if isinstance(function, nn.Module) else function


# Learned from the data ------------------------------------------------------------------------------------------------


def small_key(data: str, seed: int = 0) -> str:
    """What small features of these data depend on."""
    return digest("small", FED, data, seed, [IMAGES, PASSES, WIDTH, COMPONENTS, LEARNED_FROM])


def learn_small(pixels: Tensor, labels: Tensor | None, seed: int = 0) -> dict[str, Tensor]:
    """What small features are made of, learned from bytes: the weights of a classifier, or principal components.

    Features are scaled to a mean square of one: the kernel of KID adds one to products of them, and expects such.
    """
    if labels is not None and can_classify(labels):
        classifier, accuracy = train_classifier(pixels, labels, seed)
        some = torch.cat([classifier(rows)[0] for rows in pixels[:5000].split(500)])
        return {**classifier.state_dict(), "accuracy": torch.tensor(accuracy), "scale": some.square().mean().sqrt()}
    from sklearn.decomposition import PCA

    flat = pixels.flatten(1).float().numpy()
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all pictures are one
        found = PCA(min(COMPONENTS, *flat.shape), svd_solver="randomized", random_state=seed % 2**32).fit(flat)
    scale = max(1e-6, float(np.sqrt(np.mean(found.explained_variance_))))
    components = torch.from_numpy(found.components_ / scale)
    return {"mean": torch.from_numpy(found.mean_).float(), "components": components.float()}


def small_extractor(made: Mapping[str, Tensor], shape: tuple[int, int, int], device: torch.device) -> Extractor:
    """Features from what `learn_small` made."""
    identity = digest("small", *(part for name in sorted(made) for part in (name, made[name])))
    if "components" in made:
        mean, components = (made[name].to(device) for name in ("mean", "components"))
        return Extractor(
            lambda pixels: (pixels.to(device).flatten(1).float() - mean) @ components.T,
            f"{len(components)} principal components of the data",
            identity,
        )
    weights = {name: value for name, value in made.items() if name not in ("accuracy", "scale")}
    classifier = SmallClassifier(shape, len(weights["last.bias"]))
    classifier.load_state_dict(weights)
    classifier.requires_grad_(False).eval().to(device)
    scale = float(made["scale"])

    def hidden(pixels: Tensor) -> tuple[Tensor, Tensor]:
        features, logits = classifier(pixels.to(device))
        return features / scale, logits

    accuracy = f"right on {float(made['accuracy']):.1%} of pictures it was not shown"
    return Extractor(hidden, f"a small classifier of the data ({accuracy})", identity)
