"""Features without a download: a small classifier's hidden layer where there are labels, else principal components.

They rank samples of one data set; they are not Inception's, and numbers on them compare with nothing outside.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

Features = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Described:
    """Features, and what to call them."""

    features: Features
    name: str


def small_features(z: Tensor, labels: Tensor | None, seed: int = 0) -> Described:
    """Features learned from clean data in seconds."""
    flat = z.flatten(1).float().numpy()
    if labels is None or not _enough(labels):
        from sklearn.decomposition import PCA

        components = PCA(min(32, flat.shape[1], len(flat)), random_state=seed).fit(flat)

        def project(z: Tensor) -> Tensor:
            return _tensor(components.transform(z.flatten(1).float().numpy()))

        return Described(project, f"{components.n_components_} principal components")
    from sklearn.neural_network import MLPClassifier

    classifier = MLPClassifier((64, 32), max_iter=60, early_stopping=True, random_state=seed)
    classifier.fit(flat, labels.numpy())

    def hidden(z: Tensor) -> Tensor:
        h = z.flatten(1).float().numpy()
        for weight, bias in zip(classifier.coefs_[:-1], classifier.intercepts_[:-1], strict=True):
            h = np.maximum(h @ weight + bias, 0.0)
        return _tensor(h)

    return Described(hidden, "the hidden layer of a small classifier of the same data")


def _enough(labels: Tensor) -> bool:
    """Whether a classifier can hold a tenth of them back, with each class on either side."""
    if bool((labels < 0).any()):
        return False
    counts = labels.bincount()
    classes = int((counts > 0).sum())
    return classes > 1 and int(counts[counts > 0].min()) >= 2 and len(labels) // 10 >= classes


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float64))
