"""Pictures on the studio's page: uploads that are cropped and fitted, sprites, painted masks, feathers.

A feather never touches what is kept. Within the painted area, the new value comes in over the first pixels from the
edge: at distance d from the nearest kept pixel and with a feather of f, old and new are mixed with weight d / (f + 1).
"""

import base64
import binascii
import html
import math
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
import torch
from PIL import Image
from pydantic import Field, ValidationError
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError, NoiseKernelError
from noisekernel.core.settings import Strict
from noisekernel.files.data_urls import data_url
from noisekernel.kinds.exchanged import Shown
from noisekernel.kinds.on_page import OnPage
from noisekernel.kinds.pictures.drawing import enlarged, png_bytes
from noisekernel.kinds.pictures.film import save_film
from noisekernel.kinds.pictures.reading import Size, fit, open_picture, to_channels

if TYPE_CHECKING:
    from noisekernel.kinds.pictures.kind import Pictures

#: What an upload may be.
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
MOST_PIXELS = 50_000_000
#: A picture is enlarged to at most so many pixels a side.
MOST_SIDE = 4096
#: The least side of a picture on a page that is taken away, and in a film.
THUMB, FRAME = 96, 256
PNG = "image/png"

#: One large picture is unpacked at a time, whatever the number of uploads.
_unpacking = Lock()

Edge = Annotated[float, Field(ge=0.0, lt=1.0, allow_inf_nan=False)]


class Crop(Strict):
    """A part of a picture.

    Its left and top edge are shares of width and height. Its side is a share of the largest box of the model's
    proportions that fits the picture.
    """

    x: Edge
    y: Edge
    side: Annotated[float, Field(ge=0.001, le=1.0, allow_inf_nan=False)]

    def of(self, image: Image.Image, size: Size) -> Image.Image:
        """This part of a picture."""
        width, height = image.size
        scale = self.side * min(width / size.width, height / size.height)
        left, top = self.x * width, self.y * height
        box = (left, top, left + scale * size.width, top + scale * size.height)
        if box[2] > width + 1 or box[3] > height + 1:
            raise InputError("the crop reaches beyond the picture; give x, y and side such that it lies within")
        first, second, right, bottom = (round(edge) for edge in box)
        first, second = min(first, width - 1), min(second, height - 1)
        return image.crop((first, second, max(first + 1, min(right, width)), max(second + 1, min(bottom, height))))


