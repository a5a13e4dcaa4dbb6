"""The log-likelihood of categories under a denoiser, by the chain rule.

Given any set of visible elements, a denoiser for the categorical kernel returns the distribution of each masked one.
Draw the elements one at a time, in an order s, each from r given those that were drawn before it. The result is z with
probability

    p_s(z) = prod_k r(z_{s_k} | z_{s_1} … z_{s_{k-1}}),                                             `log_probs`

and this is exact, since no two elements are drawn at once. A perfect denoiser gives the same number for every order; a
trained one does not, so a figure has to say which order it is for. Drawing an order at random for each sample is one
more way to sample, the mixture over orders, with p(z) = E_s p_s(z). The logarithm of a mean of p_s over drawn orders
(`mixture`) is on average too low for log p(z), and less so the more orders there are.

The network is told a noise level beside the state. The posterior p(z | x) is the same at every level, because what is
visible of z was never touched by noise, so any level is right for a perfect denoiser. `log_probs` tells it the share of
elements that are masked, which is the level at which so many are masked on average.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.randomness import Randomness, uniform
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.samples.intervals import Figure, around
from noisekernel.networks.denoiser import Denoise

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
def log_probs(
    kernel: CategoricalKernel,
    denoiser: Denoise,
    z: Integer[Tensor, "batch *event"],
    order: Integer[Tensor, "batch elements"],
    *,
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
        result[some] = _of_a_few(kernel, denoiser, z[some], order[some], known)
    return result.to(torch.get_default_dtype())


def _of_a_few(kernel: CategoricalKernel, denoiser: Denoise, z: Tensor, order: Tensor, known: Known | None) -> Tensor:
    """`log_probs` in one call of the denoiser: every example at every step at once."""
    elements, event = order.shape[1], z.shape[1:]
    turn = order.argsort(dim=1)  # when each element is drawn
    step = torch.arange(elements, device=z.device)
    visible = (turn[:, None, :] < step[None, :, None]).unflatten(2, event)  # (batch, step, *event)
    copies = z[:, None].expand(visible.shape)
    if known is not None:
        visible = visible | known(copies, visible)
    drawn = ~visible.flatten(2).gather(2, order[:, :, None]).squeeze(2)  # (batch, step): not known before its turn
    x = torch.where(visible, copies, kernel.masked)[drawn]
    beta = (~visible[drawn]).flatten(1).float().mean(dim=1)
    log_prob = denoiser(x, beta).log_prob_elements(copies[drawn]).flatten(1)
    of_steps = torch.zeros(drawn.shape, dtype=torch.float64, device=z.device)
    of_steps[drawn] = log_prob.gather(1, order[drawn][:, None]).squeeze(1).to(torch.float64)
    return of_steps.gather(1, turn).unflatten(1, event)


def nats_per_character(
    model: KindModel, z: Integer[Tensor, "batch *event"], order: Integer[Tensor, "batch elements"] | None = None
) -> Figure:
    """Minus the log-likelihood per character of data of a kind that has characters (strings, whose end counts as one).

    The interval is for the draw of the examples. In sequence, this is the likelihood of strings that are drawn from the
    first character to the end, and it is exact. In other orders strings can also come out by their end being drawn
    before a character that is then not read, so that the figure is slightly too high.

    Args:
        model: A model whose kind counts characters.
        z: Clean data that the model was not trained on, (batch, *event).
        order: As for `log_probs`; None for the first element first.
    """
    characters = model.kind.characters(z)
    kernel = model.kernel
    if characters is None or not isinstance(kernel, CategoricalKernel):
        raise InputError(f"{model.kind.many} have no characters, so there are no nats per character of them")
    z = z.to(model.device)
    order = in_sequence(z) if order is None else order
    log_prob = log_probs(kernel, model.denoiser, z, order, known=model.kind.known).flatten(1).sum(dim=1)
    nats, count = -log_prob.double().cpu(), characters.double().cpu()
    value = float(nats.sum() / count.sum())
    # A ratio of two sums: its standard error is that of the mean of what each example has over its share.
    over = (nats - value * count) / count.mean()
    error = float(over.square().mean().sqrt()) / math.sqrt(max(len(z) - 1, 1))
    return around(value, error, max(len(z) - 1, 1))


def mixture(log_likelihoods: Float[Tensor, "orders batch"]) -> Float[Tensor, " batch"]:
    """The logarithm of the mean of p_s over drawn orders: an estimate from below of the mixture's log-likelihood.

    Args:
        log_likelihoods: log p_s(z) for each order that was drawn and each example.
    """
    return torch.logsumexp(log_likelihoods, dim=0) - math.log(len(log_likelihoods))


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
