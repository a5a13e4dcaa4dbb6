"""Recipes: whole runs as data. The only place that maps names to classes.

A recipe says what the data becomes, which kernel, network, head and objective, how to train and how to sample. It is a
TOML file (those in `recipes/` go by name) or any JSON of the same keys; `key=value` settings override it. What is not
known is refused, with the nearest name that is.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator
from torch import Tensor
from torch import nn as torch_nn

from noisekernel import kernels, nn, objectives, schedules
from noisekernel.data.codecs import Codec, ContinuousCodec, LevelsCodec
from noisekernel.data.pictures import Size
from noisekernel.denoisers import (
    CategoricalHead,
    Denoiser,
    Head,
    OrdinalHead,
    PlainGaussian,
    PreconditionedGaussian,
)
from noisekernel.errors import InputError
from noisekernel.samplers import SAMPLERS
from noisekernel.settings import Count, Positive, Share, Strict, kinds_in, merged, parsed, put, read, unknown
from noisekernel.training.settings import TrainingSettings

Level = Annotated[float, Field(gt=0, le=1)]
Lag = Annotated[float, Field(ge=0, lt=1)]


# Data -----------------------------------------------------------------------------------------------------------------


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


# Mathematics ----------------------------------------------------------------------------------------------------------


class GaussianConfig(Strict):
    """`GaussianKernel`."""

    kind: Literal["gaussian"] = "gaussian"
    lag: Lag = 0.9

    def build(self) -> kernels.NoiseKernel:
        return kernels.GaussianKernel(lag=self.lag)


class CategoricalConfig(Strict):
    """`CategoricalKernel`; the number of classes is that of the codec's levels."""

    kind: Literal["categorical"] = "categorical"
    lag: Lag = 0.95
    classes: Annotated[int, Field(ge=2, strict=True)] = 10
    carry_visible: bool = False

    def build(self) -> kernels.NoiseKernel:
        return kernels.CategoricalKernel(lag=self.lag, classes=self.classes, carry_visible=self.carry_visible)


KernelConfig = Annotated[GaussianConfig | CategoricalConfig, Field(discriminator="kind")]


class PlainHeadConfig(Strict):
    """`PlainGaussian`, the paper's."""

    kind: Literal["plain"] = "plain"

    def build(self, channels: int) -> Head:
        return PlainGaussian(channels)


class PreconditionedHeadConfig(Strict):
    """`PreconditionedGaussian`; the data's moments are measured when training begins."""

    kind: Literal["preconditioned"] = "preconditioned"
    mean: float | None = None
    variance: Positive | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> "PreconditionedHeadConfig":
        if (self.mean is None) != (self.variance is None):
            raise ValueError("head.mean and head.variance are given together, or measured together")
        return self

    def measured(self, batches: Iterable[Tensor]) -> "PreconditionedHeadConfig":
        """With the moments of these data, which are taken in one batch after the other."""
        count, total, squares = 0, 0.0, 0.0
        for z in batches:
            count += z.numel()
            total += float(z.double().sum())
            squares += float(z.double().square().sum())
        mean = total / count
        variance = squares / count - mean**2
        if variance <= 1e-12:
            raise InputError("all the pictures have one and the same value; there is nothing to learn from them")
        return PreconditionedHeadConfig(mean=mean, variance=variance)

    def build(self, channels: int) -> Head:
        # A plan can be made before the data is seen; nothing is trained with these stand-ins.
        mean, variance = 0.0 if self.mean is None else self.mean, self.variance or 1.0
        return PreconditionedGaussian(channels, mean, variance)


class CategoricalHeadConfig(Strict):
    """`CategoricalHead`."""

    kind: Literal["categorical"] = "categorical"
    classes: Annotated[int, Field(ge=2, strict=True)] = 10

    def build(self, channels: int) -> Head:
        return CategoricalHead(self.classes, channels)


class OrdinalHeadConfig(Strict):
    """`OrdinalHead`: many classes in order."""

    kind: Literal["ordinal"] = "ordinal"
    classes: Annotated[int, Field(ge=2, strict=True)] = 256
    components: Count = 5

    def build(self, channels: int) -> Head:
        return OrdinalHead(self.classes, channels, self.components)


HeadConfig = Annotated[
    PlainHeadConfig | PreconditionedHeadConfig | CategoricalHeadConfig | OrdinalHeadConfig, Field(discriminator="kind")
]


class UNetConfig(Strict):
    """`nn.UNet`."""

    kind: Literal["unet"] = "unet"
    channels: Count = 64
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 2)
    blocks: Count = 2
    attention: tuple[int, ...] | None = None

    def build(self, head: Head, classes: int | None) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return nn.UNet(head.in_channels, head.out_channels, **settings, classes=classes)


class PaperUNetConfig(Strict):
    """`nn.PaperUNet`."""

    kind: Literal["paper-unet"] = "paper-unet"
    channels: Count = 128
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 4, 8)

    def build(self, head: Head, classes: int | None) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return nn.PaperUNet(head.in_channels, head.out_channels, **settings, classes=classes)


NetworkConfig = Annotated[UNetConfig | PaperUNetConfig, Field(discriminator="kind")]


class UniformConfig(Strict):
    """`UniformLevels`: the paper's."""

    kind: Literal["uniform"] = "uniform"
    low: Level = 0.01
    high: Level = 1.0

    def build(self, lift: float) -> schedules.Levels:
        return schedules.UniformLevels(self.low, self.high)


class LogNormalConfig(Strict):
    """`LogNormalLevels`."""

    kind: Literal["log-normal"] = "log-normal"
    mean: float = -0.4
    std: Positive = 1.4
    #: How much more high noise counts; null for as much as the objective bears (1, or 0 if it adjusts the chain).
    lift: Annotated[float, Field(ge=0, le=1)] | None = None

    def build(self, lift: float) -> schedules.Levels:
        return schedules.LogNormalLevels(self.mean, self.std, lift if self.lift is None else self.lift)


