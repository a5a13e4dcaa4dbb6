"""Precision, recall, density and coverage: two sets of features compared by nearest neighbours.

The ball of a point reaches to its k-th nearest neighbour in its own set. Of Kynkäänniemi et al. 2019, arXiv:1904.06991:

    precision   the share of samples that lie in the ball of some real example
    recall      the share of real examples that lie in the ball of some sample

Of Naeem et al. 2020, arXiv:2002.09797:

    density     the number of real balls that a sample lies in, over k, on average
    coverage    the share of real examples with some sample in their ball

They depend on how many points there are and on k: compare figures of equal counts only. A full table of distances is
held in memory, so give some thousands at most.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.measuring.samples.intervals import Figure, groups_of, jackknife

#: As in Naeem et al.
NEIGHBOURS = 5


@dataclass(frozen=True)
class Shares:
    """The four figures."""

    precision: float
    recall: float
    density: float
    coverage: float


def shares(real: Float[Tensor, "n features"], fake: Float[Tensor, "m features"], k: int = NEIGHBOURS) -> Shares:
    """The four figures of samples `fake` of what `real` examples show.

    >>> real = torch.tensor([[0.0], [1.0], [2.0], [9.0]])
    >>> shares(real, torch.tensor([[0.5], [1.5]]), k=1)
    Shares(precision=1.0, recall=0.75, density=2.0, coverage=0.75)
    """
    table = Table.of(real, fake, k)
    return table.shares(torch.arange(len(fake)))


def shares_intervals(
    real: Float[Tensor, "n features"], fake: Float[Tensor, "m features"], k: int = NEIGHBOURS
) -> dict[str, Figure]:
    """The four, by name, with intervals, as the samples `fake` vary and the examples `real` stay."""
    table, groups = Table.of(real, fake, k), groups_of(len(fake))
    whole = table.shares(torch.arange(len(fake)))
    without = [table.shares(torch.nonzero(groups != group).flatten()) for group in range(int(groups.max()) + 1)]
    figures = {}
    for name, value in vars(whole).items():
        figure = jackknife(value, [getattr(each, name) for each in without]).plain
        figures[name] = figure.limited(0.0) if name == "density" else figure.limited(0.0, 1.0)
    return figures


@dataclass(frozen=True)
class Table:
    """All distances."""

    k: int
    #: Of each real example to its k-th neighbour among the others.
    reach: Tensor
    between: Tensor
    among_fake: Tensor

    @classmethod
    def of(cls, real: Tensor, fake: Tensor, k: int) -> "Table":
        if real.ndim != 2 or fake.ndim != 2 or real.shape[1] != fake.shape[1]:
            raise ShapeError(
                f"features of shapes {tuple(real.shape)} and {tuple(fake.shape)}; give (samples, features) each, and "
                "the same features"
            )
        if min(len(real), len(fake)) <= k:
            raise InputError(f"{k} neighbours need more than {k} points in each set: {len(real)}, {len(fake)} given")
        # Distances do not mind where zero is, but their rounding errors do.
        real, fake = real.double() - real.double().mean(0), fake.double() - real.double().mean(0)
        return cls(k, _reach(_distances(real, real), k), _distances(real, fake), _distances(fake, fake))

    def shares(self, kept: Tensor) -> Shares:
        """The four figures of the samples with these numbers."""
        between = self.between[:, kept]
        reach = _reach(self.among_fake[kept][:, kept], self.k)
        in_real = between <= self.reach[:, None]
        return Shares(
            precision=float(in_real.any(0).double().mean()),
            recall=float((between <= reach[None]).any(1).double().mean()),
            density=float(in_real.sum(0).double().mean() / self.k),
            coverage=float(in_real.any(1).double().mean()),
        )


def _distances(a: Tensor, b: Tensor) -> Tensor:
    # Halves the memory of the tables: seven digits are plenty for who is nearer.
    return torch.cat([torch.cdist(rows, b).float() for rows in a.split(1000)])


def _reach(distances: Tensor, k: int) -> Tensor:
    # One more than k, for each point is its own nearest.
    return distances.topk(k + 1, dim=1, largest=False).values[:, -1]
