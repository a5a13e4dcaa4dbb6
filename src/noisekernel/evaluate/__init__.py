"""How good are samples? Figures of sets of them, on features, with intervals. For a whole model: `nk.measure`."""

from noisekernel.evaluate.figures import Encoded, compare
from noisekernel.evaluate.frechet import frechet_distance, frechet_intervals
from noisekernel.evaluate.intervals import Figure
from noisekernel.evaluate.neighbours import shares, shares_intervals

__all__ = ["Encoded", "Figure", "compare", "frechet_distance", "frechet_intervals", "shares", "shares_intervals"]
