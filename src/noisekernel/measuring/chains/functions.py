"""Scalar functions of data: what a chain is watched by.

The leading principal components of the data, scaled to variance 1 over the data, and the mean of all elements
(brightness, where the data are pictures).
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.tasks.distances import flat


@dataclass(frozen=True)
class Directions:
    """The leading principal components of data.

    >>> z = torch.randn(100, 3, generator=torch.Generator().manual_seed(0)) * torch.tensor([3.0, 1.0, 0.1])
    >>> along = Directions.of(z, most=2)(z)
    >>> along.shape, bool(torch.allclose(along.var(dim=0), torch.ones(2), atol=1e-4))
    (torch.Size([100, 2]), True)
    """

    mean: Float[Tensor, " elements"]
    axes: Float[Tensor, "elements components"]

    @classmethod
    def of(cls, z: Shaped[Tensor, "batch *event"], most: int = 16) -> "Directions":
        """Of these examples, as many as carry at least a ten-thousandth of the first one's variance."""
        from sklearn.decomposition import PCA

        elements = flat(checks.tensor("z", z)).cpu()
        if len(elements) < 2 or not bool((elements != elements[0]).any()):
            raise InputError(f"{len(elements)} examples that do not differ have no directions; give some that do")
        count = min(most, elements.shape[1], len(elements) - 1)
        found = PCA(count, random_state=0).fit(elements.double().numpy())
        spread = torch.from_numpy(found.explained_variance_)
        kept = spread > 1e-4 * spread[0]
        axes = torch.from_numpy(found.components_).T[:, kept] / spread[kept].sqrt()
        return cls(elements.mean(dim=0), axes.float())

    def __call__(self, z: Shaped[Tensor, "batch *event"]) -> Float[Tensor, "batch components"]:
        elements = flat(z)
        return (elements - self.mean.to(elements.device)) @ self.axes.to(elements.device)

    def __len__(self) -> int:
        return self.axes.shape[1]
