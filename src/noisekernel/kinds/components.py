"""Features that every kind has: principal components of its examples, as one vector of floats each."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from noisekernel.kinds.exchanged import Features

#: So many components, or fewer where the data have fewer dimensions or examples.
MOST = 32


def learn_components(flat: Tensor, seed: int) -> dict[str, Tensor]:
    """The mean and the principal components of vectors (n, width), scaled to a mean variance of one."""
    from sklearn.decomposition import PCA

    rows = flat.numpy()
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all examples are one
        found = PCA(min(MOST, *rows.shape), svd_solver="randomized", random_state=seed % 2**32).fit(rows)
    scale = max(1e-6, float(np.sqrt(np.mean(found.explained_variance_))))
    components = torch.from_numpy(found.components_ / scale)
    return {"mean": torch.from_numpy(found.mean_).float(), "components": components.float()}


def component_features(flat: Callable[[Tensor], Tensor], made: Mapping[str, Tensor], device: torch.device) -> Features:
    """Features from what `learn_components` made, where `flat` makes vectors of stored values."""
    mean, components = (made[name].to(device) for name in ("mean", "components"))
    return Features(
        lambda values: (flat(values.to(device)) - mean) @ components.T,
        f"{len(components)} principal components of the data",
    )
