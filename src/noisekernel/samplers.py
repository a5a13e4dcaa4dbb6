"""Samplers by name: ways from pure noise to data, each a schedule for a kernel."""

from collections.abc import Callable

from noisekernel.errors import InputError
from noisekernel.kernels import CategoricalKernel, NoiseKernel
from noisekernel.schedules import Schedule, linear
from noisekernel.settings import unknown


def _paper(kernel: NoiseKernel, steps: int | None) -> Schedule:
    if isinstance(kernel, CategoricalKernel):
        return Schedule.along(linear(1.0, 0.5), steps or 500, lag=0.95)
    return Schedule.along(linear(1.0, 0.01), steps or 100, lag=0.5)


def _corrected(kernel: NoiseKernel, steps: int | None) -> Schedule:
    # A step down and an equilibrium step by turns: two network calls a level.
    if steps is not None and steps % 2:
        raise InputError(f"the corrected sampler takes its steps in pairs, down and at equilibrium; {steps} is odd")
    return kernel.annealing((steps or 100) // 2, churn=0.0).with_correctors(1, 0.9)


#: A sampler is a schedule for a kernel, in a number of steps or in as many as it likes best.
SAMPLERS: dict[str, Callable[[NoiseKernel, int | None], Schedule]] = {
    "stochastic": lambda kernel, steps: kernel.annealing(steps or 50),
    "deterministic": lambda kernel, steps: kernel.annealing(steps or 50, churn=0.0),
    "ddim": lambda kernel, steps: kernel.annealing(steps or 50, churn=0.0).first_order(),
    "corrected": _corrected,
    "paper": _paper,
}


def sampler(name: str, kernel: NoiseKernel, steps: int | None = None) -> Schedule:
    """The schedule of a sampler by name: stochastic, deterministic, ddim, corrected, or paper."""
    if name not in SAMPLERS:
        raise InputError(unknown("sampler", name, SAMPLERS))
    return SAMPLERS[name](kernel, steps).check(kernel)
