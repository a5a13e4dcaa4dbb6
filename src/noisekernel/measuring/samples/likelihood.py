"""How likely held-out strings are under a model, by the chain rule (`sampling.in_order`)."""

import math

from jaxtyping import Integer
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.samples.intervals import Figure, around
from noisekernel.sampling.in_order import in_sequence, log_probs


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
