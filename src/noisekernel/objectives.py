"""Objectives: what training minimises. Each returns `(loss, info)`.

The paper's is *contrastive adjustment*. For a transition model p(y | x) and data p(x), Algorithm 1: take x ~ p(x) and
y ~ p(y | x), make the step back p(x | y) more and the step forth p(y | x) less probable, until the two balance (eq.
1). The step forth has no effect on average (eqs 2-4: a score has mean zero), so Algorithm 2 leaves it out and
minimises

    - log p(x | y),    y drawn from p(y | x) and held fixed.

Its rivals, for noise kernels, learn the denoiser from z itself (end of section 2.1):

    KL               KL( p(y | z, x) || p_r(y | x) ), in closed form, no sampling of y
    reconstruction   - log r(z | x)

Contrastive adjustment finds *a* balanced kernel, not necessarily the denoiser p(z | x) (docs/theory.md); the rivals
find the denoiser but do not look at balance. `Anchored` adds the two. Losses for noise kernels are in nats an element
of the data; that of `contrastive_adjustment`, which knows nothing of elements, and every `log_ratio` are a sample.

The score of the step forth, useless on average, correlates with that of the step back, and so can serve as a control
variate. For Gaussian data, at the exact denoiser, with rho the chain's autocorrelation (at least w), weight c
multiplies the variance of the mean's gradient by 1 - 2 c rho + c^2, at best by 1 - rho^2, and that of log sigma2 by
1 + 2 c rho^2 + c^2. So it is an option, not the default. Algorithm 1 is c = -1: the wrong direction for the mean.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel import checks
from noisekernel.denoisers import Denoise
from noisekernel.distributions import Distribution, Elementwise
from noisekernel.errors import InputError
from noisekernel.kernels.base import NoiseKernel
from noisekernel.random import Purpose, Randomness, drawing_for
from noisekernel.schedules import Levels, UniformLevels
from noisekernel.transitions import Transition


@dataclass(frozen=True)
class Info:
    """What a log or a diagnostic wants to know of one training step: everything a sample, nothing with a gradient."""

    loss: Float[Tensor, " batch"]
    #: The terms that the loss is the sum of.
    parts: dict[str, Float[Tensor, " batch"]]
    #: What else was seen. `log_ratio` is log p(y | x) - log p(x | y), whose mean is 0 for a chain in balance.
    seen: dict[str, Float[Tensor, " batch"]]
    #: The noise level of each sample; None for a kernel without noise levels.
    beta: Float[Tensor, " batch"] | None = None

    def by_level(self, edges: tuple[float, ...] = (0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0)) -> dict[str, float]:
        """The mean loss between consecutive noise levels, for those bins that hold a sample."""
        if self.beta is None:
            return {}
        bins = {}
        for low, high in pairwise(edges):
            inside = (self.beta > low) & (self.beta <= high)
            if bool(inside.any()):
                bins[f"{low:g}-{high:g}"] = float(self.loss[inside].mean())
        return bins


def contrastive_adjustment(
    transition: Transition, x: Tensor, generator: Randomness, control: float = 0.0
) -> tuple[Tensor, Info]:
    """Algorithm 2, for anything that maps x to p(y | x). `control` = -1 is the gradient form of Algorithm 1.

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
        loss, log_ratio = _adjust(transition, forth, x, generator, control)
    return loss.mean(), Info(loss.detach(), {"contrastive": loss.detach()}, {"log_ratio": log_ratio})


def _adjust(
    transition: Transition, forth: Distribution, x: Tensor, generator: Randomness, control: float
) -> tuple[Tensor, Tensor]:
    """The loss of each sample, and its log p(y | x) - log p(x | y)."""
    y = forth.sample(generator).detach()
    log_forth, log_back = forth.log_prob(y), transition(y).log_prob(x)
    loss = -log_back if control == 0.0 else -log_back - control * log_forth
    return loss, (log_forth - log_back).detach()


Terms = tuple[dict[str, Tensor], dict[str, Tensor]]


@dataclass(frozen=True)
class Noised:
    """One batch of training examples at their noise levels."""

    z: Tensor
    x: Tensor
    beta: Float[Tensor, " batch"]

    @property
    def elements(self) -> int:
        return self.z[0].numel()


@dataclass(frozen=True)
class Passes:
    """What a training step asks of the network, per example: `plan` reckons its cost from this."""

    #: Passes forward alone.
    forward: int
    #: Passes forward whose gradient is taken.
    with_gradient: int


@dataclass(frozen=True)
class Objective(ABC):
    """An objective for noise kernels: draws a noise level and a state for each example, and adds up its terms."""

    levels: Levels = field(default_factory=UniformLevels)

    @property
    @abstractmethod
    def passes(self) -> Passes:
        """How often `terms` calls the denoiser, without and with a gradient."""

    @abstractmethod
    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        """The terms of the loss, and what else was seen: one number a sample each, in nats a sample."""

    def __call__(self, kernel: NoiseKernel, denoiser: Denoise, z: Tensor, generator: Randomness) -> tuple[Tensor, Info]:
        """The mean loss of a batch of clean data, in nats an element.

        `generator` is a torch.Generator, or the streams of these examples: number them on from step to step
        (`Streams.of(seed, range(step * batch, (step + 1) * batch))`), for the same numbers draw the same noise again.
        Streams draw for training here, and meet no random number that a task draws under the same seed.
        """
        z = kernel.check_data(z)
        if not isinstance(self.levels, Levels):
            raise InputError(
                f"levels is a {type(self.levels).__name__}; give what draws levels, such as UniformLevels()"
            )
        lag = torch.as_tensor(kernel.lag)
        if checks.readable(lag) and float(lag.max()) > 1.0 - 1e-6:
            raise InputError("the kernel's lag is 1, a chain that never moves; train with a lag below 1")
        example = self.noised(kernel, z, generator)
        with drawing_for(Purpose.TRAINING, generator):
            terms, seen = self.terms(kernel, denoiser, example, generator)
        weight = self.levels.weight(example.beta) / example.elements
        terms = {name: term * weight for name, term in terms.items()}
        loss = torch.stack(list(terms.values())).sum(dim=0)
        parts = {name: term.detach() for name, term in terms.items()}
        return loss.mean(), Info(loss.detach(), parts, seen, example.beta)

    def noised(self, kernel: NoiseKernel, z: Tensor, generator: Randomness) -> Noised:
        """A noise level and a state for each example: the first draws of a training step."""
        with drawing_for(Purpose.TRAINING, generator):
            beta = self.levels.sample(len(z), generator).to(z.device)
            return Noised(z, kernel.noise(z, beta).sample(generator), beta)


