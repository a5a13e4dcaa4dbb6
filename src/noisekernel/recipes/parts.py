"""Kernels, heads and networks by name, with their settings."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, model_validator
from torch import Tensor
from torch import nn as torch_nn

from noisekernel import kernels, networks
from noisekernel.core.errors import InputError
from noisekernel.networks.categorical_heads import CategoricalHead, OrdinalHead
from noisekernel.networks.gaussian_heads import PlainGaussian, PreconditionedGaussian
from noisekernel.networks.head import Head
from noisekernel.recipes.settings import Count, Positive, Strict

Level = Annotated[float, Field(gt=0, le=1)]


Lag = Annotated[float, Field(ge=0, lt=1)]


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
    """`networks.UNet`."""

    kind: Literal["unet"] = "unet"
    channels: Count = 64
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 2)
    blocks: Count = 2
    attention: tuple[int, ...] | None = None

    def build(self, head: Head, classes: int | None) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.UNet(head.in_channels, head.out_channels, **settings, classes=classes)


class PaperUNetConfig(Strict):
    """`networks.PaperUNet`."""

    kind: Literal["paper-unet"] = "paper-unet"
    channels: Count = 128
    multipliers: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 2, 4, 8)

    def build(self, head: Head, classes: int | None) -> torch_nn.Module:
        settings = self.model_dump(exclude={"kind"})
        return networks.PaperUNet(head.in_channels, head.out_channels, **settings, classes=classes)


NetworkConfig = Annotated[UNetConfig | PaperUNetConfig, Field(discriminator="kind")]
