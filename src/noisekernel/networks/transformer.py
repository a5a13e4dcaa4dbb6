"""A transformer for sequences of any length: (batch, in_channels, length) to (batch, out_channels, length)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level, sinusoids


class _Block(nn.Module):
    """Pre-norm attention and feed-forward, each modulated and gated by the condition; the gates start at zero."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width, elementwise_affine=False) for _ in range(2))
        self.modulation = nn.Linear(width, 6 * width)
        self.qkv = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.wide = nn.Linear(width, 4 * width)
        self.back = nn.Linear(4 * width, width)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)

    def forward(self, h: Tensor, condition: Tensor) -> Tensor:
        scale1, shift1, gate1, scale2, shift2, gate2 = self.modulation(condition)[:, None].chunk(6, dim=-1)
        inner = self.norms[0](h) * (1.0 + scale1) + shift1
        q, k, v = self.qkv(inner).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attention = scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        h = h + gate1 * self.attended(attention)
        inner = self.norms[1](h) * (1.0 + scale2) + shift2
        return h + gate2 * self.back(gelu(self.wide(inner)))


class Transformer(Backbone):
    """Attention in both directions, sinusoidal positions, the noise level in every block.

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        width: The size of the hidden layers, a multiple of 2 x `heads`.
        depth: The number of blocks.
        heads: The number of attention heads per block.
        classes: The number of classes that a label may have; None for a network without labels.

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
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, depth=depth, heads=heads)
        if width % (2 * heads):
            raise InputError(f"width {width} does not divide into {heads} heads of an even size")
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"width": width, "depth": depth, "heads": heads}
        self.classes = classes
        self.condition = Conditioning(width, classes)
        self.stem = nn.Linear(in_channels, width)
        self.blocks = nn.ModuleList(_Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.outlet = nn.Linear(width, out_channels)
        nn.init.zeros_(self.outlet.weight)
        nn.init.zeros_(self.outlet.bias)

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        features: Tensor = self.outlet(self._hidden(h, level, label))
        return features.transpose(1, 2)

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """The mean of the last hidden layer over all places, (batch, width)."""
        return self._hidden(h, level, label).mean(dim=1)

    def _hidden(self, h: Tensor, level: Tensor, label: Tensor | None) -> Tensor:
        """The last hidden layer, (batch, length, width)."""
        if h.ndim != 3 or h.shape[1] != self.stem.in_features:
            raise ShapeError(
                f"a Transformer for {self.stem.in_features} channels takes (batch, {self.stem.in_features}, length); "
                f"given {tuple(h.shape)}"
            )
        check_level(level, len(h))
        condition = self.condition(level, label)
        h = self.stem(h.transpose(1, 2))
        h = h + sinusoids(torch.arange(h.shape[1], device=h.device), h.shape[2]).to(h.dtype)
        for block in self.blocks:
            h = block(h, condition)
        hidden: Tensor = self.norm(h)
        return hidden
