"""How fast does the chain mix? Autocorrelation, integrated time, effective sample size and R-hat, through ArviZ.

A trace is one scalar function along several chains. Its integrated time tau is the number of steps that are worth one
independent draw; the effective sample size a step is 1 / tau; R-hat compares what chains from different starts see, and
is 1 where they see the same. All are estimates *from the walk itself*: a walk shorter than many tau has not seen what
it would have to know, and then tau is too small. `trusted` says whether the walk was long enough.
"""

import math
import warnings
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from noisekernel.core.errors import InputError, NoiseKernelError

#: A walk of fewer integrated times is too short to know its integrated time.
ENOUGH_TIMES = 50
#: Above this chains from different starts have not seen the same.
LARGEST_R_HAT = 1.05
#: The autocorrelation is told at so many lags, evenly spread over the logarithm.
LAGS = 40


@dataclass(frozen=True)
class Mixing:
    """Of one scalar function. Times and lags are in steps; None is what could not be computed."""

    function: str
    chains: int
    steps: int
    integrated_time: float | None
    effective: float | None
    effective_a_step: float | None
    r_hat: float | None
    lags: tuple[int, ...]
    autocorrelation: tuple[float, ...]
    trusted: bool
    remark: str


def mixing(name: str, trace: Float[np.ndarray, "chains points"], every: int = 1) -> Mixing:
    """From the values at every `every`-th step of several chains.

    >>> found = mixing("noise", np.random.default_rng(0).normal(size=(4, 1000)))
    >>> 0.8 < found.integrated_time < 1.2, found.trusted
    (True, True)
    """
    trace = np.asarray(trace, dtype=np.float64)
    if trace.ndim != 2 or trace.shape[0] < 2 or trace.shape[1] < 8:
        raise InputError(f"a trace of shape {trace.shape}; give at least 2 chains of at least 8 points each")
    arviz = _arviz()
    chains, points = trace.shape
    steps = points * every
    if float(np.ptp(trace)) == 0.0:
        remark = "nothing moves: every chain has one and the same value"
        return Mixing(name, chains, steps, None, None, None, None, (), (), False, remark)
    lags, correlation = _autocorrelation(arviz, trace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # division by a variance of zero, which is told below
        effective, r_hat = float(arviz.ess(trace, method="bulk")), float(arviz.rhat(trace))
    times = tuple(int(lag) * every for lag in lags)
    if not (math.isfinite(effective) and math.isfinite(r_hat)):
        remark = "some chains do not move at all"
        return Mixing(name, chains, steps, None, None, None, None, times, tuple(correlation), False, remark)
    tau = trace.size / effective * every
    remark = _remark(steps, tau, r_hat)
    return Mixing(name, chains, steps, tau, effective, 1.0 / tau, r_hat, times, tuple(correlation), not remark, remark)


def _remark(steps: int, tau: float, r_hat: float) -> str:
    """Why the figures are not to be trusted, if so."""
    if r_hat > LARGEST_R_HAT:
        return (
            f"too short: chains from different starts do not agree yet (R-hat {r_hat:.2f}), so the time is a least one"
        )
    if steps < ENOUGH_TIMES * tau:
        return f"too short: {steps:,} steps are fewer than {ENOUGH_TIMES} integrated times of {tau:,.0f}"
    return ""


def _autocorrelation(arviz: ModuleType, trace: NDArray[np.float64]) -> tuple[NDArray[np.int64], list[float]]:
    """Against the variance of all chains together, so that chains stuck in different places do not look uncorrelated.

    The estimate of Gelman et al., *Bayesian Data Analysis*, section 11.5, which is also behind the effective size.
    """
    covariance = np.asarray(arviz.autocov(trace)).mean(axis=0)
    points = trace.shape[1]
    within = covariance[0] * points / (points - 1.0)
    total = within * (points - 1.0) / points + float(np.var(trace.mean(axis=1), ddof=1))
    lags = np.unique(np.concatenate(([0], np.geomspace(1, max(1, points // 2), LAGS).round().astype(np.int64))))
    return lags, [float(1.0 - (within - covariance[lag]) / total) if lag else 1.0 for lag in lags]


def need_arviz() -> None:
    """Refuse, before any work is done, what could not be finished."""
    _arviz()


def _arviz() -> ModuleType:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it announces its next version once a day
            import arviz
    except ImportError:
        raise NoiseKernelError("mixing is measured with ArviZ: pip install 'noisekernel[diagnose]'") from None
    return arviz
