"""JSON, text and tensors in files, written whole or not at all. Nothing that is read can execute."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from noisekernel.core.errors import StorageError
from noisekernel.files.atomic import reason_of, write_atomically

#: The key of the JSON in a safetensors file's header.
KEY = "noisekernel"


def write_json(path: Path, content: Any) -> None:
    """JSON for people: indented."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def write_bytes(path: Path, content: bytes) -> None:
    """Bytes, whole or not at all."""

    def write(temporary: Path) -> None:
        temporary.write_bytes(content)

    write_atomically(path, write)


def write_text(path: Path, text: str) -> None:
    """Text, whole or not there."""

    def write(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    write_atomically(path, write)


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {reason_of(error)}") from None
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
        raise StorageError(f"{path} cannot be read: {reason_of(error)}") from None
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
