"""What every backbone is told beside its input: the noise level, optionally a class label, and how it was changed.

The contract of a backbone: `forward(h, level, label=None)` maps (batch, in_channels, *space) to
(batch, out_channels, *space). `level` is one number per sample, on whatever scale its `Conditioning` was made for, and
`label` a class a sample; the class number `classes` stands for "no label", as does leaving it out.

A backbone for augmented data takes one more, `told`: the numbers that say how each example was changed
(`noisekernel.kinds.augmentation`). Zeros mean unchanged, as does leaving them out.
"""

import math

import torch
from torch import Tensor, nn

from noisekernel.core.errors import InputError, ShapeError


def sinusoids(position: Tensor, width: int, longest: float = 10_000.0) -> Tensor:
    """Sines and cosines of `position` at `width / 2` frequencies from 1 down to 1 / longest."""
    half = width // 2
    step = math.log(longest) / max(half - 1, 1)
    frequency = torch.exp(-step * torch.arange(half, device=position.device, dtype=torch.float32))
    angle = position.float()[..., None] * frequency
    return torch.cat((angle.sin(), angle.cos()), dim=-1)


def at_least(low: int, **sizes: int) -> None:
    """Refuse sizes that a network cannot have."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < low:
            raise InputError(f"{name} is {size!r}; give a whole number of at least {low}")


def check_level(level: Tensor, batch: int) -> None:
    """Refuse anything but one noise level per sample."""
    if level.shape != (batch,):
        raise ShapeError(f"level has shape {tuple(level.shape)}; give one noise level per sample: ({batch},)")


class LabelEmbedding(nn.Module):
    """A vector for each of `classes` labels and one, the last, for "no label"."""

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        at_least(1, classes=classes)
        self.classes = classes
        self.table = nn.Embedding(classes + 1, width)

    def forward(self, label: Tensor | None, batch: int) -> Tensor:
        if label is None:
            label = torch.full((batch,), self.classes, device=self.table.weight.device)
        if not isinstance(label, Tensor) or label.dtype not in (torch.int64, torch.int32):
            kind = label.dtype if isinstance(label, Tensor) else type(label).__name__
            raise InputError(f"label is {kind}; give an int64 tensor with one class a sample")
        if label.shape != (batch,):
            raise ShapeError(f"label has shape {tuple(label.shape)}; give one class a sample: ({batch},)")
        readable = label.device.type == "cpu" and not torch.compiler.is_compiling()
        if readable and not bool(((label >= 0) & (label <= self.classes)).all()):
            raise InputError(
                f"labels run from {int(label.min())} to {int(label.max())}; with {self.classes} classes they run "
                f"from 0 to {self.classes - 1}, and {self.classes} stands for no label"
            )
        return self.table(label)


class ToldEmbedding(nn.Linear):
    """A vector for each of the numbers that say how an example was changed: zeros add nothing."""

    def __init__(self, numbers: int, width: int) -> None:
        super().__init__(numbers, width, bias=False)
        nn.init.normal_(self.weight)  # as labels begin, for the same reason


class Conditioning(nn.Module):
    """Noise level, label and what is told of changes to one vector of `width`.

    The label's vector is added behind the network of the noise level, and starts at the size of a standard normal: put
    in front of it, or started at zero, labels are hardly learned at all (tests/training/test_labels.py would fail).
    """

    def __init__(self, width: int, classes: int | None = None, scale: float = 100.0, told: int = 0) -> None:
        super().__init__()
        at_least(2, width=width)
        if width % 2:
            raise InputError(f"width is {width}; give an even number")
        self.width, self.scale = width, scale
        self.network = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.label = None if classes is None else LabelEmbedding(classes, width)
        self.told = ToldEmbedding(told, width) if told else None

    def forward(self, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        vector = self.network(sinusoids(level * self.scale, self.width).to(next(self.network.parameters()).dtype))
        vector = vector + embed_label(self.label, label, len(level))
        return nn.functional.silu(vector + embed_told(self.told, told, len(level)))


def embed_label(embedding: LabelEmbedding | None, label: Tensor | None, batch: int) -> Tensor | float:
    """The label's vector; nothing (0) for a backbone without labels, which refuses to be given one."""
    if embedding is not None:
        return embedding(label, batch)
    if label is not None:
        raise InputError("a label was given to a network built without classes; build it with classes=…")
    return 0.0


def embed_told(embedding: ToldEmbedding | None, told: Tensor | None, batch: int) -> Tensor | float:
    """The vector of what is told of changes; nothing (0) where nothing is told."""
    if told is None:
        return 0.0
    if embedding is None:
        raise InputError("a network built without told=… was told how its examples were changed; build it with told=…")
    if told.shape != (batch, embedding.in_features):
        raise ShapeError(
            f"told has shape {tuple(told.shape)}; give {embedding.in_features} numbers per sample: "
            f"({batch}, {embedding.in_features})"
        )
    vector: Tensor = embedding(told.to(embedding.weight.dtype))
    return vector
