"""What may be a picture, and how each form of it is taken: files, bytes, arrays, tensors, images of Pillow."""

import math
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from noisekernel.core.errors import BadExampleError
from noisekernel.kinds.exchanged import Items, Stored
from noisekernel.kinds.pictures.reading import (
    GREY,
    MOST_SIDE,
    Size,
    fit,
    kind_of_picture,
    open_picture,
    read_picture,
    size_of,
    to_channels,
)

#: Pictures of one size keep it if no side is longer: larger ones were hardly made for training.
LONGEST_KEPT = 64
#: The sides that pictures are made into where a time budget chooses.
SIDES = (32, 48, 64)
#: So many files tell the size of all.
LOOKED_AT = 1000


def stored(item: Any, box: Size) -> Stored:
    """A picture's file, its bytes, an array of bytes, or an image of Pillow, as bytes of that size."""
    item = _array(item)
    if isinstance(item, np.ndarray):
        if (fault := fault_of(item)) is not None:
            raise BadExampleError(fault)
        if item.ndim not in (2, 3):
            raise BadExampleError(f"it has shape {item.shape}; a picture has (height, width[, channels])")
        return Stored(_of_array(item, box))
    if isinstance(item, Image.Image):
        return Stored(fit(to_channels(item, box.channels), box))
    if not isinstance(item, bytes | str | Path):
        raise BadExampleError(f"a {type(item).__name__} is no picture; give a file, bytes, an array or an image")
    try:
        content = item if isinstance(item, bytes) else Path(item).read_bytes()
    except OSError as error:
        raise BadExampleError(f"cannot be opened ({error.strerror})") from None
    if not content:
        raise BadExampleError("it holds no picture: it is empty")
    picture = read_picture(content, box)
    return Stored(picture.pixels, picture.note)


def _of_array(own: NDArray[np.uint8], box: Size) -> NDArray[np.uint8]:
    channels = 1 if own.ndim == 2 else own.shape[2]
    if (channels, *own.shape[:2]) == box:
        return np.ascontiguousarray(own[None] if own.ndim == 2 else own.transpose(2, 0, 1))
    image = Image.fromarray(own[..., 0] if own.ndim == 3 and own.shape[2] == 1 else own)
    return fit(to_channels(image, box.channels), box)


def natural_size(items: Items) -> Size | None:
    """The size that pictures have, if it is one and small; of many files, some are looked at."""
    first = _array(items.item(0))
    if isinstance(first, np.ndarray):
        return Size(1 if first.ndim == 2 else first.shape[2], *first.shape[:2])
    if not isinstance(first, Path):
        return None
    found: set[Size] = set()
    for i in range(0, len(items), -(-len(items) // LOOKED_AT)):
        try:
            size = size_of(items.item(i), LONGEST_KEPT)
            if size in found:
                continue
            open_picture(items.item(i).read_bytes(), LONGEST_KEPT)  # a damaged file has no say, whatever its header
        except (BadExampleError, OSError):  # whoever reads it hears of it
            continue
        if size is None or any(size[1:] != other[1:] for other in found):
            return None
        found.add(size)
    return max(found, default=None)  # where some are grey, all are coloured


def colours_of(items: Items) -> int:
    """3 where a picture of those that are looked at has colours, else 1."""
    for i in spread(len(items), LOOKED_AT // 20):
        try:
            item = _array(items.item(i))
            if isinstance(item, np.ndarray):
                coloured = item.ndim == 3 and item.shape[2] > 1
            elif isinstance(item, Image.Image):
                coloured = item.mode not in GREY
            else:
                size = size_of(BytesIO(item) if isinstance(item, bytes) else item, MOST_SIDE)
                coloured = size is None or size.channels > 1
        except (BadExampleError, OSError):  # whoever reads it hears of it
            continue
        if coloured:
            return 3
    return 1


def channels_from(channels: int, others: int) -> Tensor:
    """Pictures of so many channels from pictures of others, as a matrix: grey is the mean of the colours.

    >>> channels_from(3, 1)[:, 0].tolist()
    [1.0, 1.0, 1.0]
    """
    if channels > 1 and others > 1:  # transparency comes last, and what has none says nothing of it
        return torch.eye(channels, others)
    matrix = torch.zeros(channels, others)
    matrix[:3, :3] = 1.0 / min(others, 3)
    return matrix


def smaller_sizes(own: Size | None, channels: int) -> list[Size]:
    """The sizes that pictures of their `own` size can be made into: `SIDES` as far as they are smaller, and their own.

    Proportions are kept. Pictures without a size of their own are made into squares with so many `channels`.
    """
    if own is None:
        return [Size(channels, side, side) for side in SIDES]
    longest = max(own.height, own.width)
    # Multiples of four can be halved twice, as networks do.
    shrunk = [
        [max(4, 4 * round(length * side / longest / 4)) for length in own[1:]] for side in SIDES if side < longest
    ]
    return [*(Size(own.channels, *sides) for sides in shrunk), own]


def spread(n: int, most: int) -> range:
    """Places spread over n."""
    return range(0, n, max(1, math.ceil(n / most)))


def is_picture(item: Any) -> bool:
    """Whether this may be one picture: an array of bytes, an image, a file or bytes that begin like a picture."""
    item = _array(item)
    if isinstance(item, np.ndarray):
        return item.ndim in (2, 3) and fault_of(item) is None
    if isinstance(item, Image.Image):
        return True
    if isinstance(item, Path):
        try:
            with item.open("rb") as file:
                return kind_of_picture(file.read(64)) is not None
        except OSError:
            return False
    return isinstance(item, bytes) and kind_of_picture(item[:64]) is not None


def size_given(item: Any) -> tuple[int, int] | None:
    """The width and height of whatever may be given as a picture; None where a side is too long to be looked at."""
    item = _array(item)
    if isinstance(item, Image.Image):
        return item.size
    if isinstance(item, np.ndarray):
        return item.shape[1], item.shape[0]
    size = size_of(BytesIO(item) if isinstance(item, bytes) else item, MOST_SIDE)
    return None if size is None else (size.width, size.height)


def _array(item: Any) -> Any:
    """A tensor as an array of pictures: its channels, which torch has first, last. All else as it is."""
    if not isinstance(item, Tensor):
        return item
    array = item.detach().cpu().numpy()
    return array.transpose(1, 2, 0) if array.ndim == 3 and array.shape[0] in (1, 3, 4) else array


def fault_of(item: Any) -> str | None:
    """Why an array is none of pictures, though it may be meant as one."""
    item = _array(item)
    if not isinstance(item, np.ndarray) or item.ndim not in (2, 3):
        return None
    if item.dtype != np.uint8:
        return (
            f"the array is {item.dtype}; pictures are bytes (uint8), 0 to 255. Numbers in [0, 1] become them by "
            "(255 * array).round().astype('uint8')"
        )
    if item.ndim == 3 and item.shape[2] not in (1, 3, 4):
        return (
            f"each example has shape {item.shape}; a picture has (height, width) or (height, width, channels) with "
            "1, 3 or 4 channels (channels first become last by array.transpose(0, 2, 3, 1))"
        )
    return None
