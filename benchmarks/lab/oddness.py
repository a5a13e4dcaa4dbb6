"""A rule for pictures that are of nothing: odder than nearly all real pictures of what they look most like.

The oddness of a picture is its distance (root of the sum of squares over pixels) from the nearest training picture, as
a share of its own length (its distance from black). A classifier of the training pictures says what the picture looks
most like. Real pictures that nobody trained on, and that the same classifier puts into the same class, have an oddness
too. A picture is *odd* if its own exceeds that of a stated share of them. So one in a hundred real pictures is odd at a
share of .99.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Oddness:
    """The rule, for pictures like those that it was made of."""

    #: Training pictures, bytes.
    known: Tensor
    #: The oddness of each held-out picture, and the class that it looks most like.
    of_held_out: Tensor
    looks_like: Tensor

    def limits(self, share: float) -> Tensor:
        """By class, the oddness that this share of held-out pictures stays below."""
        classes = range(int(self.looks_like.max()) + 1)
        return torch.stack([self.of_held_out[self.looks_like == kind].quantile(share) for kind in classes])

    def excess(self, pixels: Tensor, looks_like: Tensor, share: float) -> Tensor:
        """The oddness of each picture (bytes) over the limit of its class: above 1 it is odd."""
        return oddness(pixels, self.known) / self.limits(share)[looks_like]


def oddness(pixels: Tensor, known: Tensor) -> Tensor:
    """The distance of each picture from the nearest known one, as a share of its own length."""
    vectors, others = (each.flatten(1).float() / 255 for each in (pixels, known))
    nearest = torch.cat([torch.cdist(rows, others).min(dim=1).values for rows in vectors.split(500)])
    return nearest / vectors.norm(dim=1).clamp(min=1e-6)
