"""Locks on files and folders, which the system forgets when their holder ends."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO


def lock(path: Path) -> IO[str] | None:
    """The lock of this file, until what is returned is closed or its process is dead; None if another has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def lock_folder(path: Path) -> ExitStack | None:
    """The lock of a folder, until what is returned is closed or its process is dead; None if another has it.

    The folder itself is locked, so that no file is left in it. Windows cannot do that, and there nothing is locked.
    """
    path.mkdir(parents=True, exist_ok=True)
    held = ExitStack()
    if sys.platform != "win32":
        import fcntl

        folder = os.open(path, os.O_RDONLY)
        held.callback(os.close, folder)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            return None
    return held
