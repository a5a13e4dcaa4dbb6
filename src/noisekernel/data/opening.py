"""A word, a path or an object to a source of examples: the one place that tells them apart.

| given | read as |
|---|---|
| `digits` | the 8 x 8 digits that scikit-learn ships |
| `bach` | the chorales of Bach that music21 ships |
| a folder with `train-images-idx3-ubyte` (or .gz) in it | MNIST, Fashion-MNIST and their like |
| any other folder | its files, of any nesting, one example each |
| `….npy`, `….npz` | an array, one example per row |
| `…idx3-ubyte`, `…idx3-ubyte.gz` | an idx file, with its labels if they lie beside it |
| `….tar`, `….tar.gz`, `….tgz` | the CIFAR-10 archive, Python or binary form |
| `….csv`, `….tsv`, `….parquet` | rows of cells |
| `….txt` | one example per line |
| `….json`, `….json:train` | pieces of music, as lists of steps; of several lists the one of this name |
| `hf:NAME` | a data set of the Hugging Face Hub, or its files here (`readers/hub.py` has the options) |
| an array of NumPy, a tensor | one example per row |
| a list of strings, of mappings from columns to cells, or of pieces of music | one example each |
| a DataFrame | one example per row |
| a torch Dataset | its items, or pairs of an item and its class |

What kind of data the examples are is found out from some of them, or said (`noisekernel.kinds`).
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.data.mixed import check_files_of_one, check_one_kind
from noisekernel.data.readers.arrays import read_digits, read_idx, read_numpy
from noisekernel.data.readers.cifar import read_cifar10
from noisekernel.data.readers.dataset import DatasetSource
from noisekernel.data.readers.folder import FolderSource
from noisekernel.data.readers.hub import open_hub
from noisekernel.data.readers.lines import lines_of, read_lines
from noisekernel.data.readers.pieces import PiecesSource, read_bach, read_pieces
from noisekernel.data.readers.rows import read_csv, read_parquet, rows_of, rows_of_mappings
from noisekernel.data.source import ArraySource, FarSource, Loaded, Source, load
from noisekernel.kinds.base import Kind
from noisekernel.kinds.music.grid import Piece
from noisekernel.kinds.registry import kind_by_name, kind_of

#: Items of a stream that are looked at to tell their kind.
LOOKED_AT = 20
WORDS: Mapping[str, Callable[[], Source]] = {"bach": read_bach, "digits": read_digits}

#: What can be trained on: a word or a path, an array, strings, or a torch Dataset or DataFrame.
Data = str | Path | NDArray[Any] | torch.Tensor | Sequence[str] | Any


def name_of(what: Data) -> str:
    """Data for a record and a sentence."""
    if isinstance(what, str | Path):
        return str(what)
    if isinstance(what, np.ndarray | torch.Tensor):
        return f"{'an array' if isinstance(what, np.ndarray) else 'a tensor'} of shape {tuple(what.shape)}"
    if isinstance(what, list | tuple):
        return f"a list of {len(what)}"
    return f"a {type(what).__name__}"


def open_source(what: Data) -> Source | FarSource:
    """The source that a word, a path or an object stands for.

    >>> len(open_source("digits"))
    1797
    """
    if isinstance(what, np.ndarray):
        return ArraySource(what, None, (), "the array")
    if isinstance(what, torch.Tensor):
        return ArraySource(what.detach().cpu(), None, (), "the tensor")
    if isinstance(what, str | Path):
        return _at(what)
    if isinstance(what, list | tuple):
        if what and all(isinstance(each, str) for each in what):
            return lines_of(what)
        if what and all(isinstance(each, Mapping) for each in what):
            return rows_of_mappings(what)
        if what and all(isinstance(each, Piece) for each in what):
            return PiecesSource(what, "the list")
        raise InputError(
            f"data is a list of {len(what)}, not all of which are strings, or rows of named cells, or pieces of "
            "music; give a list of one of these, an array, or a torch Dataset"
        )
    if hasattr(what, "columns") and hasattr(what, "itertuples"):
        return rows_of(what)
    if hasattr(what, "__len__") and hasattr(what, "__getitem__"):
        return DatasetSource(what)
    kind: Any = type(what)
    raise InputError(
        f"data is a {kind.__module__}.{kind.__name__}; give a word, a path, an array, a list of strings, a DataFrame "
        "or a torch Dataset"
    )


def _at(what: str | Path) -> Source | FarSource:
    if str(what) in WORDS:
        return WORDS[str(what)]()
    if str(what).startswith("hf:"):
        return open_hub(str(what).removeprefix("hf:"))
    path = Path(what)
    inner, _, part = str(what).rpartition(":")
    if inner.endswith(".json") and Path(inner).is_file() and not path.exists():
        return read_pieces(Path(inner), part)
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
    if path.suffix in (".csv", ".tsv"):
        return read_csv(path)
    if path.suffix == ".parquet":
        return read_parquet(path)
    if path.suffix == ".txt":
        return read_lines(path)
    if path.suffix == ".json":
        return read_pieces(path)
    raise InputError(
        f"{path.name} is none of the files that can be read: a folder, .npy, .npz, idx3-ubyte[.gz], .tar[.gz], .csv, "
        ".tsv, .parquet, .txt, .json"
    )


def kind_for(source: Source | FarSource, name: str | None, origin: str) -> type[Kind]:
    """The kind of a source's examples: that which is named, or the one that recognises them."""
    if name is not None:
        return kind_by_name(name)
    check_files_of_one(source, origin)
    return kind_of(source if isinstance(source, Source) else _First(source, origin), origin)


class _First:
    """The first items of a stream, which tell what all of them are."""

    def __init__(self, source: FarSource, origin: str) -> None:
        self.items = [(name, item) for name, item, _ in islice(source.turn(0, 0), LOOKED_AT)]
        if not self.items:
            raise InputError(f"{origin} is a stream that holds nothing")

    def __len__(self) -> int:
        return len(self.items)

    def name(self, i: int) -> str:
        return self.items[i][0]

    def item(self, i: int) -> Any:
        return self.items[i][1]


def load_data(what: Data, kind: Kind | str | None = None, bad: str = "fail") -> tuple[Loaded, Kind]:
    """All examples of some data in memory, and the kind that they are of, fitted to them.

    Args:
        what: A word, a path or an object, see above.
        kind: The kind of data, by name or with its settings; by default the one that recognises the examples.
        bad: What to do with what is no example: "fail", or "skip".

    >>> loaded, kind = load_data("digits")
    >>> len(loaded), kind.shape
    (1797, (1, 8, 8))
    """
    source = open_source(what)
    if not isinstance(source, Source):
        raise InputError(f"{name_of(what)} is a stream, which is not read into memory as a whole")
    check_one_kind(source, bad, name_of(what))
    chosen = kind if isinstance(kind, Kind) else kind_for(source, kind, name_of(what))()  # type: ignore[call-arg]
    fitted, _ = chosen.fitted(source)
    return load(fitted.excerpts(source), fitted, bad), fitted
