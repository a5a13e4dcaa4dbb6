"""A backbone of your own: one hidden layer, told the noise level by a gate."""

import torch
from torch import Tensor, nn


class Gated(nn.Module):
    """For vectors: (batch, in_channels) to (batch, out_channels)."""

    def __init__(self, in_channels: int, out_channels: int, width: int = 64) -> None:
        super().__init__()
        self.inlet = nn.Linear(in_channels, width)
        self.gate = nn.Linear(2, width)
        self.outlet = nn.Linear(width, out_channels)
        nn.init.zeros_(self.outlet.weight)  # features of zero are the head's best linear guess: a good start
        nn.init.zeros_(self.outlet.bias)

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """The features of each state; `level` is (batch,), on the scale that the head chose."""
        told = torch.stack((level.sin(), level.cos()), dim=1)
        return self.outlet(torch.tanh(self.inlet(h)) * self.gate(told))
