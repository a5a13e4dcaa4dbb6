"""Random masks of data in a row: columns of a table, characters of a string."""

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.randomness import Purpose, Streams, uniform


def blocks(length: int, tile: int, keep: float, n: int, *, seed: int, first: int) -> Tensor:
    """`n` random masks of a row of `length`: blocks of `tile`, of which a share `keep`, rounded, is kept."""
    count = -(-length // checks.count("tile", tile))
    checks.number("keep", keep, 0.0, 1.0)
    numbers = range(checks.count("first", first, 0), first + checks.count("n", n))
    streams = Streams.of(seed, numbers, purpose=Purpose.MASKING)
    rank = uniform((n, count), streams).argsort(dim=1).argsort(dim=1)
    return (rank >= round(keep * count)).repeat_interleave(tile, dim=1)[:, :length]
