"""Categories, one element at a time: drawing them along an order, and the likelihood by the chain rule.

Given any set of visible elements, a denoiser for the categorical kernel returns the distribution of each masked one.
Draw the elements one at a time, in an order s, each from r given those that were drawn before it. The result is z with
probability

    p_s(z) = prod_k r(z_{s_k} | z_{s_1} … z_{s_{k-1}}),                                             `log_probs`

and this is exact, since no two elements are drawn at once. A perfect denoiser gives the same number for every order; a
trained one does not, so a figure has to say which order it is for. Drawing an order at random for each sample is one
more way to sample, the mixture over orders, with p(z) = E_s p_s(z). The logarithm of a mean of p_s over drawn orders
(`mixture`) is on average too low for log p(z), and less so the more orders there are.

The network is told a noise level beside the state. The posterior p(z | x) is the same at every level, because what is
visible of z was never touched by noise, so any level is right for a perfect denoiser. Here it is told the share of
elements that are masked, which is the level at which so many are masked on average.

Elements that the denoiser's head says to be `independent` of all others are drawn at once, in the first call.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.randomness import Randomness, uniform
from noisekernel.kernels.base import LEAST
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.networks.denoiser import Denoise, Denoiser

#: Given z and which of its elements are visible, which are then known: (…, *event) and (…, *event) to (…, *event).
Known = Callable[[Tensor, Tensor], Tensor]


def in_sequence(z: Tensor) -> Tensor:
    """The first element first: the order 0, 1, 2 … for each example, (batch, elements).

    Args:
        z: Clean data, (batch, *event).
    """
    return torch.arange(math.prod(z.shape[1:]), device=z.device).expand(len(z), -1)


def at_random(z: Tensor, generator: Randomness) -> Tensor:
    """An order for each example, all orders being equally probable, (batch, elements).

    Args:
        z: Clean data, (batch, *event).
        generator: Draws the orders.
    """
    return uniform((len(z), math.prod(z.shape[1:])), generator, device=z.device).argsort(dim=1)


@torch.no_grad()
def draw(
    kernel: CategoricalKernel,
    denoiser: Denoise,
    z: Integer[Tensor, "batch *event"],
    order: Integer[Tensor, "batch elements"],
    hidden: Bool[Tensor, "batch *event"],
    generator: Randomness,
) -> tuple[Integer[Tensor, "batch *event"], Float[Tensor, " batch"]]:
    """Draw the hidden elements, one at a time; one network call for each that an example has at most.

    Args:
        kernel: The kernel of the denoiser.
        denoiser: Maps (x, beta) to r(z | x).
        z: Clean data, (batch, *event). What is hidden is not read.
        order: For each example the numbers of its elements, first the one that is drawn first.
        hidden: The elements to draw.
        generator: Draws them: one uniform number per element and call.

    Returns:
        z with what was drawn, and the log probability with which it was; what is independent of all others is left out.

    >>> from noisekernel.core.categories import Categorical
    >>> kernel = CategoricalKernel(classes=2)
    >>> sure = lambda x, beta: Categorical.from_logits(torch.tensor([-50.0, 50.0]).expand(*x.shape, 2))
    >>> z = torch.zeros(1, 3, dtype=torch.int64)
    >>> draw(kernel, sure, z, in_sequence(z), torch.tensor([[False, True, True]]), torch.Generator())
    (tensor([[0, 1, 1]]), tensor([0.]))
    """
    order, left, event = _checked(order, z), hidden.bool().flatten(1), z.shape[1:]
    found, log_prob = z.flatten(1).clone(), torch.zeros(len(z), dtype=torch.float64, device=z.device)
    number = torch.arange(left.shape[1], device=z.device)
    at_once = left & (number >= len(number) - independent(denoiser))
    # When each element has its turn: those that are drawn one at a time, in the order, and after them all others.
    one_by_one = (left & ~at_once).gather(1, order)
    turn = (torch.where(one_by_one, 0, len(number)) + number).argsort(dim=1)
    calls = int(one_by_one.sum(dim=1).max()) if len(z) else 0
    for call in range(max(calls, int(at_once.any()))):
        x = torch.where(left, kernel.masked, found).unflatten(1, event)
        r = denoiser(x, _levels(left, denoiser))
        drawn = r.sample(generator)
        now = torch.zeros_like(left).scatter(1, order.gather(1, turn[:, call : call + 1]), value=True) & left & ~at_once
        log_of = r.log_prob_elements(drawn).flatten(1).to(torch.float64)
        log_prob += torch.where(now, log_of, 0.0).sum(dim=1)
        found = torch.where(now | (left & at_once), drawn.flatten(1), found)
        left = left & ~now & ~at_once
    return found.unflatten(1, event), log_prob.to(torch.get_default_dtype())


@torch.no_grad()
def log_probs(
    kernel: CategoricalKernel,
    denoiser: Denoise,
    z: Integer[Tensor, "batch *event"],
    order: Integer[Tensor, "batch elements"],
    *,
    hidden: Bool[Tensor, "batch *event"] | None = None,
    known: Known | None = None,
    batch_size: int = 1024,
) -> Float[Tensor, "batch *event"]:
    """The log probability of each element given those before it in the order. Their sum is log p_s(z), in nats.

    An example of L elements costs at most L network inputs. Elements that are known before their turn cost none, and
    their log probability is 0.

    Args:
        kernel: The kernel of the denoiser.
        denoiser: Maps (x, beta) to r(z | x).
        z: Clean data, (batch, *event).
        order: For each example the numbers of its elements, first the one that is drawn first.
        hidden: The elements that are drawn; all others are visible from the start, and count nothing. None for all.
        known: Adds to the visible elements those that they determine, as sampling in this order would: behind the end
            of a string there are only ends. None where no element determines another.
        batch_size: The number of inputs per call of the denoiser.

    >>> from noisekernel.core.categories import Categorical
    >>> kernel = CategoricalKernel(classes=2)
    >>> even = lambda x, beta: Categorical.from_logits(torch.zeros(*x.shape, 2))
    >>> z = torch.tensor([[0, 1, 1]])
    >>> log_probs(kernel, even, z, in_sequence(z)).exp()
    tensor([[0.5000, 0.5000, 0.5000]])
    """
    z = kernel.check_data(z)
    order = _checked(order, z)
    number = checks.count("batch_size", batch_size)
    result = torch.zeros(z.shape, dtype=torch.float64, device=z.device)
    together = max(1, number // order.shape[1])
    for first in range(0, len(z), together):
        some = slice(first, first + together)
        drawn = None if hidden is None else hidden[some]
        result[some] = _of_a_few(kernel, denoiser, z[some], order[some], drawn, known)
    return result.to(torch.get_default_dtype())


def _of_a_few(
    kernel: CategoricalKernel,
    denoiser: Denoise,
    z: Tensor,
    order: Tensor,
    hidden: Tensor | None,
    known: Known | None,
) -> Tensor:
    """`log_probs` in one call of the denoiser: every example at every step at once."""
    elements, event = order.shape[1], z.shape[1:]
    turn = order.argsort(dim=1)  # when each element is drawn
    step = torch.arange(elements, device=z.device)
    visible = (turn[:, None, :] < step[None, :, None]).unflatten(2, event)  # (batch, step, *event)
    copies = z[:, None].expand(visible.shape)
    if hidden is not None:
        visible = visible | ~hidden[:, None]
    if known is not None:
        visible = visible | known(copies, visible)
    drawn = ~visible.flatten(2).gather(2, order[:, :, None]).squeeze(2)  # (batch, step): not known before its turn
    of_steps = torch.zeros(drawn.shape, dtype=torch.float64, device=z.device)
    if not bool(drawn.any()):
        return of_steps.unflatten(1, event)
    x = torch.where(visible, copies, kernel.masked)[drawn]
    log_prob = denoiser(x, _levels(~visible[drawn], denoiser)).log_prob_elements(copies[drawn]).flatten(1)
    of_steps[drawn] = log_prob.gather(1, order[drawn][:, None]).squeeze(1).to(torch.float64)
    return of_steps.gather(1, turn).unflatten(1, event)


def mixture(log_likelihoods: Float[Tensor, "orders batch"]) -> Float[Tensor, " batch"]:
    """The logarithm of the mean of p_s over drawn orders: an estimate from below of the mixture's log-likelihood.

    Args:
        log_likelihoods: log p_s(z) for each order that was drawn and each example.
    """
    return torch.logsumexp(log_likelihoods, dim=0) - math.log(len(log_likelihoods))


def independent(denoiser: Denoise) -> int:
    """So many elements at the end of z are independent of all others, as the head of the denoiser says.

    Args:
        denoiser: A `Denoiser`, with its label filled in or not, or any other function.
    """
    inner: Any = denoiser
    while isinstance(inner, partial):
        inner = inner.func
    return inner.head.independent if isinstance(inner, Denoiser) else 0


def _levels(masked: Tensor, denoiser: Denoise) -> Tensor:
    """The noise levels that the denoiser is told: the share that is masked of what it sees."""
    seen = math.prod(masked.shape[1:]) - independent(denoiser)
    return masked.flatten(1)[:, :seen].float().mean(dim=1).clamp(min=LEAST)


def _checked(order: Tensor, z: Tensor) -> Tensor:
    """The order, if it names every element of every example once."""
    elements = math.prod(z.shape[1:])
    if order.shape != (len(z), elements):
        raise ShapeError(
            f"order has shape {tuple(order.shape)}; {len(z)} examples of {elements} elements each take one of shape "
            f"({len(z)}, {elements})"
        )
    if not bool((order.sort(dim=1).values == torch.arange(elements, device=z.device)).all()):
        raise InputError(f"order does not name each of the elements 0 to {elements - 1} once per example")
    return order
