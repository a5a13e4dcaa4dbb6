"""A denoiser of windows for data that are longer: each element is denoised in the window that it is most central to.

A network learned r(z | x) of windows of so many steps. Of a longer state x it is shown overlapping windows, and r of an
element is that of the window whose middle is nearest. All windows see the same state, and an element that is drawn is
seen by all windows that hold it, so the windows agree by the chain itself: there is no seam at which one ends. What is
more than a window away has no direct influence.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import Categorical, Categories
from noisekernel.core.checks import Level
from noisekernel.core.errors import InputError
from noisekernel.kernels.base import LEAST
from noisekernel.networks.denoiser import Denoise


@dataclass(frozen=True)
class Windowed:
    """r(z | x) of data that are longer than what the denoiser was made for, along the last dimension.

    Args:
        denoiser: Maps windows (x, beta) to r(z | x), in categories.
        window: How many places a window has.
        step: How many places further each window begins than the one before; at most half of the window, so that each
            element has a quarter of a window at least on both sides, but for those at the ends.
        absorbing: The state of elements that noise has masked. The denoiser is told the share of them in each window.

    >>> even = lambda x, beta: Categorical.from_logits(torch.zeros(*x.shape, 3))
    >>> Windowed(even, window=8, step=4, absorbing=3)(torch.zeros(2, 21, dtype=torch.int64), 0.5).probs.shape
    torch.Size([2, 21, 3])
    """

    denoiser: Denoise
    window: int
    step: int
    absorbing: int

    def __post_init__(self) -> None:
        checks.count("window", self.window, 2)
        checks.count("step", self.step)
        if 2 * self.step > self.window:
            raise InputError(f"step is {self.step}; give at most half of the window of {self.window}")

    def __call__(self, x: Tensor, beta: Level, label: Tensor | None = None) -> Categories:
        """r(z | x).

        Args:
            x: States, (batch, *event), the last dimension of any length from that of the window on.
            beta: The noise level: one number, or one per sample, (batch,).
            label: The class of each sample, (batch,), for a denoiser with labels.
        """
        level = checks.level("beta", beta, x)
        starts, which, place = self.windows(x.shape[-1])
        several = torch.stack([x[..., at : at + self.window] for at in starts], dim=1)  # (batch, windows, *event)
        parts = several.flatten(0, 1)
        masked = (parts == self.absorbing).flatten(1)
        # A state in which nothing is masked may still be told a level: that of a chain that revises what is visible.
        seen = torch.where(masked.any(dim=1), masked.float().mean(dim=1), level.repeat_interleave(len(starts)))
        labelled = {} if label is None else {"label": label.repeat_interleave(len(starts))}
        r = self.denoiser(parts, seen.clamp(min=LEAST), **labelled)
        if not isinstance(r, Categories):
            raise InputError("only data in categories can be longer than the window; this denoiser gives numbers")
        table = r.table().unflatten(0, (len(x), len(starts))).movedim(-2, 2)  # (batch, windows, place, *event, classes)
        return Categorical(table[:, which, place].movedim(1, -2))

    def windows(self, length: int) -> tuple[list[int], Tensor, Tensor]:
        """Where windows begin; and of each place which of them is its own, and where in that it is.

        Args:
            length: How many places there are.

        >>> starts, which, place = Windowed(lambda x, beta: None, 4, 2, 9).windows(7)
        >>> starts, which.tolist(), place.tolist()
        ([0, 2, 3], [0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 1, 2, 2, 3])
        """
        if length < self.window:
            raise InputError(f"data of {length} places are shorter than the window of {self.window}")
        starts = [*range(0, length - self.window, self.step), length - self.window]
        middles = torch.tensor(starts) + (self.window - 1) / 2
        places = torch.arange(length)
        which = (places[:, None] - middles).abs().argmin(dim=1)
        return starts, which, places - torch.tensor(starts)[which]
