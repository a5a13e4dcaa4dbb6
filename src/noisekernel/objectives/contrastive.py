"""Objectives: what training minimises. Each returns `(loss, info)`.

The paper's objective is *contrastive adjustment*. For a transition model p(y | x) and data p(x), Algorithm 1 takes
x ~ p(x) and y ~ p(y | x). It makes the backward step p(x | y) more probable and the forward step p(y | x) less, until
the two balance (eq. 1). The forward step has no effect on average (eqs 2-4: a score has mean zero), so Algorithm 2
leaves it out and minimises

    - log p(x | y),    y drawn from p(y | x) and held fixed.

Its rivals, for noise kernels, learn the denoiser from z itself (end of section 2.1):

    KL               KL( p(y | z, x) || p_r(y | x) ), in closed form, no sampling of y
    reconstruction   - log r(z | x)

Contrastive adjustment finds *a* balanced kernel, not necessarily the denoiser p(z | x) (docs/theory.md); the rivals
find the denoiser but do not look at balance. `Anchored` adds the two. Losses for noise kernels are in nats per element
of the data. The loss of `contrastive_adjustment`, which knows of no elements, and every `log_ratio` are per sample.

The score of the forward step is zero on average but correlates with that of the backward step, so it can serve as a
control variate. For Gaussian data, at the exact denoiser, with rho the chain's autocorrelation (at least w), weight c
multiplies the variance of the mean's gradient by 1 - 2 c rho + c^2, at best by 1 - rho^2, and that of log sigma2 by
1 + 2 c rho^2 + c^2. So it is an option, not the default. Algorithm 1 is c = -1: the wrong direction for the mean.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.distributions import Distribution
from noisekernel.core.randomness import Purpose, Randomness, drawing_for
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise
from noisekernel.objectives.base import Info, Noised, Objective, Passes, Terms, equilibrium
from noisekernel.sampling.model import Transition


def contrastive_adjustment(
    transition: Transition, x: Tensor, generator: Randomness, control: float = 0.0
) -> tuple[Tensor, Info]:
    """Algorithm 2, for anything that maps x to p(y | x): the mean loss in nats per sample, and what was seen.

    Args:
        transition: Maps states, (batch, *event), to the distribution of the next ones.
        x: Data, (batch, *event).
        generator: Draws the next states.
        control: The weight of the control variate; -1 is the gradient form of Algorithm 1.

    >>> from noisekernel.kernels import FiniteKernel
    >>> kernel = FiniteKernel(5)
    >>> loss, info = contrastive_adjustment(kernel.transition, torch.tensor([0, 3]), torch.Generator().manual_seed(0))
    >>> round(loss.item(), 4)  # log 5: the uniform jump
    1.6094
    """
    checks.number("control", control, -1e6, 1e6)
    with torch.set_grad_enabled(control != 0.0 and torch.is_grad_enabled()):
        forth = transition(checks.tensor("x", x))
    with drawing_for(Purpose.TRAINING, generator):
        loss, log_ratio = adjust(transition, forth, x, generator, control)
    return loss.mean(), Info(loss.detach(), {"contrastive": loss.detach()}, {"log_ratio": log_ratio})


def adjust(
    transition: Transition, forth: Distribution, x: Tensor, generator: Randomness, control: float
) -> tuple[Tensor, Tensor]:
    """The loss of each sample, and its log p(y | x) - log p(x | y)."""
    y = forth.sample(generator).detach()
    log_forth, log_back = forth.log_prob(y), transition(y).log_prob(x)
    loss = -log_back if control == 0.0 else -log_back - control * log_forth
    return loss, (log_forth - log_back).detach()


@dataclass(frozen=True)
class ContrastiveAdjustment(Objective):
    """The paper's objective: Algorithm 2 at noise level beta.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
        control: The weight of the control variate, which the paper does not have. The kernel's lag is a good one:
            it took the Fréchet distance from 1.69 to .47 on digits (docs/results.md).

    >>> from functools import partial
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> denoiser, z = partial(exact_denoiser, mean=0.0, variance=1.0), torch.zeros(64, 2)
    >>> objective = ContrastiveAdjustment(control=0.9)
    >>> loss, info = objective(GaussianKernel(lag=0.9), denoiser, z, torch.Generator().manual_seed(0))
    >>> info.seen["log_ratio"].shape
    torch.Size([64])
    """

    control: float = 0.0

    @property
    def passes(self) -> Passes:
        return Passes(1, 1) if self.control == 0.0 else Passes(0, 2)

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        transition = equilibrium(kernel, denoiser, example.beta)
        with torch.set_grad_enabled(self.control != 0.0 and torch.is_grad_enabled()):
            forth = transition(example.x)
        adjusted, log_ratio = adjust(transition, forth, example.x, generator, self.control)
        return {"contrastive": adjusted}, {"log_ratio": log_ratio}
