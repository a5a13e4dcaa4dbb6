"""A head for rows of numbers and categories.

A category is seen in one-hot over its states, and its r is Cat(f) over the classes that its column has, as for
`ColumnsHead`. A number is seen relative to what noise there is, as for `PreconditionedGaussian`, in a mean of 0 and a
variance of 1 at every level,

    u = (x - alpha m) / sqrt(alpha^2 v + g),

as u itself, and as how near it is to each of a few places on a line: linear interpolation between them, which lets a
column of a network bend its answer at each place (Gorishniy et al. 2022, *On embeddings for numerical features*). Its r
is the best linear denoiser with the mean m and the variance v of its column, corrected by two features.

So a number is, to a network of columns, like a category that has `WIDTH` classes.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot, pad

from noisekernel.core import checks
from noisekernel.core.categories import LOG_ZERO, Categorical
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.core.products import Product, as_classes, parted, places
from noisekernel.kernels.product import number_level
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.gaussian_heads import corrected
from noisekernel.networks.head import OfColumns

#: The places on the line that a number is near to, and the ends of the line in deviations of its column.
PLACES, REACH = 16, 3.0
#: How many channels say where a number is: the places, the number itself and a constant. Its answer is the last two.
WIDTH = PLACES + 2


@dataclass(frozen=True)
class ProductHead(OfColumns):
    """r = a normal distribution per column of numbers, a categorical one per column of categories.

    Args:
        counts: What each column is: 0 for numbers; for categories how many classes it has.
        ordered: How many of the first classes of each column stand in an order, which a network may make use of; empty
            for none. For numbers it is 0.
        means: The mean of each column of numbers; empty if all are 0.
        variances: The variance of each column of numbers; empty if all are 1.

    >>> head = ProductHead(counts=(2, 0))
    >>> features = torch.zeros(1, head.out_channels, 2)
    >>> r = head.decode(features, torch.tensor([[2.0, 0.3]]), torch.ones(1))
    >>> r.categories.probs[0, 0], r.normal.variance
    (tensor([0.5000, 0.5000]), tensor([[1.]]))
    """

    counts: tuple[int, ...]
    ordered: tuple[int, ...] = ()
    means: tuple[float, ...] = ()
    variances: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if 0 not in self.counts or not any(self.counts) or min(self.counts) < 0:
            raise InputError(
                f"counts is {self.counts}; give 0 for a column of numbers and the number of classes for one of "
                "categories, at least one of each"
            )
        if self.ordered and (len(self.ordered) != len(self.counts) or any(map(int.__gt__, self.ordered, self.counts))):
            raise InputError(f"ordered is {self.ordered}; give of each column at most as many classes as it has")
        for name, given in (("means", self.means), ("variances", self.variances)):
            if given and len(given) != self.counts.count(0):
                raise InputError(
                    f"{name} has {len(given)} numbers, and there are {self.counts.count(0)} columns of numbers; give "
                    "one for each"
                )
        for variance in self.variances:
            checks.number("each of variances", variance, 0.0, 1e12, open_low=True)

    @classmethod
    def of(cls, z: Tensor, counts: tuple[int, ...], ordered: tuple[int, ...] = ()) -> "ProductHead":
        """The head with the mean and the variance of each column of numbers of these examples.

        Args:
            z: Examples, (batch, columns).
            counts: What each column is, as for the class.
            ordered: How many of its classes stand in an order, as for the class.

        >>> ProductHead.of(torch.tensor([[0.0, 1.0], [2.0, 0.0]]), counts=(0, 2))
        ProductHead(counts=(0, 2), ordered=(), means=(1.0,), variances=(1.0,))
        """
        numbers = parted(checks.floating("z", z).double(), counts)[0]
        variances = numbers.var(dim=0, correction=0)
        if bool((variances <= 0).any()):
            raise InputError("a column of numbers has one and the same value in all rows; leave it out")
        return cls(counts, ordered, tuple(numbers.mean(dim=0).tolist()), tuple(variances.tolist()))

    @property
    def classes(self) -> int:
        """The largest number of classes of a column, and never less than 2."""
        return max(2, *self.counts)

    @property
    def learned(self) -> tuple[int, ...]:
        """How many channels the network sees of each column, beside that for "masked"."""
        return tuple(count or WIDTH for count in self.counts)

    @property
    def in_order(self) -> tuple[int, ...]:
        """How many of these stand in an order: the places of a number need none, for there is the number itself."""
        return self.ordered

    @property
    def in_channels(self) -> int:
        return max(self.learned) + 1

    @property
    def out_channels(self) -> int:
        return max(self.learned)

    def _moments(self, like: Tensor) -> tuple[Tensor, Tensor]:
        zeros, ones = ((value,) * self.counts.count(0) for value in (0.0, 1.0))
        return like.new_tensor(self.means or zeros), like.new_tensor(self.variances or ones)

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        numbers, classes = parted(self._checked(x), self.counts)
        level = number_level(beta)[:, None]
        alpha, (mean, variance) = 1.0 - level, self._moments(numbers)
        u = (numbers - (alpha * mean).to(x)) * torch.rsqrt(alpha**2 * variance + level).to(x)
        states = one_hot(classes.long(), self.classes + 1).to(x.dtype)
        # Channel by channel: the classes, nothing where there are fewer than channels, and "masked" in the last one.
        room = self.in_channels - 1
        of_classes = torch.cat((pad(states[..., :-1], (0, room - self.classes)), states[..., -1:]), dim=-1)
        of_numbers = pad(_near(u), (0, room - WIDTH + 1))
        numeric, others = places(self.counts, x.device)
        h = x.new_zeros((len(x), len(self.counts), self.in_channels))
        return h.index_copy(1, numeric, of_numbers).index_copy(1, others, of_classes).movedim(-1, 1), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Product:
        numbers = parted(self._checked(x), self.counts)[0]
        of_numbers, of_classes = parted(features.movedim(1, -1), self.counts)
        mean, variance = self._moments(numbers)
        linear = exact_denoiser(numbers, number_level(beta), mean, variance)
        normal = corrected(linear, of_numbers[..., WIDTH - 2 : WIDTH].movedim(-1, 1))
        few = torch.tensor([count for count in self.counts if count], device=x.device)
        missing = torch.arange(self.classes, device=x.device) >= few[:, None]
        logits = of_classes[..., : self.classes].float().masked_fill(missing, LOG_ZERO)
        log_probs = torch.log_softmax(logits, dim=-1).masked_fill(missing, LOG_ZERO)
        return Product(normal, Categorical(log_probs), self.counts)

    def _checked(self, x: Tensor) -> Tensor:
        x = checks.floating("x", x)
        if tuple(x.shape[1:]) != (len(self.counts),):
            raise ShapeError(f"x has shape {tuple(x.shape)}; this denoiser was made for {len(self.counts)} columns")
        if checks.readable(x):
            as_classes(parted(x, self.counts)[1], "x")
        return x


def _near(u: Tensor) -> Tensor:
    """How near numbers are to each place of the line, the numbers themselves, and ones: (batch, numbers, WIDTH)."""
    line = torch.linspace(-REACH, REACH, PLACES, device=u.device, dtype=u.dtype)
    apart = (u.clamp(-REACH, REACH)[..., None] - line).abs() / (2.0 * REACH / (PLACES - 1))
    return torch.cat(((1.0 - apart).clamp(min=0.0), u[..., None], torch.ones_like(u)[..., None]), dim=-1)
