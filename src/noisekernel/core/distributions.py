"""Distributions over a batch of states, as frozen dataclasses of tensors.

The first dimension is the batch. A distribution is over a whole sample, so `log_prob` gives **one number per sample**;
`Normal`, and those over categories (`core.categories`), are products over elements, so theirs is a sum, whose terms
`log_prob_elements` gives. Every tensor field is batch-first, which is what lets `select` mix two batches of
distributions sample by sample.

A distribution of your own (see `examples/own_kernel.py`) is a dataclass of such tensors with `log_prob`, `sample` and
`mode`.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.randomness import Randomness, normal

Some = TypeVar("Some", bound="Distribution")
Same = TypeVar("Same", bound="Elementwise")


class Distribution(ABC):
    """What a transition returns: a batch of distributions over states.

    >>> step: Distribution = Normal(torch.zeros(3, 2), torch.ones(3, 2))
    >>> y = step.sample(torch.Generator().manual_seed(0))
    >>> y.shape, step.log_prob(y).shape
    (torch.Size([3, 2]), torch.Size([3]))
    """

    @abstractmethod
    def log_prob(self, value: Tensor) -> Float[Tensor, " batch"]:
        """Log density, or log probability, of each sample of `value`.

        Args:
            value: States, (batch, *event).

        Returns:
            One number per sample, (batch,).
        """

    @abstractmethod
    def sample(self, generator: Randomness) -> Tensor:
        """One draw for each sample of the batch. Not differentiable: gradients flow through `log_prob` alone.

        Args:
            generator: A `torch.Generator`, or `Streams` with one stream per sample.

        Returns:
            States, (batch, *event).
        """

    def noise_of(self, value: Tensor, generator: Randomness) -> Tensor | None:
        """The standard normal noise with which `sample` draws `value`; None if it draws with none.

        Where several noises give the same value (every number of an interval gives the same category), one of them is
        chosen at random. So if `value` is a sample, the noise is standard normal, and `sample(Recorded(…, noise))` is
        `value` again.

        Args:
            value: States, (batch, *event).
            generator: Chooses among the noises that give the same value.
        """
        raise InputError(f"a {type(self).__name__} cannot tell the noise of a value; give it a method noise_of")

    @property
    @abstractmethod
    def mode(self) -> Tensor:
        """The most probable value of each element."""

    def beyond(self: Some, before: Some, by: float) -> Some:
        """This distribution extrapolated in a straight line, for a step that looks ahead.

        Args:
            before: The distribution at the state before.
            by: How many times the change since `before` is added.
        """
        raise InputError(f"a {type(self).__name__} cannot be moved on in a line; only continuous data can look ahead")

    def select(self: Some, choose: Bool[Tensor, " batch"], other: Some) -> Some:
        """This distribution for the samples where `choose` is true, `other` for the rest.

        Args:
            choose: One truth value per sample, (batch,).
            other: A distribution of the same type and shape.
        """

        def pick(mine: Tensor, theirs: Tensor) -> Tensor:
            return torch.where(choose.reshape(-1, *[1] * (mine.ndim - 1)), mine, theirs)

        def chosen(mine: Any, theirs: Any) -> Any:
            if isinstance(mine, Distribution):
                return mine.select(choose, theirs)
            return pick(mine, theirs) if isinstance(mine, Tensor) else mine

        return type(self)(**{name: chosen(mine, getattr(other, name)) for name, mine in self._fields()})

    def tensors(self) -> Iterator[Tensor]:
        """All that it is made of."""
        for _, value in self._fields():
            if isinstance(value, Distribution):
                yield from value.tensors()
            elif isinstance(value, Tensor):
                yield value

    def _fields(self) -> Iterator[tuple[str, Any]]:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            yield field.name, getattr(self, field.name)


class Elementwise(Distribution):
    """A product over elements. What a denoiser returns: r(z | x, beta)."""

    @property
    def parameters(self) -> dict[str, Tensor]:
        """What says all of it, by name, for programs that do not know of distributions."""
        raise InputError(f"a {type(self).__name__} cannot be exported; give it a property parameters")

    @abstractmethod
    def log_prob_elements(self, value: Tensor) -> Tensor:
        """The log probability of each element, in the shape of `value`.

        Args:
            value: States, (batch, *event).
        """

    @property
    @abstractmethod
    def mean(self) -> Tensor:
        """The expectation of each element."""

    @property
    def numbers(self) -> Tensor:
        """What is expected of each element, as numbers for a network to see: (batch, *event, numbers)."""
        return self.mean[..., None]

    @abstractmethod
    def point(self: Same) -> Same:
        """The point mass at the best guess: the mean where a mean is data, else the mode."""

    @property
    @abstractmethod
    def best(self) -> Tensor:
        """The value of that point mass."""

    @abstractmethod
    def clamp(self: Same, value: Tensor, mask: Tensor) -> Same:
        """A point mass at `value` where `mask` is 0 (observed), unchanged where it is 1 (eqs 28-29).

        Args:
            value: The observed data, (batch, *event). Where the mask is 1 it is not read.
            mask: 1 where an element is to be filled in, 0 where it is observed; of the shape of `value`.
        """

    def away_from(self: Same, worse: Same, by: float) -> Same:
        """This distribution pushed away from a worse one, for guidance (`networks.Guided`).

        Args:
            worse: A distribution of the same shape.
            by: How far, in units of the difference of the two: 0 is this distribution, -1 is the worse one.
        """
        raise InputError(f"a {type(self).__name__} cannot be guided; give it a method away_from(worse, by)")

    def without(self, barred: Tensor) -> "Elementwise":
        """This distribution given that no element is of a class that is barred for it.

        Args:
            barred: Which classes are, (batch, *event, classes).
        """
        raise InputError(f"classes are barred, and a {type(self).__name__} is of numbers, which have none")

    @abstractmethod
    def kl(self: Same, other: Same) -> Float[Tensor, " batch"]:
        """KL(self || other), exactly, for each sample.

        Args:
            other: A distribution of the same shape.
        """

    def log_prob(self, value: Tensor) -> Float[Tensor, " batch"]:
        return sum_elements(self.log_prob_elements(value))


def sum_elements(value: Float[Tensor, "batch *event"]) -> Float[Tensor, " batch"]:
    """Sum over all but the batch."""
    return value.reshape(len(value), -1).sum(dim=1)


@dataclass(frozen=True)
class Normal(Elementwise):
    """Independent normals. Where the variance is 0 an element is a point mass: log probability 0, or minus infinity.

    Args:
        loc: The mean of each element, (batch, *event).
        variance: The variance of each element, at least 0, of the same shape.

    >>> Normal(torch.zeros(1, 2), torch.ones(1, 2)).log_prob(torch.zeros(1, 2))
    tensor([-1.8379])
    """

    loc: Float[Tensor, "batch *event"]
    variance: Float[Tensor, "batch *event"]

    def __post_init__(self) -> None:
        checks.same_shape("variance", self.variance, "loc", self.loc)
        if checks.readable(self.variance) and bool((self.variance < 0).any()):
            raise InputError(f"a variance is {float(self.variance.min()):g}; it is at least 0")

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def parameters(self) -> dict[str, Tensor]:
        return {"mean": self.loc, "variance": self.variance}

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def best(self) -> Tensor:
        return self.loc

    def log_prob_elements(self, value: Tensor) -> Tensor:
        checks.same_shape("value", value, "the distribution", self.loc)
        spread = self.variance > 0
        variance = torch.where(spread, self.variance, 1.0)
        density = -0.5 * ((value - self.loc) ** 2 / variance + torch.log(2.0 * math.pi * variance))
        atom = torch.where(value == self.loc, 0.0, -math.inf).to(density.dtype)
        return torch.where(spread, density, atom)

    @torch.no_grad()
    def sample(self, generator: Randomness) -> Tensor:
        noise = normal(self.loc.shape, generator, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + self.variance.sqrt() * noise

    @torch.no_grad()
    def noise_of(self, value: Tensor, generator: Randomness) -> Tensor:
        """(value - loc) / deviation; any, where the deviation is 0."""
        spread = self.variance > 0
        deviation = torch.where(spread, self.variance, 1.0).sqrt()
        free = normal(self.loc.shape, generator, dtype=self.loc.dtype, device=self.loc.device)
        return torch.where(spread, (value - self.loc) / deviation, free)

    def point(self) -> "Normal":
        return Normal(self.loc, torch.zeros_like(self.variance))

    def beyond(self, before: "Normal", by: float) -> "Normal":
        return Normal(self.loc + by * (self.loc - before.loc), self.variance)

    def away_from(self, worse: "Normal", by: float) -> "Normal":
        """The mean goes on in a line. So does the variance on the way to the worse one (`by` below 0), not beyond."""
        if not isinstance(worse, Normal):
            raise InputError(f"a Normal cannot be pushed away from a {type(worse).__name__}; both are of one kind")
        checks.same_shape("the worse distribution", worse.loc, "this one", self.loc)
        variance = self.variance if by >= 0 else torch.lerp(self.variance, worse.variance, -by)
        return Normal(self.loc + by * (self.loc - worse.loc), variance)

    def clamp(self, value: Tensor, mask: Tensor) -> "Normal":
        fill = checks.mask(mask, self.loc)
        checks.same_shape("observed", value, "the data", self.loc)
        return Normal(torch.where(fill, self.loc, value), torch.where(fill, self.variance, 0.0))

    def kl(self, other: "Normal") -> Tensor:
        """In closed form: half of ((m1 - m2)^2 + v1) / v2 - 1 - log(v1 / v2), summed over elements."""
        distance = (self.loc - other.loc) ** 2 + self.variance
        log_ratio = torch.log(self.variance) - torch.log(other.variance)
        return sum_elements(0.5 * (distance / other.variance - 1.0 - log_ratio))


@dataclass(frozen=True)
class Delta(Distribution):
    """A point mass.

    Args:
        value: Where all probability is, (batch, *event).

    >>> Delta(torch.zeros(1, 2)).log_prob(torch.ones(1, 2))
    tensor([-inf])
    """

    value: Shaped[Tensor, "batch *event"]

    @property
    def mode(self) -> Tensor:
        return self.value

    @property
    def mean(self) -> Tensor:
        return self.value

    def log_prob(self, value: Tensor) -> Tensor:
        if value.shape != self.value.shape:
            raise ShapeError(f"value has shape {tuple(value.shape)} but the distribution has {tuple(self.value.shape)}")
        equal = (value == self.value).reshape(len(value), -1).all(dim=1)
        return torch.where(equal, 0.0, -math.inf)

    def sample(self, generator: Randomness) -> Tensor:
        return self.value.clone()

    def noise_of(self, value: Tensor, generator: Randomness) -> None:
        return None
