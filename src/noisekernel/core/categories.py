"""Distributions over categories, element by element: from a table, from a curve, or mixed with a certain value.

Each of them gives the log probability of *given* classes and the cumulative probability *up to* given classes. It draws
by inverting the latter, with one uniform number per element. Kernels and objectives need nothing else. A kernel that
puts some probability on z, on x and on the masked state (eqs 22, 23 and 27) applies `Mixed` twice to what it was given.
So no table of all classes is ever made, which for 256 classes in order saves most of the time and memory.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Integer
from torch import Tensor
from torch.nn.functional import pad

from noisekernel.core import checks
from noisekernel.core.distributions import Elementwise, sum_elements
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.randomness import Randomness, uniform

#: log 0, but finite: log-space mixtures then have finite gradients. exp() of it is exactly 0 (not for float16).
LOG_ZERO = -1e30


class Categories(Elementwise):
    """A product over elements, each of one of `classes` classes 0, 1, …"""

    #: The number of classes.
    classes: int

    @property
    @abstractmethod
    def shape(self) -> torch.Size:
        """The shape of a value."""

    @property
    @abstractmethod
    def dtype(self) -> torch.dtype:
        """The dtype of probabilities."""

    @abstractmethod
    def log_of(self, value: Integer[Tensor, "batch *event"]) -> Float[Tensor, "batch *event"]:
        """The log probability of each element, `LOG_ZERO` where it is impossible or no such class exists.

        Args:
            value: A class for each element, (batch, *event).
        """

    @abstractmethod
    def up_to(self, value: Integer[Tensor, "batch *event"]) -> Float[Tensor, "batch *event"]:
        """The probability of this class or one before it: 0 before the first class, 1 from the last on.

        Args:
            value: A class for each element, (batch, *event).
        """

    @abstractmethod
    def quantile(self, u: Float[Tensor, "batch *event"]) -> Integer[Tensor, "batch *event"]:
        """The first class up to which there is at least the probability u.

        Args:
            u: A probability for each element, (batch, *event).
        """

    @abstractmethod
    def table(self) -> Float[Tensor, "batch *event classes"]:
        """The log probabilities of all classes."""

    def support(self) -> list[Tensor] | None:
        """Values that have all the probability between them, if they are few. They may repeat."""
        return None

    @property
    def probs(self) -> Tensor:
        return self.table().exp()

    @property
    def mean(self) -> Tensor:
        """The expected class number: meaningful where the classes are ordered."""
        probs = self.probs
        return probs @ torch.arange(self.classes, dtype=probs.dtype, device=probs.device)

    @property
    def parameters(self) -> dict[str, Tensor]:
        return {"log_probs": self.table()}

    @property
    def numbers(self) -> Tensor:
        """The probability of each class."""
        return self.probs

    @property
    def mode(self) -> Tensor:
        return self.table().argmax(dim=-1)

    @property
    def best(self) -> Tensor:
        return self.mode

    def log_prob_elements(self, value: Tensor) -> Tensor:
        checks.same_shape("value", value, "the distribution", self.shape)
        log_prob = self.log_of(checks.classes("value", value, self.classes))
        return torch.where(log_prob > 0.1 * LOG_ZERO, log_prob, -math.inf)

    @torch.no_grad()
    def sample(self, generator: Randomness) -> Tensor:
        return self.quantile(uniform(self.shape, generator, dtype=self.dtype, device=next(self.tensors()).device))

    @torch.no_grad()
    def noise_of(self, value: Tensor, generator: Randomness) -> Tensor:
        """At random from the interval of the cumulative distribution that `sample` turns into the class.

        Places are told apart to 2^-24, as in `random.uniform`: a class that is less probable may be drawn as another.
        """
        wide = checks.wide(value)
        low, high = self.up_to(value - 1).to(wide), self.up_to(value).to(wide)
        u = uniform(value.shape, generator, dtype=wide, device=value.device)
        place = (low + u * (high - low)).clamp(2.0**-24, 1.0 - 2.0**-24)
        return torch.special.ndtri(place).to(self.dtype)

    def point(self) -> "Certain":
        return Certain(self.mode, self.classes, self.dtype)

    def clamp(self, value: Tensor, mask: Tensor) -> "Mixed":
        checks.same_shape("observed", value, "the data", self.shape)
        value = checks.classes("observed", value, self.classes)
        fill = checks.mask(mask, value)
        sure, never = torch.zeros(value.shape, dtype=self.dtype, device=value.device), LOG_ZERO
        return Mixed(self, value, sure.where(fill, never), sure.where(~fill, never), self.classes)

    def away_from(self, worse: "Categories", by: float) -> "Categorical":
        """p^(1 + by) q^(-by), normalised: the logarithms go on in a line. It is a table, whatever the two are.

        Args:
            worse: The distribution q, of the same shape and classes.
            by: How far: 0 is this distribution, -1 is the worse one.

        >>> p, q = (Categorical.from_probs(torch.tensor([[a, 1 - a]])) for a in (0.5, 0.2))
        >>> p.away_from(q, 1.0).probs
        tensor([[0.8000, 0.2000]])
        """
        if not isinstance(worse, Categories):
            raise InputError(f"categories cannot be pushed away from a {type(worse).__name__}; both are of one kind")
        mine, theirs = ((*d.shape, d.classes) for d in (self, worse))
        if mine != theirs:
            raise ShapeError(f"the worse distribution has shape {theirs} but this one has {mine}; they must agree")
        table = self.table()
        pushed = table + by * (table - worse.table())
        # What is impossible by this distribution stays so, however much less possible the worse one finds it.
        return Categorical.from_logits(torch.where(table > 0.1 * LOG_ZERO, pushed, LOG_ZERO))

    def without(self, barred: Tensor) -> "Categorical":
        """Given that no element is of a class that is barred for it: those have no probability, the others all of it.

        Args:
            barred: Which classes are, (batch, *event, classes); never all of an element's.

        >>> Categorical.from_probs(torch.tensor([[0.2, 0.3, 0.5]])).without(torch.tensor([[0, 0, 1]])).probs
        tensor([[0.4000, 0.6000, 0.0000]])
        """
        checks.same_shape("barred", barred, "the classes of each element", torch.Size((*self.shape, self.classes)))
        return Categorical.from_logits(self.table().masked_fill(barred.bool(), LOG_ZERO))

    def select(self, choose: Tensor, other: "Categories") -> "Categories":
        """By tables, if they are of different kinds."""
        if type(self) is type(other):
            return super().select(choose, other)
        return Categorical(self.table()).select(choose, Categorical(other.table()))

    def kl(self, other: "Categories") -> Tensor:
        """The sum over classes of p (log p - log q), summed over elements."""
        mine, theirs = ((*d.shape, d.classes) for d in (self, other))
        if mine != theirs:
            raise ShapeError(f"other has shape {theirs} but this distribution has {mine}; they must agree")
        points = self.support()
        if points is None:
            log_probs = self.table()
            return sum_elements(_times(log_probs.exp(), log_probs - other.table()))
        total = torch.zeros(self.shape, dtype=self.dtype, device=points[0].device)
        for i, value in enumerate(points):
            log_prob = self.log_of(value)
            probability = log_prob.exp()
            for before in points[:i]:
                probability = torch.where(value == before, 0.0, probability)
            total = total + _times(probability, log_prob - other.log_of(value))
        return sum_elements(total)


def _times(probability: Tensor, value: Tensor) -> Tensor:
    """Their product, 0 where there is no probability."""
    return torch.where(probability > 0, probability * value, 0.0)


@dataclass(frozen=True)
class Categorical(Categories):
    """From a table: the last dimension of `log_probs` runs over the classes and is normalised.

    Args:
        log_probs: Log probabilities, (batch, *event, classes).

    >>> d = Categorical.from_probs(torch.tensor([[0.25, 0.75]]))
    >>> d.log_prob(torch.tensor([1])).exp(), d.mode
    (tensor([0.7500]), tensor([1]))
    """

    log_probs: Float[Tensor, "batch *event classes"]

    @classmethod
    def from_logits(cls, logits: Tensor) -> "Categorical":
        """From unnormalised log-probabilities.

        Args:
            logits: Any numbers, (batch, *event, classes).
        """
        return cls(torch.log_softmax(logits, dim=-1))

    @classmethod
    def from_probs(cls, probs: Tensor) -> "Categorical":
        """From probabilities that sum to 1 over the last dimension.

        Args:
            probs: Probabilities, (batch, *event, classes).
        """
        total = probs.sum(dim=-1)
        if bool((probs < 0).any()) or not torch.allclose(total, torch.ones_like(total), atol=1e-4):
            raise InputError("probabilities must be at least 0 and sum to 1 over the last dimension")
        return cls(torch.where(probs > 0, torch.where(probs > 0, probs, 1.0).log(), LOG_ZERO))

    @property
    def classes(self) -> int:  # type: ignore[override]
        return self.log_probs.shape[-1]

    @property
    def shape(self) -> torch.Size:
        return self.log_probs.shape[:-1]

    @property
    def dtype(self) -> torch.dtype:
        return self.log_probs.dtype

    def table(self) -> Tensor:
        return self.log_probs

    def log_of(self, value: Tensor) -> Tensor:
        found = self.log_probs.gather(-1, value.clamp(max=self.classes - 1)[..., None]).squeeze(-1)
        return torch.where(value < self.classes, found, LOG_ZERO)

    def up_to(self, value: Tensor) -> Tensor:
        found = self._cumulative.gather(-1, value.clamp(0, self.classes - 1)[..., None]).squeeze(-1)
        return torch.where(value < 0, 0.0, found)

    def quantile(self, u: Tensor) -> Tensor:
        return (self._cumulative < u[..., None]).sum(dim=-1)

    @cached_property
    def _cumulative(self) -> Tensor:
        cumulative = self.log_probs.exp().cumsum(dim=-1)
        return cumulative / cumulative[..., -1:]  # the last is exactly 1, so no class of probability 0 is drawn


@dataclass(frozen=True)
class Certain(Categories):
    """All probability on `value`."""

    value: Integer[Tensor, "batch *event"]
    classes: int
    #: Of probabilities.
    dtype: torch.dtype = torch.float32

    @property
    def shape(self) -> torch.Size:
        return self.value.shape

    def table(self) -> Tensor:
        log_probs = torch.full((*self.shape, self.classes), LOG_ZERO, dtype=self.dtype, device=self.value.device)
        return log_probs.scatter(-1, self.value[..., None], 0.0)

    def log_of(self, value: Tensor) -> Tensor:
        return torch.where(value == self.value, 0.0, LOG_ZERO).to(self.dtype)

    def up_to(self, value: Tensor) -> Tensor:
        return (value >= self.value).to(self.dtype)

    def quantile(self, u: Tensor) -> Tensor:
        return self.value.clone()

    @property
    def mode(self) -> Tensor:
        return self.value

    def support(self) -> list[Tensor]:
        return [self.value]


@dataclass(frozen=True)
class Mixed(Categories):
    """A share of `base`, the rest on `value`, which may be a class that the base has not: share p + rest 1[value]."""

    base: Categories
    value: Integer[Tensor, "batch *event"]
    log_share: Float[Tensor, "batch *event"]
    log_rest: Float[Tensor, "batch *event"]
    classes: int

    @property
    def shape(self) -> torch.Size:
        return self.value.shape

    @property
    def dtype(self) -> torch.dtype:
        return self.log_share.dtype

    def table(self) -> Tensor:
        base = pad(self.base.table(), (0, self.classes - self.base.classes), value=LOG_ZERO)
        alone = torch.full_like(base, LOG_ZERO).scatter(-1, self.value[..., None], self.log_rest[..., None])
        return torch.logaddexp(self.log_share[..., None] + base, alone)

    def log_of(self, value: Tensor) -> Tensor:
        alone = torch.where(value == self.value, self.log_rest, LOG_ZERO)
        return torch.logaddexp(self.log_share + self.base.log_of(value), alone)

    def up_to(self, value: Tensor) -> Tensor:
        rest = torch.where(value >= self.value, self.log_rest.exp(), 0.0)
        return self.log_share.exp() * self.base.up_to(value) + rest

    def quantile(self, u: Tensor) -> Tensor:
        """The value takes its rest out of the middle of (0, 1); what is left of u, in units of the share, is the
        base's."""
        share, rest = self.log_share.exp(), self.log_rest.exp()
        low = share * self.base.up_to(self.value - 1)
        high = share * self.base.up_to(self.value) + rest
        left = torch.where(u > high, u - rest, u) / torch.where(share > 0, share, 1.0)
        drawn = self.base.quantile(left.clamp(torch.finfo(u.dtype).tiny, 1.0))
        return torch.where((u > low) & (u <= high) | (share == 0), self.value, drawn)

    def support(self) -> list[Tensor] | None:
        points = self.base.support()
        return None if points is None else [*points, self.value]
