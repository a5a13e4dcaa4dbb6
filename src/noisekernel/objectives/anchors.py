"""Objectives that learn the denoiser from clean data itself (end of section 2.1)."""

from abc import abstractmethod
from dataclasses import dataclass, replace

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.distributions import Elementwise
from noisekernel.core.randomness import Purpose, Randomness, drawing_for
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise
from noisekernel.objectives.base import Noised, Objective, Passes, Terms


class Anchor(Objective):
    """An objective that looks at r(z | x) itself, and so can hold contrastive adjustment to the denoiser."""

    @property
    def passes(self) -> Passes:
        return Passes(0, 1)

    def noised(self, kernel: NoiseKernel, z: Tensor, generator: Randomness) -> Noised:
        """A noise level and a state for each example, some of which a kernel may show more of (`revealed`)."""
        example = super().noised(kernel, z, generator)
        with drawing_for(Purpose.TRAINING, generator):
            return replace(example, x=kernel.revealed(example.x, example.z, generator))

    @abstractmethod
    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        """The loss of each sample, given r at its state.

        Args:
            kernel: The noise kernel.
            r: The denoising distribution at the states.
            example: Clean data, states and noise levels.
        """

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        return {"anchor": self.anchor(kernel, denoiser(example.x, example.beta), example)}, {}


@dataclass(frozen=True)
class KL(Anchor):
    """KL( p(y | z, x) || p_r(y | x) ) in closed form: the objective that we recommend.

    For the Gaussian kernel, with a = (1 - w) alpha, c = (1 - w^2) beta and s2 = c + a^2 sigma2, that is per element

        [ (a (z - mu))^2 + c ] / (2 s2) + log(s2 / c) / 2 - 1/2.

    At a large lag a step tells next to nothing of z, so that sigma2 hardly matters, and is hardly learned.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
        lag: The lag of the step whose divergence is taken; None for that of the kernel.

    >>> from functools import partial
    >>> import torch
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> denoiser, z = partial(exact_denoiser, mean=0.0, variance=1.0), torch.zeros(64, 2)
    >>> loss, info = KL()(GaussianKernel(lag=0.9), denoiser, z, torch.Generator().manual_seed(0))
    >>> loss.shape, info.loss.shape
    (torch.Size([]), torch.Size([64]))
    """

    lag: float | None = None

    def __post_init__(self) -> None:
        if self.lag is not None:
            checks.number("lag", self.lag, 0.0, 1.0, open_high=True)

    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        z, x, beta = example.z, example.x, example.beta
        kernel = kernel if self.lag is None else kernel.with_lag(self.lag)
        return kernel.conditional(z, x, beta, beta).kl(kernel.transition(r, x, beta, beta))


@dataclass(frozen=True)
class Reconstruction(Anchor):
    """- log r(z | x): for categories the cross-entropy over all elements, visible ones included.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.

    >>> from functools import partial
    >>> import torch
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> denoiser, z = partial(exact_denoiser, mean=0.0, variance=1.0), torch.zeros(64, 2)
    >>> loss, info = Reconstruction()(GaussianKernel(lag=0.9), denoiser, z, torch.Generator().manual_seed(0))
    >>> list(info.parts)
    ['anchor']
    """

    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        return -r.log_prob(example.z)
