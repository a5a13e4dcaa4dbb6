"""Folders: where to keep things, and where one may write."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
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
