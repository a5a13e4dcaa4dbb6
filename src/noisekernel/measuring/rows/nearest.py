"""Does the model repeat the rows that it was trained on?

Held-out rows are rows like those of training that the model never saw. If it learned the distribution and not the
rows, a new row is as near to the one as to the other, and as often the exact copy of a training row as a held-out row
happens to be.

**Nearer.** As many training rows as there are held-out ones are pooled with these; the share of new rows whose nearest
row in the pool is of training is to be one half (rows equally near to both count half). Under the null hypothesis all
ways of halving the pool are alike, so a permutation test has exactly the level that it states.

**Copies.** The share of new rows that are a training row, beside that of held-out rows, by Fisher's exact test.

The distance of two rows is Gower's: of numbers the difference of their ranks in the training rows, of categories 0 or
1, on average over the columns; between a cell and an empty one it is 1.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.stats import fisher_exact

from noisekernel.kinds.exchanged import Rows
from noisekernel.measuring.rows.classes import Floats

#: So many new, training and held-out rows each are compared at most; copies are looked for in all.
MOST = 4_000
PERMUTATIONS = 9_999
#: Below this probability, that it came about by chance, something is told.
LEVEL = 1e-3


@dataclass(frozen=True)
class Nearest:
    """How near new rows are to those of training."""

    #: The share of new rows nearer to training than to held-out rows, and the probability of as many by chance.
    nearer: float
    nearer_p: float
    #: The shares of new and of held-out rows that are training rows, and the probability of the difference by chance.
    copies: float
    held_copies: float
    copies_p: float
    #: How many rows each side of `nearer` has.
    compared: int

    @property
    def repeats(self) -> bool:
        """Whether the model repeats rows of training, at the level that is stated."""
        return min(self.nearer_p, self.copies_p) < LEVEL / 2


def nearest(training: Rows, held: Rows, new: Rows, seed: int = 0) -> Nearest:
    """New rows against those of training and those held out.

    Args:
        training: Rows that the model was trained on.
        held: Rows like these that it never saw.
        new: New rows.
        seed: Of what is compared where there is much, and of the permutations.
    """
    draw = np.random.default_rng(seed)
    m = min(len(training), len(held), MOST)
    one, other = (each.some(draw.permutation(len(each))[:m]) for each in (training, held))
    mine = new.some(draw.permutation(len(new))[:MOST])
    ties = _ties(_ranked(mine, training), _ranked(one, training), _ranked(other, training), _categorical(training))
    sides = np.repeat([1.0, 0.0], m)

    def share(of_training: Floats) -> Floats:
        with_one, with_other = ties @ of_training > 0, ties @ (1 - of_training) > 0
        return ((with_one & ~with_other) + 0.5 * (with_one & with_other)).mean(axis=0)

    observed = float(share(sides[:, None])[0])
    shuffled = np.concatenate(
        [share(np.stack([draw.permutation(sides) for _ in range(100)], axis=1)) for _ in range(PERMUTATIONS // 100 + 1)]
    )[:PERMUTATIONS]
    p = (1 + int((shuffled >= observed - 1e-12).sum())) / (1 + PERMUTATIONS)
    known = set(map(bytes, _plain(training)))
    mine_copied, held_copied = (sum(bytes(row) in known for row in _plain(each)) for each in (new, held))
    counts = [[mine_copied, len(new) - mine_copied], [held_copied, len(held) - held_copied]]
    copies_p = float(fisher_exact(counts, alternative="greater")[1])
    return Nearest(observed, p, mine_copied / len(new), held_copied / len(held), copies_p, m)


def copies(rows: Rows, of: Rows) -> float:
    """The share of rows that are among others, cell by cell.

    Args:
        rows: Rows.
        of: The others.
    """
    known = set(map(bytes, _plain(of)))
    return sum(bytes(row) in known for row in _plain(rows)) / max(1, len(rows))


def _plain(rows: Rows) -> Floats:
    """Cells that are equal have equal bytes: there is one NaN and one nought."""
    return np.ascontiguousarray(np.where(np.isnan(rows.table), np.nan, rows.table + 0.0))


def _categorical(rows: Rows) -> list[bool]:
    return [variable.categories is not None for variable in rows.variables]


def _ranked(rows: Rows, training: Rows) -> Floats:
    """Numbers as their ranks in training, in [0, 1]; categories as they are."""
    found = rows.table.copy()
    for j, variable in enumerate(rows.variables):
        if variable.categories is None:
            known = np.sort(training.table[:, j][~np.isnan(training.table[:, j])])
            left, right = (np.searchsorted(known, found[:, j], side) for side in ("left", "right"))
            found[:, j] = np.where(np.isnan(found[:, j]), np.nan, (left + right) / (2 * max(1, len(known))))
    return found.astype(np.float32)


def _ties(new: Floats, one: Floats, other: Floats, categorical: list[bool]) -> csr_matrix:
    """For each new row, ones where the rows of the pool are that are nearest to it."""
    pool = np.concatenate((one, other))
    rows, columns = [], []
    for first in range(0, len(new), 200):
        some = new[first : first + 200]
        distance = np.zeros((len(some), len(pool)), np.float32)
        for j, is_category in enumerate(categorical):
            a, b = some[:, j, None], pool[None, :, j]
            if is_category:
                distance += a != b
            else:
                empty = np.isnan(a) != np.isnan(b)
                distance += np.where(empty, 1.0, np.nan_to_num(np.abs(a - b)))
        near = distance <= distance.min(axis=1, keepdims=True) + 1e-5
        i, k = near.nonzero()
        rows.append(i + first)
        columns.append(k)
    at = np.concatenate(rows), np.concatenate(columns)
    return csr_matrix((np.ones(len(at[0])), at), shape=(len(new), len(pool)))
