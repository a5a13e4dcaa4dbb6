"""One picture file to bytes: what is taken, and how each kind of file is treated.

| the file holds | what becomes of it |
|---|---|
| grey, RGB, RGBA, palette, CMYK, 1 bit | converted to the channels asked for: 1 grey, 3 RGB, 4 RGBA |
| transparency, where no fourth channel is asked for | laid over white |
| 16 bits a channel, grey | rounded to 8 |
| an orientation in its EXIF data | turned upright |
| several frames | the first one, and a note in the summary |
| another size or aspect ratio | the middle, as large as fits the ratio, resized (Lanczos) |
| JPEG of four times the size asked for or more | unpacked at half, a quarter or an eighth, then the same |
| more than 4,000,000 pixels, four times the size asked for or more | averaged over areas, then the same |
| floating-point or 32-bit values | refused: there is no one meaning of them as bytes |
| more pixels or longer sides than allowed, nothing that Pillow reads, a file that is cut short | refused |

A picture is unpacked once, and what is large is converted in bands of rows: there is never a second copy of it.

What is refused raises `BadExampleError` with the reason; the caller knows the file's name and what its user wants done.
"""

import math
import struct
import warnings
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.quantities import told_bytes

#: Pictures with more pixels than this are refused unopened: a small file can unpack to any size.
MOST_PIXELS = 100_000_000
#: As long as a side of a JPEG can be. Pillow spends memory on every row, however short it is.
MOST_SIDE = 65_535
#: Pictures with more pixels than this are made smaller before anything else is done to them.
LARGE = 4_000_000
#: So many pixels of a large picture are converted at a time.
BAND = 1_000_000
#: What can be trained on: the most numbers of one picture.
MOST_NUMBERS = 2**24
#: How files of pictures begin.
BEGINNINGS = {
    "PNG": b"\x89PNG\r\n\x1a\n",
    "JPEG": b"\xff\xd8\xff",
    "GIF": b"GIF8",
    "TIFF": b"II*\0",
    "BMP": b"BM",
}
MODES = {1: "L", 3: "RGB", 4: "RGBA"}
GREY = ("1", "L", "LA", "I;16", "I;16L", "I;16B", "I;16N")


class Size(NamedTuple):
    """What pictures are made into. For grey, channels = 1."""

    channels: int
    height: int
    width: int

    def check(self) -> "Size":
        if self.channels not in MODES or self.height < 1 or self.width < 1:
            raise InputError(
                f"pictures of {self.channels} channels and {self.height} x {self.width} pixels; give 1 (grey), 3 (RGB) "
                "or 4 (RGBA) channels and a height and width of at least 1"
            )
        if (numbers := self.channels * self.height * self.width) > MOST_NUMBERS:
            raise InputError(
                f"pictures of {' x '.join(map(str, self))} hold {numbers:,} numbers, {told_bytes(4 * numbers)} each; "
                f"at most {MOST_NUMBERS:,} ({told_bytes(4 * MOST_NUMBERS)}) are allowed, such as 4 x 2048 x 2048"
            )
        return self


class Picture(NamedTuple):
    """Bytes of shape (channels, height, width), and what a user should know of how they came about."""

    pixels: NDArray[np.uint8]
    note: str | None = None


