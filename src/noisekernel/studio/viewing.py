"""What people see and send: pictures and masks on their way in and out. Nothing else in the studio knows of pixels.

Every function takes a model and its clean data z, or what a browser sent, and returns what is sent to a browser: bytes
with their media type, or data URLs to be put into a page.

A feather never touches what is kept. Within the painted area, the new value comes in over the first pixels from the
edge: at distance d from the nearest kept pixel and with a feather of f, old and new are mixed with weight d / (f + 1).
"""

import base64
import binascii
import math
import tempfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.data.source import Source
from noisekernel.files.data_urls import data_url
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.pictures.drawing import contact_sheet, enlarged, png_bytes
from noisekernel.kinds.pictures.film import check_film, save_film
from noisekernel.kinds.pictures.reading import Size, fit, open_picture, to_channels
from noisekernel.models.model import Model

#: What an upload may be.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
MOST_BYTES = 20_000_000
MOST_PIXELS = 50_000_000
#: A picture is enlarged to at most so many pixels a side.
MOST_SIDE = 4096
PNG = "image/png"
FILMS = {"gif": "image/gif", "mp4": "video/mp4"}

#: A frame of a film, which only `film` looks into.
Frame = Image.Image
#: Left and top edge as shares of width and height, and the side as a share of the largest box of the model's
#: proportions that fits the picture.
Crop = tuple[float, float, float]

#: One large picture is unpacked at a time, whatever the number of uploads.
_unpacking = Lock()


class Shown(NamedTuple):
    """Something to look at."""

    content: bytes
    media_type: str
    #: How the name of its file ends.
    suffix: str


# What comes in -------------------------------------------------------------------------------------------------------


def read_upload(model: Model, content: bytes, crop: Crop | None = None) -> Tensor:
    """What somebody sent as clean data (a batch of one): the middle of a picture, or what `crop` says."""
    check_upload(len(content))
    size = box(model)
    with _unpacking:
        try:
            # Twice the size, and more for a part of the picture: see `read_picture`.
            side = 2 * max(size.height, size.width) / (crop[2] if crop else 1.0)
            image, _ = open_picture(content, side=math.ceil(side), formats=FORMATS, most=MOST_PIXELS)
            image = image if crop is None else _cropped(image, size, *crop)
            pixels = torch.from_numpy(fit(to_channels(image, size.channels), size))
        except BadExampleError as error:
            raise InputError(f"the picture cannot be used: {error}") from None
    return model.kind.encode(pixels[None])


def box(model: Model) -> Size:
    """The size of a model's pictures."""
    assert isinstance(model.kind, Pictures)
    return model.kind.box


def check_upload(size: int) -> None:
    """Refuse a file of so many bytes if that is more than is taken."""
    if size > MOST_BYTES:
        raise InputError(f"the picture has {size:,} bytes; at most {MOST_BYTES:,} are taken")


def _cropped(image: Image.Image, size: Size, x: float, y: float, side: float) -> Image.Image:
    width, height = image.size
    scale = side * min(width / size.width, height / size.height)
    box = (x * width, y * height, x * width + scale * size.width, y * height + scale * size.height)
    if box[2] > width + 1 or box[3] > height + 1:
        raise InputError("the crop reaches beyond the picture; give x, y and side such that it lies within")
    left, top, right, bottom = (round(edge) for edge in box)
    left, top = min(left, width - 1), min(top, height - 1)
    return image.crop((left, top, max(left + 1, min(right, width)), max(top + 1, min(bottom, height))))


def read_example(model: Model, source: Source, index: int) -> Tensor:
    """An example of a data set as clean data (a batch of one)."""
    return model.kind.encode(torch.from_numpy(model.kind.store(source.item(index)).values)[None])


# What goes out -------------------------------------------------------------------------------------------------------


