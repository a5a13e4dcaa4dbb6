"""An objective of your own: the squared error of the best guess, as in the first diffusion models.

    | z - mean of r(z | x) |^2

It teaches the mean of r and leaves its variance alone, so it suits samplers that use only the best guess.
"""

from dataclasses import dataclass

from noisekernel.core.randomness import Randomness
from noisekernel.kernels import NoiseKernel
from noisekernel.networks.denoiser import Denoise
from noisekernel.objectives import Noised, Objective, Passes
from noisekernel.objectives.base import Terms


@dataclass(frozen=True)
class SquaredError(Objective):
    """|z - E r|^2. Call it as any other: `SquaredError(levels)(kernel, denoiser, z, generator)`."""

    @property
    def passes(self) -> Passes:
        """How often `terms` calls the network: the cost of a step is estimated from this."""
        return Passes(forward=0, with_gradient=1)

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        """The terms of the loss by name, one number per sample each, and what else is worth logging."""
        r = denoiser(example.x, example.beta)
        squared = (example.z - r.mean).square().flatten(1).sum(dim=1)
        return {"squared": squared}, {"variance": r.variance.flatten(1).mean(dim=1).detach()}
