"""Objectives that add something to an anchor: contrastive adjustment, or the denoiser one step on."""

from dataclasses import dataclass, field

import torch

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.levels import UniformLevels
from noisekernel.core.randomness import Randomness
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise
from noisekernel.objectives.anchors import KL, Anchor
from noisekernel.objectives.base import Noised, Objective, Passes, Terms, equilibrium
from noisekernel.objectives.contrastive import adjust


@dataclass(frozen=True)
class WithAnchor(Objective):
    """An anchor, and another term beside it with a weight; both call the denoiser."""

    by: Anchor = field(default_factory=KL)
    weight: float = 1.0

    def __post_init__(self) -> None:
        checks.number("weight", self.weight, 0.0, 1e6)
        if not isinstance(self.by, Anchor) or self.by.levels not in (self.levels, UniformLevels()):
            raise InputError(
                f"by is {self.by!r}; give KL() or Reconstruction(), and the noise levels to the objective around it"
            )

    @property
    def passes(self) -> Passes:
        return Passes(0, 2)


@dataclass(frozen=True)
class Anchored(WithAnchor):
    """anchor + weight x contrastive adjustment: the denoiser from the anchor, the balance from the adjustment.

    The forward step is computed with its gradient for the anchor anyway, so the control variate costs nothing here.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
        by: The anchor: `KL()` or `Reconstruction()`, without levels of its own.
        weight: The weight of contrastive adjustment beside the anchor.
        control: The weight of the control variate; the kernel's lag is a good one.

    >>> from functools import partial
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> denoiser, z = partial(exact_denoiser, mean=0.0, variance=1.0), torch.zeros(64, 2)
    >>> loss, info = Anchored(weight=0.1)(GaussianKernel(lag=0.9), denoiser, z, torch.Generator().manual_seed(0))
    >>> list(info.parts)
    ['anchor', 'contrastive']
    """

    control: float = 0.0

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        r = denoiser(example.x, example.beta)
        forth = kernel.transition(r, example.x, example.beta, example.beta)
        transition = equilibrium(kernel, denoiser, example.beta)
        adjusted, log_ratio = adjust(transition, forth, example.x, generator, self.control)
        terms = {"anchor": self.by.anchor(kernel, r, example), "contrastive": self.weight * adjusted}
        return terms, {"log_ratio": log_ratio}


@dataclass(frozen=True)
class Unrolled(WithAnchor):
    """The anchor at x, and again at the chain's own next state y, so that the denoiser learns to mend its own mistakes.

    For categories, sampling meets such states, in which right and wrong elements are mixed (Savinov et al., 2021,
    *Step-unrolled denoising autoencoders*; Bengio et al., 2013, *walkback*). The target at y is z, although y depends
    on z only through x. For continuous data this blurs (docs/theory.md).

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
        by: The anchor: `KL()` or `Reconstruction()`, without levels of its own.
        weight: The weight of the anchor at the next state.

    >>> from functools import partial
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> denoiser, z = partial(exact_denoiser, mean=0.0, variance=1.0), torch.zeros(64, 2)
    >>> loss, info = Unrolled()(GaussianKernel(lag=0.9), denoiser, z, torch.Generator().manual_seed(0))
    >>> list(info.parts)
    ['anchor', 'unrolled']
    """

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        r = denoiser(example.x, example.beta)
        with torch.no_grad():
            y = kernel.transition(r, example.x, example.beta, example.beta).sample(generator)
        following = Noised(example.z, y, example.beta)
        again = self.by.anchor(kernel, denoiser(y, example.beta), following)
        return {"anchor": self.by.anchor(kernel, r, example), "unrolled": self.weight * again}, {}
