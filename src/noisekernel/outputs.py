"""Pictures for people: PNG files that know how they were made, contact sheets, films."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

from noisekernel.data.pictures import Size
from noisekernel.errors import InputError, NoiseKernelError, StorageError
from noisekernel.storage import lock_folder, read_json, write_atomically, write_json

#: The key under which a PNG file's text holds how it was made, as JSON.
KEY = "noisekernel"
MANIFEST = "manifest.json"
#: So many bytes of a source's name are taken into the names of what is made of it.
LONGEST = 150
BACKGROUND: dict[str, int | tuple[int, ...]] = {"L": 255, "RGB": (255, 255, 255), "RGBA": (0, 0, 0, 0)}


def new_folder(path: str | Path, *, force: bool = False) -> Path:
    """A folder to write into: new, empty, or said to be free for use."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; give the name of a folder")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise InputError(f"{path} exists and is not empty; choose another --out, or add --force to write into it")
    return path


def new_file(path: str | Path, *, force: bool = False) -> Path:
    """A file to write: new, or said to be free for replacing."""
    path = Path(path)
    if path.exists() and not force:
        raise InputError(f"{path} exists; choose another --out, or add --force to replace it")
    return path


def save_png(image: Image.Image, path: Path, how: Mapping[str, Any]) -> None:
    """A PNG file with `how` it was made in its metadata."""

    def write(temporary: Path) -> None:
        temporary.write_bytes(png_bytes(image, how))

    write_atomically(path, write)


def png_bytes(image: Image.Image, how: Mapping[str, Any] | None = None) -> bytes:
    """A PNG in memory, with `how` it was made in its metadata."""
    text = PngImagePlugin.PngInfo()
    if how is not None:
        text.add_itxt(KEY, json.dumps(how, ensure_ascii=False))
    content = BytesIO()
    image.save(content, format="PNG", pnginfo=text)
    return content.getvalue()


def how_made(path: str | Path) -> dict[str, Any]:
    """What a PNG file of ours says of how it was made."""
    with Image.open(path) as image:
        text = getattr(image, "text", {}).get(KEY)
    if text is None:
        raise InputError(f"{path} does not say how it was made; it is no picture of noisekernel's")
    return json.loads(text)


def enlarged(image: Image.Image, least: int = 64) -> Image.Image:
    """A tiny picture made visible: every pixel a square of pixels."""
    factor = max(1, math.ceil(least / max(image.size)))
    return image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)


def contact_sheet(images: Sequence[Image.Image], columns: int | None = None, least: int = 64) -> Image.Image:
    """All pictures on one, row by row, with a thin line of background between them."""
    if not images:
        raise InputError("a contact sheet needs at least one picture")
    cells = [enlarged(image, least) for image in images]
    columns = columns or math.ceil(math.sqrt(len(cells)))
    width, height = cells[0].size
    gap = max(2, width // 32)
    rows = math.ceil(len(cells) / columns)
    whole = (columns * (width + gap) - gap, rows * (height + gap) - gap)
    sheet = Image.new(cells[0].mode, whole, BACKGROUND[cells[0].mode])
    for i, cell in enumerate(cells):
        sheet.paste(cell, ((i % columns) * (width + gap), (i // columns) * (height + gap)))
    return sheet


def bytes_of_a_cell(size: Size) -> int:
    """About the memory that a picture takes, as data and on a contact sheet."""
    factor = max(1, math.ceil(64 / max(size.height, size.width)))
    pixels = size.height * size.width
    return 8 * size.channels * pixels + 2 * 4 * pixels * factor**2


def names_of(paths: Sequence[Path]) -> list[str]:
    """A name for each picture: that of its file, with a number where several would have the same.

    Of a very long name only the beginning is taken, so that there is room for what is added to it.

    >>> names_of([Path("a/boot.png"), Path("shoe.jpg"), Path("b/Boot.jpg"), Path("boot-2.png")])
    ['boot', 'shoe', 'Boot-3', 'boot-2']
    """
    names: list[str] = []
    stems = [path.stem.encode()[:LONGEST].decode(errors="ignore") for path in paths]
    given = {stem.casefold() for stem in stems}
    for stem in stems:
        name, number = stem, 1
        while name.casefold() in (given if number > 1 else ()) or name.casefold() in map(str.casefold, names):
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names


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


def check_film(path: Path) -> None:
    """Refuse, before any work is done, a film that could not be written."""
    if path.suffix not in (".gif", ".mp4"):
        raise InputError(f"{path.name}: films are .gif or .mp4")
    if path.suffix == ".mp4" and find_spec("imageio_ffmpeg") is None:
        raise NoiseKernelError("films in MP4 need ffmpeg: pip install 'noisekernel[video]'; or write a .gif")


def save_film(frames: Sequence[Image.Image], path: Path, fps: float = 12.0) -> None:
    """Frames as a film: .gif, or .mp4 where the `video` extra is installed."""
    check_film(path)
    if path.suffix == ".mp4":
        return write_atomically(path, lambda temporary: _write_mp4(frames, temporary, fps))
    first, *rest = [frame.convert("RGB") if frame.mode == "RGBA" else frame for frame in frames]
    write_atomically(
        path,
        lambda temporary: first.save(
            temporary, format="GIF", save_all=True, append_images=rest, duration=round(1000 / fps), loop=0
        ),
    )


def _write_mp4(frames: Sequence[Image.Image], path: Path, fps: float) -> None:
    import imageio_ffmpeg

    # The usual pixel format wants even sides: an odd one gets a line of background more.
    width, height = (side + side % 2 for side in frames[0].size)
    writer = imageio_ffmpeg.write_frames(
        str(path), (width, height), fps=fps, output_params=["-f", "mp4"], macro_block_size=2
    )
    writer.send(None)
    for frame in frames:
        even = Image.new("RGB", (width, height), "white")
        even.paste(frame.convert("RGB"))
        writer.send(even.tobytes())
    writer.close()
