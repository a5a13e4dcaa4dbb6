"""The contract of a noise kernel (section 2.1 and 2.2 of the paper).

A noise kernel is two conditional distributions,

    p^t(x | z)       how clean data z becomes a noisy state x at noise level beta_t      `noise`
    p^t(y | z, x)    how the state moves on, to level beta_{t+1}, were z known           `conditional`

chosen so that the second carries the first along (eq. 12, the integral being over x),

    ∫ p^t(x | z) p^t(y | z, x) dx = p^{t+1}(y | z),

and, at a constant level, so that they balance (eq. 6): p(x | z) p(y | z, x) = p(y | z) p(x | z, y). Integrating the
second against a denoising distribution r(z | x) gives the transition model (eqs 11, 13),

    p_r(y | x) = ∫ r(z | x) p(y | z, x) dz,                                              `transition`

which is in detailed balance with p(x) when r is the true p(z | x) (eqs 8-10).

The *lag* w says how much of the state one step carries over. It belongs to the kernel and may differ from step to step:
`kernel.with_lag(w)`. Not every lag fits every pair of levels; `largest_lag` says which do.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Distribution, Elementwise
from noisekernel.core.errors import ScheduleError, ShapeError
from noisekernel.core.randomness import Randomness

Kernel = TypeVar("Kernel", bound="NoiseKernel")

#: The noise level that a denoiser is told of a state in which nothing is masked.
LEAST = 1e-3


@dataclass(frozen=True)
class NoiseKernel(ABC):
    """Noise and transition for one kind of data. Pure: no parameters, no state, no randomness of its own.

    Noise levels are one number, or one per sample. Data may have any shape after the batch dimension.

    Args:
        lag: How much of the state one step carries over (the paper's w), in [0, 1]: one number, or one per sample.

    >>> from noisekernel.kernels import GaussianKernel
    >>> kernel: NoiseKernel = GaussianKernel(lag=0.9)
    >>> kernel.largest_lag(torch.tensor(0.4), torch.tensor(0.1))  # from level 0.4 to level 0.1
    tensor(0.5000)
    """

    lag: Level
    #: The noise level at which a state counts as clean, so that chains from noise to data end there.
    clean: ClassVar[float]
    #: Whether steps that take only the best guess of r, at the largest lag, lead from noise to data without a draw.
    flows: ClassVar[bool] = False
    #: Whether some elements are numbers and others categories, which no sampler of the paper is for.
    mixed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        checks.lag(self.lag)

    @property
    def absorbing(self) -> int | None:
        """The state "masked", where noise masks elements of z and leaves all others as they are; None where it adds."""
        return None

    @abstractmethod
    def noise(self, z: Tensor, beta: Level) -> Distribution:
        """p(x | z) at noise level beta.

        Args:
            z: Clean data, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
        """

    @abstractmethod
    def conditional(self, z: Tensor, x: Tensor, beta: Level, beta_next: Level) -> Elementwise:
        """p(y | z, x): one step from level beta to level beta_next, were z known.

        Args:
            z: Clean data, (batch, *event).
            x: States, (batch, *event).
            beta: The noise level of x: one number, or one per sample, (batch,).
            beta_next: The noise level of the next state, likewise.
        """

    @abstractmethod
    def transition(self, r: Any, x: Tensor, beta: Level, beta_next: Level) -> Elementwise:
        """p_r(y | x): the conditional, integrated over r(z | x).

        Args:
            r: The denoising distribution at x, as a denoiser returns it.
            x: States, (batch, *event).
            beta: The noise level of x: one number, or one per sample, (batch,).
            beta_next: The noise level of the next state, likewise.
        """

    def refine(self, r: Any, x: Tensor) -> Any:
        """r, made certain where x alone tells z. Most kernels know no such place and return r as it is.

        Args:
            r: The denoising distribution at x.
            x: States, (batch, *event).
        """
        return r

    def shown(self, x: Tensor, observed: Tensor, mask: Tensor, beta: Level) -> tuple[Tensor, Level]:
        """A state as a denoiser is to see it where part of z is observed, and the noise level that goes with it.

        Where noise masks elements, what is observed is visible, and the level is the share of masked elements. Where it
        adds, what is observed is told by the state of the chain alone.

        Args:
            x: States, (batch, *event).
            observed: Clean data, (batch, *event). Where the mask is true it is not read.
            mask: True where an element is to be filled in, of the shape of x.
            beta: The noise level of x: one number, or one per sample, (batch,).
        """
        if self.absorbing is None:
            return x, beta
        x = torch.where(mask, x, observed)
        return x, (x == self.absorbing).flatten(1).float().mean(dim=1).clamp(min=LEAST)

    def revealed(self, x: Tensor, z: Tensor, generator: Randomness) -> Tensor:
        """States to learn r at, some of which show more of z than noise leaves; most kernels return x as it is.

        It is for kernels that show what is observed (`shown`) at noise levels at which it would not often be visible.

        Args:
            x: States, (batch, *event).
            z: Clean data, (batch, *event).
            generator: Chooses what is shown.
        """
        return x

    @abstractmethod
    def prior(self, shape: Sequence[int], *, device: torch.device | str | None = None) -> Distribution:
        """p(x) at noise level 1, where no trace of z is left.

        Args:
            shape: The shape of a batch of states, (batch, *event).
            device: Where its tensors are to be.
        """

    @abstractmethod
    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """The largest lag with which a step between the two levels exists (b >= 0).

        Args:
            beta: Noise levels.
            beta_next: The levels that follow them, of the same shape.
        """

    @abstractmethod
    def levels(self, steps: int, first: float = 1.0) -> Tensor:
        """Noise levels from `first` down to `clean`, at an even pace for this kind of noise.

        Args:
            steps: The number of steps; there is one level more.
            first: The first level.
        """

    @abstractmethod
    def loudness(self, beta: Tensor) -> Tensor:
        """The noise's standard deviation when the signal is scaled to 1: 0 for clean data, infinite for pure noise.

        Args:
            beta: Noise levels.
        """

    @abstractmethod
    def check_data(self, z: Any, name: str = "z") -> Tensor:
        """`z`, if it is data of this kernel's kind: the right dtype, finite, classes that exist.

        Args:
            z: What was given as data.
            name: What an error calls it.
        """

    def with_lag(self: Kernel, lag: Level) -> Kernel:
        """The same kernel with another lag.

        Args:
            lag: The lag: one number in [0, 1], or one per sample.
        """
        return dataclasses.replace(self, lag=lag)

    def lag_of(self, x: Tensor) -> Tensor:
        """The lag as a tensor that multiplies every element of its sample.

        Args:
            x: States, (batch, *event).
        """
        if isinstance(self.lag, Tensor):
            if self.lag.ndim == 1 and len(self.lag) != len(x):
                raise ShapeError(f"{len(self.lag)} lags for a batch of {len(x)}; give one number, or one per sample")
            return checks.spread(self.lag.expand(len(x)), x).to(checks.wide(x))
        return torch.full((1,) * x.ndim, self.lag, dtype=checks.wide(x), device=x.device)

    def refuse_negative(self, b: Tensor, beta: Tensor, beta_next: Tensor) -> Tensor:
        """`b`, if it is at least 0. What is negative only by rounding, at the largest lag, is 0.

        On an accelerator the levels are not read back: there `Schedule.check` has refused beforehand.

        Args:
            b: The variance or probability that a step adds, which must not be negative.
            beta: The noise levels of the states, of the shape of b.
            beta_next: The noise levels of the next states, likewise.
        """
        rounding = 1e-6 * beta
        if checks.readable(b) and bool((b < -rounding).any()):
            worst = int((b + rounding).flatten().argmin())
            start, end = float(beta.flatten()[worst]), float(beta_next.flatten()[worst])
            limit = self.largest_lag(torch.tensor(start, dtype=torch.float64), torch.tensor(end, dtype=torch.float64))
            raise ScheduleError(
                f"sample {worst} goes from beta {start:.6g} to {end:.6g} with lag {self.lag}, which needs a negative "
                f"b ({float(b.flatten()[worst]):.3g}); the largest lag there is {float(limit):.6g}"
            )
        return b.clamp(min=0.0)
