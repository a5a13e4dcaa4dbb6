"""What a recipe is: whole runs as data.

A recipe says what the data becomes, which kernel, network, head and objective, how to train and how to sample. What is
not known is refused, with the nearest name that is.
"""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, SerializerFunctionWrapHandler, field_serializer, model_serializer, model_validator

from noisekernel.core.settings import Count, Strict, kinds_in
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.objectives import KLConfig, ObjectiveConfig
from noisekernel.recipes.parts import (
    CorrectionConfig,
    CovarianceHeadConfig,
    GaussianConfig,
    HeadConfig,
    KernelConfig,
    NetworkConfig,
    UNetConfig,
)
from noisekernel.recipes.training import TrainingSettings
from noisekernel.sampling.samplers import SAMPLERS

#: The settings of any kind of data; `data.kind` says of which.
DataConfig: Any = Annotated[reduce(or_, kinds().values()), Field(discriminator="kind")]


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


def check_parts(data: Kind, kernel: Any, head: Any) -> None:
    """Refuse a kernel and a head that are for other data than these."""
    wanted = data.made_of
    if {kernel.made_of, head.made_of} != {wanted}:
        what = f"{data.many} of {'numbers and categories' if wanted == 'both' else wanted}"
        own, heads = (
            [each.model_fields["kind"].default for each in kinds_in(parts) if getattr(each, "made_of", None) == wanted]
            for parts in (KernelConfig, HeadConfig)
        )
        raise ValueError(
            f"{what}, kernel {kernel.kind!r} and head {head.kind!r} do not go together: these data take the kernel "
            f"{' or '.join(own)}, and one of the heads {', '.join(heads)}"
        )
    if data.classes is not None and (data.counts is not None) != head.of_columns:
        raise ValueError(
            f"the elements of {data.many} have {'different numbers' if data.counts else 'one number'} of classes, so "
            f"the head {head.kind!r} is none for them: head.kind=columns is for those that differ, and for no others"
        )
    for name, part in (("kernel", kernel), ("head", head)):
        given = getattr(part, "classes", None)
        if data.classes is not None and given not in (None, data.classes):
            raise ValueError(
                f"{name}.classes is {given}, and the data has {data.classes}; leave it out, and it is that of the data"
            )
        columns = getattr(part, "counts", None)
        if data.counts is not None and columns not in (None, data.counts):
            raise ValueError(
                f"{name}.counts is {columns}, and the columns of the data are {data.counts}; leave it out, and it is "
                "that of the data"
            )


class Design(Strict):
    """What a model is made of: all that is needed to build it, before its weights."""

    data: DataConfig
    kernel: KernelConfig
    head: HeadConfig
    network: NetworkConfig
    classes: tuple[str, ...] = ()
    #: How many numbers the network is told, in training, of how examples were changed (`data.augment`).
    told: Annotated[int, Field(ge=0, strict=True)] = 0
    #: What its chain at constant noise is corrected by; None for nothing.
    correction: CorrectionConfig | None = None
    sampling: SamplingConfig = SamplingConfig()

    @model_serializer(mode="wrap")
    def _as_before(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What a design has not is not written, as before there was such a thing."""
        return {name: value for name, value in written(self).items() if name not in ("told", "correction") or value}

    @model_validator(mode="after")
    def _fits_together(self) -> "Design":
        if not self.shape:
            raise ValueError(f"a model of {self.data.many} needs to know their shape")
        check_parts(self.data, self.kernel, self.head)
        return self

    @field_serializer("data")
    def _alone(self, data: Kind) -> dict[str, Any]:
        """Of the data's settings those that the model is made for; how its data were read is told by its history."""
        return data.model_dump(include={"kind", *data.fixed})

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one sample."""
        return self.data.shape

    def denoiser(self) -> Denoiser:
        head = self.head.build(self.data.channels, self.shape)
        correction = self.correction
        built = None if correction is None else correction.build(self.shape, self.data.channels, self.data.classes)
        return Denoiser(self.network.build(head, len(self.classes) or None, self.told), head, built)


class Recipe(Strict):
    """A whole run: everything but the data itself, the folder and the seed."""

    name: str = "custom"
    about: str = ""
    #: Those of the first kind there is, where a recipe does not say of which.
    data: DataConfig = Field(default_factory=lambda: next(iter(kinds().values())).model_validate({}))
    kernel: KernelConfig = GaussianConfig()
    network: NetworkConfig = UNetConfig()
    head: HeadConfig = CovarianceHeadConfig()
    objective: ObjectiveConfig = KLConfig()
    training: TrainingSettings = TrainingSettings()
    sampling: SamplingConfig = SamplingConfig()
    published: Published | None = None

    @model_validator(mode="after")
    def _levels_of_the_kernel(self) -> "Recipe":
        check_parts(self.data, self.kernel, self.head)
        if self.kernel.made_of != "categories" and self.objective.kind == "any-order":
            raise ValueError("any-order likelihood is for categories; for numbers set objective.kind=kl")
        if self.kernel.made_of != "numbers" and self.objective.levels.kind != "uniform":
            raise ValueError("log-normal levels are for continuous data; set objective.levels.kind=uniform")
        return self

    def design(self, data: Kind, classes: Sequence[str] = ()) -> Design:
        """The model that this recipe makes of data of this kind, which has been fitted."""
        return Design(
            data=data.bare,
            kernel=self.kernel.of(data.classes, data.counts),
            head=self.head.of(data.classes, data.counts, data.uniform, data.ordered),
            network=self.network,
            classes=tuple(classes),
            told=0 if data.augmentation is None else data.augmentation.numbers,
            sampling=self.sampling,
        )
