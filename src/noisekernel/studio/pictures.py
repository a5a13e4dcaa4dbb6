"""Pictures on their way in and out: uploads, sprites of many, PNG with settings."""

import math
from collections.abc import Sequence
from threading import Lock

import torch
from PIL import Image
from torch import Tensor

from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.files import data_urls
from noisekernel.kinds.pictures.drawing import png_bytes
from noisekernel.kinds.pictures.reading import BadPictureError, Size, fit, open_picture, to_channels
from noisekernel.models.model import Model

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
MOST_BYTES = 20_000_000
MOST_PIXELS = 50_000_000

#: One large picture is unpacked at a time, whatever the number of uploads.
_unpacking = Lock()


def read_upload(content: bytes, size: Size, crop: tuple[float, float, float] | None = None) -> Tensor:
    """A picture that somebody sent, as bytes of the model's size: its middle, or what `crop` says.

    `crop` is (x, y, side): the left and top edge as shares of width and height, and the side as a share of the largest
    box of the model's proportions that fits the picture.
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"the picture has {len(content):,} bytes; at most {MOST_BYTES:,} are taken")
    with _unpacking:
        try:
            # Twice the size, and more for a part of the picture: see `read_picture`.
            side = 2 * max(size.height, size.width) / (crop[2] if crop else 1.0)
            image, _ = open_picture(content, side=math.ceil(side), formats=FORMATS, most=MOST_PIXELS)
            image = image if crop is None else _cropped(image, size, *crop)
            return torch.from_numpy(fit(to_channels(image, size.channels), size))
        except BadPictureError as error:
            raise InputError(f"the picture cannot be used: {error}") from None


def _cropped(image: Image.Image, size: Size, x: float, y: float, side: float) -> Image.Image:
    width, height = image.size
    scale = side * min(width / size.width, height / size.height)
    box = (x * width, y * height, x * width + scale * size.width, y * height + scale * size.height)
    if box[2] > width + 1 or box[3] > height + 1:
        raise InputError("the crop reaches beyond the picture; give x, y and side such that it lies within")
    left, top, right, bottom = (round(edge) for edge in box)
    left, top = min(left, width - 1), min(top, height - 1)
    return image.crop((left, top, max(left + 1, min(right, width)), max(top + 1, min(bottom, height))))


def drawable(model: Model, x: Tensor) -> Tensor:
    """A noisy state as data that can be drawn: what is masked is grey."""
    codec = model.design.codec
    return torch.where(x < codec.levels, x, model.middle) if isinstance(codec, recipes.Levels) else x


def sprite(images: Sequence[Image.Image], columns: int) -> Image.Image:
    """All pictures on one, row by row, edge to edge."""
    width, height = images[0].size
    whole = Image.new(images[0].mode, (columns * width, math.ceil(len(images) / columns) * height))
    for i, image in enumerate(images):
        whole.paste(image, ((i % columns) * width, (i // columns) * height))
    return whole


def columns_for(n: int) -> int:
    return math.ceil(math.sqrt(n))


def data_url(image: Image.Image) -> str:
    return data_urls.data_url(png_bytes(image), "image/png")


def scaled(image: Image.Image, scale: int) -> Image.Image:
    """Every pixel a square of pixels."""
    if scale == 1:
        return image
    return image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
