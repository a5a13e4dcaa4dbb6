"""The contract of a head: between the state and the backbone, and between its features and r."""

from typing import Protocol, runtime_checkable

from torch import Tensor

from noisekernel.core.distributions import Elementwise
from noisekernel.core.errors import ShapeError


@runtime_checkable
class Head(Protocol):
    """Between the state and the backbone, and between its features and r."""

    @property
    def in_channels(self) -> int:
        """The channels that the backbone is to take."""
        ...

    @property
    def out_channels(self) -> int:
        """The channels that the backbone is to return."""
        ...

    def encode(self, x: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
        """The backbone's input, (batch, in_channels, *space), and the noise level on the scale it is told.

        Args:
            x: States, (batch, channels, *space), or (batch, *space) for data without channels.
            beta: Noise levels, (batch,).
        """
        ...

    def decode(self, features: Tensor, x: Tensor, beta: Tensor) -> Elementwise:
        """r(z | x), from what the backbone returned.

        Args:
            features: The backbone's output, (batch, out_channels, *space).
            x: The states, as `encode` was given them.
            beta: Noise levels, (batch,).
        """
        ...


def with_channel(x: Tensor, channels: int | None) -> Tensor:
    """(batch, channels, *space): where the data has no channel dimension, one is put in."""
    if channels is None:
        return x.unsqueeze(1)
    if x.ndim < 2 or x.shape[1] != channels:
        raise ShapeError(f"x has shape {tuple(x.shape)}; this denoiser was made for {channels} channels in dimension 1")
    return x
