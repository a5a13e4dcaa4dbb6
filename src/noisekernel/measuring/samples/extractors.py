"""Features by name: from stored values (n, …), bytes for pictures, to (n, width) numbers, some with logits.

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
from typing import Any

import torch
from torch import Tensor, nn

from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError
from noisekernel.files.digest import digest
from noisekernel.kinds.base import Kind
from noisekernel.measuring.samples.figures import Encoded

#: Examples to learn small features from, at most.
LEARNED_FROM = 60_000
#: Changed whenever the same file would give other features: what is fed to it, and how.
FED = 1


@dataclass(frozen=True)
class Extractor:
    """Features, what to call them, and what tells them from all others (None: nothing does, so keep none on disk)."""

    function: Callable[[Tensor], Any]
    name: str
    identity: str | None = None

    def __call__(self, values: Tensor) -> Encoded:
        """Of one batch of bytes, to the CPU."""
        with torch.no_grad():
            try:
                given = self.function(values)
            except NoiseKernelError:
                raise
            except Exception as error:
                said = (str(error).splitlines() or [""])[0]
                raise InputError(
                    f"features {self.name} failed on values of shape {tuple(values.shape)}: "
                    f"{type(error).__name__}: {said}"
                ) from error
        features, logits = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        return Encoded(
            _checked(features, len(values), "features", self.name),
            None if logits is None else _checked(logits, len(values), "logits", self.name),
        )


def _checked(value: Any, n: int, what: str, name: str) -> Tensor:
    shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
    if not isinstance(value, Tensor) or value.ndim != 2 or len(value) != n or not value.is_floating_point():
        raise ShapeError(f"{what} of {name} are {shape} for {n} examples; give a floating-point tensor ({n}, {what})")
    if not bool(value.isfinite().all()):
        raise InputError(f"{what} of {name} are not all finite numbers")
    return value.float().cpu()


def open_extractor(what: str | nn.Module | Callable[[Tensor], Any], kind: Kind, device: torch.device) -> Extractor:
    """Features other than small ones, on this device."""
    if isinstance(what, nn.Module):
        return Extractor(_on(what.eval(), device), f"of your {type(what).__name__}")
    if not isinstance(what, str):
        return Extractor(_moved(what, device), f"of your {getattr(what, '__name__', 'function')}")
    own = kind.named_features(what, device)
    if own is not None:
        return Extractor(own[0].function, own[0].name, own[1])
    return Extractor(_moved(_imported(what), device), what)


def _on(network: nn.Module, device: torch.device) -> Callable[[Tensor], Any]:
    network = network.to(device)
    return lambda values: network(values.to(device))


def _moved(function: Callable[[Tensor], Any], device: torch.device) -> Callable[[Tensor], Any]:
    return lambda values: function(values.to(device))


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
    return digest("small", FED, data, seed, LEARNED_FROM)


def small_extractor(kind: Kind, made: Mapping[str, Tensor], device: torch.device) -> Extractor:
    """Features from what `Kind.learn_features` made."""
    identity = digest("small", *(part for name in sorted(made) for part in (name, made[name])))
    found = kind.features(made, device)
    return Extractor(found.function, found.name, identity)