class PicturesOnPage(OnPage):
    """Pictures on the page."""

    most_bytes: ClassVar[int] = 20_000_000
    films: ClassVar[tuple[str, ...]] = (".gif", ".mp4")
    feathers: ClassVar[bool] = True
    kind: "Pictures"

    def facts(self) -> dict[str, Any]:
        return {"width": self.kind.box.width, "height": self.kind.box.height, "feather": self.feathers}

    # What comes in ----------------------------------------------------------------------------------------------------

    def read(self, content: bytes, how: Mapping[str, Any]) -> Tensor:
        """A picture of any size: its middle, or the part that x, y and side name (`Crop`)."""
        self.check_size(len(content))
        size, crop = self.kind.box, _crop(how)
        with _unpacking:
            try:
                # Twice the size, and more for a part of the picture: see `read_picture`.
                side = 2 * max(size.height, size.width) / (1.0 if crop is None else crop.side)
                image, _ = open_picture(content, side=math.ceil(side), formats=FORMATS, most=MOST_PIXELS)
                image = image if crop is None else crop.of(image, size)
                pixels = torch.from_numpy(fit(to_channels(image, size.channels), size))
            except BadExampleError as error:
                raise InputError(f"the picture cannot be used: {error}") from None
        return self.kind.encode(pixels[None])

    # What goes out ----------------------------------------------------------------------------------------------------

    def drawn(self, z: Tensor) -> list[Image.Image]:
        """Each as a picture of Pillow."""
        return self.kind.drawn(self.values(z))

    def show(self, z: Tensor, how: Mapping[str, Any], scale: int = 1) -> Shown:
        """A PNG that says how it was made; every pixel as a square of `scale` x `scale`."""
        (image,) = self.drawn(z)
        most = max(1, MOST_SIDE // max(image.size))
        if scale > most:
            raise InputError(
                f"scale is {scale}; a picture of {image.width} x {image.height} is enlarged {most} times at most"
            )
        if scale > 1:
            image = image.resize((image.width * scale, image.height * scale), Image.Resampling.NEAREST)
        return Shown(PNG, png_bytes(image, how))

    def inline(self, z: Tensor) -> list[Any]:
        """Each as a data URL."""
        return [_url(image) for image in self.drawn(z)]

    def markup(self, z: Tensor, names: Sequence[str]) -> list[str]:
        """Small ones are enlarged, so that they can be seen."""
        images = [_url(enlarged(image, THUMB)) for image in self.drawn(z)]
        style = f"image-rendering: pixelated; width: {THUMB}px; border-radius: 4px"
        pairs = zip(images, names, strict=True)
        return [f'<img src="{image}" alt="{html.escape(name)}" style="{style}">' for image, name in pairs]

    def frame(self, clean: Tensor, noisy: Tensor) -> dict[str, Any]:
        """Clean data and noisy states, each as one picture of many cells; what is masked is grey."""
        columns = math.ceil(math.sqrt(len(clean)))
        classes = self.kind.classes
        seen = noisy if classes is None else torch.where(noisy < classes, noisy, classes // 2)
        sprites = {name: _url(_sprite(self.drawn(z), columns)) for name, z in (("clean", clean), ("noisy", seen))}
        return {"n": len(clean), "columns": columns, "cell": [self.kind.box.width, self.kind.box.height], **sprites}

    def film(self, frames: Sequence[Tensor], suffix: str, fps: float = 10.0) -> Shown:
        try:
            return super().film(frames, suffix, fps)
        except NoiseKernelError:
            if suffix == ".mp4":
                raise InputError(
                    "films in MP4 need ffmpeg: pip install 'noisekernel[video]'; or take the GIF"
                ) from None
            raise

    def write_film(self, frames: Sequence[Tensor], path: Path, fps: float) -> None:
        """Each frame large enough to see."""
        save_film([enlarged(image, FRAME) for values in frames for image in self.kind.drawn(values)], path, fps)

    # What is painted --------------------------------------------------------------------------------------------------

    def read_mask(self, text: str) -> Tensor:
        """The mask of shape (1, height, width), true where to redo, from a PNG in base64 (or a data URL of one)."""
        size = self.kind.box
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

    def kept_mask(self, text: str) -> str:
        """As small as it can be."""
        return write_mask(self.read_mask(text))

    def blending(self, old: Tensor, mask: Tensor, feather: float) -> Callable[[Tensor], Tensor]:
        share = share_of_new(mask, feather)
        return lambda new: feathered(new, old, share)


def _crop(how: Mapping[str, Any]) -> Crop | None:
    """All of a crop, or none of it."""
    if not how:
        return None
    try:
        return Crop.model_validate(dict(how))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))[:100]
        raise InputError(f"a crop is x, y and side, all three, from 0 to 1; {where}: {first['msg']}") from None


def _url(image: Image.Image) -> str:
    return data_url(png_bytes(image), PNG)


def _sprite(images: Sequence[Image.Image], columns: int) -> Image.Image:
    """All pictures on one, row by row, edge to edge."""
    width, height = images[0].size
    whole = Image.new(images[0].mode, (columns * width, math.ceil(len(images) / columns) * height))
    for i, image in enumerate(images):
        whole.paste(image, ((i % columns) * width, (i // columns) * height))
    return whole


def write_mask(fill: Tensor) -> str:
    """A mask as `read_mask` reads it, as small as it can be: a PNG of one bit per pixel, in base64."""
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