LevelsConfig = Annotated[UniformConfig | LogNormalConfig, Field(discriminator="kind")]


ANCHORS: dict[str, type[objectives.Anchor]] = {"kl": objectives.KL, "reconstruction": objectives.Reconstruction}


class _ObjectiveConfig(Strict):
    """What all objectives have; it is kept when another one is chosen."""

    levels: LevelsConfig = LogNormalConfig()


class KLConfig(_ObjectiveConfig):
    """`KL`."""

    kind: Literal["kl"] = "kl"

    def build(self) -> objectives.Objective:
        return objectives.KL(self.levels.build(lift=1.0))


class ReconstructionConfig(_ObjectiveConfig):
    """`Reconstruction`."""

    kind: Literal["reconstruction"] = "reconstruction"

    def build(self) -> objectives.Objective:
        return objectives.Reconstruction(self.levels.build(lift=1.0))


class ContrastiveConfig(_ObjectiveConfig):
    """`ContrastiveAdjustment`, the paper's."""

    kind: Literal["contrastive"] = "contrastive"
    #: The weight of the control variate.
    control: float = 0.0

    def build(self) -> objectives.Objective:
        return objectives.ContrastiveAdjustment(self.levels.build(lift=0.0), self.control)


class AnchoredConfig(_ObjectiveConfig):
    """`Anchored`."""

    kind: Literal["anchored"] = "anchored"
    #: What the denoiser is learned by, how much contrastive adjustment is added, and the weight of its control variate.
    by: Literal["kl", "reconstruction"] = "kl"
    weight: Annotated[float, Field(ge=0)] = 1.0
    control: float = 0.0

    def build(self) -> objectives.Objective:
        return objectives.Anchored(self.levels.build(lift=0.0), ANCHORS[self.by](), self.weight, self.control)


class UnrolledConfig(_ObjectiveConfig):
    """`Unrolled`."""

    kind: Literal["unrolled"] = "unrolled"
    #: What the denoiser is learned by, and how much of that at the next state is added.
    by: Literal["kl", "reconstruction"] = "kl"
    weight: Annotated[float, Field(ge=0)] = 1.0

    def build(self) -> objectives.Objective:
        return objectives.Unrolled(self.levels.build(lift=1.0), ANCHORS[self.by](), self.weight)


ObjectiveConfig = Annotated[
    KLConfig | ReconstructionConfig | ContrastiveConfig | AnchoredConfig | UnrolledConfig, Field(discriminator="kind")
]


# Sampling -------------------------------------------------------------------------------------------------------------


class SamplingConfig(Strict):
    """How `nk sample` draws unless told otherwise."""

    sampler: str = "stochastic"
    steps: Count = 50

    @model_validator(mode="after")
    def _known(self) -> "SamplingConfig":
        if self.sampler not in SAMPLERS:
            raise ValueError(unknown("sampler", self.sampler, SAMPLERS))
        return self


# Whole recipes --------------------------------------------------------------------------------------------------------


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


# Reading --------------------------------------------------------------------------------------------------------------


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    root = files("noisekernel") / "recipes"
    names = []
    for entry in root.iterdir():
        if entry.name.endswith(".toml"):
            names.append(entry.name.removesuffix(".toml"))
        elif entry.is_dir():
            names += [
                f"{entry.name}/{e.name.removesuffix('.toml')}" for e in entry.iterdir() if e.name.endswith(".toml")
            ]
    return sorted(names, key=lambda name: ("/" in name, name))


def recipe(
    name: str | Path | Mapping[str, Any] = "default", settings: Sequence[str] | Mapping[str, Any] = ()
) -> Recipe:
    """A recipe by name, from a file or as a table, with settings such as "training.batch=128" put in.

    >>> recipe("digits", ["training.images=5000"]).training.images
    5000
    """
    # A copy all the way down: tables that were given may be put into, and belong to the caller.
    given = deepcopy(list(settings.items())) if isinstance(settings, Mapping) else list(map(parsed, settings))
    changes: dict[str, Any] = {}
    for key, value in given:
        put(changes, key.split("."), value)
    content = merged([Recipe], merged([Recipe], Recipe().model_dump(), _content(name)), changes)
    if given and "name" not in changes and not content["name"].endswith("with changes"):
        content["name"] = f"{content['name']} with changes"
    return read(Recipe, content, f"recipe {content['name'] if isinstance(name, Mapping) else name}")


def recorded(content: Any, origin: str) -> Recipe:
    """A recipe as the record of a run tells it: less what earlier versions wrote of settings that had no effect."""
    told = content.get("objective") if isinstance(content, Mapping) else None
    kinds = {kind.model_fields["kind"].default: kind for kind in kinds_in(Recipe.model_fields["objective"].annotation)}
    if isinstance(told, Mapping) and (kind := kinds.get(told.get("kind"))):
        without_effect = {"by", "weight", "control"} - kind.model_fields.keys()
        content = {**content, "objective": {key: told[key] for key in told.keys() - without_effect}}
    return read(Recipe, content, origin)


def _content(name: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(name, Mapping):
        return dict(name)
    known = recipe_names()
    if str(name) in known:
        text = (files("noisekernel") / "recipes").joinpath(*f"{name}.toml".split("/")).read_text(encoding="utf-8")
        return {"name": str(name), **tomllib.loads(text)}
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{unknown('recipe', str(name), known)} Or give the path of a .toml or .json file.")
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise InputError(f"{path} cannot be read as a recipe: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} holds a {type(content).__name__}; a recipe is a table of settings")
    return {"name": path.stem, **content}
