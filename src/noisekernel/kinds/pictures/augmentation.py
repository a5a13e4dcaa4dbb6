"""Ways to change pictures, each with probability `chance` and each told to the network by numbers that are zero if not.

| | changes | numbers |
|---|---|---|
| flip | left and right are exchanged | 1 |
| turn | a quarter, a half or three quarters of a turn; pictures that are not square, half a turn | cos - 1 and sin of the angle |
| shift | by whole pixels, up to an eighth of the side; the edge is repeated | down and right, in eighths of the side |
| scale | about the middle, by 2^(-1/4) to 2^(1/4); the edge is repeated | 4 log2 of the factor |
| light | brighter or darker by up to a sixth of the range, contrast about mid-grey by 2^(-1/2) to 2^(1/2) | both, from -1 to 1 |
| colour | hues turn about the grey axis, saturation by 1/2 to 2; coloured pictures only | cos - 1 and sin of the angle, log2 of the factor |

Pictures are changed as bytes: what would be darker than black or brighter than white becomes black or white.
Transparency is turned and shifted with its picture and not changed otherwise.
"""  # noqa: E501

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor
from torch.nn.functional import affine_grid, grid_sample

from noisekernel.kinds.augmentation import Augmentation

Way = Literal["flip", "turn", "shift", "scale", "light", "colour"]


class _Flip:
    numbers, chances = 1, 0

    def drawn(self, chances: Tensor) -> Tensor:
        return torch.ones(len(chances), 1, device=chances.device)

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        return values.flip(-1)


class _Turn:
    numbers, chances = 2, 1

    def drawn(self, chances: Tensor) -> Tensor:
        angle = (1.0 + torch.floor(3.0 * chances[:, 0])) * (math.pi / 2)
        return torch.stack((angle.cos() - 1.0, angle.sin()), dim=1).round()

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        # Which of the three: cos is 0 at a quarter and at three, where the sine tells them apart.
        turned = values.rot90(2, (-2, -1))
        for sine, quarters in ((1, 1), (-1, 3)):
            chosen = _rows(how[:, 1] == sine, values)
            turned = torch.where(chosen, values.rot90(quarters, (-2, -1)), turned)
        return turned


class _HalfTurn(_Turn):
    """For pictures that are not square."""

    def drawn(self, chances: Tensor) -> Tensor:
        return torch.tensor([-2.0, 0.0], device=chances.device).expand(len(chances), 2)

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        return values.flip((-2, -1))


