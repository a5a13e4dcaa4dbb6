"""The contract of a head: between the state and the backbone, and between its features and r."""

from typing import Any, Protocol, runtime_checkable

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

    @property
    def independent(self) -> int:
        """So many elements at the end of z are independent of all others, by construction of the data."""
        return 0

    def known(self, x: Tensor, beta: Tensor) -> Elementwise | None:
        """What the head knows of z by itself: r in closed form, which the backbone corrects; None for nothing.

        It is computed once per call of the denoiser, and given to `encode` and `decode`.

        Args:
            x: States, (batch, channels, *space), or (batch, *space) for data without channels.
            beta: Noise levels, (batch,).
        """
        return None

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        """The backbone's input, (batch, in_channels, *space), and the noise level on the scale it is told.

        Args:
            x: States, (batch, channels, *space), or (batch, *space) for data without channels.
            beta: Noise levels, (batch,).
            known: What `known` returned for them, for a head that knows something.
        """
        ...

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Elementwise:
        """r(z | x), from what the backbone returned.

        Args:
            features: The backbone's output, (batch, out_channels, *space).
            x: The states, as `encode` was given them.
            beta: Noise levels, (batch,).
            known: What `known` returned for them, for a head that knows something.
        """
        ...


@runtime_checkable
class OfColumns(Head, Protocol):
    """A head for data whose elements are columns, each with classes of its own: what a network of columns needs."""

    @property
    def learned(self) -> tuple[int, ...]:
        """How many channels the network sees of each column, beside the last one, which is that for "masked"."""
        ...

    @property
    def in_order(self) -> tuple[int, ...]:
        """How many of these stand in an order; empty for none."""
        ...


def with_channel(x: Tensor, channels: int | None) -> Tensor:
    """(batch, channels, *space): where the data has no channel dimension, one is put in."""
    if channels is None:
        return x.unsqueeze(1)
    if x.ndim < 2 or x.shape[1] != channels:
        raise ShapeError(f"x has shape {tuple(x.shape)}; this denoiser was made for {channels} channels in dimension 1")
    return x
