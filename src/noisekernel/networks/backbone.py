"""The contract of a backbone: from the encoded state to features, and to a summary of what it saw."""

from abc import ABC, abstractmethod

from torch import Tensor, nn


class Backbone(nn.Module, ABC):
    """A network between the two halves of a head.

    `forward` returns one vector of features per element of the data. `summary` returns one vector per sample: the state
    as the network understands it as a whole, by which samples can be compared.
    """

    #: Whether it was trained with classes and never without one, so that it has to be given a label.
    needs_label: bool = False
    #: The largest batch that a graph of it may be given, once exported.
    largest_batch: int = 65_536

    @abstractmethod
    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """Features, (batch, out_channels, *space).

        Args:
            h: The encoded states, (batch, in_channels, *space).
            level: The noise level as the head tells it, (batch,).
            label: The class of each sample, (batch,), or None.
        """

    @abstractmethod
    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """One vector per sample, (batch, width).

        Args:
            h: The encoded states, (batch, in_channels, *space).
            level: The noise level as the head tells it, (batch,).
            label: The class of each sample, (batch,), or None.
        """
