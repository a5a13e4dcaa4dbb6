"""Numbers as two elements of z: a bin of quantiles, and the place within it.

A value that makes up more than its share of a column has a bin of its own (in one census, the capital gain of 92 % of
people is 0). The other values are divided at quantiles, so that about equally many examples lie in each bin. Where a
column has no more different values than bins, each value has its own.

Within a bin the values have the shares that they have in the data, cut into `PLACES` equal places: value i has the
places from `start_i` to `start_{i+1} - 1`, at least one. So a place that is drawn uniformly draws a value of the bin by
the inverse of the empirical distribution, and no value that is not in the data. The place is uniform whatever the bin
and the other columns are, and nothing has to learn it.
"""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

#: Into how many equal places a bin is cut.
PLACES = 64
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def binned(values: Floats, most: int) -> tuple[Floats, Ints]:
    """The values that stand for a column, in order, and where the places of each begin.

    Place p of bin b has the number b x PLACES + p, and a value's places end where those of the next begin. There are
    about `most` bins. A bin of more than `PLACES` values is stood for by those at its quantiles.

    Args:
        values: The numbers of a column, all of them, in any order.
        most: How many bins there are to be.

    >>> binned(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), 3)[1] // PLACES
    array([0, 1, 1, 2, 2])
    """
    distinct, counts = np.unique(np.asarray(values, dtype=np.float64), return_counts=True)
    number = np.arange(len(distinct)) if len(distinct) <= most else numbered(counts, most)
    kept, starts = [], []
    for bin_, own in enumerate(np.split(np.arange(len(distinct)), np.flatnonzero(np.diff(number)) + 1)):
        chosen, places = _placed(counts[own])
        kept.append(distinct[own[chosen]])
        starts.append(bin_ * PLACES + places)
    return np.concatenate(kept), np.concatenate(starts).astype(np.int64)


def numbered(counts: Ints, most: int) -> Ints:
    """The bin of each different value, from how often each comes up.

    Args:
        counts: How often each comes up, in the order of the values.
        most: About how many bins there are to be.
    """
    often = counts * most >= counts.sum()
    rest = np.where(often, 0, counts)
    share = rest.sum() / max(1, most - int(often.sum()))
    # Each of the others by the middle of its share of them; a new bin begins with a frequent value and behind it.
    quantile = np.floor((rest.cumsum() - 0.5 * rest) / max(share, 1e-300)).astype(np.int64)
    begins = often | np.concatenate(([True], often[:-1])) | np.concatenate(([True], np.diff(quantile) > 0))
    return begins.cumsum() - 1


def _placed(counts: Ints) -> tuple[Ints, Ints]:
    """Which values of a bin are kept, and the first place of each, by the share of each."""
    ends = counts.cumsum() * (PLACES / counts.sum())
    if len(counts) > PLACES:
        at = np.searchsorted(ends, np.arange(PLACES) + 0.5)
        chosen, first = np.unique(at, return_index=True)
        return chosen, first.astype(np.int64)
    number = np.arange(len(counts))
    first = np.round(np.concatenate(([0.0], ends[:-1]))).astype(np.int64)
    # At least one place each: none begins before the one before it has one, or too late for those after it.
    first = np.maximum.accumulate(first - number) + number
    return number, np.minimum(first, PLACES - len(counts) + number)


def nearest(values: tuple[float, ...], value: float) -> int:
    """The number of the value, of those in order, that is nearest."""
    i = bisect_left(values, value)
    if i == 0:
        return 0
    if i == len(values):
        return i - 1
    return i if values[i] - value < value - values[i - 1] else i - 1
