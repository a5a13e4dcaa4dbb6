"""A head for continuous data that knows the covariance of the data, so that the network need not learn it."""

from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.distributions import Normal
from noisekernel.networks.covariance import DENSE, GaussianBasis
from noisekernel.networks.gaussian_heads import PreconditionedGaussian, corrected
from noisekernel.networks.head import Head, with_channel

#: The noise level from which on the covariance counts for more than half, unless told otherwise.
CROSSOVER = 0.15


class CovarianceGaussian(nn.Module, Head):
    """`PreconditionedGaussian` with the data's covariance: at high noise that is most of what there is to know.

    Let (mu1, s1) be the best linear denoiser for data of one mean and one variance, and (mu2, s2) the best one for data
    of this covariance, or of a mixture with it (`GaussianBasis`). The head blends them by the noise level
    sigma = sqrt(beta) / alpha,

        mu0 = (1 - w) mu1 + w mu2,      s0 = (1 - w) s1 + w s2,      w = sigma^2 / (sigma^2 + crossover^2),

    gives mu0 to the network as further input channels, and corrects it by the features as `PreconditionedGaussian`
    does: mu = mu0 + sqrt(s0) f. A network of zeros is then already a fair denoiser at high noise. At low noise pictures
    are far from Gaussian, and what the covariance says there would have to be unlearned; hence the blend. With a
    crossover of 0 the covariance is used at every level, which is exact for Gaussian data.

    Args:
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.
        shape: The shape of one sample.
        mean: The mean of the data over all elements.
        variance: The variance of the data over all elements, above 0.
        crossover: The noise level, beside a signal of 1, at which the two denoisers have equal weight.
        dense: How many coefficients are kept with their full covariance.
        components: The number of components of a mixture over the leading coefficients; 1 for none.

    >>> z = torch.randn(100, 2, 4, 4, generator=torch.Generator().manual_seed(0))
    >>> head = CovarianceGaussian.of(z, channels=2)
    >>> head.in_channels, head.out_channels
    (4, 4)
    """

    def __init__(
        self,
        channels: int | None,
        shape: tuple[int, ...],
        mean: float = 0.0,
        variance: float = 1.0,
        crossover: float = CROSSOVER,
        dense: int = DENSE,
        components: int = 1,
    ) -> None:
        super().__init__()
        self.channels = channels
        #: How far the covariance was shrunk towards its diagonal, from 0 to 1, once it was measured.
        self.shrunk: float | None = None
        self.plain = PreconditionedGaussian(channels, mean, variance)
        self.crossover = checks.number("crossover", crossover, 0.0, 1e3)
        self.settings = {
            "mean": mean,
            "variance": variance,
            "crossover": crossover,
            "dense": dense,
            "components": components,
        }
        event = shape if channels is not None else (1, *shape)
        self.basis = GaussianBasis(event, checks.count("dense", dense), checks.count("components", components))

    @classmethod
    def of(
        cls,
        z: Float[Tensor, "batch *event"],
        channels: int | None,
        crossover: float = CROSSOVER,
        dense: int = DENSE,
        components: int | None = None,
    ) -> "CovarianceGaussian":
        """The head with the moments of these examples.

        Args:
            z: Examples, (batch, *event), at least 8.
            channels: The size of dimension 1 of the data; None for data that has no channel dimension.
            crossover: The noise level at which the covariance has half the weight.
            dense: How many coefficients are kept with their full covariance.
            components: The number of components of a mixture over the leading coefficients; 1 for none, None for as
                many as make examples that are left out most probable.
        """
        plain = PreconditionedGaussian.of(z, channels)
        make = partial(cls, channels, tuple(z.shape[1:]), plain.mean, plain.variance, crossover, dense)
        head = make(components or 1)
        head.fit(z)
        if components is None:
            number = head.basis.components_for(with_channel(z, channels), head.decided_at)
            if number > 1:
                head = make(number)
                head.fit(z)
        return head

    def fit(self, z: Float[Tensor, "batch *event"]) -> None:
        """Measure the moments of these examples. Afterwards `shrunk` says by how much their covariance was shrunk.

        Args:
            z: Examples, (batch, *event), at least 8.
        """
        self.shrunk = self.basis.fit(with_channel(checks.floating("z", z), self.channels), self.decided_at)

    @property
    def decided_at(self) -> float:
        """The noise level at which examples that are left out decide on shrinkage and components."""
        return max(self.crossover, 0.01)

    @property
    def in_channels(self) -> int:
        return 2 * self.plain.in_channels

    @property
    def out_channels(self) -> int:
        return self.plain.out_channels

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        scaled, told = self.plain.encode(x, beta)
        known = self.known(x, beta) if known is None else known
        guess = with_channel(known.loc, self.channels)
        return torch.cat((scaled, (guess - self.plain.mean) * self.plain.variance**-0.5), dim=1), told

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Normal:
        return corrected(self.known(x, beta) if known is None else known, features)

    def known(self, x: Tensor, beta: Tensor) -> Normal:
        """The blend (mu0, s0).

        Args:
            x: States, (batch, *event).
            beta: Noise levels, (batch,).
        """
        one = self.plain.known(x, beta)
        # In the precision of the data, whatever the network's is. There is no autocast for networks without weights.
        device = "cpu" if x.device.type == "meta" else x.device.type
        with torch.autocast(device, enabled=False):
            mean, variance = (h.reshape(x.shape) for h in self.basis.posterior(with_channel(x, self.channels), beta))
        level = checks.spread(beta, x)
        weight = (level / (level + ((1.0 - level) * self.crossover) ** 2)).to(x)
        return Normal(torch.lerp(one.loc, mean, weight), torch.lerp(one.variance, variance, weight))
