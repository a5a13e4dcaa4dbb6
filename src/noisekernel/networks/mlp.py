"""A residual network for vectors: (batch, in_channels) to (batch, out_channels)."""

import torch
from torch import Tensor, nn

from noisekernel.core.errors import ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level


class _Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.film = nn.Linear(width, 2 * width)
        self.wide = nn.Linear(width, 2 * width)
        self.back = nn.Linear(2 * width, width)
        nn.init.zeros_(self.back.weight)
        nn.init.zeros_(self.back.bias)

    def forward(self, h: Tensor, condition: Tensor) -> Tensor:
        scale, shift = self.film(condition).chunk(2, dim=1)
        inner = self.norm(h) * (1.0 + scale) + shift
        return h + self.back(nn.functional.silu(self.wide(inner)))


class MLP(Backbone):
    """Pre-norm residual blocks for vectors, each told the noise level by scale and shift.

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        width: The size of the hidden layers.
        depth: The number of blocks.
        classes: The number of classes that a label may have; None for a network without labels.
        told: How many numbers it is told of how its examples were changed (`noisekernel.kinds.augmentation`).

    >>> MLP(2, 4)(torch.zeros(5, 2), torch.ones(5)).shape
    torch.Size([5, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        width: int = 128,
        depth: int = 3,
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, depth=depth)
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"width": width, "depth": depth}
        self.classes, self.numbers_told = classes, told
        self.condition = Conditioning(width, classes, told=told)
        self.stem = nn.Linear(in_channels, width)
        self.blocks = nn.ModuleList(_Block(width) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.outlet = nn.Linear(width, out_channels)
        nn.init.zeros_(self.outlet.weight)
        nn.init.zeros_(self.outlet.bias)

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """Features, (batch, out_channels).

        Args:
            h: The encoded states, (batch, in_channels).
            level: The noise level as the head tells it, (batch,).
            label: The class of each sample, (batch,), or None.
            told: How each example was changed, (batch, told), or None.
        """
        return self.outlet(self.summary(h, level, label, told))

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """The last hidden layer, (batch, width).

        Args:
            h: The encoded states, (batch, in_channels).
            level: The noise level as the head tells it, (batch,).
            label: The class of each sample, (batch,), or None.
            told: How each example was changed, (batch, told), or None.
        """
        if h.ndim != 2 or h.shape[1] != self.stem.in_features:
            raise ShapeError(f"an MLP for {self.stem.in_features} channels was given shape {tuple(h.shape)}")
        check_level(level, len(h))
        condition = self.condition(level, label, told)
        h = self.stem(h)
        for block in self.blocks:
            h = block(h, condition)
        return torch.nn.functional.silu(self.norm(h))
