"""Which yardstick goes with which kernel: one call, `curve_of`, for a denoiser of any of them.

A kernel of one's own is measured too once its yardstick is registered:

    @yardstick.register
    def _(kernel: MyKernel) -> Yardstick:
        return MyYardstick(kernel)
"""

from functools import singledispatch
from typing import Protocol

from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.kernels.base import NoiseKernel
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kernels.gaussian import GaussianKernel
from noisekernel.kernels.product import ProductKernel
from noisekernel.measuring.denoising.categorical import OfCategories
from noisekernel.measuring.denoising.curve import DenoisingCurve
from noisekernel.measuring.denoising.gaussian import OfNumbers
from noisekernel.measuring.denoising.mixed import OfMixed
from noisekernel.networks.denoiser import Denoise


class Yardstick(Protocol):
    """How the denoisers of a kernel are measured."""

    #: What the error at a level is, in words.
    error: str
    #: What the simple denoiser knows of the data, in words.
    reference: str

    def levels(self, few: bool) -> tuple[float, ...]:
        """The noise levels of a curve, from low to high.

        Args:
            few: Whether there are to be few of them.
        """
        ...

    def curve(
        self, denoiser: Denoise, z: Tensor, *, few: bool, seed: int, first: int, batch_size: int
    ) -> DenoisingCurve:
        """The curve of a denoiser; the arguments are those of `curve_of`."""
        ...

    def simple(self, z: Tensor) -> Denoise:
        """A denoiser in closed form that knows next to nothing, to hold others against.

        Args:
            z: Clean data that it learns from, (batch, *event).
        """
        ...


@singledispatch
def yardstick(kernel: NoiseKernel) -> Yardstick:
    """The yardstick of a kernel.

    Args:
        kernel: The kernel.
    """
    raise InputError(
        f"a {type(kernel).__name__} has no denoising curve; say how its denoisers are measured "
        "(noisekernel.measuring.denoising.yardstick.register)"
    )


yardstick.register(GaussianKernel, OfNumbers)
yardstick.register(CategoricalKernel, OfCategories)
yardstick.register(ProductKernel, OfMixed)


def curve_of(
    kernel: NoiseKernel,
    denoiser: Denoise,
    z: Tensor,
    *,
    few: bool = False,
    seed: int = 0,
    first: int = 0,
    batch_size: int = 250,
) -> DenoisingCurve:
    """The error of a denoiser by noise level, and the bits per element that it amounts to.

    Numbers have the squared error by sigma, and bits down to the lowest sigma. Categories have the cross-entropy of
    masked elements by beta, and the bits are a bound of minus the log-likelihood. Rows of both have the sum of the two.

    Args:
        kernel: The kernel that the denoiser is for.
        denoiser: Maps (x, beta) to r(z | x).
        z: Clean data that the denoiser was not trained on, (batch, *event).
        few: Whether to measure at few levels, at about a third of the cost (half of it for categories).
        seed: Draws the noise.
        first: The number of the first example: the noise is that of the examples from this number on.
        batch_size: How many examples are denoised at a time.

    >>> import torch
    >>> kernel = CategoricalKernel(classes=2)
    >>> z = torch.tensor([[0, 1, 1], [1, 1, 1]])
    >>> curve_of(kernel, yardstick(kernel).simple(z), z, batch_size=1).scale
    'beta'
    """
    return yardstick(kernel).curve(denoiser, z, few=few, seed=seed, first=first, batch_size=batch_size)
