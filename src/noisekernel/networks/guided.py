"""A denoiser that is pushed away from a worse one: guidance.

With r the good denoiser's distribution, q the worse one's and w the strength, the guided distribution is

    r + (w - 1) (r - q)    on the mean of a normal, on the log probabilities of categories.

w = 1 is r and w = 0 is q; above 1 what tells r from q is exaggerated. Two ways to have a worse denoiser:

    classifier-free guidance   the same denoiser without the label                        Ho and Salimans 2022
    autoguidance               one that learned less: an early average, a small network   Karras et al. 2024

**Why the mean.** The mean of r is the score of the noisy data in other words (Tweedie):

    alpha mu = x + beta grad log p(x).

So the guided mean belongs to the score of p(x)^w q(x)^(1 - w), p and q being the densities of the noisy data by the two
denoisers, whatever their variances are.

**What becomes of the variance.** For w in [0, 1] it goes from one to the other in a line, as the second derivative of
that log density does. Beyond w = 1 it stays that of r. There are two other rules, and neither always gives a
distribution. Going on in the line, to w v_r - (w - 1) v_q, is negative where the worse denoiser is much less certain.
The product of the normals r^w q^(1 - w) has the precision w / v_r - (w - 1) / v_q, which is negative where the worse
one is more certain, by a factor of w / (w - 1). Networks do both (docs/results.md). Where the two variances agree all
three rules do, and the guided r is that product. The variance of r enters a step in the second order of its length, so
that in many small steps the rules agree again.

For categories the rule is the product r^w q^(1 - w), normalised, element by element. It always is a distribution.

**What is drawn is no longer the distribution of the data**, nor is it the product of the densities of *clean* data: the
noised product is not the product of the noised densities, but for normals of one covariance (docs/theory.md).
"""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.core.errors import InputError
from noisekernel.networks.denoiser import Denoise, Denoiser

#: What no strength exceeds: there is nothing to see far below it already.
STRONGEST = 100.0


@dataclass(frozen=True)
class Guided:
    """A denoiser that is pushed away from a worse one, between two noise levels.

    A call takes two network calls between the levels and one outside of them. It takes one everywhere at strength 1,
    which is the denoiser itself, and at strength 0 between the levels, which is the worse one.

    Args:
        denoiser: The good denoiser.
        strength: How far it is pushed, w: 1 is not at all.
        worse: The worse denoiser. For classifier-free guidance it is the good one itself, not told the label.
        told: Whether the worse denoiser is told the label.
        between: The lowest and the highest noise level at which the denoiser is guided, both included. At other levels
            it is the good denoiser alone.

    >>> from noisekernel.networks.exact import exact_denoiser
    >>> good, worse = (partial(exact_denoiser, mean=mean, variance=1.0) for mean in (1.0, 0.0))
    >>> guided = Guided(good, 3.0, worse, told=False, between=(0.1, 0.9))
    >>> guided(torch.zeros(1, 2), beta=1.0).mean  # outside: the good one
    tensor([[1., 1.]])
    >>> guided(torch.zeros(1, 2), beta=0.9).mean == exact_denoiser(torch.zeros(1, 2), 0.9, 3.0, 1.0).mean
    tensor([[True, True]])
    """

    denoiser: Denoise
    strength: float
    worse: Denoise
    told: bool = True
    between: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        checks.number("the strength of guidance", self.strength, 0.0, STRONGEST)
        if not isinstance(self.between, tuple | list) or len(self.between) != 2:
            raise InputError(f"between is {self.between!r}; give two noise levels, such as (0.05, 0.8)")
        low, high = (checks.number("each level of between", level, 0.0, 1.0) for level in self.between)
        if low >= high:
            raise InputError(
                f"guidance is asked for between the noise levels {low:g} and {high:g}; give the lower one first, and "
                "a higher one"
            )
        if self.free and self.told:
            raise InputError("the worse denoiser is the good one itself; guidance away from it does nothing")
        object.__setattr__(self, "between", (low, high))

    @property
    def free(self) -> bool:
        """Whether the guidance is classifier-free: away from the same denoiser without the label."""
        return self.worse is self.denoiser

    def described(self) -> str:
        """The guidance in words."""
        low, high = self.between
        levels = "" if self.between == (0.0, 1.0) else f" between noise levels {low:g} and {high:g}"
        return f"guided {self.strength:g} away from {'no label' if self.free else 'a worse one'}{levels}"

    def calls(self, beta: float) -> int:
        """How many network calls a state at this noise level takes.

        Args:
            beta: The noise level.
        """
        low, high = self.between
        return 1 if self.strength in (0.0, 1.0) or not low <= beta <= high else 2

    def __call__(self, x: Tensor, beta: Level, label: Tensor | None = None) -> Elementwise:
        """The guided r(z | x).

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
            label: The class of each sample, (batch,), or None. Classifier-free guidance needs one.
        """
        if self.free and label is None:
            raise InputError(
                "classifier-free guidance pushes r with a label away from r without one, and no label was given; give "
                "one (label=…), or guide away from a worse model (worse=…)"
            )
        labelled = {} if label is None else {"label": label}
        good = partial(self.denoiser, x, beta, **labelled)
        inside = self._inside(beta)
        if self.strength == 1.0 or not bool(inside.any()):
            return good()
        worse = self.worse(x, beta, **(labelled if self.told else {}))
        everywhere = bool(inside.all())
        if self.strength == 0.0 and everywhere:
            return worse
        plain = good()
        pushed = plain.away_from(worse, self.strength - 1.0)
        return pushed if everywhere else pushed.select(inside.to(x.device).expand(len(x)), plain)

    def _inside(self, beta: Level) -> Tensor:
        low, high = self.between
        level = torch.as_tensor(beta)
        return (level >= low) & (level <= high)


@dataclass(frozen=True)
class Turns:
    """A denoiser that, where it is given no label, takes the classes by turns: sample i is of class i mod `classes`.

    Args:
        denoiser: The denoiser, which takes labels.
        classes: How many classes there are.
    """

    denoiser: Denoise
    classes: int

    def __call__(self, x: Tensor, beta: Level, label: Tensor | None = None) -> Elementwise:
        """r(z | x) with a label.

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
            label: The class of each sample, (batch,), or None.
        """
        own = torch.arange(len(x), device=x.device) % self.classes if label is None else label
        return self.denoiser(x, beta, label=own)


def classes_of(denoiser: Denoise) -> int | None:
    """How many classes a denoiser of this package learned: 0 for none; None for one that does not say.

    Args:
        denoiser: The denoiser.
    """
    if not isinstance(denoiser, Denoiser) or not hasattr(denoiser.backbone, "classes"):
        return None
    return denoiser.backbone.classes or 0  # type: ignore[return-value]


def needs_label(denoiser: Denoise) -> bool:
    """Whether a denoiser of this package was always told a class, so that it knows no state without one.

    Args:
        denoiser: The denoiser.
    """
    return isinstance(denoiser, Denoiser) and bool(getattr(denoiser.backbone, "needs_label", False))
