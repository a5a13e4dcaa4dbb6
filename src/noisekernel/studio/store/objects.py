"""Clean data on the disk: one file a batch, named by its hash, and there before any row names it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from torch import Tensor

from noisekernel.files.atomic import remove_unfinished
from noisekernel.files.digest import digest
from noisekernel.files.formats import read_tensors, write_tensors


class Objects:
    """The batches of a folder. Safe to use from any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()

    def put(self, z: Tensor) -> str:
        """A batch of clean data to the disk; its name there is its hash."""
        name = digest(z)
        path = self.path(name)
        if not path.exists():
            with self._lock:  # two threads with the same data would share a temporary file
                write_tensors(path, {"z": z}, {"digest": name})
        return name

    def rows(self, nodes: Sequence[Mapping[str, Any]]) -> Tensor:
        """The row of its object for each of these nodes, as a batch."""
        read: dict[str, Tensor] = {}
        for node in nodes:
            if node["object"] not in read:
                read[node["object"]] = read_tensors(self.path(node["object"]))[0]["z"]
        return torch.stack([read[node["object"]][node["row"]] for node in nodes])

    def path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}.safetensors"

    def remove_unfinished(self) -> None:
        """Remove what a killed process left half-written."""
        for inner in self.folder.iterdir():
            remove_unfinished(inner)
