"""Locks on files and folders, which the system forgets when their holder ends."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path


def lock(path: Path) -> ExitStack | None:
    """The lock of this file, until what is returned is closed or its process is dead; None if another has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return _held(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666))


def lock_folder(path: Path) -> ExitStack | None:
    """The lock of a folder, until what is returned is closed or its process is dead; None if another has it.

    The folder itself is locked, so that no file is left in it. Windows cannot do that, and there nothing is locked.
    """
    path.mkdir(parents=True, exist_ok=True)
    return ExitStack() if sys.platform == "win32" else _held(os.open(path, os.O_RDONLY))


def _held(descriptor: int) -> ExitStack | None:
    """The lock of what is open here, which is closed at the lock's end; or None, and it is closed now."""
    held = ExitStack()
    held.callback(os.close, descriptor)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        return None
    return held
