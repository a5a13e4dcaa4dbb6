"""Scores of your own, for `nk.steer` and for `nk vary --score`."""

import numpy as np
from torch import Tensor


class Near:
    """For `nk.steer`: high where clean data are near a target. Any callable from (batch, *shape) to (batch,) serves."""

    def __init__(self, target: Tensor, insistence: float) -> None:
        self.target, self.insistence = target, insistence

    def __call__(self, z: Tensor) -> Tensor:
        return -self.insistence * (z - self.target).square().flatten(1).sum(dim=1)


def little_ink(picture: np.ndarray) -> float:
    """For `nk vary --score my_score.py:little_ink`: one picture, an array of numbers from 0 to 1, to one number."""
    return -float(picture.mean())
