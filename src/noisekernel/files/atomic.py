"""Files that are whole or not there: tensors with a JSON beside them in one safetensors file, and plain JSON.

Written to a temporary file in the same folder, flushed to the disk, then renamed: whoever is killed at any moment
leaves the old file or the new one. Nothing here can execute what it reads.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from safetensors import SafetensorError

from noisekernel.core.errors import StorageError

TEMPORARY = ".unfinished"


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Have `write` write a temporary file, and put it in the place of `path` once it is safely on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.touch()
        mode = temporary.stat().st_mode
        write(temporary)
        temporary.chmod(mode)  # some writers make files that only their owner can read
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except (OSError, SafetensorError) as error:
        _try_to_remove(temporary)
        raise StorageError(
            f"{path} cannot be written: {reason_of(error)}. What was there before is untouched"
        ) from None
    except BaseException:
        _try_to_remove(temporary)
        raise


def _try_to_remove(path: Path) -> None:
    with suppress(OSError):  # the folder itself may be what could not be written
        path.unlink()


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def reason_of(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def is_unfinished(path: Path) -> bool:
    """Whether a process is writing this, or was killed while it was."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left half-written. For who holds the folder's lock: another may be writing."""
    for path in folder.glob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)
