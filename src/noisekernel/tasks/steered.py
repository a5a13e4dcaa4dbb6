"""Walks towards high values of a score."""

from collections.abc import Callable
from typing import Any

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.sampling.chain import Score
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.run import Run, best
from noisekernel.tasks.variants import variation, vary


def steering(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    f: Callable[[Tensor], Tensor],
    *,
    on: str = "clean",
    **options: Any,
) -> Run:
    """Walk from z towards high f: the stationary distribution becomes p(x) exp(f), as exactly as the chain is balanced.

    f maps a batch to one number a sample: a batch of best guesses of the clean data (`on="clean"`, a function of x
    like any other) or of the states themselves (`on="state"`). Twice f is twice as insistent; a larger lag makes
    smaller proposals, of which more are accepted (`info.accepted`). The other options are those of `variation`.
    """
    return variation(model, z, score=score_of(f, on), **options)


def steer(
    model: NoiseModel, z: Tensor, f: Callable[[Tensor], Tensor], n: int = 1, *, on: str = "clean", **options: Any
) -> Tensor:
    """`n` walks from each z towards high f, of shape (batch, n, *shape). Options: see `steering` and `vary`."""
    return vary(model, z, n, score=score_of(f, on), **options)


def score_of(f: Callable[[Tensor], Tensor], on: str) -> Score:
    if not callable(f):
        raise InputError(f"f is a {type(f).__name__}; give a function that maps a batch to one number a sample")
    scores: dict[str, Score] = {"clean": lambda x, view: f(best(view)), "state": lambda x, view: f(x)}
    if on not in scores:
        raise InputError(f"on is {on!r}; f looks at the 'clean' best guess or at the noisy 'state'")
    return scores[on]
