"""How well a denoiser denoises, by noise level, and what that is in bits: a yardstick without sampling noise.

`curve_of` is the one call for a denoiser of ours, whatever its kernel. `denoising_curve` takes anyone's estimate of
clean numbers, so that other methods are measured by the same noise on the same data.
"""

from noisekernel.measuring.denoising.curve import DenoisingCurve
from noisekernel.measuring.denoising.gaussian import SIGMAS, Estimate, denoising_curve, estimate_of
from noisekernel.measuring.denoising.kernels import Yardstick, curve_of, yardstick

__all__ = [
    "SIGMAS",
    "DenoisingCurve",
    "Estimate",
    "Yardstick",
    "curve_of",
    "denoising_curve",
    "estimate_of",
    "yardstick",
]
