"""Augmentation that does not leak: changed examples, of which the network is told how each was changed.

Few examples are soon learned by heart. Changed copies of them (turned, shifted, darker) are more to learn from, but a
model that learns them draws changed examples too. So the network is given the numbers that say how an example was
changed, beside the noise level and the label; when it draws, they are all zero, and zero means unchanged (Karras et
al. 2022, after Jun et al. 2020).

A kind of data has an augmentation (`Kind.augmentation`) or none. What is drawn for an example is a function of the
seed and its number, as everything in training is.
"""

from typing import Protocol

from torch import Tensor


class Augmentation(Protocol):
    """Ways to change examples."""

    @property
    def numbers(self) -> int:
        """How many numbers say how an example was changed: what the network is told."""
        ...

    @property
    def chances(self) -> int:
        """How many uniform numbers these are drawn from."""
        ...

    def drawn(self, chances: Tensor) -> Tensor:
        """How each example is to be changed, (n, numbers), from uniform numbers, (n, chances). Zeros: not at all.

        Args:
            chances: Numbers uniform on (0, 1), (n, chances).
        """
        ...

    def applied(self, values: Tensor, how: Tensor) -> Tensor:
        """Stored values changed as `how` says. Examples whose numbers are all zero come back as they are, bit for bit.

        Args:
            values: Examples as they are stored, (n, …).
            how: How to change each, (n, numbers).
        """
        ...
