"""A correction: what a chain's states are to be tilted by, so that those of the data come out as often as they should.

A chain at constant noise is stationary for some q, which is the data's p only as far as its denoiser is exact. Where
its steps are accepted with probability min(1, exp(C(y) - C(x))), it is stationary for q exp(C) instead, and for p if
C = log p/q up to a constant. `objectives.PersistentContrast` learns such a C.

C sees the state and r(z | x, beta), which the chain has computed anyway: a step costs one small pass more. It is a
plain network of convolutions along as many dimensions as the data have, and an average over them; for vectors, of
linear layers.
"""

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.core.errors import InputError

CONVOLUTIONS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
#: Below this side a convolution halves no further.
SMALLEST = 4


class Correction(nn.Module):
    """C(x, r, beta): one number per sample, 0 before training.

    Args:
        shape: The shape of one sample.
        channels: The size of the first dimension of the data, if that is one of channels; None where it is not.
        classes: The number of categories of an element; None for numbers.
        low: The lowest noise level that it is for.
        high: The highest.
        lag: The lag of the chain that it is for: another chain errs in another way.
        width: The channels of the first layer.

    >>> from noisekernel.core.distributions import Normal
    >>> correction = Correction((1, 8, 8), channels=1, low=0.1, high=0.3)
    >>> x = torch.zeros(5, 1, 8, 8)
    >>> correction(x, Normal(x, torch.ones_like(x)), 0.2).shape
    torch.Size([5])
    >>> correction.covers(0.2), correction.covers(0.4), correction.covers(0.2, lag=0.5)
    (True, False, False)
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        channels: int | None = None,
        classes: int | None = None,
        low: float = 0.2,
        high: float = 0.2,
        lag: float = 0.9,
        width: int = 16,
    ) -> None:
        super().__init__()
        self.low = checks.number("low", low, 0.0, 1.0, open_low=True)
        self.high = checks.number("high", high, self.low, 1.0)
        self.channels, self.classes = channels, classes
        self.lag = checks.number("lag", lag, 0.0, 1.0)
        #: What it was built with, but for what follows from the data.
        self.settings = {"low": self.low, "high": self.high, "lag": self.lag, "width": checks.count("width", width)}
        space = shape if channels is None else shape[1:]
        per_element = 2 if classes is None else 2 * classes + 1
        seen = (channels or 1) * per_element + 1
        self.body: nn.Module
        if len(space) in CONVOLUTIONS:
            self.body = _convolutions(CONVOLUTIONS[len(space)], seen, min(space), width)
        else:
            sizes = (math.prod(space) * (seen - 1) + 1, 4 * width, 4 * width, 4 * width)
            self.body = nn.Sequential(*(layer for a, b in pairwise(sizes) for layer in (nn.Linear(a, b), nn.SiLU())))
        self.out = nn.Linear(4 * width, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def covers(self, beta: float, lag: float | None = None) -> bool:
        """Whether it was made for this noise level, and for this lag.

        Args:
            beta: A noise level.
            lag: A lag; None for its own.
        """
        return self.low - 1e-6 <= beta <= self.high + 1e-6 and (lag is None or abs(lag - self.lag) <= 1e-6)

    def forward(self, x: Tensor, r: Elementwise, beta: Level) -> Tensor:
        """C of each sample, (batch,).

        Args:
            x: States, (batch, *event).
            r: The denoising distribution there.
            beta: The noise level: one number, or one per sample, (batch,).
        """
        if not isinstance(r, Elementwise):
            raise InputError(f"a correction sees r(z | x), a product over elements; given a {type(r).__name__}")
        state = x[..., None] if self.classes is None else one_hot(x, self.classes + 1)
        seen = torch.cat((state.to(self.out.weight.dtype), r.numbers.to(self.out.weight.dtype)), dim=-1)
        if self.channels is None:
            seen = seen.unsqueeze(1)
        seen = seen.movedim(-1, 2).flatten(1, 2)  # (batch, channels x numbers, *space)
        if isinstance(self.body[0], nn.Linear):  # type: ignore[index]
            seen = seen.flatten(1)
        level = checks.level("beta", beta, seen).to(seen)
        told = level.reshape(-1, *[1] * (seen.ndim - 1)).expand(len(seen), 1, *seen.shape[2:])
        return self.out(_mean_over_space(self.body(torch.cat((seen, told), dim=1))))[:, 0]


def _convolutions(layer: type[nn.Module], channels: int, side: int, width: int) -> nn.Sequential:
    """Twice half the size and twice the channels, as far as the side allows."""
    layers: list[nn.Module] = [layer(channels, width, 3, padding=1), nn.SiLU()]
    for before, after in ((width, 2 * width), (2 * width, 4 * width)):
        halved = side >= SMALLEST
        down = layer(before, after, 4, stride=2, padding=1) if halved else layer(before, after, 3, padding=1)
        layers += [down, nn.SiLU(), layer(after, after, 3, padding=1), nn.SiLU()]
        side = side // 2 if halved else side
    return nn.Sequential(*layers)


def _mean_over_space(h: Tensor) -> Tensor:
    return h if h.ndim == 2 else h.flatten(2).mean(dim=2)
