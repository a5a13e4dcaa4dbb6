"""Masks for inpainting, in the paper's sense: 1 = to be filled in, 0 = observed."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool
from PIL import Image
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.randomness import Purpose, Streams, uniform
from noisekernel.kinds.pictures.items import size_given
from noisekernel.kinds.pictures.reading import Size, open_picture


def tile_masks(
    size: Size, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0
) -> Bool[Tensor, "batch channels height width"]:
    """`n` masks: each picture in square tiles of side `tile`, of which a random share `keep`, rounded, is observed.

    Mask number i of a seed is always the same; `first` is the number of the first one. The random numbers are those of
    no other task, so the seed may be that of the pictures and of the inpainting.

    >>> mask = tile_masks(Size(1, 8, 8), tile=4, keep=0.25, n=2)
    >>> mask.float().mean(dim=(1, 2, 3))
    tensor([0.7500, 0.7500])
    """
    if not isinstance(size, Size):
        raise InputError(f"size is {size!r}; give that of a model, model.kind.box, or Size(channels, height, width)")
    checks.count("tile", tile)
    checks.number("keep", keep, 0.0, 1.0)
    rows, columns = math.ceil(size.height / tile), math.ceil(size.width / tile)
    numbers = range(checks.count("first", first, 0), first + checks.count("n", n))
    streams = Streams.of(seed, numbers, purpose=Purpose.MASKING)
    rank = uniform((n, rows * columns), streams).argsort(dim=1).argsort(dim=1)
    hidden = (rank >= round(keep * rows * columns)).unflatten(1, (1, rows, columns))
    spread = hidden.repeat_interleave(tile, dim=2).repeat_interleave(tile, dim=3)
    return spread[:, :, : size.height, : size.width].expand(-1, size.channels, -1, -1)


def read_mask(image: Image.Image, size: Size) -> Bool[Tensor, "channels height width"]:
    """A black and white picture as a mask: white is filled in, black is kept; cut and resized as pictures are."""
    if image.has_transparency_data and np.asarray(image.convert("RGBA"))[..., 3].min() < 255:
        raise InputError("the mask is transparent in parts; save it in black (keep) and white (fill in) alone")
    grey = image.convert("L")
    width, height = grey.size
    scale = min(width / size.width, height / size.height)
    left, top = (width - size.width * scale) / 2, (height - size.height * scale) / 2
    box = (left, top, left + size.width * scale, top + size.height * scale)
    values = np.asarray(grey.resize((size.width, size.height), Image.Resampling.NEAREST, box=box))
    between = int(((values > 0) & (values < 255)).sum())
    if between:
        raise InputError(
            f"the mask holds {between} pixels that are neither black (keep) nor white (fill in); save it as PNG, "
            "without soft edges"
        )
    if not values.any():
        raise InputError(
            "the mask is black wherever the model looks, so there is nothing to fill in: white is filled in, black kept"
        )
    return torch.from_numpy(values == 255).expand(*size)


def check_fits(mask: tuple[int, int], picture: tuple[int, int], size: Size) -> None:
    """That a mask is of the shape of the picture: both are cut to the middle, and must be so in the same place.

    Or of the very size that pictures are made into. Both are given as width and height.
    """
    (width, height), (across, down) = mask, picture
    if mask == (size.width, size.height):
        return
    if abs(width * down - height * across) > max(width, height, across, down):  # half a pixel, more or less
        raise InputError(
            f"the mask has {width} x {height} pixels and the picture {across} x {down}; draw it on the picture itself, "
            f"in the same proportion, or in the model's size of {size.width} x {size.height}"
        )


def mask_in(
    content: bytes, name: str, items: Sequence[Any], size: Size
) -> tuple[Bool[Tensor, "channels height width"], str | None]:
    """The mask that these bytes hold, for these pictures; and a sentence where it is not taken as it is."""
    try:
        image, _ = open_picture(content)
    except BadExampleError as error:
        raise InputError(f"{name}: {error}") from None
    own = (size.width, size.height)
    for given in map(size_given, items) if items else [own]:
        if given is not None:
            check_fits(image.size, given, size)
    note = None
    if image.size != own:
        note = (
            f"the mask has {image.width} x {image.height} pixels; its middle is resized to the model's "
            f"{size.width} x {size.height}, each pixel the nearest one"
        )
    return read_mask(image, size), note
