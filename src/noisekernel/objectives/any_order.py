"""The likelihood of data in categories, element by element in any order (Uria et al. 2014; Hoogeboom et al. 2022).

By the chain rule in an order s of the L elements, log p_s(z) is a sum over elements of log r(z_i | those before it).
Averaged over all orders it is

    E_s log p_s(z) = L E_{m ~ U{1 … L}} E_{|A| = m} (1 / m) sum_{i in A} log r(z_i | z outside A),

so a set A is hidden, whose size m is uniform, and the mean of log r over A is taken. That is a bound on the likelihood
of the mixture of all orders (`sampling.in_order`). KL at a lag w weighs sets of a size otherwise: by m, and by less
where nearly everything is hidden.

r(z | x) is the distribution of z given what x shows, whatever hid the rest. So sets A of other kinds teach the same r,
and teach it better where they are like those that people hide: a voice, some bars, the end of a piece. The kind of data
says which those are (`Kind.hiding`), and `parts` how many of the examples have them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.distributions import Elementwise
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Randomness, drawing_for, uniform
from noisekernel.kernels.base import LEAST, NoiseKernel
from noisekernel.objectives.anchors import Anchor
from noisekernel.objectives.base import Noised

#: Draws for so many examples which elements are hidden: booleans, (n, *shape).
Hiding: TypeAlias = Callable[[int, Randomness], Tensor]


@dataclass(frozen=True)
class AnyOrder(Anchor):
    """The mean of - log r(z | x) over the elements that are masked, times the number of all elements.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
        parts: The share of examples in which those elements are hidden that `hiding` draws.
        hiding: Draws what is hidden in them; None for noise alone.

    >>> from noisekernel.core.categories import Categorical
    >>> from noisekernel.kernels import CategoricalKernel
    >>> even = lambda x, beta: Categorical.from_logits(torch.zeros(*x.shape, 4))
    >>> z = torch.zeros(8, 500, dtype=torch.int64)
    >>> loss, _ = AnyOrder()(CategoricalKernel(classes=4), even, z, torch.Generator().manual_seed(0))
    >>> round(float(loss.exp()), 4)
    4.0
    """

    parts: float = 0.0
    hiding: Hiding | None = None

    def __post_init__(self) -> None:
        checks.number("parts", self.parts, 0.0, 1.0)

    def hiding_by(self, hiding: Hiding | None) -> "AnyOrder":
        if self.parts and hiding is None:
            raise InputError(
                f"objective.parts is {self.parts:g}, and this kind of data does not say what people hide of it; "
                "set it to 0"
            )
        return replace(self, hiding=hiding)

    def noised(self, kernel: NoiseKernel, z: Tensor, generator: Randomness) -> Noised:
        if kernel.absorbing is None:
            raise InputError(f"any-order likelihood is for kernels that mask, and this is a {kernel!r}; use KL")
        with drawing_for(Purpose.TRAINING, generator):
            beta = self.levels.sample(len(z), generator).to(z.device)
            hidden = torch.eq(kernel.noise(z, beta).sample(generator), kernel.absorbing)
            if self.parts and self.hiding is not None:
                chosen = uniform((len(z),), generator, device=z.device) < self.parts
                own = self.hiding(len(z), generator).to(z.device)
                hidden = torch.where(chosen.reshape(-1, *[1] * (z.ndim - 1)), own, hidden)
        share = hidden.flatten(1).float().mean(dim=1)
        x = torch.where(hidden, kernel.absorbing, z)
        return Noised(z, x, share.clamp(min=LEAST))

    def anchor(self, kernel: NoiseKernel, r: Elementwise, example: Noised) -> Tensor:
        hidden = torch.eq(example.x, kernel.absorbing or 0).flatten(1)
        nats = torch.where(hidden, -r.log_prob_elements(example.z).flatten(1), 0.0).sum(dim=1)
        return nats * example.elements / hidden.sum(dim=1).clamp(min=1)
