"""Pictures for people: PNG files that know how they were made, contact sheets, films."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

from noisekernel.errors import InputError, NoiseKernelError, StorageError
from noisekernel.storage import read_json, write_atomically, write_json

#: The key under which a PNG file's text holds how it was made, as JSON.
KEY = "noisekernel"
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


def write_pictures(
    folder: Path,
    images: Iterable[Image.Image],
    how: Sequence[Mapping[str, Any]],
    names: Sequence[str],
) -> list[Path]:
    """Each picture to a file of its own."""
    paths = []
    for image, name, made in zip(images, names, how, strict=True):
        paths.append(folder / f"{name}.png")
        save_png(image, paths[-1], made)
    return paths


def write_manifest(
    folder: Path, how: Mapping[str, Any], pictures: Sequence[Mapping[str, Any]], inputs: Sequence[Path] = ()
) -> Path:
    """manifest.json: how the folder was made, and each picture in it. Those of a manifest before it are removed.

    What was read to make them, `inputs`, is not.
    """
    path = folder / "manifest.json"
    kept = {one.resolve() for one in inputs}
    for name in _listed(path) - {str(picture["file"]) for picture in pictures}:
        if (folder / name).resolve() not in kept:
            (folder / name).unlink(missing_ok=True)
    write_json(path, {**how, "pictures": list(pictures)})
    return path


def _listed(manifest: Path) -> set[str]:
    """The pictures of a manifest, if there is one: names of PNG files beside it and nothing else."""
    try:
        names = {str(picture["file"]) for picture in read_json(manifest)["pictures"]}
    except (StorageError, KeyError, TypeError):
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
