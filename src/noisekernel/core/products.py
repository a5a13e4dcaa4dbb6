"""A distribution over rows of numbers and categories: normals beside categories, column by column.

The value of a row is one vector of floating-point numbers. A column of numbers holds its number, a column of categories
its class 0, 1, …, as a whole number. Floating-point numbers hold whole numbers exactly, so nothing is lost.

`counts` says which column is which: 0 for numbers, and for categories how many classes the column has. The categories
of all columns stand in one table of as many classes as the largest column has, or one more where a column may be
masked, and a class that a column has not has no probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import Categories
from noisekernel.core.distributions import Elementwise, Normal
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.core.randomness import Randomness, normal


def places(counts: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Which columns are of numbers, and which of categories.

    Args:
        counts: How many classes each column has; 0 for numbers.
        device: Where the numbers of the columns are to be.
    """
    numeric = [e for e, count in enumerate(counts) if not count]
    others = [e for e, count in enumerate(counts) if count]
    return torch.tensor(numeric, device=device), torch.tensor(others, device=device)


def parted(value: Tensor, counts: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The columns of numbers and the columns of categories of something said of each column.

    Args:
        value: Something said of each column, (batch, columns, …).
        counts: How many classes each column has; 0 for numbers.

    >>> parted(torch.tensor([[0.3, 2.0, -1.0]]), (0, 4, 0))
    (tensor([[ 0.3000, -1.0000]]), tensor([[2.]]))
    """
    numeric, others = places(counts, value.device)
    return value[:, numeric], value[:, others]


def joined(numbers: Tensor, others: Tensor, counts: Sequence[int]) -> Tensor:
    """What `parted` took apart: all columns in their order, in the dtype of the numbers.

    Args:
        numbers: Something said of each column of numbers, (batch, numbers).
        others: The same of each column of categories, (batch, categories).
        counts: How many classes each column has; 0 for numbers.
    """
    whole = numbers.new_empty((len(numbers), len(counts)))
    numeric, rest = places(counts, numbers.device)
    return whole.index_copy(1, numeric, numbers).index_copy(1, rest, others.to(numbers.dtype))


def as_classes(value: Tensor, name: str = "value") -> Tensor:
    """Classes that are held as floating-point numbers, as int64.

    Args:
        value: Classes, of any shape.
        name: What an error calls them.
    """
    if checks.readable(value) and bool((value != value.round()).any()):
        odd = float(value[value != value.round()][0])
        raise InputError(f"{name} holds {odd:g} in a column of categories; a class is a whole number")
    return value.long()


@dataclass(frozen=True)
class Product(Elementwise):
    """Independent columns: numbers with a normal distribution each, and categories.

    Args:
        normal: The columns of numbers, (batch, numbers).
        categories: The columns of categories, (batch, categories).
        counts: How many classes each column has, in the order of the columns; 0 for numbers.

    >>> from noisekernel.core.categories import Categorical
    >>> coin = Categorical.from_probs(torch.tensor([[[0.25, 0.75]]]))
    >>> row = Product(Normal(torch.zeros(1, 1), torch.ones(1, 1)), coin, counts=(2, 0))
    >>> row.log_prob_elements(torch.tensor([[1.0, 0.0]])).exp()
    tensor([[0.7500, 0.3989]])
    """

    normal: Normal
    categories: Categories
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        kinds = (self.counts.count(0), len(self.counts) - self.counts.count(0))
        given = (tuple(self.normal.loc.shape[1:]), tuple(self.categories.shape[1:]))
        if given != ((kinds[0],), (kinds[1],)) or len(self.normal.loc) != self.categories.shape[0]:
            raise ShapeError(
                f"counts {self.counts} are {kinds[0]} columns of numbers and {kinds[1]} of categories; given numbers "
                f"of shape {tuple(self.normal.loc.shape)} and categories of shape {tuple(self.categories.shape)}"
            )

    @property
    def shape(self) -> torch.Size:
        """The shape of a value, (batch, columns)."""
        return torch.Size((self.categories.shape[0], len(self.counts)))

    @property
    def mean(self) -> Tensor:
        """The expected number, and of categories the expected class number."""
        return joined(self.normal.mean, self.categories.mean, self.counts)

    @property
    def parameters(self) -> dict[str, Tensor]:
        """Those of the columns of numbers, (batch, numbers), and of categories, (batch, categories, classes)."""
        return {**self.normal.parameters, **self.categories.parameters}

    @property
    def mode(self) -> Tensor:
        return joined(self.normal.mode, self.categories.mode, self.counts)

    @property
    def best(self) -> Tensor:
        """The mean of numbers, and the most probable class of categories."""
        return joined(self.normal.best, self.categories.best, self.counts)

    def log_prob_elements(self, value: Tensor) -> Tensor:
        numbers, classes = self._parted(value)
        found = self.categories.log_prob_elements(classes)
        return joined(self.normal.log_prob_elements(numbers), found, self.counts)

    @torch.no_grad()
    def sample(self, generator: Randomness) -> Tensor:
        """One standard normal number per column: a category takes Phi of it for its uniform number."""
        noise = normal(self.shape, generator, dtype=self.normal.loc.dtype, device=self.normal.loc.device)
        numbers, others = parted(noise, self.counts)
        place = torch.special.ndtr(others.to(checks.wide(others))).clamp(2.0**-24, 1.0 - 2.0**-24)
        drawn = self.categories.quantile(place.to(self.categories.dtype))
        return joined(self.normal.loc + self.normal.variance.sqrt() * numbers, drawn, self.counts)

    @torch.no_grad()
    def noise_of(self, value: Tensor, generator: Randomness) -> Tensor:
        numbers, classes = self._parted(value)
        of_numbers = self.normal.noise_of(numbers, generator)
        return joined(of_numbers, self.categories.noise_of(classes, generator), self.counts)

    def point(self) -> "Product":
        return Product(self.normal.point(), self.categories.point(), self.counts)

    def clamp(self, value: Tensor, mask: Tensor) -> "Product":
        """Observed classes are known for certain, observed numbers too."""
        fill = checks.mask(mask, value)
        # What is to be filled in is not read, so it need not be a class.
        kept, hidden = parted(torch.where(fill, 0.0, value), self.counts), parted(fill, self.counts)
        return Product(
            self.normal.clamp(kept[0], hidden[0]),
            self.categories.clamp(as_classes(kept[1], "observed"), hidden[1]),
            self.counts,
        )

    def without(self, barred: Tensor) -> "Product":
        """Given that no category is of a class that is barred for it. What is said of numbers is not read.

        Args:
            barred: Which classes are, (batch, columns, classes).
        """
        return Product(self.normal, self.categories.without(parted(barred, self.counts)[1]), self.counts)

    def away_from(self, worse: "Product", by: float) -> "Product":
        """Numbers by the mean, categories by the logarithm of their probabilities."""
        self._check_like(worse, "the worse distribution")
        return Product(
            self.normal.away_from(worse.normal, by), self.categories.away_from(worse.categories, by), self.counts
        )

    def kl(self, other: "Product") -> Float[Tensor, " batch"]:
        """In closed form: that of the numbers and that of the categories, added."""
        self._check_like(other, "other")
        return self.normal.kl(other.normal) + self.categories.kl(other.categories)

    def _check_like(self, other: "Product", name: str) -> None:
        if not isinstance(other, Product):
            raise DtypeError(f"{name} is a {type(other).__name__}, and this is a Product; both are of one kind")
        if other.counts != self.counts:
            raise ShapeError(f"{name} has columns {other.counts}, and this distribution {self.counts}; they must agree")

    def _parted(self, value: Tensor) -> tuple[Tensor, Tensor]:
        checks.same_shape("value", value, "the distribution", self.shape)
        numbers, classes = parted(value, self.counts)
        return numbers, as_classes(classes)
