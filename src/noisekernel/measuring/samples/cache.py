"""What was computed once, on disk: features of data sets, and the classifiers that give them.

A file's name is a hash of all that its content depends on, so a changed data set or setting finds nothing old. The file
also holds a hash of its own tensors: what was damaged is computed again, not believed. Safetensors, so nothing in it
can execute. The folder is `$NK_HOME`, else the platform's place for caches; what is
kept here may be deleted at any time (designs, in `$NK_HOME/studio`, are another matter).
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from torch import Tensor

from noisekernel.core.errors import StorageError
from noisekernel.files.digest import digest
from noisekernel.files.folders import cache_folder
from noisekernel.files.formats import read_tensors, write_tensors

FORMAT = 1


def find(kind: str, key: str) -> dict[str, Tensor] | None:
    """What is kept under this key, if it is there and whole."""
    try:
        tensors, about = read_tensors(_path(kind, key))
    except StorageError:
        return None
    sound = about.get("format") == FORMAT and about.get("key") == key and about.get("content") == _content(tensors)
    return tensors if sound else None


def keep(kind: str, key: str, tensors: Mapping[str, Tensor]) -> None:
    """Keep it, where that is possible: a full or read-only disk costs time, no more."""
    about = {"format": FORMAT, "key": key, "content": _content(tensors)}
    with suppress(StorageError):
        write_tensors(_path(kind, key), tensors, about)


def found_or_made(kind: str, key: str | None, make: Callable[[], dict[str, Tensor]]) -> dict[str, Tensor]:
    """From the disk, or made now and kept. Without a key nothing is kept."""
    if key is None:
        return make()
    found = find(kind, key)
    if found is None:
        found = make()
        keep(kind, key, found)
    return found


def _path(kind: str, key: str) -> Path:
    return cache_folder() / kind / f"{key}.safetensors"


def _content(tensors: Mapping[str, Tensor]) -> str:
    return digest(*(part for name in sorted(tensors) for part in (name, tensors[name])))
