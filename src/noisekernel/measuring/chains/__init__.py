"""Is a chain reversible, stationary, mixing, and how far does it go? Measured, with uncertainty.

Each file is one question: the statistics, which take plain arrays, and the few lines that draw those arrays from a
model. Nothing here reads or writes a file.
"""

from noisekernel.measuring.chains.functions import Directions
from noisekernel.measuring.chains.mixing import Mixing, mixing
from noisekernel.measuring.chains.reversible import Reversibility, Statistic, SwapTest, reversibility, swap_test
from noisekernel.measuring.chains.stationary import Distance, Stationarity, stationarity
from noisekernel.measuring.chains.strength import StrengthCurve, renewal_curve, strength_curve
from noisekernel.measuring.chains.walk import Walked, walk

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
