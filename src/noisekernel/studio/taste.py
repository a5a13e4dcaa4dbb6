"""Taste: what a person likes, learned from a few likes and dislikes.

An example z is described by what the denoiser sees in it: the summary that its network gives (`Backbone.summary`) when
it is shown z at two noise levels. These features are scaled by the judged examples' own mean and spread. On them stands
a Bayesian logistic regression,

    p(liked | z) = s(w . phi(z) + b),      w ~ N(0, I / d),   b ~ N(0, 1),

whose posterior is approximated by Laplace's method: a normal at the mode with the curvature there. With few opinions
and many features it is found in the space of the opinions (the Gram matrix K = phi phi' / d + 1), by Newton's method as
for a Gaussian process. The score that a round is steered by is the log-odds at the mode, shrunk where the posterior is
wide (MacKay's kappa), so that it insists only on what it knows.

How sure? Each opinion is foretold from the others (leave one out, in closed form from the one fit: at the mode the
posterior is that of a regression on f + W^-1 a, whose residuals are known); with r right of m, half a step off for
each side, the share foretold right has the posterior Beta(r + 1, m - r + 1), of which `sure` takes the tenth
percentile: 0 where that is no better than a coin, 1 where it is never wrong.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.models.model import Model
from noisekernel.networks.denoiser import Denoiser
from noisekernel.sampling.chain import best

#: The noise levels at which the denoiser is shown an example.
LEVELS = (0.1, 0.4)
#: Log-odds are worth so many nats at the end of the dial.
INSISTENCE = 20.0
#: Likes, and dislikes, that it takes to begin.
LEAST = 2
#: Examples that the denoiser is shown at a time.
AT_ONCE = 64


def features(model: Model, z: Tensor) -> Tensor:
    """What the denoiser sees in each z: (batch, features), float64."""
    return finished(seeing(model, z))


@torch.no_grad()
def seeing(model: Model, z: Tensor) -> Stepwise[Tensor]:
    """`features`, a network call at a time: `calls_to_see` of them."""
    denoiser = model.denoiser
    if not isinstance(denoiser, Denoiser):
        raise InputError(f"a {type(denoiser).__name__} gives no summary of what it sees, so this model learns no taste")
    rows = []
    for some in z.split(AT_ONCE):
        seen: list[Tensor] = []
        for beta in LEVELS:
            # The noise's centre, not a draw: an example has one description.
            seen.append(denoiser.summary(best(model.kernel.noise(some.to(model.device), beta)), beta))
            yield
        rows.append(torch.cat(seen, dim=1).double().cpu())
    return torch.cat(rows)


def calls_to_see(n: int) -> int:
    """How many network calls it takes to see the features of n examples."""
    return len(LEVELS) * math.ceil(n / AT_ONCE)


@dataclass(frozen=True)
class Taste:
    """A preference, and how sure it is."""

    model: Model
    mean: Tensor
    scale: Tensor
    #: The judged examples' features, scaled, and 1 for each that is liked, else 0.
    known: Tensor
    liked: Tensor
    #: The mode in the space of the opinions, and what the posterior's width needs.
    dual: Tensor
    width: Tensor

    @classmethod
    def fit(cls, model: Model, z: Tensor, opinions: Sequence[int]) -> "Taste":
        """From clean data and what was said of them: 1 liked, -1 not."""
        return cls.of(model, features(model, z), opinions)

    @classmethod
    def of(cls, model: Model, phi: Tensor, opinions: Sequence[int]) -> "Taste":
        """From features that are known already."""
        y = torch.tensor([1.0 if opinion > 0 else 0.0 for opinion in opinions], dtype=torch.float64)
        if min(y.sum(), len(y) - y.sum()) < LEAST:
            raise InputError(f"taste needs at least {LEAST} likes and {LEAST} dislikes")
        mean, scale = phi.mean(dim=0), phi.std(dim=0, correction=0) + 1e-6
        known = (phi - mean) / scale
        return cls(model, mean, scale, known, y, *_mode(_gram(known, known), y))

    @property
    def judged(self) -> int:
        return len(self.liked)

    @cached_property
    def right(self) -> float:
        """How many opinions are foretold from the others; half a one where the odds are even."""
        f = _gram(self.known, self.known) @ self.dual
        p = torch.sigmoid(f)
        alone = f + self.dual * (1.0 / (p * (1.0 - p)) - 1.0 / self.width.diagonal())
        # Without the opinion itself its side is outnumbered: the others' balance is what there is to beat.
        likes = self.liked.sum() - self.liked
        odds = alone - torch.log(likes / (self.judged - 1 - likes))
        return float(torch.where(odds == 0.0, 0.5, ((odds > 0) == (self.liked > 0)).double()).sum())

    @property
    def sure(self) -> float:
        """From 0, no better than a coin, to 1."""
        from scipy.stats import beta

        return max(0.0, 2.0 * float(beta.ppf(0.1, self.right + 1.0, self.judged - self.right + 1.0)) - 1.0)

    def log_odds(self, phi: Tensor) -> Tensor:
        """Of being liked, shrunk where the posterior is wide."""
        scaled = (phi - self.mean) / self.scale
        cross = _gram(scaled, self.known)
        own = scaled.square().mean(dim=1) + 1.0
        variance = (own - (cross @ self.width * cross).sum(dim=1)).clamp(min=0.0)
        return cross @ self.dual / torch.sqrt(1.0 + math.pi * variance / 8.0)

    def score(self, dial: float) -> Callable[[Tensor], Tensor]:
        """What a chain is steered by: a batch of clean data to one number a sample."""

        def f(z: Tensor) -> Tensor:
            return (INSISTENCE * dial * self.log_odds(features(self.model, z))).float().to(z.device)

        return f

    @property
    def said(self) -> str:
        """How good it is, for people."""
        return f"Foretells {self.right:g} of your {self.judged} opinions from the others."


def _gram(a: Tensor, b: Tensor) -> Tensor:
    return a @ b.T / a.shape[1] + 1.0


def _mode(gram: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """The mode as weights of the judged examples, and (K + W^-1)^-1 there, for the variance. Newton's method."""
    f = torch.zeros_like(y)
    identity = torch.eye(len(y), dtype=y.dtype)
    for _ in range(50):
        p = torch.sigmoid(f)
        root = torch.sqrt(p * (1.0 - p))
        inner = identity + root[:, None] * gram * root[None, :]
        b = root**2 * f + (y - p)
        dual = b - root * torch.linalg.solve(inner, root * (gram @ b))
        moved = gram @ dual
        settled = float((moved - f).abs().max()) < 1e-9
        f = moved
        if settled:
            break
    p = torch.sigmoid(f)
    root = torch.sqrt(p * (1.0 - p))
    inner = identity + root[:, None] * gram * root[None, :]
    return y - p, root[:, None] * torch.linalg.solve(inner, torch.diag(root))
