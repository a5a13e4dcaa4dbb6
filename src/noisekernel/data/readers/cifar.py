"""The CIFAR-10 archive, in its Python and its binary form, read without executing anything in it.

The Python form is a tar of pickles. Unpickling normally calls whatever functions the file names. Ours knows the handful
of names that a pickled byte array and its labels need, and gives for each a stand-in that only keeps the bytes; any
other name is refused.
"""

import io
import pickle
import tarfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from noisekernel.core.errors import InputError
from noisekernel.data.source import ArraySource

CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
ROW = 3 * 32 * 32


class _Array:
    """Stands in for a pickled numpy array: keeps shape and bytes."""

    def __init__(self, *ignored: Any) -> None:
        self.shape: tuple[int, ...] = ()
        self.content = b""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, _, _, self.content = state


class _Dtype:
    def __init__(self, *ignored: Any) -> None: ...

    def __setstate__(self, state: Any) -> None: ...


def _encode(text: str, encoding: str) -> bytes:
    return text.encode("latin1")


_STAND_INS = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _encode,
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _STAND_INS:
            raise InputError(
                f"the archive asks to call {module}.{name}, which a CIFAR-10 archive has no need of; it was not called"
            )
        return _STAND_INS[module, name]


def read_cifar10(path: Path, part: str = "train") -> ArraySource:
    """`part` is "train" (50,000 pictures) or "test" (10,000)."""
    pixels, labels = [], []
    try:
        with tarfile.open(path) as archive:
            for member in sorted(archive.getmembers(), key=lambda m: m.name):
                stem = Path(member.name).name
                if not member.isfile() or not stem.startswith("data_batch" if part == "train" else "test_batch"):
                    continue
                file = archive.extractfile(member)
                assert file is not None
                rows, numbers = _binary(file.read()) if stem.endswith(".bin") else _pickled(file.read())
                pixels.append(rows)
                labels.append(numbers)
    except (
        tarfile.TarError,
        OSError,
        EOFError,
        zlib.error,
        pickle.UnpicklingError,
        KeyError,
        ValueError,
        TypeError,
    ) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path.name} cannot be read as a CIFAR-10 archive ({type(error).__name__}: {error})"
        ) from None
    if not pixels:
        raise InputError(f"{path.name} holds no CIFAR-10 batches for {part!r}")
    images = np.concatenate(pixels).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return ArraySource(np.ascontiguousarray(images), np.concatenate(labels), CLASSES, path.name)


def _binary(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Rows of one label byte and 3,072 colour bytes."""
    rows = np.frombuffer(content, np.uint8).reshape(-1, ROW + 1)
    return rows[:, 1:], rows[:, 0].astype(np.int64)


def _pickled(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    batch = _Reader(io.BytesIO(content), encoding="bytes").load()
    data, labels = batch[b"data"], np.array(batch[b"labels"], dtype=np.int64)
    content = data.content if isinstance(data.content, bytes) else data.content.encode("latin1")
    return np.frombuffer(content, np.uint8).reshape(-1, ROW), labels
