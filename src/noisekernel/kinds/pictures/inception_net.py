"""The network of Inception-V3 as FID uses it, with the names of torchvision's, so that weights of either way fit.

Szegedy et al. 2015, arXiv:1512.00567, in the state of the TensorFlow graph of December 2015: average pooling leaves its
border out of the mean, the last block pools by maximum, and there are 1,008 classes. Each table below is a block: a
row a branch, whose convolutions (name, channels, kernel, and a stride of 2 where there is one) follow one another; a
list of two is a fork.
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

CLASSES, WIDTH = 1008, 2048

LONG, HIGH = (1, 7), (7, 1)
WIDE, TALL = (1, 3), (3, 1)


class Convolution(nn.Module):
    """Convolution, normalisation, ReLU."""

    def __init__(self, inputs: int, channels: int, kernel: int | tuple[int, int], stride: int, padded: bool) -> None:
        super().__init__()
        sides = (kernel, kernel) if isinstance(kernel, int) else kernel
        padding = (sides[0] // 2, sides[1] // 2) if padded else (0, 0)
        self.conv = nn.Conv2d(inputs, channels, sides, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(channels, eps=0.001)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.bn(self.conv(x)))


class Block(nn.Module):
    """Branches side by side. One that begins with a pooling may end with it."""

    def __init__(self, inputs: int, *branches: list[Any]) -> None:
        super().__init__()
        self.branches = branches
        self.channels = 0
        for branch in branches:
            width = inputs
            for step in branch:
                fork = step if isinstance(step, list) else [step]
                if isinstance(step, str):
                    continue
                for name, channels, kernel, *stride in fork:
                    # What halves the sides does without a border.
                    self.add_module(name, Convolution(width, channels, kernel, 2 if stride else 1, padded=not stride))
                width = sum(each[1] for each in fork)
            self.channels += width

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self._along(branch, x) for branch in self.branches], dim=1)

    def _along(self, branch: list[Any], x: Tensor) -> Tensor:
        for step in branch:
            if isinstance(step, str):
                x = POOLINGS[step](x)
            elif isinstance(step, list):
                x = torch.cat([self.get_submodule(name)(x) for name, *_ in step], dim=1)
            else:
                x = self.get_submodule(step[0])(x)
        return x


POOLINGS = {
    "mean": lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False),
    "most": lambda x: F.max_pool2d(x, 3, 1, 1),
    "halve": lambda x: F.max_pool2d(x, 3, 2),
}


def _a(inputs: int, pooled: int) -> Block:
    return Block(
        inputs,
        [("branch1x1", 64, 1)],
        [("branch5x5_1", 48, 1), ("branch5x5_2", 64, 5)],
        [("branch3x3dbl_1", 64, 1), ("branch3x3dbl_2", 96, 3), ("branch3x3dbl_3", 96, 3)],
        ["mean", ("branch_pool", pooled, 1)],
    )


def _b(inputs: int) -> Block:
    double = [("branch3x3dbl_1", 64, 1), ("branch3x3dbl_2", 96, 3), ("branch3x3dbl_3", 96, 3, 2)]
    return Block(inputs, [("branch3x3", 384, 3, 2)], double, ["halve"])


def _c(inputs: int, c: int) -> Block:
    double = [("1", c, 1), ("2", c, HIGH), ("3", c, LONG), ("4", c, HIGH), ("5", 192, LONG)]
    return Block(
        inputs,
        [("branch1x1", 192, 1)],
        [("branch7x7_1", c, 1), ("branch7x7_2", c, LONG), ("branch7x7_3", 192, HIGH)],
        [(f"branch7x7dbl_{number}", *step) for number, *step in double],
        ["mean", ("branch_pool", 192, 1)],
    )


def _d(inputs: int) -> Block:
    tower = [("1", 192, 1), ("2", 192, LONG), ("3", 192, HIGH), ("4", 192, 3, 2)]
    return Block(
        inputs,
        [("branch3x3_1", 192, 1), ("branch3x3_2", 320, 3, 2)],
        [(f"branch7x7x3_{number}", *step) for number, *step in tower],
        ["halve"],
    )


def _e(inputs: int, pooling: str) -> Block:
    fork = [("branch3x3_2a", 384, WIDE), ("branch3x3_2b", 384, TALL)]
    double = [("branch3x3dbl_3a", 384, WIDE), ("branch3x3dbl_3b", 384, TALL)]
    return Block(
        inputs,
        [("branch1x1", 320, 1)],
        [("branch3x3_1", 384, 1), fork],
        [("branch3x3dbl_1", 448, 1), ("branch3x3dbl_2", 384, 3), double],
        [pooling, ("branch_pool", 192, 1)],
    )


class InceptionV3(nn.Module):
    """(n, 3, 299, 299) in (-1, 1) to 2,048 features, and logits without their bias, which the Inception score takes."""

    def __init__(self) -> None:
        super().__init__()
        self.Conv2d_1a_3x3 = Convolution(3, 32, 3, 2, padded=False)
        self.Conv2d_2a_3x3 = Convolution(32, 32, 3, 1, padded=False)
        self.Conv2d_2b_3x3 = Convolution(32, 64, 3, 1, padded=True)
        self.Conv2d_3b_1x1 = Convolution(64, 80, 1, 1, padded=False)
        self.Conv2d_4a_3x3 = Convolution(80, 192, 3, 1, padded=False)
        width = 192
        for name, block, *options in (
            *(("5b", _a, 32), ("5c", _a, 64), ("5d", _a, 64), ("6a", _b)),
            *(("6b", _c, 128), ("6c", _c, 160), ("6d", _c, 160), ("6e", _c, 192)),
            *(("7a", _d), ("7b", _e, "mean"), ("7c", _e, "most")),
        ):
            made = block(width, *options)
            self.add_module(f"Mixed_{name}", made)
            width = made.channels
        self.fc = nn.Linear(WIDTH, CLASSES)

    def forward(
        self, x: Float[Tensor, "batch 3 299 299"]
    ) -> tuple[Float[Tensor, "batch 2048"], Float[Tensor, "batch 1008"]]:
        x = self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x)))
        x = self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(POOLINGS["halve"](x)))
        x = POOLINGS["halve"](x)
        for name, block in self.named_children():
            if name.startswith("Mixed_"):
                x = block(x)
        features = x.mean(dim=(2, 3))
        return features, features @ self.fc.weight.T
