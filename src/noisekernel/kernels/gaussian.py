"""The continuous noise kernel (section 2.3, eqs 14-21).

Element by element, with alpha = 1 - beta,

    p^t(x | z)    = N(x | alpha_t z, beta_t)                          eq. 14
    p^t(y | z, x) = N(y | w x + a z, b)                               eq. 15
    a = alpha_{t+1} - w alpha_t                                       eq. 16
    b = beta_{t+1} - w^2 beta_t                                       eq. 17

Proposition 1 (the marginal of a linear Gaussian) turns eq. 12 into eqs 16 and 17; Proposition 2 says that at a constant
level the kernel balances as it stands. With r(z | x) = N(mu, sigma2) (eq. 18) the transition model is

    p^t(y | x) = N(y | w x + a mu, b + a^2 sigma2)                    eqs 19-21.

b >= 0 needs w <= sqrt(beta_{t+1} / beta_t). At that limit, and with sigma2 = 0, a step is deterministic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import DtypeError
from noisekernel.core.levels import log_snr
from noisekernel.kernels.base import NoiseKernel


class Coefficients(NamedTuple):
    """w, a and b of eqs 15-17, each ready to multiply x."""

    w: Tensor
    a: Tensor
    b: Tensor


@dataclass(frozen=True)
class GaussianKernel(NoiseKernel):
    """Continuous data of any shape.

    Args:
        lag: How much of the state one step carries over, in [0, 1]. Training by KL goes well at 0.9.

    >>> kernel = GaussianKernel(lag=0.5)
    >>> step = kernel.conditional(torch.ones(1, 1), torch.zeros(1, 1), beta=0.5, beta_next=0.5)
    >>> step.mean.item(), step.variance.item()
    (0.25, 0.375)
    """

    lag: Level = 0.5
    #: Noise of standard deviation 0.01.
    clean: ClassVar[float] = 1e-4
    flows: ClassVar[bool] = True

    def noise(self, z: Float[Tensor, "batch *event"], beta: Level) -> Normal:
        """Eq. 14."""
        z = self.check_data(z)
        level = checks.spread(checks.level("beta", beta, z), z)
        return Normal((1.0 - level).to(z) * z, level.to(z).expand_as(z))

    def coefficients(self, x: Tensor, beta: Level, beta_next: Level) -> Coefficients:
        """Eqs 16 and 17, in wide precision until the end: near the largest lag they are small differences.

        Args:
            x: States, (batch, *event).
            beta: The noise level of x: one number, or one per sample, (batch,).
            beta_next: The noise level of the next state, likewise.
        """
        level = checks.spread(checks.level("beta", beta, x), x)
        following = level if beta_next is beta else checks.spread(checks.level("beta_next", beta_next, x), x)
        w = self.lag_of(x)
        a = (1.0 - following) - w * (1.0 - level)
        b = self.refuse_negative(following - w**2 * level, level, following)
        kind = x.dtype if x.is_floating_point() else torch.float32
        return Coefficients(w.to(kind), a.to(kind), b.to(kind))

    def conditional(
        self,
        z: Float[Tensor, "batch *event"],
        x: Float[Tensor, "batch *event"],
        beta: Level,
        beta_next: Level,
    ) -> Normal:
        """Eq. 15."""
        z, x = self.check_data(z), self.check_data(x, "x")
        checks.same_shape("z", z, "x", x)
        w, a, b = self.coefficients(x, beta, beta_next)
        return Normal(w * x + a * z, b.expand_as(x))

    def transition(self, r: Normal, x: Float[Tensor, "batch *event"], beta: Level, beta_next: Level) -> Normal:
        """Eqs 19-21, and with a clamped r eqs 28 and 29."""
        if not isinstance(r, Normal):
            raise DtypeError(f"r is a {type(r).__name__}; a GaussianKernel needs a denoiser that returns a Normal")
        x = self.check_data(x, "x")
        checks.same_shape("r", r.loc, "x", x)
        w, a, b = self.coefficients(x, beta, beta_next)
        return Normal(w * x + a * r.loc, b + a**2 * r.variance)

    def prior(self, shape: Sequence[int], *, device: torch.device | str | None = None) -> Normal:
        """N(0, I): eq. 14 at beta = 1, and the paper's x_0."""
        return Normal(torch.zeros(*shape, device=device), torch.ones(*shape, device=device))

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """b >= 0 in eq. 17, and no more than 1."""
        return torch.sqrt(beta_next / beta).clamp(max=1.0)

    def levels(self, steps: int, first: float = 1.0) -> Tensor:
        """Even in the logarithm of the signal-to-noise ratio, after one step from pure noise, where it is infinite."""
        if first != 1.0:
            return log_snr(first, self.clean)(torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64))
        way = torch.linspace(0.0, 1.0, steps, dtype=torch.float64) if steps > 1 else torch.ones(1, dtype=torch.float64)
        return torch.cat((torch.ones(1, dtype=torch.float64), log_snr(last=self.clean)(way)))

    def loudness(self, beta: Tensor) -> Tensor:
        """sigma = sqrt(beta) / alpha: by eq. 14, x / alpha is z with noise of this standard deviation.

        >>> GaussianKernel().loudness(torch.tensor([0.0, 0.25, 1.0]))
        tensor([0.0000, 0.6667,    inf])
        """
        return beta.sqrt() / (1.0 - beta)

    def check_data(self, z: Any, name: str = "z") -> Tensor:
        return checks.floating(name, z)
