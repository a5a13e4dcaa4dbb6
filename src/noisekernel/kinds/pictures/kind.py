"""Pictures: bytes of (channels, height, width), grey, in colour, or with transparency."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_args

import numpy as np
import torch
from PIL import Image
from pydantic import Field, field_validator
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.settings import Count
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Features, Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.pictures.augmentation import PictureAugmentation, Way
from noisekernel.kinds.pictures.codecs import Continuous, Levels
from noisekernel.kinds.pictures.drawing import bytes_of_a_cell, contact_sheet, png_bytes
from noisekernel.kinds.pictures.features import check_learnable, classifier_features, learn_classifier
from noisekernel.kinds.pictures.film import check_film, save_film
from noisekernel.kinds.pictures.items import (
    channels_from,
    colours_of,
    fault_of,
    is_picture,
    natural_size,
    size_given,
    smaller_sizes,
    spread,
    stored,
)
from noisekernel.kinds.pictures.masks import mask_in, tile_masks
from noisekernel.kinds.pictures.on_page import PicturesOnPage
from noisekernel.kinds.pictures.reading import MODES, Size, kind_of_picture


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
    #: Mirror half of the pictures, left to right: mirrored ones are as good, and are drawn too.
    flip: bool = False
    #: For few pictures: change each in each of these ways (null: all) with this probability. The network is told how,
    #: so that it draws none that are changed.
    augment: Annotated[float, Field(ge=0, le=1)] = 0.0
    augmentations: Annotated[tuple[Way, ...], Field(min_length=1)] | None = None

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
        return any(is_picture(items.item(i)) for i in spread(len(items), 50))

    @classmethod
    def lacks(cls, items: Items) -> str | None:
        return fault_of(items.item(0))

    @classmethod
    def called(cls, beginning: bytes) -> str | None:
        found = kind_of_picture(beginning)
        return None if found is None else f"a {found} picture"

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "small" if on_cpu else "default"

    @classmethod
    def of_signals(cls, shape: tuple[int, ...]) -> "Pictures | None":
        """Three dimensions, of which the first are channels."""
        return cls().of_size(Size(*shape)) if len(shape) == 3 and shape[0] in (1, 3, 4) else None

    def fitted(self, items: Items | None) -> tuple["Pictures", str | None]:
        if items is not None and (fault := fault_of(items.item(0))) is not None:
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

    def sizes(self, items: Items | None) -> Sequence["Pictures"]:
        """The data's own size and smaller ones of the same proportions, or the squares of `SIDES`."""
        if self.size is not None:
            return [self]
        own = None if items is None else natural_size(items)
        return [self.of_size(size) for size in smaller_sizes(own, self.otherwise[0])]

    def resized(self, items: Items | None, to: "Pictures") -> str | None:
        own = None if items is None or self.size is not None else natural_size(items)
        if self.size is not None or own == to.box:
            return None
        shape = " x ".join(map(str, to.shape))
        what = "pictures" if own is None else f"pictures of {own.width} x {own.height}"
        return (
            f"{what} are made into {shape} (the middle of each, resized): the largest size that fits the time; for "
            "another, --set 'data.size=[3,64,64]'"
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

    def following(self, other: "Pictures", items: Items | None) -> "Pictures":
        """Pictures of many sizes, or of large ones, get the size of the others, in colour if some of them are."""
        own = super().following(other, items)
        if items is None:
            return own
        return own.model_copy(update={"otherwise": (colours_of(items), *other.box[1:])})

    def channels_from(self, other: "Pictures") -> Tensor:
        return channels_from(self.channels, other.channels)

    def described(self) -> str:
        levels = "" if self.classes is None else f", in {self.classes} levels"
        return super().described() + levels

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        """A picture's file, its bytes, an array (height, width[, channels]) of bytes, or an image of Pillow."""
        return stored(item, self.box)

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

    @property
    def augmentation(self) -> PictureAugmentation | None:
        """In the ways that are asked for, if `augment` is set."""
        if not self.augment:
            return None
        found = PictureAugmentation(self.augment, self.augmentations or get_args(Way), self.shape)  # type: ignore[arg-type]
        if not found.numbers:
            raise InputError("data.augmentations has colour alone, and these pictures are grey; give others")
        return found

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
            size = size_given(item)
        except BadExampleError:
            return None  # whoever reads it says so
        if size is None or size == (self.box.width, self.box.height):
            return None
        return f"{size[0]} x {size[1]}; its middle is resized to the model's {self.box.width} x {self.box.height}"

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """PNG. What is hidden is grey."""
        return [Shown("image/png", png_bytes(image, how)) for image in self.drawn(self._seen(values, hidden))]

    def _seen(self, values: Tensor, hidden: Tensor | None) -> Tensor:
        return values if hidden is None else torch.where(hidden, torch.full_like(values, self.grey), values)

    @property
    def grey(self) -> int:
        """The byte that hidden pixels are drawn with: what the middle of the data's range becomes."""
        middle = torch.zeros(1) if self.classes is None else torch.tensor([self.classes // 2])
        return int(self.decode(middle)[0])

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
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
        return mask_in(named.item, word, items, self.box)

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        """Square tiles."""
        if tile > max(self.box.height, self.box.width):
            raise InputError(f"--tiles is {tile}; the pictures have {self.box.height} x {self.box.width} pixels")
        return tile_masks(self.box, tile, keep, n, seed=seed, first=first)

    # Judging ----------------------------------------------------------------------------------------------------------

    def flat(self, values: Tensor) -> Tensor:
        return values.flatten(1).float()

    def check_features(self) -> None:
        check_learnable(self.box)

    def learn_features(self, values: Tensor, labels: Tensor | None, seed: int = 0) -> dict[str, Tensor]:
        """The hidden layer of a small classifier where there are classes to tell apart; else principal components."""
        found = learn_classifier(values, labels, seed)
        return super().learn_features(values, labels, seed) if found is None else found

    def features(self, made: Mapping[str, Tensor], device: torch.device) -> Features:
        return super().features(made, device) if "components" in made else classifier_features(made, self.box, device)

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
