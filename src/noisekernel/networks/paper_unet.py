"""The paper's U-Net (its appendix A, after Hoogeboom et al. 2021).

At each resolution: a residual block, residual linear self-attention, a residual block. ReZero on every residual
connection, here one gain a channel, started at zero. The sinusoidal embedding of the noise level is added in each
residual block. No dropout. Where the paper is silent we chose so that its parameter counts come out: 4 heads of 32
behind a GroupNorm, GroupNorm(8), Mish, 3x3 strided convolutions down, 4x4 transposed ones up, and at the bottom two
blocks around attention. Without stem and outlet that is 117,934,080 parameters for 128 channels x (1, 2, 4, 8) and
271,673,600 for 256 x (1, 1, 2, 2, 4, 4): "118 million" and "272 million" in the paper. Counts do not settle everything:
the order of norm and attention, the scale of the embedding and the stem and outlet around it all are our reading.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn

from noisekernel.core.errors import InputError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import (
    LabelEmbedding,
    ToldEmbedding,
    at_least,
    check_level,
    embed_label,
    embed_told,
    sinusoids,
)
from noisekernel.networks.images import check_images, crop_like

HEADS, HEAD_WIDTH, GROUPS = 4, 32, 8


class ReZero(nn.Module):
    """shortcut + gain x branch, with a gain of zero to begin with."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(channels))

    def forward(self, shortcut: Tensor, branch: Tensor) -> Tensor:
        return shortcut + self.gain[:, None, None] * branch


def _convolve(before: int, after: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(GROUPS, after), nn.Mish())


class ResidualBlock(nn.Module):
    def __init__(self, before: int, after: int, embedding: int) -> None:
        super().__init__()
        self.first = _convolve(before, after)
        self.level = nn.Sequential(nn.Mish(), nn.Linear(embedding, after))
        self.second = _convolve(after, after)
        self.shortcut = nn.Conv2d(before, after, 1) if before != after else nn.Identity()
        self.add = ReZero(after)

    def forward(self, h: Tensor, embedded: Tensor) -> Tensor:
        branch = self.second(self.first(h) + self.level(embedded)[:, :, None, None])
        return self.add(self.shortcut(h), branch)


class LinearAttention(nn.Module):
    """Attention whose cost is linear in the number of pixels: softmax over the keys alone, then two small products."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, channels)
        self.qkv = nn.Conv2d(channels, 3 * HEADS * HEAD_WIDTH, 1, bias=False)
        self.out = nn.Conv2d(HEADS * HEAD_WIDTH, channels, 1)
        self.add = ReZero(channels)

    def forward(self, h: Tensor) -> Tensor:
        n, _, height, width = h.shape
        q, k, v = self.qkv(self.norm(h)).reshape(n, 3, HEADS, HEAD_WIDTH, height * width).unbind(1)
        context = k.softmax(dim=-1) @ v.transpose(-1, -2)
        attended = context.transpose(-1, -2) @ q
        return self.add(h, self.out(attended.reshape(n, HEADS * HEAD_WIDTH, height, width)))


class Stage(nn.Module):
    """One resolution: block, attention, block."""

    def __init__(self, before: int, after: int, embedding: int) -> None:
        super().__init__()
        self.first = ResidualBlock(before, after, embedding)
        self.attention = LinearAttention(after)
        self.second = ResidualBlock(after, after, embedding)

    def forward(self, h: Tensor, embedded: Tensor) -> Tensor:
        return self.second(self.attention(self.first(h, embedded)), embedded)


class PaperUNet(Backbone):
    """(batch, in_channels, height, width) to (batch, out_channels, height, width), for any height and width.

    >>> PaperUNet(1, 2, channels=8, multipliers=(1, 2))(torch.zeros(1, 1, 7, 10), torch.ones(1)).shape
    torch.Size([1, 2, 7, 10])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        channels: int = 128,
        multipliers: tuple[int, ...] = (1, 2, 4, 8),
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, channels=channels, levels=len(multipliers))
        at_least(1, **{f"multipliers[{i}]": size for i, size in enumerate(multipliers)})
        if channels % GROUPS:
            raise InputError(f"channels is {channels}; the paper's U-Net needs a multiple of {GROUPS}")
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"channels": channels, "multipliers": multipliers}
        self.channels, self.classes, self.numbers_told = channels, classes, told
        widths = [channels, *(channels * m for m in multipliers)]
        pairs = list(pairwise(widths))
        self.label = None if classes is None else LabelEmbedding(classes, channels)
        self.stem = nn.Conv2d(in_channels, channels, 3, padding=1)
        self.down = nn.ModuleList(Stage(before, after, channels) for before, after in pairs)
        self.shrink = nn.ModuleList(nn.Conv2d(after, after, 3, stride=2, padding=1) for _, after in pairs[:-1])
        self.bottom = Stage(widths[-1], widths[-1], channels)
        self.up = nn.ModuleList(Stage(2 * after, before, channels) for before, after in reversed(pairs))
        self.grow = nn.ModuleList(nn.ConvTranspose2d(before, before, 4, 2, 1) for before, _ in reversed(pairs[1:]))
        self.outlet = nn.Conv2d(channels, out_channels, 1)
        self.told = ToldEmbedding(told, channels) if told else None

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        h, skips, embedded = self._seen(h, level, label, told)
        for t, stage in enumerate(self.up):
            skip = skips.pop()
            if t > 0:
                h = crop_like(self.grow[t - 1](h), skip)
            h = stage(torch.cat((h, skip), dim=1), embedded)
        return self.outlet(h)

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """The mean of the lowest level over its pixels, (batch, width); the way up is not computed."""
        return self._seen(h, level, label, told)[0].flatten(2).mean(dim=2)

    def _seen(
        self, h: Tensor, level: Tensor, label: Tensor | None, told: Tensor | None
    ) -> tuple[Tensor, list[Tensor], Tensor]:
        """The way down: the lowest level, what is handed across to the way up, and the embedded level and label."""
        check_images(h, self.stem)
        check_level(level, len(h))
        # Scaled so that (0, 1] fills the range of positions that such embeddings are made for.
        embedded = sinusoids(1000.0 * level, self.channels).to(h.dtype) + embed_label(self.label, label, len(h))
        embedded = embedded + embed_told(self.told, told, len(h))
        h = self.stem(h)
        skips = []
        for t, stage in enumerate(self.down):
            h = stage(h, embedded)
            skips.append(h)
            if t < len(self.shrink):
                h = self.shrink[t](h)
        return self.bottom(h, embedded), skips, embedded
