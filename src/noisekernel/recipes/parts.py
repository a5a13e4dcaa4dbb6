"""Kernels, heads and networks by name, with their settings."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, Self

import torch
from pydantic import Field, model_validator
from torch import Tensor
from torch import nn as torch_nn

from noisekernel import kernels, networks
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_bytes
from noisekernel.core.settings import Count, Positive, Strict
from noisekernel.kinds.base import Sort
from noisekernel.networks.adopted_head import AdoptedGaussian, Prediction
from noisekernel.networks.categorical_heads import CategoricalHead, OrdinalHead
from noisekernel.networks.columns_head import ColumnsHead
from noisekernel.networks.covariance import DENSE, FEWEST
from noisekernel.networks.covariance_head import CROSSOVER, CovarianceGaussian
from noisekernel.networks.gaussian_heads import PlainGaussian, PreconditionedGaussian
from noisekernel.networks.head import Head, OfColumns
from noisekernel.networks.interval_head import IntervalHead
from noisekernel.networks.product_head import ProductHead
from noisekernel.recipes.adopted_network import DiffusersConfig

Level = Annotated[float, Field(gt=0, le=1)]


Lag = Annotated[float, Field(ge=0, lt=1)]


#: The number of categories; null for that of the data.
Classes = Annotated[int, Field(ge=2, strict=True)] | None


def known(classes: int | None) -> int:
    """The number of categories, once the data have said it."""
    if classes is None:
        raise InputError("the number of categories is not known yet; a design takes it from the data")
    return classes


#: How many classes each column has; 0 for numbers.
Counts = tuple[Annotated[int, Field(ge=0, strict=True)], ...]


def known_columns(counts: tuple[int, ...] | None) -> tuple[int, ...]:
    """How many classes each column has, once the data have said it."""
    if counts is None:
        raise InputError("the number of classes of each column is not known yet; a design takes it from the data")
    return counts


class Part(Strict):
    """A part of a design that may take the number of categories from the data."""

    #: Which data the part is for.
    made_of: ClassVar[Sort] = "numbers"
    #: Whether it is for data whose elements have different numbers of classes.
    of_columns: ClassVar[bool] = False

    def of(
        self,
        classes: int | None,
        counts: tuple[int, ...] | None = None,
        uniform: int = 0,
        ordered: tuple[int, ...] = (),
    ) -> Self:
        """This part for data of so many categories, or of numbers.

        Args:
            classes: The number of categories; None for numbers.
            counts: How many of them each element has, where they differ, and 0 for numbers (`Kind.counts`).
            uniform: How many elements are uniform and independent of all others (`Kind.uniform`).
            ordered: How many classes of each element stand in an order (`Kind.ordered`).
        """
        told = {"classes": classes, "counts": counts, "uniform": uniform, "ordered": ordered}
        return self.model_copy(update={name: told[name] for name in told.keys() & type(self).model_fields.keys()})

    def unmeasured(self) -> Self:
        """This part for other data: less what was measured, or is told by the data."""
        return self.of(None)


class GaussianConfig(Part):
    """`GaussianKernel`."""

    kind: Literal["gaussian"] = "gaussian"
    lag: Lag = 0.9

    def build(self) -> kernels.NoiseKernel:
        return kernels.GaussianKernel(lag=self.lag)


class CategoricalConfig(Part):
    """`CategoricalKernel`; the number of classes is that of the data."""

    made_of: ClassVar[Sort] = "categories"
    kind: Literal["categorical"] = "categorical"
    lag: Lag = 0.95
    classes: Classes = None
    carry_visible: bool = False

    def build(self) -> kernels.NoiseKernel:
        return kernels.CategoricalKernel(lag=self.lag, classes=known(self.classes), carry_visible=self.carry_visible)


class ProductConfig(Part):
    """`ProductKernel`; what each column is, the data say."""

    made_of: ClassVar[Sort] = "both"
    kind: Literal["product"] = "product"
    lag: Lag = 0.95
    counts: Counts | None = None
    carry_visible: bool = False

    def build(self) -> kernels.NoiseKernel:
        return kernels.ProductKernel(lag=self.lag, counts=known_columns(self.counts), carry_visible=self.carry_visible)


KernelConfig = Annotated[GaussianConfig | CategoricalConfig | ProductConfig, Field(discriminator="kind")]


class PlainHeadConfig(Part):
    """`PlainGaussian`, the paper's."""

    kind: Literal["plain"] = "plain"

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return PlainGaussian(channels)


