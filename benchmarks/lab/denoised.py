"""How well an arm denoises held-out pictures, by noise level. Every arm sees the same pictures under the same noise."""

import math
from typing import Any

from torch import Tensor

from lab.own_arms import Arm
from noisekernel.measuring.denoising import denoising_curve

#: How many held-out pictures are denoised at each level.
PICTURES = 1_000


def curve(arm: Arm, held_out: Tensor) -> dict[str, Any]:
    """The squared error by level, and bits per element with their standard error over pictures."""
    found = denoising_curve(arm.estimate, held_out[:PICTURES])
    bits = found.bits_of_examples
    return {
        "pictures": len(bits),
        "sigmas": [round(sigma, 6) for sigma in found.levels],
        "errors": [float(f"{error:.5g}") for error in found.errors],
        "bits": round(float(bits.mean()), 5),
        "bits_error": round(float(bits.std()) / math.sqrt(len(bits)), 5),
    }
