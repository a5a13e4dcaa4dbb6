"""Digests of tensors, of plain data and of files."""

import hashlib
import json
from pathlib import Path
from typing import Any

from torch import Tensor, uint8


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