class PreconditionedHeadConfig(Part):
    """`PreconditionedGaussian`; the data's moments are measured when training begins."""

    kind: Literal["preconditioned"] = "preconditioned"
    mean: float | None = None
    variance: Positive | None = None

    @model_validator(mode="after")
    def _both_or_none(self) -> "PreconditionedHeadConfig":
        if (self.mean is None) != (self.variance is None):
            raise ValueError("head.mean and head.variance are given together, or measured together")
        return self

    def unmeasured(self) -> Self:
        return self.model_copy(update={"mean": None, "variance": None})

    def measured(self, batches: Iterable[Tensor], channels: int | None) -> "Measured":
        """With the moments of these data, which are taken in one batch after the other."""
        count, total, squares = 0, 0.0, 0.0
        for z in batches:
            count += z.numel()
            total += float(z.double().sum())
            squares += float(z.double().square().sum())
        mean = total / count
        variance = squares / count - mean**2
        if variance <= 1e-12:
            raise InputError("all the data have one and the same value; there is nothing to learn from them")
        return Measured(PreconditionedHeadConfig(mean=mean, variance=variance))

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        # A plan can be made before the data is seen; nothing is trained with these stand-ins.
        mean, variance = 0.0 if self.mean is None else self.mean, self.variance or 1.0
        return PreconditionedGaussian(channels, mean, variance)


class CovarianceHeadConfig(PreconditionedHeadConfig):
    """`CovarianceGaussian`; the data's moments are measured when training begins, and kept with the weights."""

    kind: Literal["covariance"] = "covariance"  # type: ignore[assignment]
    #: The noise level, beside a signal of 1, at which the covariance has half the weight of the denoiser.
    crossover: Annotated[float, Field(ge=0, le=1000)] = CROSSOVER
    #: How many coefficients are kept with their full covariance.
    dense: Count = DENSE
    #: The number of components of a mixture over the leading coefficients; null for what examples that are left out
    #: say, and then as found.
    components: Count | None = None

    def unmeasured(self) -> Self:
        return super().unmeasured().model_copy(update={"components": None})

    def measured(self, batches: Iterable[Tensor], channels: int | None) -> "Measured":
        """With the moments of these data; where they have no covariance to speak of, the head for one variance."""
        z = torch.cat(list(batches))
        plain = PreconditionedGaussian.of(z, channels)
        moments = {"mean": plain.mean, "variance": plain.variance}
        reason = None
        if len(z) < FEWEST:
            reason = f"{len(z)} examples are too few to measure a covariance (it takes {FEWEST})"
        elif bool((z == z[:1]).all()):
            reason = "all examples are one and the same, so that they have no covariance"
        if reason is not None:
            note = f"{reason}; the head knows one mean and one variance instead (head.kind=preconditioned)"
            return Measured(PreconditionedHeadConfig(mean=plain.mean, variance=plain.variance), note=note)
        head = CovarianceGaussian.of(z, channels, self.crossover, self.dense, self.components)
        moments["components"] = head.settings["components"]
        note = (
            f"the head knows the covariance of {len(z):,} examples (shrunk by {head.shrunk:.0%} towards its diagonal) "
            f"as a mixture of {head.settings['components']}: {told_bytes(head.basis.bytes)} of the model file"
        )
        return Measured(self.model_copy(update=moments), head.state_dict(), note)

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        mean, variance = 0.0 if self.mean is None else self.mean, self.variance or 1.0
        return CovarianceGaussian(channels, shape, mean, variance, self.crossover, self.dense, self.components or 1)


@dataclass(frozen=True)
class Measured:
    """A head with the moments of the data."""

    head: PreconditionedHeadConfig
    #: What is too large for the settings, and is kept with the weights.
    tensors: dict[str, Tensor] = field(default_factory=dict)
    #: What people should know of it.
    note: str | None = None


class CategoricalHeadConfig(Part):
    """`CategoricalHead`."""

    made_of: ClassVar[Sort] = "categories"
    kind: Literal["categorical"] = "categorical"
    classes: Classes = None

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return CategoricalHead(known(self.classes), channels)


class OrdinalHeadConfig(Part):
    """`OrdinalHead`: many classes in order."""

    made_of: ClassVar[Sort] = "categories"
    kind: Literal["ordinal"] = "ordinal"
    classes: Classes = None
    components: Count = 5

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return OrdinalHead(known(self.classes), channels, self.components)


class IntervalsHeadConfig(Part):
    """`IntervalHead`: pitches of several voices, seen and predicted as intervals too."""

    made_of: ClassVar[Sort] = "categories"
    kind: Literal["intervals"] = "intervals"
    classes: Classes = None

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        if channels is None:
            raise InputError("the head 'intervals' is for pieces of several voices; these data have no voices")
        return IntervalHead(known(self.classes), channels)


