"""What is painted: a picture of black and white to a mask, and the feather at its edge.

A feather never touches what is kept. Within the painted area, the new value comes in over the first pixels from the
edge: at distance d from the nearest kept pixel and with a feather of f, old and new are mixed with weight d / (f + 1).
"""

import base64
import binascii
from io import BytesIO

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.pictures.reading import Size, open_picture, to_channels


def read_mask(text: str, size: Size) -> Tensor:
    """The mask of shape (1, height, width), true where to redo, from a PNG in base64 (or a data URL of one)."""
    try:
        content = base64.b64decode(text.removeprefix("data:image/png;base64,"), validate=True)
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