def show(model: Model, z: Tensor, how: Mapping[str, Any], scale: int = 1) -> Shown:
    """One sample as a file that says how it was made; every pixel as a square of `scale` x `scale`."""
    (image,) = model.draw(z)
    most = max(1, MOST_SIDE // max(image.size))
    if scale > most:
        raise InputError(
            f"scale is {scale}; a picture of {image.width} x {image.height} is enlarged {most} times at most"
        )
    if scale > 1:
        image = image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
    return Shown(png_bytes(image, how), PNG, "png")


def overview(model: Model, z: Tensor, how: Mapping[str, Any]) -> Shown:
    """All samples on one picture that says what it shows."""
    return Shown(png_bytes(contact_sheet(model.draw(z)), how), PNG, "png")


def inline(model: Model, z: Tensor, least: int = 1) -> list[str]:
    """Each sample for the inside of a page, as a data URL; small ones enlarged to at least so many pixels a side."""
    return [_url(enlarged(image, least)) for image in model.draw(z)]


def frame(model: Model, clean: Tensor, noisy: Tensor) -> dict[str, Any]:
    """What a listener is shown of a round under way: clean data and noisy states, each as one picture of many cells."""
    columns = math.ceil(math.sqrt(len(clean)))
    cells = {"clean": clean, "noisy": _drawable(model, noisy)}
    sprites = {name: _url(_sprite(model.draw(z), columns)) for name, z in cells.items()}
    return {"n": len(clean), "columns": columns, "cell": [box(model).width, box(model).height], **sprites}


def frames(model: Model, z: Tensor) -> list[Frame]:
    """Samples as frames of a film."""
    return model.draw(z)


def film(some: Sequence[Frame], kind: str, fps: float = 10.0) -> Shown:
    """Frames as a .gif or .mp4, each large enough to see."""
    name = Path(f"film.{kind}")
    check_film(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        save_film([enlarged(each, 256) for each in some], path, fps)
        return Shown(path.read_bytes(), FILMS[kind], kind)


def _url(image: Image.Image) -> str:
    return data_url(png_bytes(image), PNG)


def _drawable(model: Model, x: Tensor) -> Tensor:
    """A noisy state as data that can be drawn: what is masked is grey."""
    classes = model.kind.classes
    return x if classes is None else torch.where(x < classes, x, classes // 2)


def _sprite(images: Sequence[Image.Image], columns: int) -> Image.Image:
    """All pictures on one, row by row, edge to edge."""
    width, height = images[0].size
    whole = Image.new(images[0].mode, (columns * width, math.ceil(len(images) / columns) * height))
    for i, image in enumerate(images):
        whole.paste(image, ((i % columns) * width, (i // columns) * height))
    return whole


# What is painted -----------------------------------------------------------------------------------------------------


def read_mask(model: Model, text: str) -> Tensor:
    """The mask of shape (1, height, width), true where to redo, from a PNG in base64 (or a data URL of one)."""
    size = box(model)
    try:
        content = base64.b64decode(text.removeprefix(f"data:{PNG};base64,"), validate=True)
        image, _ = open_picture(content, formats=("PNG",), most=size.height * size.width)
        grey = to_channels(image, 1)
    except (binascii.Error, ValueError):
        raise InputError("the mask is not in base64; send a PNG of the model's size so") from None
    except BadExampleError as error:
        raise InputError(f"the mask: {error}; send a PNG of {size.width} x {size.height} pixels") from None
    if grey.size != (size.width, size.height):
        raise InputError(
            f"the mask has {grey.width} x {grey.height} pixels; it needs as many as the model, "
            f"{size.width} x {size.height}"
        )
    fill = torch.from_numpy(np.asarray(grey) > 127)[None]
    if not bool(fill.any()):
        raise InputError("nothing is painted, so there is nothing to redo; paint white what is to be redone")
    return fill


def write_mask(fill: Tensor) -> str:
    """A mask as `read_mask` reads it, as small as it can be: a PNG of one bit a pixel, in base64."""
    content = BytesIO()
    Image.fromarray(fill[0].numpy()).save(content, "PNG", optimize=True)
    return base64.b64encode(content.getvalue()).decode()


def share_of_new(fill: Tensor, feather: float) -> Tensor:
    """How much of the new there is at each pixel, from 0 (all of it old) to 1."""
    if feather == 0.0 or bool(fill.all()):
        return fill.float()
    from scipy.ndimage import distance_transform_edt

    distance = distance_transform_edt(fill[0].numpy())
    return torch.from_numpy(np.clip(distance / (feather + 1.0), 0.0, 1.0)).float()[None]


def feathered(new: Tensor, old: Tensor, share: Tensor) -> Tensor:
    """Old and new mixed; where there is none of the new, or none of the old, not a bit is changed."""
    mixed = old + share * (new - old)
    if not new.is_floating_point():
        mixed = mixed.round().to(new.dtype)  # levels of brightness are ordered, so between two lies one
    return torch.where(share <= 0.0, old, torch.where(share >= 1.0, new, mixed))
