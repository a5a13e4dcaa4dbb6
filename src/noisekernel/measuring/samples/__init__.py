"""How good are samples? Figures of sets of them, on features, with intervals. For a whole model: `nk.measure`."""

from noisekernel.measuring.samples.figures import Encoded, compare
from noisekernel.measuring.samples.frechet import frechet_distance, frechet_intervals
from noisekernel.measuring.samples.intervals import Figure
from noisekernel.measuring.samples.neighbours import shares, shares_intervals

__all__ = ["Encoded", "Figure", "compare", "frechet_distance", "frechet_intervals", "shares", "shares_intervals"]
