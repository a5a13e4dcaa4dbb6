"""A word or a path to a source of pictures: the one place that tells them apart.

| given | read as |
|---|---|
| `digits` | the 8 x 8 digits that scikit-learn ships |
| a folder with `train-images-idx3-ubyte` (or .gz) in it | MNIST, Fashion-MNIST and their like |
| any other folder | its pictures, of any nesting |
| `….npy`, `….npz` | an array of bytes |
| `…idx3-ubyte`, `…idx3-ubyte.gz` | an idx file, with its labels if they lie beside it |
| `….tar`, `….tar.gz`, `….tgz` | the CIFAR-10 archive, Python or binary form |
| `hf:NAME` | a data set of the Hugging Face Hub, or its files here (`data/hub.py` has the options) |
| an array of NumPy | bytes (uint8), as in an .npy file |
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.data.readers.arrays import read_digits, read_idx, read_numpy
from noisekernel.data.readers.cifar import read_cifar10
from noisekernel.data.readers.folder import FolderSource
from noisekernel.data.readers.hub import open_hub
from noisekernel.data.source import ArraySource, FarSource, Source

WORDS = {"digits": read_digits}

#: What can be trained on.
Data = str | Path | NDArray[np.uint8]


def name_of(what: Data) -> str:
    """Data for a record and a sentence."""
    return f"an array of shape {what.shape}" if isinstance(what, np.ndarray) else str(what)


def open_source(what: Data) -> Source | FarSource:
    """The source that a word, a path or an array stands for.

    >>> len(open_source("digits"))
    1797
    """
    if isinstance(what, np.ndarray):
        return ArraySource(what, None, (), "the array")
    if not isinstance(what, str | Path):
        kind: Any = type(what)
        raise InputError(
            f"data is a {kind.__module__}.{kind.__name__}; give a word, a path, or an array of NumPy: bytes (uint8) of "
            "shape (n, height, width) or (n, height, width, channels)"
        )
    if str(what) in WORDS:
        return WORDS[str(what)]()
    if str(what).startswith("hf:"):
        return open_hub(str(what).removeprefix("hf:"))
    path = Path(what)
    if path.is_dir():
        idx = [
            path / name for name in ("train-images-idx3-ubyte", "train-images-idx3-ubyte.gz") if (path / name).exists()
        ]
        return read_idx(idx[0]) if idx else FolderSource(path)
    if not path.exists():
        raise InputError(unknown("file, folder or data set", str(what), WORDS, "Give a path, or one of"))
    if path.suffix in (".npy", ".npz"):
        return read_numpy(path)
    if "idx" in path.name and path.name.removesuffix(".gz").endswith("ubyte"):
        return read_idx(path)
    if path.suffixes[-2:] == [".tar", ".gz"] or path.suffix in (".tar", ".tgz"):
        return read_cifar10(path)
    raise InputError(
        f"{path.name} is none of the files that can be read: a folder, .npy, .npz, idx3-ubyte[.gz], .tar[.gz]"
    )
