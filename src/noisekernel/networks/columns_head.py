"""A head for elements that have different numbers of classes each, such as the columns of a table.

Element e has classes 0 … K_e - 1, and K is the largest K_e. A class that an element has not gets the probability 0,
exactly, whatever the network returns:

    r_e(k) = exp(f_ek) / sum_{j < K_e} exp(f_ej)  for k < K_e,    0 for all others.

The last `uniform` elements are uniform over their classes and independent of everything else, by construction of the
data (the place of a number within its bin of quantiles). No network sees or predicts them.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot, pad

from noisekernel.core import checks
from noisekernel.core.categories import LOG_ZERO, Categorical
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.head import OfColumns


@dataclass(frozen=True)
class ColumnsHead(OfColumns):
    """r = Cat(f) over the classes that each element has. In one-hot over K + 1 states, out logits over K classes.

    Args:
        counts: How many classes each element has. The data have the shape (len(counts),), without channels.
        uniform: So many elements at the end are uniform and independent; the backbone is given none of them.
        ordered: How many of the first classes of each element stand in an order, which a network may make use of;
            empty for none.

    >>> head = ColumnsHead(counts=(2, 4, 3), uniform=1)
    >>> head.in_channels, head.out_channels
    (5, 4)
    >>> head.decode(torch.zeros(1, 4, 2), torch.zeros(1, 3, dtype=torch.int64), torch.ones(1)).probs[0, 0]
    tensor([0.5000, 0.5000, 0.0000, 0.0000])
    """

    counts: tuple[int, ...]
    uniform: int = 0
    ordered: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.counts or min(self.counts) < 1:
            raise InputError(f"counts is {self.counts}; give the number of classes of each element, at least 1")
        if not 0 <= self.uniform < len(self.counts):
            raise InputError(f"uniform is {self.uniform}; of {len(self.counts)} elements at least one is learned")

        if self.ordered and (len(self.ordered) != len(self.counts) or any(map(int.__gt__, self.ordered, self.counts))):
            raise InputError(f"ordered is {self.ordered}; give of each element at most as many classes as it has")

    @property
    def classes(self) -> int:
        """The largest number of classes of an element, and never less than 2."""
        return max(2, *self.counts)

    @property
    def learned(self) -> tuple[int, ...]:
        """How many classes each element has that a network sees and predicts."""
        return self.counts[: len(self.counts) - self.uniform]

    @property
    def in_order(self) -> tuple[int, ...]:
        """How many of the first classes of each of them stand in an order."""
        return self.ordered[: len(self.learned)]

    @property
    def independent(self) -> int:
        return self.uniform

    @property
    def in_channels(self) -> int:
        return self.classes + 1

    @property
    def out_channels(self) -> int:
        return self.classes

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = checks.classes("x", x, self.classes + 1)
        if tuple(x.shape[1:]) != (len(self.counts),):
            raise ShapeError(f"x has shape {tuple(x.shape)}; this denoiser was made for {len(self.counts)} elements")
        return one_hot(x[:, : len(self.learned)], self.classes + 1).movedim(-1, 1).float(), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Categorical:
        logits = pad(features.float().movedim(1, -1), (0, 0, 0, self.uniform))
        counts = torch.tensor(self.counts, device=logits.device)
        missing = torch.arange(self.classes, device=logits.device) >= counts[:, None]
        log_probs = torch.log_softmax(logits.masked_fill(missing, LOG_ZERO), dim=-1)
        return Categorical(log_probs.masked_fill(missing, LOG_ZERO))
