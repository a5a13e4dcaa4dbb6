"""noisekernel: learn a Markov chain whose stationary distribution is your data, and use it.

Names are imported when first used, so that `import noisekernel` costs nothing and `torch` loads only where it is
needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from noisekernel import (
        data,
        kernels,
        kinds,
        measuring,
        models,
        networks,
        objectives,
        recipes,
        sampling,
        tasks,
        training,
    )
    from noisekernel.core import categories, distributions, errors, levels, randomness
    from noisekernel.core.categories import Categorical
    from noisekernel.core.distributions import Delta, Distribution, Normal
    from noisekernel.core.errors import NoiseKernelError
    from noisekernel.core.levels import LogNormalLevels, UniformLevels
    from noisekernel.core.products import Product
    from noisekernel.core.randomness import Streams
    from noisekernel.kernels import CategoricalKernel, FiniteKernel, GaussianKernel, NoiseKernel, ProductKernel
    from noisekernel.measuring.chains.diagnosis import diagnose
    from noisekernel.measuring.familiarity import Familiarity
    from noisekernel.models import Model, load, save
    from noisekernel.models.adopting import adopt
    from noisekernel.models.named import measure
    from noisekernel.networks import (
        CategoricalHead,
        Clamped,
        CovarianceGaussian,
        Denoiser,
        OrdinalHead,
        PlainGaussian,
        PreconditionedGaussian,
    )
    from noisekernel.objectives import (
        KL,
        Anchored,
        ContrastiveAdjustment,
        Reconstruction,
        Unrolled,
        contrastive_adjustment,
    )
    from noisekernel.sampling import chain, renewal
    from noisekernel.sampling.model import NoiseModel, PlainModel
    from noisekernel.sampling.schedule import Schedule
    from noisekernel.tasks import equilibrate, fill, redraw, steer, synthesize, vary, walk
    from noisekernel.training.run import fit

#: Where each module that is a public name lies.
_MODULES = {
    "data": "data",
    "kernels": "kernels",
    "kinds": "kinds",
    "measuring": "measuring",
    "models": "models",
    "networks": "networks",
    "objectives": "objectives",
    "recipes": "recipes",
    "sampling": "sampling",
    "tasks": "tasks",
    "training": "training",
    "categories": "core.categories",
    "distributions": "core.distributions",
    "errors": "core.errors",
    "levels": "core.levels",
    "randomness": "core.randomness",
    "chain": "sampling.chain",
    "renewal": "sampling.renewal",
}
#: Which names each module gives.
_HOME = {
    "core.categories": ("Categorical",),
    "core.distributions": (
        "Delta",
        "Distribution",
        "Normal",
    ),
    "core.errors": ("NoiseKernelError",),
    "core.levels": (
        "LogNormalLevels",
        "UniformLevels",
    ),
    "core.products": ("Product",),
    "core.randomness": ("Streams",),
    "kernels": (
        "CategoricalKernel",
        "FiniteKernel",
        "GaussianKernel",
        "NoiseKernel",
        "ProductKernel",
    ),
    "measuring.chains.diagnosis": ("diagnose",),
    "measuring.familiarity": ("Familiarity",),
    "models": (
        "Model",
        "load",
        "save",
    ),
    "models.adopting": ("adopt",),
    "models.named": ("measure",),
    "networks": (
        "CategoricalHead",
        "Clamped",
        "CovarianceGaussian",
        "Denoiser",
        "OrdinalHead",
        "PlainGaussian",
        "CovarianceGaussian",
        "PreconditionedGaussian",
    ),
    "objectives": (
        "KL",
        "Anchored",
        "ContrastiveAdjustment",
        "Reconstruction",
        "Unrolled",
        "contrastive_adjustment",
    ),
    "sampling.model": (
        "NoiseModel",
        "PlainModel",
    ),
    "sampling.schedule": ("Schedule",),
    "tasks": (
        "equilibrate",
        "fill",
        "redraw",
        "steer",
        "synthesize",
        "vary",
        "walk",
    ),
    "training.run": ("fit",),
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
    "CovarianceGaussian",
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
    "Normal",
    "OrdinalHead",
    "PlainGaussian",
    "PlainModel",
    "PreconditionedGaussian",
    "Product",
    "ProductKernel",
    "Reconstruction",
    "Schedule",
    "Streams",
    "UniformLevels",
    "Unrolled",
    "adopt",
    "categories",
    "chain",
    "contrastive_adjustment",
    "data",
    "diagnose",
    "distributions",
    "equilibrate",
    "errors",
    "fill",
    "fit",
    "kernels",
    "kinds",
    "levels",
    "load",
    "measure",
    "measuring",
    "models",
    "networks",
    "objectives",
    "randomness",
    "recipes",
    "redraw",
    "renewal",
    "sampling",
    "save",
    "steer",
    "synthesize",
    "tasks",
    "training",
    "vary",
    "walk",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"noisekernel.{_MODULES[name]}")
    if name in _WHERE:
        return getattr(import_module(f"noisekernel.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'noisekernel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
