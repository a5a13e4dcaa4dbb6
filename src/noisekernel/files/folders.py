"""Folders of the user's in which noisekernel keeps things: `$NK_HOME`, else where the platform has such things."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Where to keep what can be computed again."""
    return _folder("Caches", "XDG_CACHE_HOME", Path(".cache"))


def data_folder() -> Path:
    """Where to keep what a person made."""
    return _folder("Application Support", "XDG_DATA_HOME", Path(".local") / "share")


def _folder(on_mac: str, variable: str, below_home: Path) -> Path:
    """Windows has one place for both, macOS a folder of the library, others a variable or a folder of the user's."""
    if os.environ.get("NK_HOME"):
        return Path(os.environ["NK_HOME"])
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / on_mac
    else:
        root = Path(os.environ.get(variable) or Path.home() / below_home)
    return root / "noisekernel"
