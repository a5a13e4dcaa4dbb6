"""A denoiser that knows part of the answer (section 3.4)."""

from dataclasses import dataclass

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise


@dataclass(frozen=True)
class Clamped:
    """A denoiser that was told part of z: a point mass at `observed` where `mask` is 0 (section 3.4, eqs 28-29).

    Args:
        denoiser: The denoiser that knows nothing of it.
        observed: The data, (batch, *event). Where the mask is 1 it is not read.
        mask: 1 where an element is to be filled in, 0 where it is observed; of the shape of `observed`.
        barred: Classes that an element cannot be of, given what is observed, (batch, *event, classes): 1 or 0; None
            where nothing is known of that, as for numbers.
        kernel: The kernel of the denoiser, which says how what is observed is shown in the state
            (`NoiseKernel.shown`); None to leave the state as it is.

    Where noise masks elements and leaves the others alone, what is observed is shown to the denoiser in the state,
    whether or not noise had masked it: r(z | x, observed) is r at the state in which the observed elements are visible.
    The noise level that goes with that state is the share of elements that are masked. So filling in takes no time for
    what is observed to make itself felt. Through noise added to z it would (docs/theory.md).

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
    barred: Shaped[Tensor, "batch *event classes"] | None = None
    kernel: NoiseKernel | None = None

    def __call__(self, x: Tensor, beta: Level) -> Elementwise:
        """r(z | x), certain where z is observed.

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
        """
        if self.kernel is not None:
            x, beta = self.kernel.shown(x, self.observed, checks.mask(self.mask, x), beta)
        r = self.denoiser(x, beta)
        if self.barred is not None:
            r = r.without(self.barred)
        return r.clamp(self.observed, self.mask)
