"""A transformer for the columns of a table: every column has an embedding and an outlet of its own classes.

Column c has K_c classes and is masked or not, which makes K_c + 1 states. The embedding has one vector for each state
of each column, the outlet one for each class of each column. So the same class number means nothing in common in two
columns, and where a column stands in the row means nothing either.

Classes in an order, such as bins of a number, are like their neighbours, and few rows have each of them. So to the
vector of class k of n in order is added a sum of waves over the order,

    e_k = t_k + sum_{j=1}^J cos(pi j (k + 1/2) / n) / sqrt(j) a_j,

in the embedding and in the outlet, with vectors a_j that are learned for each column. What rows say of one class they
then say, less strongly, of those beside it.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.embed import Conditioning, at_least, check_level
from noisekernel.networks.transformer import Block

#: How many waves run over the classes of a column that are in an order.
WAVES = 16
#: The deviation with which the vectors of states begin; those of waves begin at 1.
APART = 0.3


class ColumnsTransformer(Backbone):
    """Attention of every column to every other: (batch, in_channels, columns) to (batch, out_channels, columns).

    Args:
        in_channels: The channels of the input: `head.in_channels`.
        out_channels: The channels of the output: `head.out_channels`.
        counts: How many classes each column has: `head.learned`.
        ordered: How many of its first classes stand in an order, for each column: `head.ordered`; empty for none.
        width: The size of the hidden layers, a multiple of 2 x `heads`.
        depth: The number of blocks.
        heads: The number of attention heads per block.
        classes: The number of classes that a label may have; None for a network without labels.
        told: How many numbers it is told of how its examples were changed (`noisekernel.kinds.augmentation`).

    >>> ColumnsTransformer(5, 4, counts=(2, 4), width=32, depth=1, heads=2)(torch.zeros(3, 5, 2), torch.ones(3)).shape
    torch.Size([3, 4, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        counts: Sequence[int],
        ordered: Sequence[int] = (),
        width: int = 128,
        depth: int = 4,
        heads: int = 4,
        classes: int | None = None,
        told: int = 0,
    ) -> None:
        super().__init__()
        at_least(1, in_channels=in_channels, out_channels=out_channels, depth=depth, heads=heads)
        if width % (2 * heads):
            raise InputError(f"width {width} does not divide into {heads} heads of an even size")
        if not counts or max(counts) > out_channels or in_channels != out_channels + 1:
            raise InputError(
                f"columns of {tuple(counts)} classes do not fit {in_channels} channels in and {out_channels} out; "
                "build the network with the channels of a ColumnsHead of these columns"
            )
        #: What it was built with, but for what follows from its head and from the data.
        self.settings = {"width": width, "depth": depth, "heads": heads}
        self.classes, self.numbers_told = classes, told
        self.condition = Conditioning(width, classes, told=told)
        self.counts, self.states = tuple(counts), in_channels
        self.ordered = tuple(ordered)[: len(counts)] or (0,) * len(counts)
        self.embedding = nn.Embedding(sum(counts) + len(counts), width)
        nn.init.normal_(self.embedding.weight, std=APART)
        self.waves = nn.Parameter(torch.randn(len(counts), WAVES, width))
        self.answers = nn.Parameter(torch.zeros(len(counts), WAVES, width))
        self.blocks = nn.ModuleList(Block(width, heads, depth) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.weights = nn.Embedding(sum(counts), width)
        self.offsets = nn.Embedding(sum(counts), 1)
        nn.init.zeros_(self.weights.weight)
        nn.init.zeros_(self.offsets.weight)

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        hidden = self._hidden(h, level, label, told)
        own = self.rows(hidden.device)[1]
        weights = self.weights(own) + torch.einsum("ckj,cjw->ckw", self.basis(hidden.device), self.answers)
        features = torch.einsum("bcw,ckw->bkc", hidden, weights)
        return features + self.offsets(own).squeeze(-1).T

    def rows(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Of the embedding the row of each column's states, (columns, K + 1); of the outlet that of its classes.

        What a column has not is never asked for; it points to the column's first row.

        Args:
            device: Where the numbers are to be.
        """
        counts = torch.tensor(self.counts, device=device)[:, None]
        before = counts.cumsum(dim=0) - counts
        number = torch.arange(self.states - 1, device=device)
        classes = before + torch.where(number < counts, number, 0)
        columns = torch.arange(len(self.counts), device=device)[:, None]  # each has one state more: masked
        return torch.cat((classes, before + counts), dim=1) + columns, classes

    def basis(self, device: torch.device) -> Tensor:
        """The waves over the classes of each column that are in an order, (columns, K, waves); 0 for all others.

        Args:
            device: Where the numbers are to be.
        """
        ordered = torch.tensor(self.ordered, device=device)[:, None]
        number = torch.arange(self.states - 1, device=device)
        wave = torch.arange(1, WAVES + 1, device=device)
        place = (number + 0.5) / ordered.clamp(min=1)
        return torch.where(
            (number < ordered)[..., None], torch.cos(math.pi * place[..., None] * wave) / wave.sqrt(), 0.0
        )

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None, told: Tensor | None = None) -> Tensor:
        """The mean of the last hidden layer over all columns, (batch, width)."""
        return self._hidden(h, level, label, told).mean(dim=1)

    def _hidden(self, h: Tensor, level: Tensor, label: Tensor | None, told: Tensor | None) -> Tensor:
        """The last hidden layer, (batch, columns, width)."""
        columns, states = len(self.counts), self.states
        if tuple(h.shape[1:]) != (states, columns):
            raise ShapeError(
                f"this ColumnsTransformer takes (batch, {states}, {columns}), the states of {columns} columns; given "
                f"{tuple(h.shape)}"
            )
        check_level(level, len(h))
        waves = torch.einsum("ckj,cjw->ckw", self.basis(h.device), self.waves)
        table = self.embedding(self.rows(h.device)[0]) + pad(waves, (0, 0, 0, 1))  # none for what is masked
        h = torch.einsum("bsc,csw->bcw", h, table)
        h = h + self.condition(level, label, told)[:, None]
        for block in self.blocks:
            h = block(h)
        hidden: Tensor = self.norm(h)
        return hidden