class ColumnsHeadConfig(Part):
    """`ColumnsHead`: each element has its own number of classes, and its own classes; the data say how many."""

    made_of: ClassVar[Sort] = "categories"
    of_columns: ClassVar[bool] = True
    kind: Literal["columns"] = "columns"
    counts: tuple[Count, ...] | None = None
    uniform: Annotated[int, Field(ge=0, strict=True)] = 0
    ordered: tuple[Annotated[int, Field(ge=0, strict=True)], ...] = ()

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return ColumnsHead(known_columns(self.counts), self.uniform, self.ordered)


class ProductHeadConfig(Part):
    """`ProductHead`: columns of numbers beside columns of categories; the data say which. Numbers are standardised."""

    made_of: ClassVar[Sort] = "both"
    of_columns: ClassVar[bool] = True
    kind: Literal["product"] = "product"
    counts: Counts | None = None
    ordered: Counts = ()
    #: The mean and the variance of each column of numbers; 0 and 1, if nothing is said.
    means: tuple[float, ...] = ()
    variances: tuple[Positive, ...] = ()

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return ProductHead(known_columns(self.counts), self.ordered, self.means, self.variances)


class AdoptedHeadConfig(Part):
    """`AdoptedGaussian`; its schedule and what was measured are kept with the weights."""

    kind: Literal["adopted"] = "adopted"
    prediction: Prediction
    timesteps: Annotated[int, Field(ge=2, strict=True)] = 1000
    clip: Positive | None = None
    from_noise: bool = False
    ignored: Annotated[int, Field(ge=0, strict=True)] = 0

    def build(self, channels: int | None, shape: tuple[int, ...]) -> Head:
        return AdoptedGaussian(channels, shape, **self.model_dump(exclude={"kind"}))


HeadConfig = Annotated[
    PlainHeadConfig
    | PreconditionedHeadConfig
    | CovarianceHeadConfig
    | CategoricalHeadConfig
    | OrdinalHeadConfig
    | IntervalsHeadConfig
    | ColumnsHeadConfig
    | ProductHeadConfig
    | AdoptedHeadConfig,
    Field(discriminator="kind"),
]


class UNetConfig(Strict):
    """`networks.UNet`."""

    kind: Literal["unet"] = "unet"
    channels: Count = 64
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 2)
    blocks: Count = 2
    attention: tuple[int, ...] | None = None

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.UNet(head.in_channels, head.out_channels, **settings, classes=classes, told=told)


class PaperUNetConfig(Strict):
    """`networks.PaperUNet`."""

    kind: Literal["paper-unet"] = "paper-unet"
    channels: Count = 128
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 4, 8)

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.PaperUNet(head.in_channels, head.out_channels, **settings, classes=classes, told=told)


class MLPConfig(Strict):
    """`networks.MLP`, for vectors."""

    kind: Literal["mlp"] = "mlp"
    width: Count = 256
    depth: Count = 4

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.MLP(head.in_channels, head.out_channels, **settings, classes=classes, told=told)


class TransformerConfig(Strict):
    """`networks.Transformer`, for sequences."""

    kind: Literal["transformer"] = "transformer"
    width: Count = 128
    depth: Count = 4
    heads: Count = 4

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.Transformer(head.in_channels, head.out_channels, **settings, classes=classes, told=told)


class RotaryConfig(Strict):
    """`networks.RotaryTransformer`, for what runs in time."""

    kind: Literal["rotary"] = "rotary"
    width: Count = 160
    depth: Count = 5
    heads: Count = 4
    period: Count = 1

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.RotaryTransformer(head.in_channels, head.out_channels, **settings, classes=classes, told=told)


class ColumnsConfig(Strict):
    """`networks.ColumnsTransformer`, for elements that have classes of their own each."""

    kind: Literal["columns"] = "columns"
    width: Count = 128
    depth: Count = 4
    heads: Count = 4

    def build(self, head: Head, classes: int | None, told: int = 0) -> torch_nn.Module:
        if not isinstance(head, OfColumns):
            raise InputError(
                "the network 'columns' is for data whose elements have classes of their own each; it takes the head "
                "'columns' (head.kind=columns), or 'product' where some columns are numbers"
            )
        settings = self.model_dump(exclude={"kind"})
        return networks.ColumnsTransformer(
            head.in_channels, head.out_channels, head.learned, head.in_order, **settings, classes=classes, told=told
        )


class CorrectionConfig(Strict):
    """`networks.Correction`: for which noise levels and which lag it was made, and how wide it is."""

    low: Level = 0.2
    high: Level = 0.2
    lag: Lag = 0.9
    width: Count = 16

    def build(self, shape: tuple[int, ...], channels: int | None, classes: int | None) -> networks.Correction:
        return networks.Correction(shape, channels, classes, self.low, self.high, self.lag, self.width)


NetworkConfig = Annotated[
    UNetConfig | PaperUNetConfig | MLPConfig | TransformerConfig | RotaryConfig | ColumnsConfig | DiffusersConfig,
    Field(discriminator="kind"),
]
