"""A folder of pictures that says how each was made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from noisekernel.core.errors import InputError, StorageError
from noisekernel.files.formats import read_json, write_json
from noisekernel.files.locks import lock_folder
from noisekernel.kinds.pictures.drawing import save_png

MANIFEST = "manifest.json"


class Record:
    """A folder of pictures and its manifest.json, which says how each was made.

    The manifest is written before the first picture, with `finished` false, and once more at the end. So whatever ends
    the work before, a full disk or a kill, the folder says what belongs to it, and another command may clear it.

    Args:
        folder: Where the pictures go.
        how: How all of them are made.
        pictures: For each one its `file`, and how it is made.
        sheets: The files of contact sheets.
        inputs: Files that were read to make them, which are neither removed nor written over.
        main: Whether it is this process that writes the manifest.
    """

    def __init__(
        self,
        folder: Path,
        how: Mapping[str, Any],
        pictures: Sequence[Mapping[str, Any]],
        *,
        sheets: Sequence[str] = ("sheet.png",),
        inputs: Sequence[Path] = (),
        main: bool = True,
    ) -> None:
        self.folder, self.how, self.pictures, self.sheets, self.main = folder, dict(how), pictures, sheets, main
        self._how_made = {str(picture["file"]): picture for picture in pictures}
        self._inputs = {path.resolve() for path in inputs}
        self._begun, self._written = False, 0
        self._there, self._held = _stamp(folder / MANIFEST), ExitStack()
        for name in (*self._how_made, *sheets):
            if (folder / name).resolve() in self._inputs:
                raise InputError(f"{folder / name} is to be read and would be written over; choose another --out")

    def write(self, images: Iterable[Image.Image], files: Sequence[str]) -> None:
        """Each picture to its file."""
        for image, file in zip(images, files, strict=True):
            own = {key: value for key, value in self._how_made[file].items() if key != "file"}
            self._save(image, file, own)
            self._written += 1

    def sheet(self, image: Image.Image, file: str, **own: Any) -> None:
        """A contact sheet to its file."""
        self._save(image, file, {**self.how, **own})

    def finish(self, **more: Any) -> None:
        """Say in the manifest that all is there, and what became known on the way."""
        with self._telling():
            self._write_manifest(finished=True, **more)
        self._held.close()

    def _save(self, image: Image.Image, file: str, how: Mapping[str, Any]) -> None:
        if not self._begun:
            self._begin()
        with self._telling():
            save_png(image, self.folder / file, how)

    def _begin(self) -> None:
        self._begun = True
        if not self.main:
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
        for name in before - {*self._how_made, *self.sheets}:
            if (self.folder / name).resolve() not in self._inputs:
                (self.folder / name).unlink(missing_ok=True)

    def _write_manifest(self, **more: Any) -> None:
        told = {**self.how, **more, "sheets": list(self.sheets), "pictures": list(self.pictures)}
        write_json(self.folder / MANIFEST, told)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Where a file cannot be written, say what is there."""
        try:
            yield
        except StorageError as error:
            self._held.close()
            raise StorageError(
                f"{error}. {self._written} of {len(self.pictures)} pictures are in {self.folder}, each of them whole; "
                f"{MANIFEST} lists all, and says that they are not finished. Make room, and give the same command with "
                "--force"
            ) from None


def _stamp(path: Path) -> tuple[int, int] | None:
    """What tells a file from another that was put in its place; None if there is none."""
    try:
        told = path.stat()
    except FileNotFoundError:
        return None
    return told.st_ino, told.st_mtime_ns


def _listed(manifest: Path) -> set[str]:
    """The files of a manifest, if there is one: names of PNG files beside it and nothing else."""
    try:
        told = read_json(manifest)
        names = {str(picture["file"]) for picture in told["pictures"]} | set(map(str, told.get("sheets", ())))
    except (StorageError, KeyError, TypeError, AttributeError):
        return set()
    return {name for name in names if Path(name).name == name and name.endswith(".png")}
