"""Is a chain reversible, stationary, mixing, and how far does it go? Measured, with uncertainty.

Each file is one question: the statistics, which take plain arrays, and the few lines that draw those arrays from a
model. Nothing here reads or writes a file.
"""

from noisekernel.measuring.chains.functions import Directions
from noisekernel.measuring.chains.mixing import Mixing, mixing
from noisekernel.measuring.chains.noise import renewal_reversibility, walk_noise
from noisekernel.measuring.chains.reversible import Reversibility, Statistic, SwapTest, reversibility, swap_test
from noisekernel.measuring.chains.stationary import Distance, Stationarity, stationarity
from noisekernel.measuring.chains.steered import Steered, steered
from noisekernel.measuring.chains.walk import Walked, walk
from noisekernel.sampling.strength import StrengthCurve
from noisekernel.tasks.distances import equilibrium_curve, renewal_curve
from noisekernel.tasks.equilibrium import chain_lag

__all__ = [
    "Directions",
    "Distance",
    "Mixing",
    "Reversibility",
    "Stationarity",
    "Statistic",
    "Steered",
    "StrengthCurve",
    "SwapTest",
    "Walked",
    "chain_lag",
    "equilibrium_curve",
    "mixing",
    "renewal_curve",
    "renewal_reversibility",
    "reversibility",
    "stationarity",
    "steered",
    "swap_test",
    "walk",
    "walk_noise",
]
