"""Pictures: bytes of (channels, height, width), grey, in colour, or with transparency."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field, field_validator
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.settings import Count, Strict
from noisekernel.kinds.base import Features, Items, Kind, Named, Shown, Stored
from noisekernel.kinds.pictures.codecs import Codec, ContinuousCodec, LevelsCodec
from noisekernel.kinds.pictures.drawing import bytes_of_a_cell, contact_sheet, png_bytes
from noisekernel.kinds.pictures.film import check_film, save_film
from noisekernel.kinds.pictures.masks import check_fits, read_mask, tile_masks
from noisekernel.kinds.pictures.on_page import PicturesOnPage
from noisekernel.kinds.pictures.reading import (
    MODES,
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
#: So many files tell the size of all.
LOOKED_AT = 1000
#: The longest side of pictures from which features are learned.
LONGEST_LEARNED = 64


class Continuous(Strict):
    """Bytes to [-1, 1]."""

    kind: Literal["continuous"] = "continuous"

    def build(self) -> Codec:
        return ContinuousCodec()


class Levels(Strict):
    """Bytes to `levels` equal bins."""

    kind: Literal["levels"] = "levels"
    levels: Annotated[int, Field(ge=2, le=256, strict=True)] = 10

    def build(self) -> Codec:
        return LevelsCodec(self.levels)


def three_numbers(given: Any) -> Any:
    """A size, if it is one in form."""
    if given is not None and not (isinstance(given, list | tuple) and len(given) == 3):
        raise ValueError(f"a size is [channels, height, width], such as [3,32,32]; given {given!r}")
    return given


class Pictures(Kind):
    """Pictures, from files of any format that Pillow reads or from arrays of bytes."""

    kind: Literal["pictures"] = "pictures"
    #: Channels, height and width; by default the data's own size, and for pictures of many sizes `otherwise`.
    size: tuple[Literal[1, 3, 4], Count, Count] | None = None
    otherwise: tuple[Literal[1, 3, 4], Count, Count] = (3, 64, 64)
    codec: Annotated[Continuous | Levels, Field(discriminator="kind")] = Continuous()
    #: Mirror half of the pictures, left to right.
    flip: bool = False

    one: ClassVar[str] = "picture"
    many: ClassVar[str] = "pictures"
    fixed: ClassVar[frozenset[str]] = frozenset({"size", "codec"})
    suffix: ClassVar[str] = ".png"
    page: ClassVar[str] = ".png"
    reel: ClassVar[str] = ".gif"
    viewer: ClassVar[str] = "pictures"
    #: Clean data lies in [-1, 1], or a little beyond where a denoiser overshoots.
    largest: ClassVar[float] = 10.0

    _form = field_validator("size", "otherwise", mode="before")(three_numbers)

    @field_validator("size", "otherwise")
    @classmethod
    def _not_too_large(cls, given: Any) -> Any:
        if given is not None:
            Size(*given).check()
        return given

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Arrays of bytes in two or three dimensions, and files that begin like pictures."""
        return any(_is_picture(items.item(i)) for i in _some(len(items), 50))

    @classmethod
    def lacks(cls, items: Items) -> str | None:
        return _fault(items.item(0))

    @classmethod
    def called(cls, beginning: bytes) -> str | None:
        found = kind_of_picture(beginning)
        return None if found is None else f"a {found} picture"

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "small" if on_cpu else "default"

    def fitted(self, items: Items | None) -> tuple["Pictures", str | None]:
        if items is not None and (fault := _fault(items.item(0))) is not None:
            raise InputError(f"{items.name(0)}: {fault}")
        if self.size is not None:
            return self, None
        natural = None if items is None else natural_size(items)
        if natural is not None:
            return self.of_size(natural), None
        shape = " x ".join(map(str, self.otherwise))
        return self.of_size(Size(*self.otherwise)), (
            f"pictures are made into {shape}, the recipe's size; for another, --set 'data.size=[3,64,64]'"
        )

    def of_size(self, size: Size) -> "Pictures":
        """This kind with pictures of that size."""
        return self.model_copy(update={"size": tuple(size.check())})

    @property
    def box(self) -> Size:
        """The size that pictures are made into."""
        if self.size is None:
            raise InputError("the size of these pictures is not decided yet; give it, data.size, or fit it to the data")
        return Size(*self.size)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.box)

    @property
    def channels(self) -> int:
        return self.box.channels

    @property
    def classes(self) -> int | None:
        return self.codec.levels if isinstance(self.codec, Levels) else None

    def described(self) -> str:
        levels = "" if self.classes is None else f", in {self.classes} levels"
        return super().described() + levels

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        """A picture's file, its bytes, an array (height, width[, channels]) of bytes, or an image of Pillow."""
        item = _array(item)
        if isinstance(item, np.ndarray):
            if (fault := _fault(item)) is not None:
                raise BadExampleError(fault)
            if item.ndim not in (2, 3):
                raise BadExampleError(f"it has shape {item.shape}; a picture has (height, width[, channels])")
            return Stored(self._of_array(item))
        if isinstance(item, Image.Image):
            return Stored(fit(to_channels(item, self.channels), self.box))
        if not isinstance(item, bytes | str | Path):
            raise BadExampleError(f"a {type(item).__name__} is no picture; give a file, bytes, an array or an image")
        try:
            content = item if isinstance(item, bytes) else Path(item).read_bytes()
        except OSError as error:
            raise BadExampleError(f"cannot be opened ({error.strerror})") from None
        if not content:
            raise BadExampleError("it holds no picture: it is empty")
        picture = read_picture(content, self.box)
        return Stored(picture.pixels, picture.note)

    def _of_array(self, own: NDArray[np.uint8]) -> NDArray[np.uint8]:
        channels = 1 if own.ndim == 2 else own.shape[2]
        if (channels, *own.shape[:2]) == self.shape:
            return np.ascontiguousarray(own[None] if own.ndim == 2 else own.transpose(2, 0, 1))
        image = Image.fromarray(own[..., 0] if own.ndim == 3 and own.shape[2] == 1 else own)
        return fit(to_channels(image, self.channels), self.box)

    def encode(self, values: Tensor) -> Tensor:
        return self.codec.build().encode(values)

    def decode(self, z: Tensor) -> Tensor:
        return self.codec.build().decode(z)

    def drawn(self, values: Tensor) -> list[Image.Image]:
        mode = MODES[self.channels]
        return [Image.fromarray(p[0] if mode == "L" else p.transpose(1, 2, 0), mode) for p in values.numpy()]

    def augmented(self, values: Tensor, chance: Tensor) -> Tensor:
        """Mirrored left to right with probability one half, if `flip` is set."""
        return torch.where((chance < 0.5)[:, None, None, None], values.flip(-1), values) if self.flip else values

    # For people -------------------------------------------------------------------------------------------------------

    def given(self, words: Sequence[str]) -> list[Named]:
        """Paths of files."""
        found = []
        for word in words:
            path = Path(word)
            if path.is_dir():
                raise InputError(f"{path} is a folder; give pictures, such as {path / '*.png'}")
            try:
                found.append(Named(path.stem, path.read_bytes()))
            except OSError as error:
                raise InputError(f"{path} cannot be opened: {error.strerror}") from None
        return found

    def differs(self, item: Any) -> str | None:
        try:
            size = size_of(BytesIO(item) if isinstance(item, bytes) else item, MOST_SIDE)
        except BadExampleError:
            return None  # whoever reads it says so
        if size is None or (size.height, size.width) == (self.box.height, self.box.width):
            return None
        return (
            f"{size.width} x {size.height}; its middle is resized to the model's {self.box.width} x {self.box.height}"
        )

    def show(self, values: Tensor, hidden: Tensor | None = None, how: Mapping[str, Any] | None = None) -> list[Shown]:
        """PNG. What is hidden is grey."""
        return [Shown("image/png", png_bytes(image, how)) for image in self.drawn(self._seen(values, hidden))]

    def _seen(self, values: Tensor, hidden: Tensor | None) -> Tensor:
        return values if hidden is None else torch.where(hidden, torch.full_like(values, self.grey), values)

    @property
    def grey(self) -> int:
        """The byte that hidden pixels are drawn with: what the middle of the data's range becomes."""
        middle = torch.zeros(1) if self.classes is None else torch.tensor([self.classes // 2])
        return int(self.decode(middle)[0])

    def overview(
        self,
        values: Tensor,
        columns: int | None = None,
        hidden: Tensor | None = None,
        how: Mapping[str, Any] | None = None,
    ) -> Shown:
        """A contact sheet."""
        return Shown("image/png", png_bytes(contact_sheet(self.drawn(self._seen(values, hidden)), columns), how))

    def board(self, writer: Any, name: str, page: Shown, step: int) -> None:
        with Image.open(BytesIO(page.content)) as sheet:
            writer.add_image(name, np.asarray(sheet.convert("RGB")), step, dataformats="HWC")

    def check_film(self, path: Path) -> None:
        check_film(path)

    def film(self, frames: Iterable[Tensor], path: Path, fps: float) -> None:
        """A contact sheet per frame, as .gif or .mp4."""
        save_film([contact_sheet(self.drawn(values)) for values in frames], path, fps)

    @property
    def bytes_shown(self) -> int:
        return bytes_of_a_cell(self.box)

    @property
    def on_page(self) -> PicturesOnPage:
        return PicturesOnPage(self)

    # Masks ------------------------------------------------------------------------------------------------------------

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """A black and white picture of the proportions of the pictures: white is filled in, black is kept."""
        (named,) = self.given([word])
        try:
            image, _ = open_picture(named.item)
        except BadExampleError as error:
            raise InputError(f"{word}: {error}") from None
        for item in items:
            size = size_of(BytesIO(item), MOST_SIDE)
            if size is not None:
                check_fits(image.size, (size.width, size.height), self.box)
        note = None
        if image.size != (self.box.width, self.box.height):
            note = (
                f"the mask has {image.width} x {image.height} pixels; its middle is resized to the model's "
                f"{self.box.width} x {self.box.height}, each pixel the nearest one"
            )
        return read_mask(image, self.box), note

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        """Square tiles."""
        if tile > max(self.box.height, self.box.width):
            raise InputError(f"--tiles is {tile}; the pictures have {self.box.height} x {self.box.width} pixels")
        return tile_masks(self.box, tile, keep, n, seed=seed, first=first)

    # Judging ----------------------------------------------------------------------------------------------------------

    def flat(self, values: Tensor) -> Tensor:
        return values.flatten(1).float()

    def check_features(self) -> None:
        longest = max(self.box.height, self.box.width)
        if longest > LONGEST_LEARNED:
            raise InputError(
                f"features are learned from pictures of up to {LONGEST_LEARNED} pixels a side, and these have "
                f"{longest}; name others, such as inception:PATH"
            )

    def learn_features(self, values: Tensor, labels: Tensor | None, seed: int = 0) -> dict[str, Tensor]:
        from noisekernel.kinds.pictures.classifier import can_classify, train_classifier

        if labels is None or not can_classify(labels):
            return super().learn_features(values, labels, seed)
        classifier, accuracy = train_classifier(values, labels, seed)
        some = torch.cat([classifier(rows)[0] for rows in values[:5000].split(500)])
        # Scaled to a mean square of one: the kernel of KID adds one to products of features, and expects such.
        return {**classifier.state_dict(), "accuracy": torch.tensor(accuracy), "scale": some.square().mean().sqrt()}

    def features(self, made: Mapping[str, Tensor], device: torch.device) -> Features:
        from noisekernel.kinds.pictures.classifier import SmallClassifier

        if "components" in made:
            return super().features(made, device)
        weights = {name: value for name, value in made.items() if name not in ("accuracy", "scale")}
        classifier = SmallClassifier(self.box, len(weights["last.bias"]))
        classifier.load_state_dict(weights)
        classifier.requires_grad_(False).eval().to(device)
        scale = float(made["scale"])

        def hidden(values: Tensor) -> tuple[Tensor, Tensor]:
            found, logits = classifier(values.to(device))
            return found / scale, logits

        accuracy = f"right on {float(made['accuracy']):.1%} of pictures it was not shown"
        return Features(hidden, f"a small classifier of the data ({accuracy})")

    def named_features(self, name: str, device: torch.device) -> tuple[Features, str] | None:
        from noisekernel.kinds.pictures.inception import named_inception

        return named_inception(name, device)

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        return {
            "bright": lambda picture: float(picture.mean()),
            "dark": lambda picture: -float(picture.mean()),
            "contrast": lambda picture: float(picture.std()),
        }

    def judged(self, drawn: Any) -> Any:
        """Numbers in [0, 1] of shape (height, width) or (height, width, channels)."""
        return np.asarray(drawn, dtype=np.float64) / 255.0


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
        except BadExampleError:  # whoever reads it hears of it
            continue
        if size is None or any(size[1:] != other[1:] for other in found):
            return None
        found.add(size)
    return max(found, default=None)  # where some are grey, all are coloured


def _some(n: int, most: int) -> range:
    """Places spread over n."""
    return range(0, n, max(1, math.ceil(n / most)))


def _is_picture(item: Any) -> bool:
    item = _array(item)
    if isinstance(item, np.ndarray):
        return item.ndim in (2, 3) and _fault(item) is None
    if isinstance(item, Image.Image):
        return True
    if isinstance(item, Path):
        try:
            with item.open("rb") as file:
                return kind_of_picture(file.read(64)) is not None
        except OSError:
            return False
    return isinstance(item, bytes) and kind_of_picture(item[:64]) is not None


def _array(item: Any) -> Any:
    """A tensor as an array of pictures: its channels, which torch has first, last. All else as it is."""
    if not isinstance(item, Tensor):
        return item
    array = item.detach().cpu().numpy()
    return array.transpose(1, 2, 0) if array.ndim == 3 and array.shape[0] in (1, 3, 4) else array


def _fault(item: Any) -> str | None:
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
