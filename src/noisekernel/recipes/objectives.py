"""Objectives and noise levels for training by name, with their settings."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from noisekernel import objectives
from noisekernel.core import levels
from noisekernel.core.settings import Count, Positive, Strict
from noisekernel.recipes.parts import CorrectionConfig, Lag, Level


class UniformConfig(Strict):
    """`UniformLevels`: the paper's."""

    kind: Literal["uniform"] = "uniform"
    low: Level = 0.01
    high: Level = 1.0

    def build(self, lift: float) -> levels.Levels:
        return levels.UniformLevels(self.low, self.high)


class LogNormalConfig(Strict):
    """`LogNormalLevels`."""

    kind: Literal["log-normal"] = "log-normal"
    mean: float = -0.4
    std: Positive = 1.4
    #: How much more high noise counts; null for as much as the objective bears (1, or 0 if it adjusts the chain).
    lift: Annotated[float, Field(ge=0, le=1)] | None = None

    def build(self, lift: float) -> levels.Levels:
        return levels.LogNormalLevels(self.mean, self.std, lift if self.lift is None else self.lift)


LevelsConfig = Annotated[UniformConfig | LogNormalConfig, Field(discriminator="kind")]


ANCHORS: dict[str, type[objectives.Anchor]] = {"kl": objectives.KL, "reconstruction": objectives.Reconstruction}


class _ObjectiveConfig(Strict):
    """What all objectives have; it is kept when another one is chosen."""

    levels: LevelsConfig = LogNormalConfig()

    @property
    def correction(self) -> CorrectionConfig | None:
        """The correction that is learned in the place of a denoiser; None for an objective that learns a denoiser."""
        return None


class KLConfig(_ObjectiveConfig):
    """`KL`."""

    kind: Literal["kl"] = "kl"
    #: The lag of the step whose divergence is taken; null for that of the kernel.
    lag: Lag | None = None

    def build(self) -> objectives.Objective:
        return objectives.KL(self.levels.build(lift=1.0), self.lag)


class ReconstructionConfig(_ObjectiveConfig):
    """`Reconstruction`."""

    kind: Literal["reconstruction"] = "reconstruction"

    def build(self) -> objectives.Objective:
        return objectives.Reconstruction(self.levels.build(lift=1.0))


class AnyOrderConfig(_ObjectiveConfig):
    """`AnyOrder`, for categories."""

    kind: Literal["any-order"] = "any-order"
    levels: LevelsConfig = UniformConfig()
    #: The share of examples in which those parts are hidden that people hide (`Kind.hiding`).
    parts: Annotated[float, Field(ge=0, le=1)] = 0.0

    def build(self) -> objectives.Objective:
        return objectives.AnyOrder(self.levels.build(lift=0.0), self.parts)


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


class PersistentConfig(_ObjectiveConfig):
    """`PersistentContrast`: a correction of the chain of a trained model."""

    kind: Literal["persistent"] = "persistent"
    #: The noise levels that chains are corrected at.
    levels: LevelsConfig = UniformConfig(low=0.2, high=0.2)
    #: How many chains are kept running, the steps that each makes at a time, and after how many it begins again at the
    #: data, on average.
    walkers: Count = 2048
    steps: Count = 4
    age: Count = 1000
    #: The weight of the square of the correction.
    penalty: Annotated[float, Field(ge=0)] = 1e-3
    #: The channels of the first layer of the correction.
    width: Count = 16

    @model_validator(mode="after")
    def _between_two(self) -> "PersistentConfig":
        if self.levels.kind != "uniform":
            raise ValueError(
                "a chain is corrected between two noise levels; set objective.levels.kind=uniform, and "
                "objective.levels.low and objective.levels.high (0.2 both, for the paper's)"
            )
        return self

    @property
    def correction(self) -> CorrectionConfig:
        assert isinstance(self.levels, UniformConfig)
        return CorrectionConfig(low=self.levels.low, high=self.levels.high, width=self.width)

    def build(self) -> objectives.TrainerObjective:
        levels = self.levels.build(lift=0.0)
        return objectives.PersistentContrast(levels, self.walkers, self.steps, self.age, self.penalty)


ObjectiveConfig = Annotated[
    KLConfig
    | ReconstructionConfig
    | AnyOrderConfig
    | ContrastiveConfig
    | AnchoredConfig
    | UnrolledConfig
    | PersistentConfig,
    Field(discriminator="kind"),
]