def open_picture(
    content: bytes, side: int | None = None, *, formats: tuple[str, ...] | None = None, most: int = MOST_PIXELS
) -> tuple[Image.Image, int]:
    """The decoded first frame, upright, and the number of frames; or `BadExampleError`.

    A picture may come smaller than it is, if that leaves both sides at least `side` long: a JPEG in half, a quarter or
    an eighth of its size, any large one (`LARGE`) in any whole part. Only `formats`, by Pillow's names, are opened, and
    pictures of at most so many pixels.
    """
    try:
        with warnings.catch_warnings():
            # Pillow's own warning comes at another size, and of the rest only what is fatal matters here.
            warnings.simplefilter("ignore")
            image: Image.Image = Image.open(BytesIO(content), formats=formats)
            width, height = image.size
            if width * height > most:
                raise BadExampleError(f"{width} x {height} pixels, more than the {most:,} allowed")
            if max(width, height) > MOST_SIDE:
                raise BadExampleError(f"{width} x {height} pixels; a side may be at most {MOST_SIDE:,} long")
            if image.format == "PNG" and not _ends(content):
                raise BadExampleError("the file is cut short")
            if side is not None and image.format == "JPEG":
                image.draft(image.mode, (side, side))
            image.load()
            frames = getattr(image, "n_frames", 1)
            if side is not None and image.width * image.height > LARGE and min(image.size) >= 2 * side:
                image = _reduced(image, min(image.size) // side)
            return ImageOps.exif_transpose(image), frames
    except BadExampleError:
        raise
    except UnidentifiedImageError:
        kind = kind_of_picture(content)
        if kind is not None and (formats is None or kind.upper() in formats):
            raise BadExampleError(f"begins like a {kind} file, but is cut short or damaged") from None
        known = "any format that Pillow reads" if formats is None else f"one of the formats {', '.join(formats)}"
        raise BadExampleError(f"not a picture in {known}") from None
    except Image.DecompressionBombError:
        raise BadExampleError(f"more pixels than the {most:,} allowed") from None
    except Exception as error:  # decoders of hostile files raise anything at all
        if "truncated" in str(error).lower():
            raise BadExampleError("the file is cut short") from None
        raise BadExampleError(f"cannot be decoded ({type(error).__name__}: {error})") from None


def kind_of_picture(content: bytes) -> str | None:
    """The kind of picture that a file which begins like this holds, if any of the usual ones.

    >>> kind_of_picture(b"GIF89a")
    'GIF'
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WEBP"
    return next((kind for kind, beginning in BEGINNINGS.items() if content.startswith(beginning)), None)


def _ends(content: bytes) -> bool:
    """Whether a PNG file goes on to the end that its format demands."""
    at = len(BEGINNINGS["PNG"])
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        at += 12 + length
        if kind == b"IEND":
            return at <= len(content)
    return False


def _reduced(image: Image.Image, factor: int) -> Image.Image:
    """A picture about so many times smaller, each pixel the mean of an area; transparency and orientation are kept."""
    width, height = image.size
    across, down = width // factor, height // factor
    rows = max(1, BAND // (width * factor))
    small: Image.Image | None = None
    for first in range(0, down, rows):
        last = min(first + rows, down)
        top, bottom = first * height / down, last * height / down
        start = math.floor(top)
        band = _in_eight_bits(image.crop((0, start, width, min(math.ceil(bottom), height))))
        plain = "RGBA" if band.has_transparency_data else "L" if band.mode in GREY else "RGB"
        box = (0, top - start, width, min(bottom - start, band.height))
        band = band.convert(plain).resize((across, last - first), Image.Resampling.BOX, box=box)
        small = small or Image.new(plain, (across, down))
        small.paste(band, (0, first))
    assert small is not None
    small.getexif()[ExifTags.Base.Orientation] = image.getexif().get(ExifTags.Base.Orientation, 1)
    return small


def size_of(path: Path | BinaryIO, longest: int) -> Size | None:
    """The size of a picture, upright, grey or coloured; `BadExampleError` if it is none.

    None if a side is longer: so much is known without unpacking it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                if max(image.size) > longest:
                    return None
                turned = image.getexif().get(ExifTags.Base.Orientation, 1) in (5, 6, 7, 8)
                width, height = image.size[::-1] if turned else image.size
                return Size(1 if image.mode in GREY else 3, height, width)
    except Exception as error:  # as above
        raise BadExampleError(f"cannot be opened ({type(error).__name__}: {error})") from None


def read_picture(content: bytes, size: Size) -> Picture:
    """A file's content as bytes of the size asked for."""
    # Twice the size asked for leaves the rest to Lanczos, and saves most of the unpacking of a large photograph.
    image, frames = open_picture(content, side=2 * max(size.height, size.width))
    pixels = fit(to_channels(image, size.channels), size)
    return Picture(pixels, f"first of {frames} frames used" if frames > 1 else None)


def _in_eight_bits(image: Image.Image) -> Image.Image:
    if image.mode in ("I;16", "I;16L", "I;16B", "I;16N"):
        return Image.fromarray(((np.asarray(image).astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8))
    if image.mode in ("I", "F"):
        raise BadExampleError(
            f"{'32-bit' if image.mode == 'I' else 'floating-point'} values have no one meaning as bytes"
        )
    return image


def to_channels(image: Image.Image, channels: int) -> Image.Image:
    """In mode L, RGB or RGBA, as the table above says."""
    image = _in_eight_bits(image)
    if channels < 4 and image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image).convert("RGB")
    return image.convert(MODES[channels])


def fit(image: Image.Image, size: Size) -> NDArray[np.uint8]:
    """The middle of the picture in the aspect ratio asked for, resized: (channels, height, width)."""
    width, height = image.size
    scale = min(width / size.width, height / size.height)
    crop_width, crop_height = size.width * scale, size.height * scale
    # Rounding may make the middle of a square a hair larger than the square, which Pillow refuses.
    left, top = max(0.0, (width - crop_width) / 2), max(0.0, (height - crop_height) / 2)
    if (width, height) != (size.width, size.height):
        box = (left, top, min(left + crop_width, width), min(top + crop_height, height))
        image = image.resize((size.width, size.height), Image.Resampling.LANCZOS, box=box)
    pixels = np.array(image, dtype=np.uint8)  # a copy: what Pillow lends cannot be written to
    return np.ascontiguousarray(pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1))


def open_image(picture: Image.Image | str | Path, side: int | None = None) -> Image.Image:
    """A picture, or the file of one, upright; what is none is refused by name. With `side`, see `open_picture`."""
    if isinstance(picture, Image.Image):
        return picture
    try:
        return open_picture(Path(picture).read_bytes(), side)[0]
    except OSError as error:
        raise InputError(f"{picture} cannot be opened: {error.strerror}") from None
    except BadExampleError as error:
        raise InputError(f"{picture}: {error}") from None
