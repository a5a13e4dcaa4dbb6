"""Samplers by name: ways from pure noise to data, each a schedule for a kernel.

    stochastic      down to clean, part of the state redrawn on the way: our default          `annealing(kernel, steps)`
    deterministic   the same with as little redrawn as can be, of second order                `churn=0`
    ddim            the same of first order                                                   `.first_order()`
    corrected       a deterministic step down and an equilibrium step by turns                `.with_correctors(1, 0.9)`
    paper           beta on a straight line, at a constant lag                                section 3.1

A sampler takes facts from the kernel (`levels`, `clean`, `largest_lag`, `flows`) and decides what to do with them.
"""

from collections.abc import Callable

import torch

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ScheduleError
from noisekernel.core.levels import linear
from noisekernel.core.suggestions import unknown
from noisekernel.kernels import NoiseKernel
from noisekernel.sampling.schedule import MOST_STEPS, Schedule

#: How much is redrawn on the way down to new samples, where the kernel flows and where it does not: measured, see
#: docs/results.md.
CHURN = {True: 2.0, False: 1.0}
#: The paper's annealing by the same distinction: last level, steps, lag (section 3.1).
PAPER = {True: (0.01, 100, 0.5), False: (0.5, 500, 0.95)}


def annealing(kernel: NoiseKernel, steps: int, first: float = 1.0, churn: float | None = None) -> Schedule:
    """The default schedule from noise level `first` down to nearly clean data.

    If the kernel flows, steps use the best guess of r, extrapolated in a line through the last two guesses (second
    order), and churn adds noise to them. If it does not, each step is a draw from all of r, and churn lowers its lag to
    the largest one to the power 1 + churn.

    Args:
        kernel: The kernel whose levels the schedule follows.
        steps: The number of steps. A sample takes one network call per step, and one more for its final guess.
        first: The noise level to begin at.
        churn: How much of the state is redrawn on the way. 0 redraws as little as possible; None takes the amount
            that suits new samples.
    """
    checks.count("steps", steps, 1, MOST_STEPS)
    if first <= kernel.clean:
        raise ScheduleError(
            f"annealing ends at beta {kernel.clean:g} and cannot begin at {first:g}, which is as clean already; "
            "take the best guess there instead (readout=0)"
        )
    beta = kernel.levels(steps, first)
    lag = kernel.largest_lag(beta[:-1], beta[1:]).to(torch.float64)
    churn = checks.number("churn", CHURN[kernel.flows] if churn is None else churn, 0.0, 100.0)
    if kernel.flows:
        return Schedule(beta, lag, torch.ones(steps, dtype=torch.bool)).second_order().churned(churn)
    return Schedule(beta, lag ** (1.0 + churn), torch.zeros(steps, dtype=torch.bool))


def _paper(kernel: NoiseKernel, steps: int | None) -> Schedule:
    if kernel.mixed:
        raise InputError(
            "the paper anneals numbers or categories and has no schedule for rows of both; take the sampler stochastic"
        )
    last, usual, lag = PAPER[kernel.flows]
    return Schedule.along(linear(1.0, last), steps or usual, lag)


def _corrected(kernel: NoiseKernel, steps: int | None) -> Schedule:
    if steps is not None and steps % 2:
        raise InputError(f"the corrected sampler takes its steps in pairs, down and at equilibrium; {steps} is odd")
    return annealing(kernel, (steps or 100) // 2, churn=0.0).with_correctors(1, 0.9)


#: A sampler is a schedule for a kernel, in a number of steps or in as many as it likes best.
SAMPLERS: dict[str, Callable[[NoiseKernel, int | None], Schedule]] = {
    "stochastic": lambda kernel, steps: annealing(kernel, steps or 50),
    "deterministic": lambda kernel, steps: annealing(kernel, steps or 50, churn=0.0),
    "ddim": lambda kernel, steps: annealing(kernel, steps or 50, churn=0.0).first_order(),
    "corrected": _corrected,
    "paper": _paper,
}


def sampler(name: str, kernel: NoiseKernel, steps: int | None = None) -> Schedule:
    """The schedule of a sampler by name.

    Args:
        name: stochastic, deterministic, ddim, corrected, or paper.
        kernel: The kernel that is to follow it.
        steps: The number of steps; None for as many as the sampler takes by itself.

    >>> from noisekernel.kernels import GaussianKernel
    >>> sampler("paper", GaussianKernel()).steps
    100
    """
    if name not in SAMPLERS:
        raise InputError(unknown("sampler", name, SAMPLERS))
    return SAMPLERS[name](kernel, steps).check(kernel)
