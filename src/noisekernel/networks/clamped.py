"""A denoiser that knows part of the answer (section 3.4)."""

from dataclasses import dataclass

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.networks.denoiser import Denoise


@dataclass(frozen=True)
class Clamped:
    """A denoiser that was told part of z: a point mass at `observed` where `mask` is 0 (section 3.4, eqs 28-29)."""

    denoiser: Denoise
    observed: Shaped[Tensor, "batch *event"]
    mask: Shaped[Tensor, "batch *event"]

    def __call__(self, x: Tensor, beta: Level) -> Elementwise:
        return self.denoiser(x, beta).clamp(self.observed, self.mask)
