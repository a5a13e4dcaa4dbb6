"""Can a classifier tell new rows from real ones?

Boosted trees learn it on four fifths of the rows of either kind and judge the last fifth, five times. The area under
the ROC curve (AUC) is 0.5 where nothing can be told and 1 where everything can.

Its standard error comes of DeLong's in each fold. The folds are not independent, because each is judged by what was
learned from the others: with errors s_f of k folds, the squared error of the mean is taken to be

    mean(s_f^2) (1 / k + 1 / (k - 1))        (Nadeau and Bengio, 2003)

and not mean(s_f^2) / k, which is too small: of equal laws, AUCs vary by up to a third more (measured).
"""

from dataclasses import dataclass

import numpy as np

from noisekernel.kinds.exchanged import Rows
from noisekernel.measuring.rows.classes import Floats

FOLDS = 5
#: Columns of more categories than this are taken for numbers by the trees.
MOST_CATEGORIES = 250


@dataclass(frozen=True)
class Told:
    """What the classifier could tell: the AUC, its standard error, and by how much it falls without each column."""

    auc: float
    error: float
    falls: tuple[float, ...]

    @property
    def found(self) -> bool:
        """Whether the AUC is beyond 0.5 by more than three standard errors."""
        return self.auc > 0.5 + 3 * self.error


def told_apart(real: Rows, new: Rows, seed: int = 0) -> Told:
    """The classifier's AUC, on rows that it has not seen.

    Args:
        real: Real rows.
        new: As many new ones.
        seed: Of the folds, and of the shuffling of columns.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold

    cells = np.concatenate((real.table, new.table))
    labels = np.repeat([0, 1], [len(real), len(new)])
    categorical = [v.categories is not None and len(v.categories) <= MOST_CATEGORIES for v in real.variables]
    draw = np.random.default_rng(seed)
    found, errors, falls = [], [], []
    for learn, judge in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(cells, labels):
        trees = HistGradientBoostingClassifier(
            max_leaf_nodes=15, early_stopping=False, categorical_features=categorical, random_state=seed
        ).fit(cells[learn], labels[learn])

        def score(these: Floats, trees: HistGradientBoostingClassifier = trees) -> Floats:
            return np.asarray(trees.decision_function(these), dtype=np.float64)

        whole, error = auc(score(cells[judge]), labels[judge] == 1)
        found.append(whole)
        errors.append(error)
        own = []
        for j in range(cells.shape[1]):
            shuffled = cells[judge].copy()
            shuffled[:, j] = draw.permutation(shuffled[:, j])
            own.append(whole - auc(score(shuffled), labels[judge] == 1)[0])
        falls.append(own)
    error = float(np.sqrt(np.square(errors).mean() * (1 / FOLDS + 1 / (FOLDS - 1))))
    return Told(float(np.mean(found)), error, tuple(np.mean(falls, axis=0).tolist()))


def auc(scores: Floats, positive: np.ndarray) -> tuple[float, float]:
    """The probability that a positive scores higher than a negative, ties counted half, and its standard error.

    Args:
        scores: A score of each.
        positive: Which are positive.

    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))[0]
    0.75
    """
    high, low = np.sort(scores[positive]), np.sort(scores[~positive])

    def below(one: Floats, others: Floats) -> Floats:
        """Of each, the share of the others below it, ties counted half."""
        left, right = np.searchsorted(others, one, "left"), np.searchsorted(others, one, "right")
        return (left + right) / (2 * len(others))

    of_high, of_low = below(high, low), below(low, high)
    variance = sum(float(each.var(ddof=1)) / len(each) if len(each) > 1 else 0.25 for each in (of_high, of_low))
    return float(of_high.mean()), float(np.sqrt(variance))
