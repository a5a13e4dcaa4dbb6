"""Our U-Net: pre-norm residual blocks, real attention where the picture is small, most parameters at low resolution.

Against the paper's: GroupNorm and SiLU before each convolution; the noise level as scale and shift after the second
norm; every residual branch and the outlet start at zero; `scaled_dot_product_attention` at the listed levels only (at
high resolution attention costs most and gives least); pictures are convolved before they are enlarged, a quarter of the
work; channels-last memory throughout, which CPUs and GPUs both prefer.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate, linear, pad, scaled_dot_product_attention, silu

from noisekernel.core.errors import InputError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level
from noisekernel.networks.images import check_images, crop_like


def _norm(channels: int) -> nn.GroupNorm:
    return nn.GroupNorm(math.gcd(32, channels // 4), channels)


class Convolution(nn.Conv2d):
    """A 3x3 convolution that keeps the size.

    Where the weights are many and the pixels few, CPUs are slow at it (they rearrange the weights and their gradient at
    every step), and a matrix product over patches takes two thirds of the time.
    """

    def __init__(self, before: int, after: int) -> None:
        super().__init__(before, after, 3, padding=1)

    def forward(self, h: Tensor) -> Tensor:
        height, width = h.shape[2:]
        if h.device.type != "cpu" or self.out_channels < 512 or height * width > 64:
            return super().forward(h)
        padded = pad(h.movedim(1, -1), (0, 0, 1, 1, 1, 1))
        patches = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
        weight = self.weight.movedim(1, -1).flatten(1)  # a view, in channels-last memory
        return linear(torch.cat(patches, dim=-1), weight, self.bias).movedim(-1, 1)


def _zeroed(layer: nn.Module) -> nn.Module:
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    return layer


class ResidualBlock(nn.Module):
    def __init__(self, before: int, after: int, condition: int) -> None:
        super().__init__()
        self.norm1 = _norm(before)
        self.conv1 = Convolution(before, after)
        self.film = nn.Linear(condition, 2 * after)
        self.norm2 = _norm(after)
        self.conv2 = _zeroed(Convolution(after, after))
        self.shortcut = nn.Conv2d(before, after, 1) if before != after else nn.Identity()

    def forward(self, h: Tensor, condition: Tensor) -> Tensor:
        scale, shift = self.film(condition)[:, :, None, None].chunk(2, dim=1)
        inner = self.norm2(self.conv1(silu(self.norm1(h)))) * (1.0 + scale) + shift
        return self.shortcut(h) + self.conv2(silu(inner))


class Attention(nn.Module):
    """Full self-attention over pixels, in heads of 64 channels, or of the next more that divide evenly."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.heads = next(heads for heads in range(max(1, channels // 64), 0, -1) if channels % heads == 0)
        self.norm = _norm(channels)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.out = _zeroed(nn.Conv2d(channels, channels, 1))

    def forward(self, h: Tensor) -> Tensor:
        # (n, 3c, height, width) is channels-last in memory, so that (n, pixels, 3c) is a view of it.
        tokens = self.qkv(self.norm(h)).permute(0, 2, 3, 1).flatten(1, 2)
        q, k, v = tokens.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        attended = scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        image = attended.unflatten(1, h.shape[2:]).permute(0, 3, 1, 2)
        return h + self.out(image)


class Stage(nn.Module):
    """A residual block, and attention where asked for."""

    def __init__(self, before: int, after: int, condition: int, attention: bool) -> None:
        super().__init__()
        self.block = ResidualBlock(before, after, condition)
        self.attention = Attention(after) if attention else nn.Identity()

    def forward(self, h: Tensor, condition: Tensor) -> Tensor:
        return self.attention(self.block(h, condition))


