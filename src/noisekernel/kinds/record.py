"""A folder of examples that says how each was made."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from noisekernel.core.errors import InputError, StorageError
from noisekernel.files.formats import read_json, write_bytes, write_json
from noisekernel.files.locks import lock_folder
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import SUFFIXES

MANIFEST = "manifest.json"
#: The file, but for its ending, of all examples where a kind puts them into one.
TOGETHER = "examples"
#: What the processes that share the work leave for the one that writes the file of all examples.
PART = ".part-{}.json"


class Record:
    """A folder of examples and its manifest.json, which says how each was made.

    The manifest is written before the first example, with `finished` false, and once more at the end. So whatever ends
    the work before, a full disk or a kill, the folder says what belongs to it, and another command may clear it.

    Each example has a file of its own, or a line of one file where its kind is `gathered`.

    Args:
        folder: Where the examples go.
        kind: What they are.
        how: How all of them are made.
        made: By the name of each, how it is made. The name is that of its file, without the ending.
        sheets: The names of overviews, without the ending.
        others: The names of further files, in which something is said about the examples.
        inputs: Files that were read to make them, which are neither removed nor written over.
        rank: Which process this is; the first one, 0, writes the manifest.
    """

    def __init__(
        self,
        folder: Path,
        kind: Kind,
        how: Mapping[str, Any],
        made: Mapping[str, Mapping[str, Any]],
        *,
        sheets: Sequence[str] = ("sheet",),
        others: Sequence[str] = (),
        inputs: Sequence[Path] = (),
        rank: int = 0,
    ) -> None:
        self.folder, self.kind, self.how, self.made, self.rank = folder, kind, dict(how), made, rank
        self.sheets = [*(f"{name}{kind.page}" for name in sheets), *others]
        self._inputs = {path.resolve() for path in inputs}
        self._begun, self._written = False, 0
        self._values: dict[str, list[Any]] = {}
        self._there, self._held = _stamp(folder / MANIFEST), ExitStack()
        for name in self._files:
            if (folder / name).resolve() in self._inputs:
                raise InputError(f"{folder / name} is to be read and would be written over; choose another --out")

    def file(self, name: str) -> str:
        """The file of an example."""
        return f"{TOGETHER if self.kind.gathered else name}{self.kind.suffix}"

    @property
    def _files(self) -> set[str]:
        return {*map(self.file, self.made), *self.sheets}

    def write(self, values: Tensor, names: Sequence[str]) -> None:
        """Each example by its name."""
        self._begin()
        for row, name in zip(values, names, strict=True):
            if self.kind.gathered:
                self._values[name] = row.tolist()
            else:
                (shown,) = self.kind.show(row[None], how=self.made[name])
                with self._telling():
                    write_bytes(self.folder / self.file(name), shown.content)
            self._written += 1

    def leave(self) -> None:
        """Leave what a process other than the first has to say for that one."""
        if self.rank and self.kind.gathered:
            write_json(self.folder / PART.format(self.rank), self._values)

    def gather(self) -> None:
        """Take in what other processes left, and write the file of all examples, where there is one."""
        if not self.kind.gathered:
            return
        for part in sorted(self.folder.glob(PART.format("*"))):
            self._values |= read_json(part)
            part.unlink()
        names = [name for name in self.made if name in self._values]
        page = self.kind.together(self.kind.show(self._of(names)))
        with self._telling():
            write_bytes(self.folder / self.file(TOGETHER), page.content)

    def values(self, names: Sequence[str]) -> Tensor:
        """Examples as they were written, by any process."""
        if self.kind.gathered:
            return self._of(names)
        stored = [self.kind.store((self.folder / self.file(name)).read_bytes()) for name in names]
        return torch.stack([torch.from_numpy(each.values) for each in stored])

    def _of(self, names: Sequence[str]) -> Tensor:
        dtype = torch.int64 if self.kind.categorical else torch.float32
        return torch.tensor([self._values[name] for name in names], dtype=dtype)

    def sheet(
        self, name: str, values: Tensor, columns: int | None = None, hidden: Tensor | None = None, **own: Any
    ) -> Path:
        """An overview by its name; returns its file."""
        self._begin()
        page = self.kind.overview(values, columns, hidden, {**self.how, **own})
        path = self.folder / f"{name}{self.kind.page}"
        with self._telling():
            write_bytes(path, page.content)
        return path

    def other(self, name: str, text: str) -> None:
        """One of the further files."""
        self._begin()
        with self._telling():
            write_bytes(self.folder / name, text.encode())

    def finish(self, **more: Any) -> None:
        """Say in the manifest that all is there, and what became known on the way."""
        self.gather()
        with self._telling():
            self._write_manifest(finished=True, **more)
        self._held.close()

    def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        if self.rank:
            return
        new = not self.folder.exists()
        held = lock_folder(self.folder)
        if held is None or _stamp(self.folder / MANIFEST) != self._there:
            raise InputError(f"another command writes into {self.folder}; choose another --out, or wait for its end")
        self._held = held
        before = _listed(self.folder / MANIFEST)
        try:
            self._write_manifest(finished=False)
        except StorageError:
            self._held.close()
            if new:
                self.folder.rmdir()
            raise
        for name in before - self._files:
            if (self.folder / name).resolve() not in self._inputs:
                (self.folder / name).unlink(missing_ok=True)

    def _write_manifest(self, **more: Any) -> None:
        listed = [
            {"file": self.file(name), **({"name": name, "line": i} if self.kind.gathered else {}), **own}
            for i, (name, own) in enumerate(self.made.items())
        ]
        write_json(self.folder / MANIFEST, {**self.how, **more, "sheets": self.sheets, "examples": listed})

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Where a file cannot be written, say what is there."""
        try:
            yield
        except StorageError as error:
            self._held.close()
            raise StorageError(
                f"{error}. {self._written} of {len(self.made)} {self.kind.many} are in {self.folder}, each of them "
                f"whole; {MANIFEST} lists all, and says that they are not finished. Make room, and give the same "
                "command with --force"
            ) from None


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells a file from another that was put in its place; None if there is none."""
    try:
        told = path.stat()
    except FileNotFoundError:
        return None
    return told.st_ino, told.st_mtime_ns


def _listed(manifest: Path) -> set[str]:
    """The files of a manifest, if there is one: names of files beside it that a kind could have written."""
    try:
        told = read_json(manifest)
        names = {str(example["file"]) for example in told["examples"]} | set(map(str, told.get("sheets", ())))
    except (StorageError, KeyError, TypeError, AttributeError):
        return set()
    return {name for name in names if Path(name).name == name and Path(name).suffix in SUFFIXES.values()}
