"""The exact chain on clean data in categories: redraw some elements, one at a time, and accept by Metropolis' rule.

The chain at constant noise draws several elements in one step, each as if it knew nothing of the others, and so is
balanced for no distribution that one could write down. Drawn one at a time they do know of each other, and the
probability of what was drawn is known. That is all that Metropolis and Hastings ask for.

The target is the model's own distribution of clean data, drawn in one fixed order s, the first element first:

    pi(z) = p_s(z) exp(f(z)), up to a constant,                                    `in_order.log_probs`, and a score f.

A step from z draws a set A of elements and an order a of it, whatever z is; hides A; and draws it anew along a. The
probability of that, q(z' | z, a) = prod_k r(z'_{a_k} | z_{not A}, z'_{a_1} … z'_{a_{k-1}}), and that of the way back,
q(z | z', a), the same product with z in the place of z', are both known, so z' is accepted with probability

    min(1, pi(z') q(z | z', a) / (pi(z) q(z' | z, a))).

Given A and a this is Metropolis-Hastings, hence reversible for pi; and a mixture over A and a, which are drawn without
a look at z, is reversible for pi too. It holds for any denoiser, however badly trained: a bad one makes a bad p_s, and
few steps are accepted where its orders disagree. If r is exact, then all orders agree, and without a score every step
is accepted: it is Gibbs sampling. Elements that are not to change never are in A; then pi is the distribution of the
others given these.

A step costs as many network calls as A has elements, and once as many inputs as z has elements and once as A has.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Randomness, Streams, uniform
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.sampling.chain import evaluate
from noisekernel.sampling.in_order import draw, in_sequence, independent, log_probs
from noisekernel.sampling.model import NoiseModel

#: f: clean data of shape (batch, *shape) to one number per sample.
CleanScore = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class RedrawState:
    """All that the next step depends on."""

    z: Integer[Tensor, "batch *event"]
    #: log p_s(z) + f(z).
    log_target: Float[Tensor, " batch"]
    #: The random numbers of the steps to come.
    streams: Streams
    #: The number of steps made so far.
    t: int = 0


@dataclass(frozen=True)
class RedrawInfo:
    """What was seen on the way to a state."""

    #: Which samples took what was proposed.
    accepted: Bool[Tensor, " batch"]
    #: Which of them are other than before; what is redrawn may come out as it was.
    changed: Bool[Tensor, " batch"]


def start(model: NoiseModel, z: Tensor, streams: Streams, score: CleanScore | None = None) -> RedrawState:
    """The state of a chain that begins at z.

    Args:
        model: A model of categories.
        z: Clean data, (batch, *shape).
        streams: One stream of random numbers per sample.
        score: What the distribution is tilted by.
    """
    return RedrawState(z, log_target(model, z, score), streams.fork())


def log_target(model: NoiseModel, z: Tensor, score: CleanScore | None = None) -> Float[Tensor, " batch"]:
    """log p_s(z) + f(z), up to a constant: elements that are independent of all others are left out.

    Args:
        model: A model of categories.
        z: Clean data, (batch, *shape).
        score: f; None for 0.
    """
    kernel = _kernel(model)
    learned = _learned(model, z)
    found = log_probs(kernel, model.denoiser, z, in_sequence(z), hidden=learned).flatten(1).sum(dim=1)
    return found if score is None else found + evaluate(score, z)


@torch.no_grad()
def step(
    model: NoiseModel,
    state: RedrawState,
    share: float,
    *,
    hidden: Bool[Tensor, "batch *event"] | None = None,
    score: CleanScore | None = None,
) -> tuple[RedrawState, RedrawInfo]:
    """One step.

    Args:
        model: A model of categories.
        state: The present state.
        share: Which share of the elements that may change is redrawn, in (0, 1]; always one at least.
        hidden: Which elements may change; None for all.
        score: What the distribution is tilted by: that of `start`.
    """
    kernel, z, streams = _kernel(model), state.z, state.streams.fork()
    chosen, order = redrawn(model, z, share, hidden, streams)
    found, there = draw(kernel, model.denoiser, z, order, chosen, streams)
    # What is independent has the same probability in every state, so it is in neither product.
    learned = chosen & _learned(model, z)
    back = log_probs(kernel, model.denoiser, z, order, hidden=learned).flatten(1).sum(dim=1)
    target = log_target(model, found, score)
    # From where the score forbids to be, every step is taken.
    ratio = torch.where(state.log_target == -torch.inf, torch.inf, target - state.log_target + back - there)
    accepted = torch.log(uniform((len(z),), streams, device=z.device)) < ratio
    wide = accepted.reshape(-1, *[1] * (z.ndim - 1))
    changed = accepted & (found != z).flatten(1).any(dim=1)
    moved = RedrawState(
        torch.where(wide, found, z), torch.where(accepted, target, state.log_target), streams, state.t + 1
    )
    return moved, RedrawInfo(accepted, changed)


def redrawn(
    model: NoiseModel, z: Tensor, share: float, hidden: Tensor | None, generator: Randomness
) -> tuple[Bool[Tensor, "batch *event"], Integer[Tensor, "batch elements"]]:
    """The set A of elements that a step redraws, and an order of all elements in which it does so.

    Of the elements that may change and are learned, A has the share, rounded. Of those that are independent of all
    others each is in A with this probability.

    Args:
        model: A model of categories.
        z: Clean data, (batch, *shape); only its shape counts.
        share: The share, in (0, 1].
        hidden: Which elements may change; None for all.
        generator: Draws A and the order.
    """
    checks.number("share", share, 0.0, 1.0, open_low=True)
    keys = uniform((len(z), z[0].numel()), generator, device=z.device)
    may = torch.ones_like(keys, dtype=torch.bool) if hidden is None else hidden.bool().flatten(1)
    learned = _learned(model, z).flatten(1)
    candidates = may & learned
    number = (share * candidates.sum(dim=1)).round().clamp(min=1).to(torch.int64)
    order = torch.where(candidates, keys, 2.0 + keys).argsort(dim=1)
    chosen = (order.argsort(dim=1) < number[:, None]) & candidates
    return (chosen | (may & ~learned & (keys < share))).unflatten(1, z.shape[1:]), order


def _learned(model: NoiseModel, z: Tensor) -> Bool[Tensor, "batch *event"]:
    """Which elements are not independent of all others."""
    each = torch.arange(z[0].numel(), device=z.device) < z[0].numel() - independent(model.denoiser)
    return each.reshape(z.shape[1:]).expand(z.shape)


def _kernel(model: NoiseModel) -> CategoricalKernel:
    if not isinstance(model.kernel, CategoricalKernel):
        raise InputError(
            f"redrawing one element at a time is for data in categories, and this model has a {model.kernel!r}; "
            "nk.walk is exact for any model, and nk.equilibrate walks at constant noise"
        )
    return model.kernel
