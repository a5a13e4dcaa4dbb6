"""Is a chain reversible, stationary, mixing, and how far does it go? Measured, with uncertainty.

Each file is one question: the statistics, which take plain arrays, and the few lines that draw those arrays from a
model. Nothing here reads or writes a file.
"""

from noisekernel.diagnostics.functions import Directions
from noisekernel.diagnostics.mixing import Mixing, mixing
from noisekernel.diagnostics.reversible import Reversibility, Statistic, SwapTest, reversibility, swap_test
from noisekernel.diagnostics.stationary import Distance, Stationarity, stationarity
from noisekernel.diagnostics.strength import StrengthCurve, renewal_curve, strength_curve
from noisekernel.diagnostics.walk import Walked, walk

__all__ = [
    "Directions",
    "Distance",
    "Mixing",
    "Reversibility",
    "Stationarity",
    "Statistic",
    "StrengthCurve",
    "SwapTest",
    "Walked",
    "mixing",
    "renewal_curve",
    "reversibility",
    "stationarity",
    "strength_curve",
    "swap_test",
    "walk",
]
