"""A denoiser that knows part of the answer (section 3.4)."""

from dataclasses import dataclass

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.networks.denoiser import Denoise


@dataclass(frozen=True)
class Clamped:
    """A denoiser that was told part of z: a point mass at `observed` where `mask` is 0 (section 3.4, eqs 28-29).

    Args:
        denoiser: The denoiser that knows nothing of it.
        observed: The data, (batch, *event). Where the mask is 1 it is not read.
        mask: 1 where an element is to be filled in, 0 where it is observed; of the shape of `observed`.

    >>> from functools import partial
    >>> import torch
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> told = Clamped(partial(exact_denoiser, mean=0.0, variance=1.0), torch.ones(1, 2), torch.tensor([[0, 1]]))
    >>> told(torch.zeros(1, 2), beta=0.5).mean
    tensor([[1., 0.]])
    """

    denoiser: Denoise
    observed: Shaped[Tensor, "batch *event"]
    mask: Shaped[Tensor, "batch *event"]

    def __call__(self, x: Tensor, beta: Level) -> Elementwise:
        """r(z | x), certain where z is observed.

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
        """
        return self.denoiser(x, beta).clamp(self.observed, self.mask)
