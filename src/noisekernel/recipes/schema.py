"""Recipes: whole runs as data. The only place that maps names to classes.

A recipe says what the data becomes, which kernel, network, head and objective, how to train and how to sample. It is a
TOML file (those in `recipes/` go by name) or any JSON of the same keys; `key=value` settings override it. What is not
known is refused, with the nearest name that is.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from noisekernel.core.suggestions import unknown
from noisekernel.kinds.pictures.codecs import Codec, ContinuousCodec, LevelsCodec
from noisekernel.kinds.pictures.reading import Size
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.objectives import KLConfig, ObjectiveConfig
from noisekernel.recipes.parts import (
    GaussianConfig,
    HeadConfig,
    KernelConfig,
    NetworkConfig,
    PreconditionedHeadConfig,
    UNetConfig,
)
from noisekernel.recipes.settings import Count, Share, Strict
from noisekernel.recipes.training import TrainingSettings
from noisekernel.sampling.samplers import SAMPLERS


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


CodecConfig = Annotated[Continuous | Levels, Field(discriminator="kind")]


class DataConfig(Strict):
    """What pictures are made into."""

    #: Channels, height and width; by default the data's own size, and for pictures of many sizes `otherwise`.
    size: tuple[Literal[1, 3, 4], Count, Count] | None = None
    otherwise: tuple[Literal[1, 3, 4], Count, Count] = (3, 64, 64)
    codec: CodecConfig = Continuous()
    #: Mirror half of the pictures, left to right.
    flip: bool = False
    #: Learn the classes too, where the data has any, and forget this share of the labels so as to do without as well.
    labels: bool = False
    forget: Share = 0.5
    #: Names for the classes 0, 1, 2 …, where the data has none.
    class_names: tuple[str, ...] | None = None
    #: What to do with a file that is no picture: stop, or leave it out and say so.
    bad: Literal["fail", "skip"] = "fail"
    #: Sets of up to so many MB live in memory as bytes; larger ones are read by `workers` processes as needed.
    memory: Annotated[int, Field(ge=0, strict=True)] = 4_000
    workers: Annotated[int, Field(ge=0, strict=True)] = 4

    @field_validator("size", "otherwise", mode="before")
    @classmethod
    def _three_numbers(cls, given: Any) -> Any:
        if given is not None and not (isinstance(given, list | tuple) and len(given) == 3):
            raise ValueError(f"a size is [channels, height, width], such as [3,32,32]; given {given!r}")
        return given

    @field_validator("size", "otherwise")
    @classmethod
    def _not_too_large(cls, given: Any) -> Any:
        if given is not None:
            Size(*given).check()
        return given

    def size_for(self, natural: Size | None) -> Size:
        """The size to make pictures into."""
        return Size(*self.size) if self.size else natural or Size(*self.otherwise)


class SamplingConfig(Strict):
    """How `nk sample` draws unless told otherwise."""

    sampler: str = "stochastic"
    steps: Count = 50

    @model_validator(mode="after")
    def _known(self) -> "SamplingConfig":
        if self.sampler not in SAMPLERS:
            raise ValueError(unknown("sampler", self.sampler, SAMPLERS))
        return self


class Published(Strict):
    """What a paper reports for its own run of this recipe. Never a figure of ours."""

    source: str
    fid: float
    fid_note: str = ""
    inception_score: float | None = None


def check_kinds(codec: Any, kernel: Any, head: Any) -> None:
    """Refuse parts that are for different kinds of data."""
    if len({codec.kind == "levels", kernel.kind == "categorical", head.kind in ("categorical", "ordinal")}) > 1:
        raise ValueError(
            f"codec {codec.kind!r}, kernel {kernel.kind!r} and head {head.kind!r} do not go together: either all are "
            "for categories (levels; categorical; categorical or ordinal) or none is"
        )
    if codec.kind == "levels":
        counts = sorted({codec.levels, kernel.classes, head.classes})
        if len(counts) > 1:
            raise ValueError(f"data.codec.levels, kernel.classes and head.classes must be one number, and are {counts}")


class Design(Strict):
    """What a model is made of: all that is needed to build it, before its weights."""

    shape: tuple[Literal[1, 3, 4], Count, Count]
    codec: CodecConfig
    kernel: KernelConfig
    head: HeadConfig
    network: NetworkConfig
    classes: tuple[str, ...] = ()
    sampling: SamplingConfig = SamplingConfig()

    @model_validator(mode="after")
    def _fits_together(self) -> "Design":
        Size(*self.shape).check()
        check_kinds(self.codec, self.kernel, self.head)
        return self

    def denoiser(self) -> Denoiser:
        head = self.head.build(self.shape[0])
        return Denoiser(self.network.build(head, len(self.classes) or None), head)


class Recipe(Strict):
    """A whole run: everything but the data itself, the folder and the seed."""

    name: str = "custom"
    about: str = ""
    data: DataConfig = DataConfig()
    kernel: KernelConfig = GaussianConfig()
    network: NetworkConfig = UNetConfig()
    head: HeadConfig = PreconditionedHeadConfig()
    objective: ObjectiveConfig = KLConfig()
    training: TrainingSettings = TrainingSettings()
    sampling: SamplingConfig = SamplingConfig()
    published: Published | None = None

    @model_validator(mode="after")
    def _one_kind_of_data(self) -> "Recipe":
        check_kinds(self.data.codec, self.kernel, self.head)
        if self.kernel.kind == "categorical" and self.objective.levels.kind != "uniform":
            raise ValueError("log-normal levels are for continuous data; set objective.levels.kind=uniform")
        return self

    def design(self, size: Size, classes: Sequence[str] = ()) -> Design:
        """The model that this recipe makes of pictures of this size."""
        size.check()
        return Design(
            shape=(size.channels, size.height, size.width),  # type: ignore[arg-type]
            codec=self.data.codec,
            kernel=self.kernel,
            head=self.head,
            network=self.network,
            classes=tuple(classes),
            sampling=self.sampling,
        )
