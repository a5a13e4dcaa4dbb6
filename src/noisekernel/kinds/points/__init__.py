"""Points as a kind of data: vectors of numbers."""

from noisekernel.kinds.points.kind import Points

__all__ = ["Points"]
