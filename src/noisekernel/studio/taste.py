"""Taste: what a person likes, learned from a few likes and dislikes.

A picture z is described by what the denoiser sees in it: the features at the bottom of its network, averaged over
pixels, when it is shown z at two noise levels. They are scaled by the judged pictures' own mean and spread. On them
stands a Bayesian logistic regression,

    p(liked | z) = s(w . phi(z) + b),      w ~ N(0, I / d),   b ~ N(0, 1),

whose posterior is approximated by Laplace's method: a normal at the mode with the curvature there. With few opinions
and many features it is found in the space of the opinions (the Gram matrix K = phi phi' / d + 1), by Newton's method as
for a Gaussian process. The score that a round is steered by is the log-odds at the mode, shrunk where the posterior is
wide (MacKay's kappa), so that it insists only on what it knows.

How sure? Each opinion is foretold from the others (leave one out); with r right of m, half a step off for each side,
the share foretold right has the posterior Beta(r + 1, m - r + 1), of which `sure` takes the tenth percentile: 0 where
that is no better than a coin, 1 where it is never wrong.
"""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from noisekernel.errors import InputError
from noisekernel.models import Model
from noisekernel.tasks import best

#: The noise levels at which the denoiser is shown a picture.
LEVELS = (0.1, 0.4)
#: Log-odds are worth so many nats at the end of the dial.
INSISTENCE = 20.0
#: Likes, and dislikes, that it takes to begin.
LEAST = 2

Array = NDArray[np.float64]


@torch.no_grad()
def features(model: Model, z: Tensor) -> Tensor:
    """What the denoiser sees in each z: (batch, features), float64."""
    seen: list[Tensor] = []
    with _listening(_bottom(model.denoiser), seen.append):
        for beta in LEVELS:
            # The noise's centre, not a draw: a picture has one description.
            model.denoiser(best(model.kernel.noise(z.to(model.device), beta)), beta)
    return torch.cat([h.flatten(2).mean(dim=2) for h in seen], dim=1).double().cpu()


@dataclass(frozen=True)
class Taste:
    """A preference, and how sure it is."""

    model: Model
    mean: Array
    scale: Array
    #: The judged pictures' features, scaled; the mode in their space; and what the posterior's width needs.
    known: Array
    dual: Array
    width: Array
    right: float
    judged: int

    @classmethod
    def fit(cls, model: Model, z: Tensor, opinions: Sequence[int]) -> "Taste":
        """From pictures and what was said of them: 1 liked, -1 not."""
        return cls.of(model, features(model, z).numpy(), opinions)

    @classmethod
    def of(cls, model: Model, phi: Array, opinions: Sequence[int]) -> "Taste":
        """From features that are known already."""
        y = np.array([1.0 if opinion > 0 else 0.0 for opinion in opinions])
        if min(y.sum(), len(y) - y.sum()) < LEAST:
            raise InputError(f"taste needs at least {LEAST} likes and {LEAST} dislikes")
        mean, scale = phi.mean(axis=0), phi.std(axis=0) + 1e-6
        known = (phi - mean) / scale
        gram = _gram(known, known)
        dual, width = _mode(gram, y)
        right = 0.0
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            alone, _ = _mode(gram[np.ix_(rest, rest)], y[rest])
            # Without the opinion itself its side is outnumbered: the others' balance is what there is to beat.
            odds = float(gram[i, rest] @ alone) - _prior_odds(y[rest]) if len(set(y[rest])) > 1 else 0.0
            right += 0.5 if odds == 0.0 else float((odds > 0) == (y[i] > 0))
        return cls(model, mean, scale, known, dual, width, right, len(y))

    @property
    def sure(self) -> float:
        """From 0, no better than a coin, to 1."""
        from scipy.stats import beta

        return max(0.0, 2.0 * float(beta.ppf(0.1, self.right + 1.0, self.judged - self.right + 1.0)) - 1.0)

    def log_odds(self, phi: Array) -> Array:
        """Of being liked, shrunk where the posterior is wide."""
        cross = _gram((phi - self.mean) / self.scale, self.known)
        own = np.square((phi - self.mean) / self.scale).mean(axis=1) + 1.0
        variance = np.maximum(own - np.einsum("ij,jk,ik->i", cross, self.width, cross), 0.0)
        return cross @ self.dual / np.sqrt(1.0 + math.pi * variance / 8.0)

    def score(self, dial: float) -> Callable[[Tensor], Tensor]:
        """What a chain is steered by: a batch of clean data to one number a sample."""

        def f(z: Tensor) -> Tensor:
            odds = torch.from_numpy(self.log_odds(features(self.model, z).numpy()))
            return (INSISTENCE * dial * odds).float().to(z.device)

        return f

    @property
    def said(self) -> str:
        """How good it is, for people."""
        return f"Foretells {self.right:g} of your {self.judged} opinions from the others."


def _gram(a: Array, b: Array) -> Array:
    return a @ b.T / a.shape[1] + 1.0


def _prior_odds(y: Array) -> float:
    return math.log(y.sum() / (len(y) - y.sum()))


def _mode(gram: Array, y: Array) -> tuple[Array, Array]:
    """The mode as weights of the judged pictures, and (K + W^-1)^-1 there, for the variance. Newton's method."""
    f = np.zeros(len(y))
    identity = np.eye(len(y))
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-f))
        root = np.sqrt(p * (1.0 - p))
        inner = identity + root[:, None] * gram * root[None, :]
        b = root**2 * f + (y - p)
        dual = b - root * np.linalg.solve(inner, root * (gram @ b))
        moved = gram @ dual
        settled = float(np.abs(moved - f).max()) < 1e-9
        f = moved
        if settled:
            break
    p = 1.0 / (1.0 + np.exp(-f))
    root = np.sqrt(p * (1.0 - p))
    width = root[:, None] * np.linalg.solve(identity + root[:, None] * gram * root[None, :], np.diag(root))
    return y - p, width


def _bottom(denoiser: Any) -> nn.Module:
    """The layer where the network sees the picture as a whole."""
    bottom = getattr(getattr(denoiser, "backbone", None), "bottom", None)
    if isinstance(bottom, nn.ModuleList):
        return bottom[-1]
    if not isinstance(bottom, nn.Module):
        raise InputError("this model's network has no bottom to read features from, so it learns no taste")
    return bottom


@contextmanager
def _listening(layer: nn.Module, heard: Callable[[Tensor], None]) -> Iterator[None]:
    """Hear what a layer says to this thread; others may be using the same network."""
    me = threading.get_ident()

    def hook(_: nn.Module, __: Any, output: Tensor) -> None:
        if threading.get_ident() == me:
            heard(output)

    handle = layer.register_forward_hook(hook)
    try:
        yield
    finally:
        handle.remove()