class UNet(Backbone):
    """(batch, in_channels, height, width) to (batch, out_channels, height, width), for any height and width.

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        channels: The width at full resolution, a multiple of 4.
        multipliers: The width at each resolution, in units of `channels`; each resolution is half of the one before.
        blocks: The number of residual blocks per resolution, on the way down and again on the way up.
        attention: The resolutions (0 is the full one) that have self-attention. By default those from a quarter of
            the full resolution down.
        classes: The number of classes that a label may have; None for a network without labels.
        told: How many numbers it is told of how its examples were changed (`noisekernel.kinds.augmentation`).

    >>> UNet(1, 2, channels=16, multipliers=(1, 2))(torch.zeros(1, 1, 7, 10), torch.ones(1)).shape
    torch.Size([1, 2, 7, 10])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        channels: int = 64,
        multipliers: tuple[int, ...] = (1, 2, 2),
        blocks: int = 2,
        attention: tuple[int, ...] | None = None,
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, channels=channels)
        at_least(1, levels=len(multipliers), blocks=blocks)
        at_least(1, **{f"multipliers[{i}]": size for i, size in enumerate(multipliers)})
        if channels % 4:
            raise InputError(f"channels is {channels}; give a multiple of 4")
        widths = [channels * m for m in multipliers]
        attends = set(range(2, len(widths)) if attention is None else attention)
        if not attends <= set(range(len(widths))):
            raise InputError(
                f"attention at levels {sorted(attends)}; with {len(widths)} levels they run from 0 to {len(widths) - 1}"
            )
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"channels": channels, "multipliers": multipliers, "blocks": blocks, "attention": attention}
        self.classes, self.numbers_told = classes, told
        condition = 4 * channels
        self.condition = Conditioning(condition, classes, told=told)
        self.stem = Convolution(in_channels, channels)
        self.down, self.shrink, self.up, self.grow = (nn.ModuleList() for _ in range(4))
        skips: list[int] = []
        width = channels
        for level, wide in enumerate(widths):
            stages = nn.ModuleList()
            for _ in range(blocks):
                stages.append(Stage(width, wide, condition, level in attends))
                width = wide
                skips.append(width)
            self.down.append(stages)
            if level < len(widths) - 1:
                self.shrink.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
        self.bottom = nn.ModuleList((Stage(width, width, condition, True), Stage(width, width, condition, False)))
        for level, wide in reversed(list(enumerate(widths))):
            stages = nn.ModuleList()
            for _ in range(blocks):
                stages.append(Stage(width + skips.pop(), wide, condition, level in attends))
                width = wide
            self.up.append(stages)
            if level > 0:
                width = widths[level - 1]
                self.grow.append(Convolution(wide, width))
        self.norm = _norm(width)
        self.outlet = _zeroed(Convolution(width, out_channels))
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """Features, (batch, out_channels, height, width).

        Args:
            h: The encoded states, (batch, in_channels, height, width).
            level: The noise level as the head tells it, (batch,).
            label: The class of each sample, (batch,), or None.
            told: How each example was changed, (batch, told), or None.
        """
        h, skips, condition = self._seen(h, level, label, told)
        for t, stages in enumerate(self.up):
            for stage in stages:  # type: ignore[attr-defined]
                h = stage(torch.cat((h, skips.pop()), dim=1), condition)
            if t < len(self.grow):
                h = crop_like(interpolate(self.grow[t](h), scale_factor=2.0, mode="nearest"), skips[-1])
        return self.outlet(silu(self.norm(h)))

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """The mean of the lowest level over its pixels, (batch, width); the way up is not computed."""
        return self._seen(h, level, label, told)[0].flatten(2).mean(dim=2)

    def _seen(
        self, h: Tensor, level: Tensor, label: Tensor | None, told: Tensor | None
    ) -> tuple[Tensor, list[Tensor], Tensor]:
        """The way down: the lowest level, what is handed across to the way up, and the condition."""
        check_images(h, self.stem)
        check_level(level, len(h))
        condition = self.condition(level, label, told)
        h = self.stem(h.contiguous(memory_format=torch.channels_last))
        skips: list[Tensor] = []
        for t, stages in enumerate(self.down):
            for stage in stages:  # type: ignore[attr-defined]
                h = stage(h, condition)
                skips.append(h)
            if t < len(self.shrink):
                h = self.shrink[t](h)
        for stage in self.bottom:
            h = stage(h, condition)
        return h, skips, condition
