"""How good are samples? Distances between sets of them, on features."""

from noisekernel.evaluate.frechet import frechet_distance

__all__ = ["frechet_distance"]