def equilibrium(kernel: NoiseKernel, denoiser: Denoise, beta: Tensor) -> Transition:
    """p_r(y | x) at a constant noise level (eq. 11)."""
    return lambda x: kernel.transition(denoiser(x, beta), x, beta, beta)


@dataclass(frozen=True)
class ContrastiveAdjustment(Objective):
    """The paper's objective: Algorithm 2 at noise level beta. `control` weighs the control variate."""

    control: float = 0.0

    @property
    def passes(self) -> Passes:
        return Passes(1, 1) if self.control == 0.0 else Passes(0, 2)

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        transition = equilibrium(kernel, denoiser, example.beta)
        with torch.set_grad_enabled(self.control != 0.0 and torch.is_grad_enabled()):
            forth = transition(example.x)
        adjusted, log_ratio = _adjust(transition, forth, example.x, generator, self.control)
        return {"contrastive": adjusted}, {"log_ratio": log_ratio}


class Anchor(Objective):
    """An objective that looks at r(z | x) itself, and so can hold contrastive adjustment to the denoiser."""

    @property
    def passes(self) -> Passes:
        return Passes(0, 1)

    @abstractmethod
    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        """The loss of each sample, given r at its state."""

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        return {"anchor": self.anchor(kernel, denoiser(example.x, example.beta), example)}, {}


@dataclass(frozen=True)
class KL(Anchor):
    """KL( p(y | z, x) || p_r(y | x) ) in closed form.

    For the Gaussian kernel, with a = (1 - w) alpha, c = (1 - w^2) beta and s2 = c + a^2 sigma2, that is
    [ (a (z - mu))^2 + c ] / (2 s2) + log(s2 / c) / 2 - 1/2 an element.
    """

    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        z, x, beta = example.z, example.x, example.beta
        return kernel.conditional(z, x, beta, beta).kl(kernel.transition(r, x, beta, beta))


@dataclass(frozen=True)
class Reconstruction(Anchor):
    """- log r(z | x): for categories the cross-entropy over all elements, visible ones included."""

    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        return -r.log_prob(example.z)


def _check_anchor(by: object, levels: Levels) -> None:
    if not isinstance(by, Anchor) or by.levels not in (levels, UniformLevels()):
        raise InputError(
            f"by is {by!r}; give KL() or Reconstruction(), and the noise levels to the objective around it"
        )


@dataclass(frozen=True)
class Anchored(Objective):
    """anchor + weight x contrastive adjustment: the denoiser from the anchor, the balance from the adjustment.

    The step forth is computed with its gradient for the anchor anyway, so the control variate costs nothing here.
    """

    by: Anchor = field(default_factory=KL)
    weight: float = 1.0
    control: float = 0.0

    def __post_init__(self) -> None:
        checks.number("weight", self.weight, 0.0, 1e6)
        _check_anchor(self.by, self.levels)

    @property
    def passes(self) -> Passes:
        return Passes(0, 2)

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        r = denoiser(example.x, example.beta)
        forth = kernel.transition(r, example.x, example.beta, example.beta)
        transition = equilibrium(kernel, denoiser, example.beta)
        adjusted, log_ratio = _adjust(transition, forth, example.x, generator, self.control)
        terms = {"anchor": self.by.anchor(kernel, r, example), "contrastive": self.weight * adjusted}
        return terms, {"log_ratio": log_ratio}


@dataclass(frozen=True)
class Unrolled(Objective):
    """The anchor at x, and again at the chain's own next state: learn to come back from one's own mistakes.

    For categories a state one step on is what sampling will meet, right and wrong elements mixed (Savinov et al., 2021,
    *Step-unrolled denoising autoencoders*; Bengio et al., 2013, *walkback*). Its target is z, though y has seen z only
    through x: for continuous data that blurs (docs/theory.md).
    """

    by: Anchor = field(default_factory=KL)
    weight: float = 1.0

    def __post_init__(self) -> None:
        checks.number("weight", self.weight, 0.0, 1e6)
        _check_anchor(self.by, self.levels)

    @property
    def passes(self) -> Passes:
        return Passes(0, 2)

    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        r = denoiser(example.x, example.beta)
        with torch.no_grad():
            y = kernel.transition(r, example.x, example.beta, example.beta).sample(generator)
        following = Noised(example.z, y, example.beta)
        again = self.by.anchor(kernel, denoiser(y, example.beta), following)
        return {"anchor": self.by.anchor(kernel, r, example), "unrolled": self.weight * again}, {}
