"""A mixture of products: within a component the columns know nothing of each other. The least that a table asks for.

Fitted by expectation and maximisation on classes (categories, and bins of numbers), with a little of the columns' own
shares added to every component. The number of components is the one under which held-out rows are most probable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

#: How many rows' worth of the columns' own shares are added to each component.
ADDED = 0.5


@dataclass(frozen=True)
class Products:
    """The shares of the components, (components,), and of each column's classes in each, (components, classes)."""

    log_shares: Tensor
    log_columns: list[Tensor]

    def log_prob(self, z: Tensor) -> Tensor:
        """Of rows of classes, (n, columns): (n,)."""
        return torch.logsumexp(self._joint(z), dim=1)

    def _joint(self, z: Tensor) -> Tensor:
        return self.log_shares + sum(table[:, z[:, i]].T for i, table in enumerate(self.log_columns))

    def improved(self, z: Tensor, background: Sequence[Tensor]) -> "Products":
        """One round of expectation and maximisation."""
        weight = torch.softmax(self._joint(z), dim=1)
        total = weight.sum(dim=0)
        columns = []
        for i, shares in enumerate(background):
            counts = torch.zeros(len(shares), len(total)).index_add_(0, z[:, i], weight).T + ADDED * shares
            columns.append(torch.log(counts / counts.sum(dim=1, keepdim=True)))
        return Products(torch.log(total / total.sum()), columns)

    def sample(self, n: int, generator: torch.Generator) -> Tensor:
        """Rows of classes, (n, columns)."""
        component = torch.multinomial(self.log_shares.exp(), n, replacement=True, generator=generator)
        columns = [
            torch.multinomial(table[component].exp(), 1, generator=generator)[:, 0] for table in self.log_columns
        ]
        return torch.stack(columns, dim=1)


def fitted(z: Tensor, counts: Sequence[int], components: int, seed: int, rounds: int = 100) -> Products:
    """A mixture of so many components, from rows drawn at random to begin with."""
    generator = torch.Generator().manual_seed(seed)
    background = [torch.bincount(z[:, i], minlength=counts[i]).float() / len(z) for i in range(z.shape[1])]
    begin = z[torch.randperm(len(z), generator=generator)[:components]]
    tables = [
        torch.log(0.7 * shares + 0.3 * torch.nn.functional.one_hot(begin[:, i], counts[i]) + 1e-9)
        for i, shares in enumerate(background)
    ]
    model = Products(torch.full((components,), 1.0 / components).log(), tables)
    for _ in range(rounds):
        model = model.improved(z, background)
    return model