class _Shift:
    numbers, chances = 2, 2

    def __init__(self, height: int, width: int) -> None:
        self.most = torch.tensor([max(1, height // 8), max(1, width // 8)])

    def drawn(self, chances: Tensor) -> Tensor:
        most = self.most.to(chances.device)
        return (torch.floor(chances * (2 * most + 1)) - most) / most

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        down, right = (how * self.most.to(how.device)).round().long().unbind(dim=1)
        height, width = values.shape[-2:]
        rows = (torch.arange(height, device=how.device) - down[:, None]).clamp(0, height - 1)
        columns = (torch.arange(width, device=how.device) - right[:, None]).clamp(0, width - 1)
        which = torch.arange(len(values), device=how.device)[:, None, None]
        return values.movedim(1, -1)[which, rows[:, :, None], columns[:, None, :]].movedim(-1, 1)


class _Scale:
    numbers, chances = 1, 1

    def drawn(self, chances: Tensor) -> Tensor:
        return 2.0 * chances - 1.0

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        matrix = torch.exp2(-how[:, :, None] / 4.0) * torch.eye(2, 3, device=how.device)
        grid = affine_grid(matrix, list(values.shape), align_corners=False)
        return _bytes(grid_sample(values.float(), grid, padding_mode="border", align_corners=False))


class _Light:
    numbers, chances = 2, 2

    def drawn(self, chances: Tensor) -> Tensor:
        return 2.0 * chances - 1.0

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        seen, rest = _colours(values)
        brighter, contrast = how[:, :, None, None, None].unbind(dim=1)
        changed = (seen - 127.5) * torch.exp2(contrast / 2.0) + 127.5 + brighter * (255.0 / 6.0)
        return torch.cat((_bytes(changed), rest), dim=1)


class _Colour:
    numbers, chances = 3, 2

    #: From red, green and blue to coordinates along grey and across it.
    axes: ClassVar[Tensor] = torch.tensor([[1.0, 1.0, 1.0], [2.0, -1.0, -1.0], [0.0, 1.0, -1.0]])

    def drawn(self, chances: Tensor) -> Tensor:
        angle = 2.0 * math.pi * chances[:, 0] - math.pi
        return torch.stack((angle.cos() - 1.0, angle.sin(), 2.0 * chances[:, 1] - 1.0), dim=1)

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        seen, rest = _colours(values)
        axes = torch.nn.functional.normalize(self.axes, dim=1).to(how.device)
        cos, sin, strength = how[:, 0] + 1.0, how[:, 1], torch.exp2(how[:, 2])
        turn = torch.eye(3, device=how.device).repeat(len(how), 1, 1)
        turn[:, 1, 1], turn[:, 1, 2] = strength * cos, -strength * sin
        turn[:, 2, 1], turn[:, 2, 2] = strength * sin, strength * cos
        changed = torch.einsum("nij,njhw->nihw", axes.T @ turn @ axes, seen - 127.5) + 127.5
        return torch.cat((_bytes(changed), rest), dim=1)


def _bytes(pixels: Tensor) -> Tensor:
    return pixels.round().clamp(0, 255).to(torch.uint8)


def _colours(values: Tensor) -> tuple[Tensor, Tensor]:
    """Brightness or colours as floats, and transparency where there is any."""
    return values[:, :3].float(), values[:, 3:]


def _rows(chosen: Tensor, values: Tensor) -> Tensor:
    return chosen.reshape(-1, *[1] * (values.ndim - 1))


@dataclass(frozen=True)
class PictureAugmentation:
    """Pictures of one size, each changed in each way with probability `chance`.

    Args:
        chance: The probability of each way.
        ways: The ways, by name.
        size: Channels, height and width.

    >>> augmentation = PictureAugmentation(0.12, ("flip", "shift"), (1, 8, 8))
    >>> augmentation.numbers
    3
    """

    chance: float
    ways: Sequence[Way]
    size: tuple[int, int, int]

    @property
    def _parts(self) -> list[Augmentation]:
        channels, height, width = self.size
        made: dict[str, Augmentation] = {
            "flip": _Flip(),
            "turn": _Turn() if height == width else _HalfTurn(),
            "shift": _Shift(height, width),
            "scale": _Scale(),
            "light": _Light(),
            **({"colour": _Colour()} if channels > 1 else {}),
        }
        return [part for name, part in made.items() if name in self.ways]

    @property
    def numbers(self) -> int:
        """How many numbers say how a picture was changed."""
        return sum(part.numbers for part in self._parts)

    @property
    def chances(self) -> int:
        """How many uniform numbers these are drawn from: for each way whether, and how."""
        return sum(1 + part.chances for part in self._parts)

    def drawn(self, chances: Tensor) -> Tensor:
        """How to change each picture, (n, numbers).

        Args:
            chances: Numbers uniform on (0, 1), (n, chances).
        """
        parts, found, first = self._parts, [], 0
        for part in parts:
            changed = chances[:, first, None] < self.chance
            how = part.drawn(chances[:, first + 1 : first + 1 + part.chances])
            found.append(torch.where(changed, how, 0.0))
            first += 1 + part.chances
        return torch.cat(found, dim=1)

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        """Pictures changed so, one way after the other.

        Args:
            values: Bytes, (n, channels, height, width).
            how: How to change each, (n, numbers).
        """
        first = 0
        for part in self._parts:
            own = how[:, first : first + part.numbers]
            values = torch.where(_rows((own != 0).any(dim=1), values), part.applied(values, own), values)
            first += part.numbers
        return values
