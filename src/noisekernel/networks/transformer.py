"""A transformer for sequences of any length: (batch, in_channels, length) to (batch, out_channels, length)."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level, sinusoids

#: How many places the stem mixes, the place itself in the middle.
NEAR = 5


class Block(nn.Module):
    """Attention, then a feed-forward network, each after a layer norm; their outputs are added and start small."""

    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.wide = nn.Linear(width, 4 * width)
        self.back = nn.Linear(4 * width, width)
        for last in (self.attended, self.back):
            nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * depth))
            nn.init.zeros_(last.bias)

    def forward(self, h: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norms[0](h)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        h = h + self.attended(self.attention(q, k, v).transpose(1, 2).flatten(2))
        return h + self.back(gelu(self.wide(self.norms[1](h))))

    def attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Of every place to every other: (batch, heads, places, features)."""
        return scaled_dot_product_attention(q, k, v)


class Transformer(Backbone):
    """Attention in both directions, sinusoidal positions, the noise level added to the input.

    The stem mixes each place with its neighbours, channel by channel, so that they need not be found by attention. On
    names this learned faster than attention alone: see "Names" in docs/results.md.

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        width: The size of the hidden layers, a multiple of 2 x `heads`.
        depth: The number of blocks.
        heads: The number of attention heads per block.
        classes: The number of classes that a label may have; None for a network without labels.
        told: How many numbers it is told of how its examples were changed (`noisekernel.kinds.augmentation`).

    >>> Transformer(3, 5, width=32, depth=1, heads=2)(torch.zeros(2, 3, 7), torch.ones(2)).shape
    torch.Size([2, 5, 7])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        width: int = 128,
        depth: int = 4,
        heads: int = 4,
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, depth=depth, heads=heads)
        if width % (2 * heads):
            raise InputError(f"width {width} does not divide into {heads} heads of an even size")
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"width": width, "depth": depth, "heads": heads}
        self.classes, self.numbers_told = classes, told
        self.condition = Conditioning(width, classes, told=told)
        self.stem = nn.Linear(in_channels, width)
        self.near = nn.Conv1d(width, width, NEAR, padding=NEAR // 2, groups=width, bias=False)
        nn.init.normal_(self.stem.weight, std=0.5)
        nn.init.normal_(self.near.weight, std=0.6)
        self.blocks = nn.ModuleList(Block(width, heads, depth) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.outlet = nn.Linear(width, out_channels)
        nn.init.zeros_(self.outlet.weight)
        nn.init.zeros_(self.outlet.bias)

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        features: Tensor = self.outlet(self._hidden(h, level, label, told))
        return features.transpose(1, 2)

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """The mean of the last hidden layer over all places, (batch, width)."""
        return self._hidden(h, level, label, told).mean(dim=1)

    def _hidden(self, h: Tensor, level: Tensor, label: Tensor | None, told: Tensor | None) -> Tensor:
        """The last hidden layer, (batch, length, width)."""
        if h.ndim != 3 or h.shape[1] != self.stem.in_features:
            raise ShapeError(
                f"a Transformer for {self.stem.in_features} channels takes (batch, {self.stem.in_features}, length); "
                f"given {tuple(h.shape)}"
            )
        check_level(level, len(h))
        h = self.near(self.stem(h.transpose(1, 2)).transpose(1, 2)).transpose(1, 2)
        h = h + self.condition(level, label, told)[:, None]
        h = h + sinusoids(torch.arange(h.shape[1], device=h.device), h.shape[2]).to(h.dtype)
        for block in self.blocks:
            h = block(h)
        hidden: Tensor = self.norm(h)
        return hidden
