"""Heads for categories: r is a categorical distribution per element."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from noisekernel.core import checks
from noisekernel.core.categories import Categorical
from noisekernel.core.logistics import Logistics
from noisekernel.networks.head import Head, with_channel


@dataclass(frozen=True)
class CategoricalHead(Head):
    """r = Cat(f) (eq. 26): in one-hot over K + 1 states, out logits over K classes. The network is told beta.

    Args:
        classes: The number of categories K.
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.

    >>> head = CategoricalHead(classes=4, channels=None)
    >>> head.in_channels, head.out_channels
    (5, 4)
    """

    classes: int
    channels: int | None

    @property
    def in_channels(self) -> int:
        return (self.channels or 1) * (self.classes + 1)

    @property
    def out_channels(self) -> int:
        return (self.channels or 1) * self.classes

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = with_channel(checks.classes("x", x, self.classes + 1), self.channels)
        hot = one_hot(x, self.classes + 1).movedim(-1, 2)  # (batch, channels, states, *space)
        return hot.flatten(1, 2).float(), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Categorical:
        logits = features.float().unflatten(1, (-1, self.classes)).movedim(2, -1)
        return Categorical.from_logits(logits.reshape(*x.shape, self.classes))


@dataclass(frozen=True)
class OrdinalHead(Head):
    """r = Cat(f) for many classes in order, such as 256 levels of brightness.

    f is a mixture of logistic distributions, cut into classes (`Logistics`).

    In: the class as a number in [-1, 1], and whether it is masked. Out, for each of `components`, a weight, a place
    and a scale. Features and input do not grow with the number of classes, and a class never seen in training is
    likely where its neighbours are.

    Args:
        classes: The number of categories.
        channels: The size of dimension 1 of the data; None for data that has no channel dimension.
        components: The number of logistic distributions in the mixture.

    >>> head = OrdinalHead(classes=256, channels=1)
    >>> head.in_channels, head.out_channels
    (2, 15)
    """

    classes: int
    channels: int | None
    components: int = 5

    #: The scale at zero features, and the largest log factor by which it may differ from that.
    scale: ClassVar[float] = 0.5
    widest: ClassVar[float] = 7.0

    def __post_init__(self) -> None:
        checks.count("classes", self.classes, 2)
        checks.count("components", self.components)

    @property
    def in_channels(self) -> int:
        return 2 * (self.channels or 1)

    @property
    def out_channels(self) -> int:
        return 3 * self.components * (self.channels or 1)

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = with_channel(checks.classes("x", x, self.classes + 1), self.channels)
        masked = x == self.classes
        value = torch.where(masked, 0.0, (2.0 * x + 1.0) / self.classes - 1.0)
        return torch.stack((value, masked.to(value.dtype)), dim=2).flatten(1, 2), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Logistics:
        features = features.float().unflatten(1, (-1, 3, self.components)).movedim((2, 3), (-2, -1))
        weight, place, scale = features.reshape(*x.shape, 3, self.components).unbind(-2)
        # Places start evenly spread: components that start alike stay alike.
        place = place + torch.linspace(-1.0, 1.0, self.components, device=x.device)
        scale = self.scale * torch.exp(self.widest * torch.tanh(scale / self.widest))
        return Logistics(torch.log_softmax(weight, dim=-1), place, scale, self.classes)
