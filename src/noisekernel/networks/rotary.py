"""A transformer for what runs in time: places know how far they are from each other, and where they are in the beat.

The features of queries and keys are turned in pairs by an angle in proportion to their place t,

    q_t -> R(w_j t) q_t,    k_s -> R(w_j s) k_s,    so that q_t . k_s depends on t - s alone,       (Su et al. 2021)

with frequencies w_j from 1 down. So what holds of two places holds of any two as far apart, and a pattern need not be
learned anew for every place where it can stand. Before each attention and at the stem, a place is mixed with its
neighbours, channel by channel: most of what comes next in time follows from what is near. Where time has a pulse, such
as the beat of music, each place is told where in its period it stands.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level

#: How many places are mixed with each other, the place itself in the middle.
NEAR = 5
#: The slowest turn takes about so many places.
LONGEST = 10_000.0


def turned(h: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Each pair of features (j, j + half) turned by its angle: (…, places, features)."""
    first, second = h.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)


def angles(places: int, features: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Cosines and sines of w_j t, (places, features / 2)."""
    half = features // 2
    frequency = LONGEST ** (-torch.arange(half, device=device) / half)
    angle = torch.arange(places, device=device)[:, None] * frequency
    return angle.cos(), angle.sin()


class RotaryBlock(nn.Module):
    """Neighbours, attention by distance, a feed-forward network; the outputs of both are added and start small."""

    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.near = nn.Conv1d(width, width, NEAR, padding=NEAR // 2, groups=width)
        self.qkv = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.wide = nn.Linear(width, 4 * width)
        self.back = nn.Linear(4 * width, width)
        for last in (self.attended, self.back):
            nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * depth))
            nn.init.zeros_(last.bias)

    def forward(self, h: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        near = self.norms[0](h)
        near = near + self.near(near.transpose(1, 2)).transpose(1, 2)
        q, k, v = self.qkv(near).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        seen = scaled_dot_product_attention(turned(q, cos, sin), turned(k, cos, sin), v)
        h = h + self.attended(seen.transpose(1, 2).flatten(2))
        return h + self.back(gelu(self.wide(self.norms[1](h))))


class RotaryTransformer(Backbone):
    """Attention in both directions and by distance: (batch, in_channels, length) to (batch, out_channels, length).

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        width: The size of the hidden layers, a multiple of 2 x `heads`.
        depth: The number of blocks.
        heads: The number of attention heads per block.
        period: How many places make a beat; 1 where time has none.
        classes: The number of classes that a label may have; None for a network without labels.
        told: How many numbers it is told of how its examples were changed (`noisekernel.kinds.augmentation`).

    >>> RotaryTransformer(3, 5, width=32, depth=1, heads=2)(torch.zeros(2, 3, 7), torch.ones(2)).shape
    torch.Size([2, 5, 7])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        width: int = 160,
        depth: int = 5,
        heads: int = 4,
        period: int = 1,
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, depth=depth, heads=heads, period=period)
        if width % (2 * heads):
            raise InputError(f"width {width} does not divide into {heads} heads of an even size")
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"width": width, "depth": depth, "heads": heads, "period": period}
        self.classes, self.numbers_told = classes, told
        self.condition = Conditioning(width, classes, told=told)
        self.stem = nn.Linear(in_channels, width)
        nn.init.normal_(self.stem.weight, std=0.3)
        self.near = nn.Conv1d(width, width, NEAR, padding=NEAR // 2, groups=width)
        self.beat = nn.Embedding(period, width)
        nn.init.normal_(self.beat.weight, std=0.1)
        self.blocks = nn.ModuleList(RotaryBlock(width, heads, depth) for _ in range(depth))
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
                f"a RotaryTransformer for {self.stem.in_features} channels takes (batch, {self.stem.in_features}, "
                f"length); given {tuple(h.shape)}"
            )
        check_level(level, len(h))
        h = self.stem(h.transpose(1, 2))
        length, width = h.shape[1:]
        place = torch.arange(length, device=h.device)
        h = h + self.near(h.transpose(1, 2)).transpose(1, 2) + self.beat(place % self.beat.num_embeddings)
        h = h + self.condition(level, label, told)[:, None]
        cos, sin = (each.to(h.dtype) for each in angles(length, width // self.blocks[0].heads, h.device))  # type: ignore[arg-type,operator]
        for block in self.blocks:
            h = block(h, cos, sin)
        hidden: Tensor = self.norm(h)
        return hidden
