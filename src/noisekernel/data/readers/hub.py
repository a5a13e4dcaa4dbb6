"""Data sets of the Hugging Face Hub, and its files on this disk (parquet, arrow), through the `datasets` library.

    hf:NAME                        downloaded once, then read from the disk
    hf:NAME?streaming=true         read as it comes, nothing stored
    hf:NAME?split=test&config=…    another split, a configuration
    hf:NAME?image=img&label=…      which columns, where they cannot be guessed
    hf:path/to/file.parquet        a file or folder of parquet or arrow files

Pictures are left as the bytes of their files until they are needed, and then read like any other file, with the same
care; so nothing of the data set is executed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from noisekernel.core.errors import BadExampleError, InputError, NoiseKernelError

OPTIONS = ("split", "config", "image", "label", "streaming")
#: How many pictures of a stream are mixed before one is drawn.
BUFFER = 1_000


def open_hub(what: str) -> "HubSource | HubStream":
    """The source behind `hf:…` (the part after the colon)."""
    name, _, query = what.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    odd = [key for key in options if key not in OPTIONS]
    if odd:
        raise InputError(f"hf:{what}: there is no option {odd[0]!r}; there are {', '.join(OPTIONS)}")
    streaming = options.get("streaming", "false").lower()
    if streaming not in ("true", "false"):
        raise InputError(f"hf:{what}: streaming is {streaming!r}; it is true or false")
    data = _open(name, options, streaming == "true")
    image, label, classes = _columns(data, options, f"hf:{what}")
    return (HubStream if streaming == "true" else HubSource)(data, image, label, classes, name)


def _open(name: str, options: dict[str, str], streaming: bool) -> Any:
    try:
        import datasets
    except ImportError:
        raise NoiseKernelError("hf: sources need the datasets library: pip install 'noisekernel[hf]'") from None
    path, split = Path(name), options.get("split", "train")
    datasets.disable_progress_bars()
    try:
        if path.exists():
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            for kind in ("parquet", "arrow"):
                found = [str(file) for file in files if file.suffix == f".{kind}"]
                if found:
                    return datasets.load_dataset(kind, data_files={split: found}, split=split, streaming=streaming)
            raise InputError(f"hf:{name} holds no .parquet and no .arrow file")
        return datasets.load_dataset(name, options.get("config"), split=split, streaming=streaming)
    except NoiseKernelError:
        raise
    except Exception as error:  # the library raises what the network, the disk and the data set come up with
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(f"hf:{name} cannot be opened ({type(error).__name__}: {reason})") from None


def _columns(data: Any, options: dict[str, str], origin: str) -> tuple[str, str | None, tuple[str, ...]]:
    """The picture column, the label column if there is one, and the names of the classes."""
    import datasets

    features = data.features or {}
    images = [key for key, feature in features.items() if isinstance(feature, datasets.Image)]
    labels = [key for key, feature in features.items() if isinstance(feature, datasets.ClassLabel)]
    image = options.get("image") or (images[0] if len(images) == 1 else None)
    if image is None or image not in images:
        raise InputError(
            f"{origin}: pictures are in {image!r}, which is none of the picture columns: {', '.join(images) or 'none'}"
            if image
            else f"{origin}: there are {len(images)} picture columns ({', '.join(images) or 'none'}); "
            "say which is meant, ?image=…"
        )
    label = options.get("label") or (labels[0] if len(labels) == 1 else None)
    if label is not None and label not in labels:
        raise InputError(f"{origin}: {label!r} is no column of labels; there are: {', '.join(labels) or 'none'}")
    return image, label, tuple(features[label].names) if label else ()


class _Hub:
    def __init__(self, data: Any, image: str, label: str | None, classes: tuple[str, ...], origin: str) -> None:
        import datasets

        self.data = data.cast_column(image, datasets.Image(decode=False))
        self.image, self.label_column, self.classes, self.origin = image, label, classes, origin

    def _bytes(self, row: Any) -> bytes:
        cell = row[self.image] or {}
        if cell.get("bytes"):
            return cell["bytes"]
        if cell.get("path"):
            try:
                return Path(cell["path"]).read_bytes()
            except OSError as error:
                raise BadExampleError(f"cannot be opened ({error.strerror})") from None
        raise BadExampleError("the row holds no picture")


class HubSource(_Hub):
    """Pictures by number, from the disk."""

    def __len__(self) -> int:
        return len(self.data)

    def name(self, i: int) -> str:
        return f"{self.origin}[{i}]"

    def label(self, i: int) -> int | None:
        return None if self.label_column is None else _known(self.data[i][self.label_column])

    def item(self, i: int) -> bytes:
        return self._bytes(self.data[i])


class HubStream(_Hub):
    """Pictures one after the other, each pass in another order."""

    def turn(self, number: int, seed: int) -> Iterator[tuple[str, bytes, int | None]]:
        data = self.data.shuffle(seed=seed % 2**31, buffer_size=BUFFER)
        data.set_epoch(number)
        for i, row in enumerate(self._rows(data)):
            try:
                content = self._bytes(row)
            except BadExampleError:
                content = b""
            yield f"{self.origin}[{i}]", content, _known(row[self.label_column]) if self.label_column else None

    def _rows(self, data: Any) -> Iterator[Any]:
        try:
            yield from data
        except Exception as error:  # whatever the network comes up with, hours into a run
            raise NoiseKernelError(
                f"hf:{self.origin} broke off ({type(error).__name__}: {error}); --resume goes on from the checkpoint"
            ) from None


def _known(label: int | None) -> int | None:
    """-1 is how the library says that a label is not known."""
    return None if label is None or label < 0 else int(label)
