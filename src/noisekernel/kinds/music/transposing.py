"""Transposition as augmentation: the same music higher or lower, of which the network is told by how much."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from noisekernel.kinds.music.grid import REST


@dataclass(frozen=True)
class Transposition:
    """Up or down by 1 to `most` semitones, each as often, in a share `often` of the examples.

    Args:
        most: The most semitones.
        often: The share of examples that is transposed.
    """

    most: int
    often: float

    @property
    def numbers(self) -> int:
        """One for each interval, 1 for the one that it is: -most, …, -1, 1, …, most."""
        return 2 * self.most

    @property
    def chances(self) -> int:
        return 2

    def drawn(self, chances: Tensor) -> Tensor:
        which = (chances[:, 1] * self.numbers).long().clamp(max=self.numbers - 1)
        return one_hot(which, self.numbers).float() * (chances[:, :1] < self.often)

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        semitones = torch.tensor([*range(-self.most, 0), *range(1, self.most + 1)], dtype=how.dtype, device=how.device)
        shift = 2 * (how @ semitones).round().to(values.dtype)
        return torch.where(values > REST, values + shift[:, None, None], values)
