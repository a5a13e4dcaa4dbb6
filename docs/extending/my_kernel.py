"""A noise kernel of your own: Gaussian noise that preserves the variance of the data.

With alpha = 1 - beta, element by element,

    p(x | z)    = N(x | sqrt(alpha) z, beta)
    p(y | z, x) = N(y | w x + a z, b),    a = sqrt(alpha') - w sqrt(alpha),    b = beta' - w^2 beta.

The noise x - sqrt(alpha) z is carried on by w and refreshed by b, so the second law carries the first from level beta
to level beta' (eq. 12), and at a constant level the two balance (eq. 6). b >= 0 needs w <= sqrt(beta' / beta).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

import noisekernel as nk
from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.errors import DtypeError


@dataclass(frozen=True)
class VariancePreserving(nk.NoiseKernel):
    """Continuous data of any shape."""

    lag: Level = 0.5
    #: The noise level at which a state counts as clean.
    clean: ClassVar[float] = 1e-4

    def noise(self, z: Tensor, beta: Level) -> nk.Normal:
        """p(x | z)."""
        z = self.check_data(z)
        level = checks.spread(checks.level("beta", beta, z), z)
        return nk.Normal((1.0 - level).sqrt().to(z) * z, level.to(z).expand_as(z))

    def conditional(self, z: Tensor, x: Tensor, beta: Level, beta_next: Level) -> nk.Normal:
        """p(y | z, x)."""
        z, x = self.check_data(z), self.check_data(x, "x")
        checks.same_shape("z", z, "x", x)
        w, a, b = self._coefficients(x, beta, beta_next)
        return nk.Normal(w * x + a * z, b.expand_as(x))

    def transition(self, r: Any, x: Tensor, beta: Level, beta_next: Level) -> nk.Normal:
        """The conditional, integrated over r(z | x)."""
        if not isinstance(r, nk.Normal):
            raise DtypeError(f"r is a {type(r).__name__}; this kernel needs a denoiser that returns a Normal")
        x = self.check_data(x, "x")
        checks.same_shape("r", r.loc, "x", x)
        w, a, b = self._coefficients(x, beta, beta_next)
        return nk.Normal(w * x + a * r.loc, b + a**2 * r.variance)

    def prior(self, shape: Sequence[int], *, device: torch.device | str | None = None) -> nk.Normal:
        """p(x) at beta = 1."""
        return nk.Normal(torch.zeros(*shape, device=device), torch.ones(*shape, device=device))

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """Where b = 0, and no more than 1."""
        return torch.sqrt(beta_next / beta).clamp(max=1.0)

    def levels(self, steps: int, first: float = 1.0) -> Tensor:
        """Even in the logarithm of beta."""
        return first * (self.clean / first) ** torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64)

    def loudness(self, beta: Tensor) -> Tensor:
        """Of x / sqrt(alpha) = z + noise, the standard deviation of the noise."""
        return (beta / (1.0 - beta)).sqrt()

    def check_data(self, z: Any, name: str = "z") -> Tensor:
        """Floating-point numbers, all finite."""
        return checks.floating(name, z)

    def _coefficients(self, x: Tensor, beta: Level, beta_next: Level) -> tuple[Tensor, Tensor, Tensor]:
        """w, a and b, each ready to multiply x; in wide precision until the end."""
        level = checks.spread(checks.level("beta", beta, x), x)
        following = checks.spread(checks.level("beta_next", beta_next, x), x)
        w = self.lag_of(x)
        a = (1.0 - following).sqrt() - w * (1.0 - level).sqrt()
        b = self.refuse_negative(following - w**2 * level, level, following)
        return w.to(x), a.to(x), b.to(x)
