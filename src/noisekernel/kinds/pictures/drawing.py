"""Pictures for people: PNG files that know how they were made, contact sheets, films."""

import json
import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, PngImagePlugin

from noisekernel.core.errors import InputError
from noisekernel.files.atomic import write_atomically
from noisekernel.kinds.pictures.reading import Size

#: The key under which a PNG file's text holds how it was made, as JSON.
KEY = "noisekernel"


BACKGROUND: dict[str, int | tuple[int, ...]] = {"L": 255, "RGB": (255, 255, 255), "RGBA": (0, 0, 0, 0)}


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
