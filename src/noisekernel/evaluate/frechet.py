"""The Fréchet distance between two sets of features, each taken for a Gaussian: what FID is on Inception's features."""

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.errors import ShapeError


def frechet_distance(a: Float[Tensor, "n features"], b: Float[Tensor, "m features"]) -> float:
    """|mean a - mean b|^2 + tr(cov a + cov b - 2 (cov a cov b)^(1/2)).

    >>> z = torch.randn(1000, 2, generator=torch.Generator().manual_seed(0))
    >>> round(frechet_distance(z, z + 1.0), 6)
    2.0
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or min(len(a), len(b)) < 2:
        raise ShapeError(
            f"features of shapes {tuple(a.shape)} and {tuple(b.shape)}; give (samples, features) each, at least two "
            "samples, and the same features"
        )
    a, b = a.double(), b.double()
    cov_a, cov_b = torch.cov(a.T).reshape(a.shape[1], -1), torch.cov(b.T).reshape(b.shape[1], -1)
    values, vectors = torch.linalg.eigh(cov_a)
    root = vectors @ torch.diag(values.clamp(min=0).sqrt()) @ vectors.T
    # (cov a cov b)^(1/2) has the trace of (root cov b root)^(1/2), which is symmetric.
    mixed = torch.linalg.eigvalsh(root @ cov_b @ root).clamp(min=0).sqrt().sum()
    return float((a.mean(0) - b.mean(0)).square().sum() + cov_a.trace() + cov_b.trace() - 2.0 * mixed)
