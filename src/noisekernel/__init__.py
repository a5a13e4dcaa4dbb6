"""noisekernel: learn a Markov chain whose stationary distribution is your data, and use it.

Names are imported when first used, so that `import noisekernel` costs nothing and `torch` loads only where it is
needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from noisekernel import (
        categories,
        chain,
        config,
        data,
        diagnostics,
        distributions,
        errors,
        kernels,
        nn,
        objectives,
        random,
        renewal,
        schedules,
        tasks,
    )
    from noisekernel.categories import Categorical
    from noisekernel.denoisers import (
        CategoricalHead,
        Clamped,
        Denoiser,
        OrdinalHead,
        PlainGaussian,
        PreconditionedGaussian,
    )
    from noisekernel.diagnosis import diagnose
    from noisekernel.distributions import Delta, Distribution, Normal
    from noisekernel.errors import NoiseKernelError
    from noisekernel.familiarity import Familiarity
    from noisekernel.judge import measure
    from noisekernel.kernels import CategoricalKernel, FiniteKernel, GaussianKernel, NoiseKernel
    from noisekernel.models import Model, load, save
    from noisekernel.noise_walk import NoiseWalk
    from noisekernel.objectives import (
        KL,
        Anchored,
        ContrastiveAdjustment,
        Reconstruction,
        Unrolled,
        contrastive_adjustment,
    )
    from noisekernel.random import Streams
    from noisekernel.runs import train
    from noisekernel.schedules import LogNormalLevels, Schedule, UniformLevels
    from noisekernel.tasks import inpaint, renew, steer, synthesize, vary
    from noisekernel.transitions import NoiseModel, PlainModel

_MODULES = (
    "categories",
    "chain",
    "config",
    "data",
    "diagnostics",
    "distributions",
    "errors",
    "kernels",
    "nn",
    "objectives",
    "random",
    "renewal",
    "schedules",
    "tasks",
)
_HOME = {
    "categories": ("Categorical",),
    "denoisers": ("CategoricalHead", "Clamped", "Denoiser", "OrdinalHead", "PlainGaussian", "PreconditionedGaussian"),
    "diagnosis": ("diagnose",),
    "distributions": ("Delta", "Distribution", "Normal"),
    "familiarity": ("Familiarity",),
    "errors": ("NoiseKernelError",),
    "judge": ("measure",),
    "kernels": ("CategoricalKernel", "FiniteKernel", "GaussianKernel", "NoiseKernel"),
    "models": ("Model", "load", "save"),
    "noise_walk": ("NoiseWalk",),
    "objectives": ("KL", "Anchored", "ContrastiveAdjustment", "Reconstruction", "Unrolled", "contrastive_adjustment"),
    "random": ("Streams",),
    "runs": ("train",),
    "schedules": ("LogNormalLevels", "Schedule", "UniformLevels"),
    "tasks": ("inpaint", "renew", "steer", "synthesize", "vary"),
    "transitions": ("NoiseModel", "PlainModel"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "KL",
    "Anchored",
    "Categorical",
    "CategoricalHead",
    "CategoricalKernel",
    "Clamped",
    "ContrastiveAdjustment",
    "Delta",
    "Denoiser",
    "Distribution",
    "Familiarity",
    "FiniteKernel",
    "GaussianKernel",
    "LogNormalLevels",
    "Model",
    "NoiseKernel",
    "NoiseKernelError",
    "NoiseModel",
    "NoiseWalk",
    "Normal",
    "OrdinalHead",
    "PlainGaussian",
    "PlainModel",
    "PreconditionedGaussian",
    "Reconstruction",
    "Schedule",
    "Streams",
    "UniformLevels",
    "Unrolled",
    "categories",
    "chain",
    "config",
    "contrastive_adjustment",
    "data",
    "diagnose",
    "diagnostics",
    "distributions",
    "errors",
    "inpaint",
    "kernels",
    "load",
    "measure",
    "nn",
    "objectives",
    "random",
    "renew",
    "renewal",
    "save",
    "schedules",
    "steer",
    "synthesize",
    "tasks",
    "train",
    "vary",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"noisekernel.{name}")
    if name in _WHERE:
        return getattr(import_module(f"noisekernel.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'noisekernel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
