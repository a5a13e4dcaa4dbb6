"""Files that are whole or not there: tensors with a JSON beside them in one safetensors file, and plain JSON.

Written to a temporary file in the same folder, flushed to the disk, then renamed: whoever is killed at any moment
leaves the old file or the new one. Nothing here can execute what it reads.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from noisekernel.errors import StorageError

#: The key of the JSON in a safetensors file's header.
KEY = "noisekernel"
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
        raise StorageError(f"{path} cannot be written: {_reason(error)}. What was there before is untouched") from None
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


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def is_unfinished(path: Path) -> bool:
    """Whether a process is writing this, or was killed while it was."""
    return path.name.startswith(".") and path.name.endswith(TEMPORARY)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left half-written. For who holds the folder's lock: another may be writing."""
    for path in folder.glob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


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


def write_json(path: Path, content: Any) -> None:
    """JSON for people: indented."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Text, whole or not there."""

    def write(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    write_atomically(path, write)


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise StorageError(f"{path} is not JSON: {error}") from None


def write_tensors(path: Path, tensors: Mapping[str, Tensor], about: Mapping[str, Any]) -> None:
    """Tensors, and `about` as JSON in the same file."""
    whole = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {KEY: json.dumps(about, ensure_ascii=False)}
    write_atomically(path, lambda temporary: save_file(whole, temporary, metadata=header))


def read_tensors(path: Path, device: str = "cpu") -> tuple[dict[str, Tensor], dict[str, Any]]:
    """What `write_tensors` wrote."""
    about = read_about(path)
    with safe_open(path, framework="pt", device=device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, about  # noqa: SIM118


def read_about(path: Path) -> dict[str, Any]:
    """The JSON in the header alone."""
    try:
        with open(path, "rb") as raw:
            beginning = raw.read(9)
        # Zip archives and pickles: what torch.save writes. A safetensors file may begin with any byte, the length of
        # its header, but has the header's brace in the ninth place.
        if beginning[8:] != b"{" and (beginning[:2] == b"PK" or beginning[:1] == b"\x80"):
            raise StorageError(
                f"{path} is a pickle (or an archive of them), which could run any code when opened, so it was not "
                "opened. Weights are read from .safetensors files only"
            )
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {_reason(error)}") from None
    except SafetensorError as error:
        raise StorageError(f"{path} is no safetensors file, or it is damaged or cut short: {error}") from None
    if KEY not in header:
        raise StorageError(f"{path} holds tensors but no description; it was not written by noisekernel")
    try:
        about = json.loads(header[KEY])
    except ValueError as error:
        raise StorageError(f"{path} has a description that is not JSON: {error}") from None
    if not isinstance(about, dict):
        raise StorageError(f"{path} has a description that is no table")
    return about
