"""Sources that are one array: NumPy's .npy and .npz, the idx files of MNIST, the digits of scikit-learn."""

import gzip
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.data.source import ArraySource

#: Names under which an .npz may keep its examples and its labels, in order of preference.
VALUE_NAMES, LABEL_NAMES = ("values", "pixels", "images", "x_train", "x", "arr_0"), ("labels", "y_train", "y", "arr_1")


def read_numpy(path: Path) -> ArraySource:
    """An .npy or .npz file; never one with pickled objects in it."""
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return ArraySource(content, None, (), path.name)
        with content:
            values = next((name for name in VALUE_NAMES if name in content.files), None)
            if values is None:
                raise InputError(
                    f"{path.name} holds {', '.join(content.files) or 'nothing'}; its examples should be called "
                    f"{' or '.join(VALUE_NAMES)}"
                )
            labels = next((name for name in LABEL_NAMES if name in content.files), None)
            return _labelled(content[values], None if labels is None else content[labels], path.name)
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name} cannot be read as a NumPy file of plain numbers ({error})") from None


def read_idx(path: Path) -> ArraySource:
    """An idx file of pictures (train-images-idx3-ubyte, also .gz), and its labels if they lie beside it."""
    pixels = _idx(path)
    beside = path.with_name(path.name.replace("images-idx3", "labels-idx1"))
    labels = _idx(beside) if beside != path and beside.exists() else None
    return _labelled(pixels, labels, path.name)


def read_digits() -> ArraySource:
    """The 1,797 handwritten digits, 8 x 8, that scikit-learn ships: 17 shades of grey, as bytes."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return _labelled(np.rint(digits.images * (255 / 16)).astype(np.uint8), digits.target, "digits")


def _labelled(values: NDArray[Any], labels: NDArray[np.integer] | None, origin: str) -> ArraySource:
    if labels is None:
        return ArraySource(values, None, (), origin)
    labels = labels.reshape(-1)
    if not np.issubdtype(labels.dtype, np.integer):
        raise InputError(f"{origin}: labels are {labels.dtype}; give whole numbers from 0")
    if len(labels) and labels.min() < 0:
        raise InputError(f"{origin}: there is a label {labels.min()}; give whole numbers from 0")
    # A class is a number that occurs.
    numbers, places = np.unique(labels, return_inverse=True)
    return ArraySource(values, places, tuple(map(str, numbers)), origin)


def _idx(path: Path) -> NDArray[np.uint8]:
    """Two zero bytes, a type (8: bytes), the number of dimensions, their sizes in 4 bytes each, then the data."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path.name} cannot be unpacked ({error})") from None
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise InputError(f"{path.name} is not an idx file of bytes")
    dimensions = content[3]
    if len(content) < 4 + 4 * dimensions:
        raise InputError(f"{path.name} ends within its header: it is cut short or damaged")
    shape = np.frombuffer(content, ">u4", dimensions, 4).astype(int)
    data = content[4 + 4 * dimensions :]
    if len(data) != shape.prod():
        raise InputError(
            f"{path.name} says it holds {tuple(shape)} bytes but has {len(data)}: it is cut short or damaged"
        )
    return np.frombuffer(data, np.uint8).reshape(shape)
