"""What was computed once, on disk: features of data sets, and the classifiers that give them.

A file's name is a hash of all that its content depends on, so a changed data set or setting finds nothing old. The file
also holds a hash of its own tensors: what was damaged is computed again, not believed. Safetensors, so nothing in it
can execute. The folder is `$NK_HOME`, else the platform's place for caches; what is
kept here may be deleted at any time (designs, in `$NK_HOME/studio`, are another matter).
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from torch import Tensor, uint8

from noisekernel.errors import StorageError
from noisekernel.storage import read_tensors, write_tensors

FORMAT = 1


def folder() -> Path:
    """Where to keep what can be computed again."""
    if os.environ.get("NK_HOME"):
        return Path(os.environ["NK_HOME"])
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "noisekernel"


def digest(*parts: Any) -> str:
    """A hash of tensors, and of whatever JSON can write."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, Tensor):
            part = part.detach().cpu().contiguous()
            total.update(json.dumps([str(part.dtype), list(part.shape)]).encode())
            total.update(part.flatten().view(uint8).numpy().tobytes())
        else:
            total.update(json.dumps(part, sort_keys=True).encode())
        total.update(b"\0")
    return total.hexdigest()


def digest_of_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    return folder() / kind / f"{key}.safetensors"


def _content(tensors: Mapping[str, Tensor]) -> str:
    return digest(*(part for name in sorted(tensors) for part in (name, tensors[name])))
