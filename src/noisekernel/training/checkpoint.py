"""Checkpoints: everything a run needs to go on, in one file each, the last few kept.

Weights, their average and the optimiser's state; how many images were seen. Random numbers and the order of the data
have no state (they are functions of the seed and the number of the example), so there is nothing more.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from noisekernel.core.errors import StorageError
from noisekernel.files.formats import read_about, read_tensors, write_tensors

NAME = re.compile(r"(\d{12})\.safetensors")


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints in a folder, named by the number of images seen."""

    folder: Path
    keep: int = 3

    def all(self) -> list[Path]:
        """From the oldest to the newest."""
        return sorted(path for path in self.folder.glob("*.safetensors") if NAME.fullmatch(path.name))

    @property
    def newest(self) -> Path | None:
        return next(reversed(self.all()), None)

    def save(self, images: int, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> Path:
        """Write one, then remove those beyond the number to keep."""
        path = self.folder / f"{images:012d}.safetensors"
        write_tensors(path, tensors, {"images": images, **about})
        for old in self.all()[: -self.keep]:
            old.unlink()
        return path

    def load(self, path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """A checkpoint; one that is damaged is refused, with what to do about it."""
        with self._or_what_to_do(path):
            return read_tensors(path)

    def about(self, path: Path) -> dict[str, Any]:
        """What a checkpoint says about itself, without its tensors."""
        with self._or_what_to_do(path):
            return read_about(path)

    @contextmanager
    def _or_what_to_do(self, path: Path) -> Iterator[None]:
        try:
            yield
        except StorageError as error:
            before = [other for other in self.all() if other < path]
            rest = f"the one before, {before[-1].name}" if before else "the beginning"
            raise StorageError(f"{error}. Remove that file to go on from {rest}") from None


def pack(denoiser: nn.Module, average: nn.Module, optimiser: Optimizer) -> dict[str, Tensor]:
    """The state of a run as named tensors."""
    tensors = {f"denoiser.{name}": value for name, value in denoiser.state_dict().items()}
    tensors |= {f"average.{name}": value for name, value in average.state_dict().items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": value for name, value in state.items()}
    return tensors


def unpack(tensors: Mapping[str, Tensor], denoiser: nn.Module, average: nn.Module, optimiser: Optimizer) -> None:
    """Put the state back. What is missing or of another shape is refused."""
    try:
        denoiser.load_state_dict(below("denoiser.", tensors))
        average.load_state_dict(below("average.", tensors))
    except RuntimeError as error:
        raise StorageError(f"this checkpoint is of another network: {error}") from None
    states: dict[int, dict[str, Tensor]] = {}
    for name, value in below("optimiser.", tensors).items():
        number, key = name.split(".")
        states.setdefault(int(number), {})[key] = value
    expected = sum(len(group["params"]) for group in optimiser.param_groups)
    if states and sorted(states) != list(range(expected)):
        raise StorageError(f"this checkpoint has the optimiser's state of {len(states)} of {expected} parameters")
    optimiser.load_state_dict({"state": states, "param_groups": optimiser.state_dict()["param_groups"]})


def below(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Those tensors whose names begin like this, without it."""
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
