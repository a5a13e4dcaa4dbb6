"""Noise levels: beta_0 … beta_T and the lags between them, and how a level is drawn in training.

A `Schedule` is plain data: T + 1 levels, T lags, and for each step whether it uses all of r or only its best guess, and
how far it looks ahead. These four lists describe every sampler (the paper's, deterministic in log-SNR,
predictor-corrector), so the chain itself knows nothing of samplers:

    paper              linear beta, constant lag                       section 3.1
    DDIM               lag at its limit, best guess of r               lag = kernel.largest_lag, point=True
    deterministic      the same, the best guess carried on in a line   schedule.second_order()
    stochastic (ours)  the same, with noise redrawn on the way         schedule.churned(2.0)
    predictor-corrector  each level repeated, with equilibrium steps   schedule.with_correctors(n, lag)
    variants, then sharp   constant level, then annealed down          constant(…).then(…)

Levels come from a *curve*, a function from [0, 1] to noise levels, so that the same curve can be walked in any number
of steps and an error can say how many would do.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ScheduleError, ShapeError
from noisekernel.core.levels import Curve

Lag = float | Callable[[Tensor, Tensor], Tensor]


#: Steps of a schedule, which is held in memory whole. A longer walk goes on from the state that another ended in.
MOST_STEPS = 10_000_000


@runtime_checkable
class LimitsLag(Protocol):
    """A kernel, as far as schedules see one."""

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class Schedule:
    """beta_0 … beta_T, the lag of each step, and whether the step uses only the best guess of r (`point`).

    Args:
        beta: T + 1 noise levels in (0, 1].
        lag: T lags in [0, 1].
        point: T truth values: whether a step uses only the best guess of r.
        ahead: T numbers: how far a step extrapolates r, in units of its change since the state before. 0 is not at
            all, which is the default.
        curve: The curve behind the levels, where there is one. It lets an error say how many steps would do.

    >>> from noisekernel.core.levels import linear
    >>> paper = Schedule.along(linear(1.0, 0.01), steps=100, lag=0.5)
    >>> paper.steps, float(paper.beta[0]), float(paper.beta[-1])
    (100, 1.0, 0.01)
    """

    beta: Tensor
    lag: Tensor
    point: Tensor
    ahead: Tensor = None  # type: ignore[assignment]  # not at all, unless given
    curve: Curve | None = None

    def __post_init__(self) -> None:
        if self.ahead is None:
            object.__setattr__(self, "ahead", torch.zeros_like(self.lag))
        if self.beta.ndim != 1 or len(self.beta) < 1:
            raise ShapeError(f"beta has shape {tuple(self.beta.shape)}; give a vector of T + 1 noise levels")
        shapes = [tuple(each.shape) for each in (self.lag, self.point, self.ahead)]
        if shapes != [(self.steps,)] * 3:
            raise ShapeError(
                f"{self.steps} steps between {len(self.beta)} levels need {self.steps} lags, point flags and looks "
                f"ahead; given {', '.join(map(str, shapes))}"
            )
        outside = ~((self.beta > 0) & (self.beta <= 1))
        if bool(outside.any()):
            t = int(outside.nonzero()[0])
            raise InputError(f"beta_{t} is {float(self.beta[t]):g}; noise levels lie in (0, 1]")
        if not bool(((self.lag >= 0) & (self.lag <= 1)).all()):
            t = int((~((self.lag >= 0) & (self.lag <= 1))).nonzero()[0])
            raise InputError(f"the lag of step {t} is {float(self.lag[t]):g}; lags lie in [0, 1]")

    @classmethod
    def along(cls, curve: Curve, steps: int, lag: Lag, *, point: bool = False) -> "Schedule":
        """Even steps along a curve.

        Args:
            curve: A function from [0, 1] to noise levels, such as `levels.linear(1.0, 0.01)`.
            steps: The number of steps.
            lag: One number, or a function of two levels like `kernel.largest_lag`.
            point: Whether the steps use only the best guess of r.
        """
        checks.count("steps", steps, 0, MOST_STEPS)
        beta = curve(torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64))
        return cls(beta, _lags(lag, beta), torch.full((steps,), point), curve=curve)

    @property
    def steps(self) -> int:
        return len(self.beta) - 1

    def second_order(self) -> "Schedule":
        """The same schedule, where each best guess is extrapolated by half a step, linearly in log sigma.

        The deterministic sampler solves a differential equation in log sigma. If the best guess is held constant over a
        step (DDIM), its error is of the order of the step. If it is extrapolated in a line through the last two
        guesses, the error is of the order of the step squared. No network call is added. This is the multistep scheme
        of second order of Lu et al., DPM-Solver++ (2022). The first step, and a step after pure noise, have no second
        guess to draw a line through, and are of first order.
        """
        length = -torch.diff(torch.log(self.beta.sqrt() / (1.0 - self.beta)))
        ahead = torch.zeros_like(self.lag)
        ahead[1:] = torch.nan_to_num(0.5 * length[1:] / length[:-1], posinf=0.0, neginf=0.0)
        falling = torch.cat((torch.tensor([False]), (length[1:] > 0) & (length[:-1] > 0)))
        return replace(self, ahead=torch.where(self.point & falling, ahead, 0.0))

    def first_order(self) -> "Schedule":
        """The same schedule without extrapolation. A deterministic schedule becomes that of DDIM."""
        return replace(self, ahead=torch.zeros_like(self.lag))

    def churned(self, by: float) -> "Schedule":
        """The same levels with noise redrawn: each lag is multiplied by (sigma' / sigma) to the power `by`.

        If the lags are the largest ones, 0 gives the deterministic sampler. 1 gives the reverse diffusion of DDPM,
        whose lag is (alpha / alpha') (beta' / beta) = sqrt(beta' / beta) sigma' / sigma. Above 1 more is redrawn. The
        total amount does not depend on the number of steps. Redrawing forgets errors of a state, as equilibrium does.

        Args:
            by: The churn: 0 changes nothing.
        """
        by = checks.number("by", by, 0.0, 100.0)
        sigma = self.beta.sqrt() / (1.0 - self.beta)
        factor = torch.nan_to_num(sigma[1:] / sigma[:-1], nan=1.0).clamp(max=1.0)
        return replace(self, lag=self.lag * factor**by)

    def then(self, other: "Schedule") -> "Schedule":
        """This schedule, then the other.

        Args:
            other: A schedule that begins at the level where this one ends.
        """
        if not math.isclose(float(self.beta[-1]), float(other.beta[0]), rel_tol=1e-9):
            raise ScheduleError(
                f"the first schedule ends at beta {float(self.beta[-1]):g} but the second begins at "
                f"{float(other.beta[0]):g}; begin it where the first ends"
            )
        return Schedule(
            torch.cat((self.beta, other.beta[1:])),
            torch.cat((self.lag, other.lag)),
            torch.cat((self.point, other.point)),
            torch.cat((self.ahead, other.ahead)),
        )

    def with_correctors(self, number: int, lag: float) -> "Schedule":
        """A predictor-corrector: after each step, equilibrium steps at the level reached. None looks ahead.

        Args:
            number: The number of equilibrium steps after each step.
            lag: The lag of the equilibrium steps.
        """
        checks.count("number", number, 0)
        checks.number("lag", lag, 0.0, 1.0)
        beta, lags, point = [self.beta[:1]], [], []
        for t in range(self.steps):
            beta.append(self.beta[t + 1].expand(number + 1))
            lags.append(torch.cat((self.lag[t : t + 1], torch.full((number,), lag, dtype=torch.float64))))
            point.append(torch.cat((self.point[t : t + 1], torch.zeros(number, dtype=torch.bool))))
        return Schedule(torch.cat(beta), torch.cat(lags or [self.lag]), torch.cat(point or [self.point]))

    def starting_from_noise(self) -> "Schedule":
        """This schedule, if it begins at pure noise."""
        if float(self.beta[0]) != 1.0:
            raise InputError(
                f"this starts from pure noise, beta = 1, but the schedule begins at {float(self.beta[0]):g}"
            )
        return self

    def check(self, kernel: LimitsLag) -> "Schedule":
        """This schedule, if a kernel can follow it (b >= 0 at every step); else an error that says what would do.

        Args:
            kernel: The kernel, or a model.
        """
        limit = kernel.largest_lag(self.beta[:-1], self.beta[1:])
        broken = self.lag > limit * (1 + 1e-9)
        if bool(broken.any()):
            t = int(broken.nonzero()[0])
            raise ScheduleError(
                f"step {t} of {self.steps} goes from beta {float(self.beta[t]):.6g} to {float(self.beta[t + 1]):.6g} "
                f"with lag {float(self.lag[t]):.6g}, which needs a negative b; the largest lag there is "
                f"{float(limit[t]):.6g}, and the largest constant lag for the whole schedule is "
                f"{float(limit.min()):.6g}. {self._enough(kernel)}"
            )
        return self

    def _enough(self, kernel: LimitsLag) -> str:
        """How many steps along the same curve would allow the same lag."""
        if self.curve is None or self.steps == 0 or float(self.lag.min()) != float(self.lag.max()):
            return "Lower the lag there, or put levels in between."
        for steps in range(self.steps + 1, 10_000):
            beta = self.curve(torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64))
            if bool((kernel.largest_lag(beta[:-1], beta[1:]) >= self.lag[0]).all()):
                return f"Lower the lag, or take at least {steps} steps."
        return "Lower the lag: no number of steps up to 10,000 allows it."


def _lags(lag: Lag, beta: Tensor) -> Tensor:
    if callable(lag):
        return lag(beta[:-1], beta[1:]).to(torch.float64)
    return torch.full((len(beta) - 1,), checks.number("lag", lag, 0.0, 1.0), dtype=torch.float64)


def from_pure_noise(curve: Curve, steps: int, lag: Lag, *, point: bool = False) -> Schedule:
    """One step from beta = 1 to the start of the curve, then `steps - 1` along it; a single step goes to its end."""
    checks.count("steps", steps, 1, MOST_STEPS)
    way = torch.linspace(0.0, 1.0, steps, dtype=torch.float64) if steps > 1 else torch.ones(1, dtype=torch.float64)
    beta = curve(way)
    beta = torch.cat((torch.ones(1, dtype=torch.float64), beta))
    return Schedule(beta, _lags(lag, beta), torch.full((steps,), point))
