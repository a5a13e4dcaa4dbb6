"""A rule for pictures that are of nothing: odder than nearly all real pictures of what they look most like.

The oddness of a picture is its distance (root of the sum of squares over pixels) from the nearest training picture, as
a share of its own length (its distance from black). A classifier of the training pictures says what the picture looks
most like. Real pictures that nobody trained on, and that the same classifier puts into the same class, have an oddness
too. A picture is *odd* if its own exceeds that of a stated share of them. So one in a hundred real pictures is odd at a
share of .99.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Oddness:
    """The rule, for pictures like those that it was made of."""

    #: Training pictures as vectors from 0 to 1.
    known: Tensor
    #: The class that a picture looks most like, of a batch of bytes.
    looks_like: Callable[[Tensor], Tensor]
    #: By class, the oddness that the stated share of held-out pictures stays below.
    limits: Tensor

    @classmethod
    def of(cls, known: Tensor, held_out: Tensor, looks_like: Callable[[Tensor], Tensor], share: float) -> "Oddness":
        """From bytes of training pictures and of held-out ones."""
        vectors = _vectors(known)
        found, kinds = _oddness(held_out, vectors), looks_like(held_out)
        limits = [found[kinds == kind].quantile(share) for kind in range(int(kinds.max()) + 1)]
        return cls(vectors, looks_like, torch.stack(limits))

    def excess(self, pixels: Tensor) -> Tensor:
        """The oddness of each picture (bytes) over the limit of its class: above 1 it is odd."""
        return _oddness(pixels, self.known) / self.limits[self.looks_like(pixels)]


def _vectors(pixels: Tensor) -> Tensor:
    return pixels.flatten(1).float() / 255


def _oddness(pixels: Tensor, known: Tensor) -> Tensor:
    vectors = _vectors(pixels)
    nearest = torch.cat([torch.cdist(rows, known).min(dim=1).values for rows in vectors.split(500)])
    return nearest / vectors.norm(dim=1).clamp(min=1e-6)
