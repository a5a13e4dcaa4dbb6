"""The denoiser in closed form, for Gaussian data."""

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Normal


def exact_denoiser(x: Tensor, beta: Level, mean: float | Tensor, variance: float | Tensor) -> Normal:
    """p(z | x) when z ~ N(mean, variance): the one case where the denoiser is known in closed form.

    With gain = alpha v / (alpha^2 v + beta): mu = m + gain (x - alpha m) and sigma2 = v beta / (alpha^2 v + beta).
    For any data with these two moments it is the best *linear* denoiser, which is what preconditioning builds on.
    """
    level = checks.spread(checks.level("beta", beta, x), x)
    alpha = 1.0 - level
    total = alpha**2 * variance + level
    gain, spread = (alpha * variance / total).to(x), (variance * level / total).to(x)
    return Normal(mean + gain * (x - (alpha * mean).to(x)), spread.expand_as(x))
