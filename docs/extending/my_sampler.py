"""A sampler of your own: fast at first, fine at the end, with noise redrawn in the last half.

A sampler is a function from a kernel and a number of steps to a `Schedule`: T + 1 noise levels, T lags, and for each
step whether it uses all of r or only its best guess.
"""

import torch

from noisekernel.kernels import NoiseKernel
from noisekernel.sampling.schedule import Schedule


def late(kernel: NoiseKernel, steps: int) -> Schedule:
    """Deterministic steps down to the middle level, then steps that redraw much of the state."""
    beta = kernel.levels(steps, 1.0)  # evenly spaced on the scale that suits the kernel
    largest = kernel.largest_lag(beta[:-1], beta[1:])  # a larger lag than this would need a negative variance
    early = torch.arange(steps) < steps // 2
    lag = torch.where(early, largest, 0.5 * largest)
    return Schedule(beta, lag, point=early).check(kernel)
