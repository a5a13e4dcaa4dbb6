"""A classifier two-sample test: how well can a classifier tell two sets of points apart? 0.5 is not at all."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_score
from torch import Tensor, cat


def accuracy(a: Tensor, b: Tensor) -> float:
    """Cross-validated accuracy of gradient-boosted trees."""
    points = cat((a, b)).double().numpy()
    labels = np.repeat([0, 1], [len(a), len(b)])
    order = np.random.default_rng(0).permutation(len(points))
    trees = HistGradientBoostingClassifier(max_depth=4, max_iter=60, random_state=0)
    return float(cross_val_score(trees, points[order], labels[order], cv=3).mean())
