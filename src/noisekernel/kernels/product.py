"""The noise kernel of rows of mixed data: numbers and categories under one noise level.

A row z has columns of numbers and columns of categories. Noise and transition are products over columns,

    p^t(x | z) = prod_e p_e^t(x_e | z_e),        p^t(y | z, x) = prod_e p_e^t(y_e | z_e, x_e),

with the continuous kernel (`kernels.gaussian`) for numbers and the categorical kernel (`kernels.categorical`) for
categories. Given z the columns are independent of each other, so eqs 6 and 12 hold for the row if they hold for each
column: the integral over x is the product of the integrals over the x_e. What ties the columns together is r(z | x),
which sees all of x.

**One level.** beta is the share of the categories that is masked. A column of classes then has lost the share beta of
what z tells, whatever its classes are: I(z_e; x_e) = (1 - beta) H(z_e). Numbers are to lose it at the same rate. Of a
number of variance 1, and of normal distribution, noise at the level g leaves

    I(z_e; x_e) = 1/2 log(1 + SNR(g)),        SNR(g) = (1 - g)^2 / g                     (nats),

and the most that is ever told of it is that at the level `FLOOR` = 1e-4, with S = SNR(FLOOR): 4.6 nats, a place to a
hundredth of its deviation. So their level g is that at which the share 1 - beta of these is left,

    1 + SNR(g) = (1 + S)^(1 - beta).                                                     `number_level`

It falls from 1 at beta = 1 to FLOOR as beta goes to 0. Even steps of beta are then even steps in what is known of both
sorts of columns, and a level drawn uniformly in training is as useful to one as to the other. Were the same number beta
the level of both, then half of what is told of numbers (all that is finer than a tenth of a deviation) would be told in
the last hundredth of the way of the categories.

**One lag.** At a constant level the lag w is that of either kernel. From beta to another level beta' the two have
different limits, L_c = beta' / beta for categories and L_g = sqrt(g' / g) for numbers (both at most 1). w is the lag of
the categories, and numbers carry over the same share of what they can,

    w_g / L_g = w_c / L_c,        w_c = w,

so that the largest lag is L_c, at which both carry over all that they can. Any lag up to each limit keeps the marginals
(eq. 12), so this is a choice; at a constant level, where balance matters, there is none to make.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import Certain
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.core.levels import linear
from noisekernel.core.products import Product, as_classes, parted
from noisekernel.core.randomness import Randomness, uniform
from noisekernel.kernels.base import NoiseKernel
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kernels.gaussian import GaussianKernel

#: The noise level of numbers at beta = 0: a standard deviation of 0.01 beside numbers of deviation 1.
FLOOR = 1e-4
#: log(1 + SNR) at that level.
MOST = math.log1p((1.0 - FLOOR) ** 2 / FLOOR)


def number_level(beta: Tensor) -> Tensor:
    """The level g of the noise of numbers at the level beta of the row: 1 + SNR(g) = (1 + S)^(1 - beta).

    Args:
        beta: Noise levels.

    >>> number_level(torch.tensor([1.0, 0.5, 0.0], dtype=torch.float64))
    tensor([1.0000e+00, 9.9025e-03, 1.0000e-04], dtype=torch.float64)
    """
    snr = torch.expm1((1.0 - beta) * MOST)
    # (1 - g)^2 = SNR g, in the form that does not cancel.
    return 2.0 / (2.0 + snr + torch.sqrt(snr * (snr + 4.0)))


@dataclass(frozen=True)
class ProductKernel(NoiseKernel):
    """Rows of numbers and categories: data and states are floating-point numbers of shape (batch, columns).

    Numbers are to have a mean of about 0 and a variance of about 1. A class is a whole number.

    Args:
        lag: How much of the state one step carries over, in [0, 1].
        counts: What each column is: 0 for numbers; for categories how many classes it has, which are 0, 1, …
        carry_visible: Whether categories that are not masked are taken for certain, so that the denoiser cannot revise
            them.

    >>> kernel = ProductKernel(lag=0.5, counts=(0, 3))
    >>> noise = kernel.noise(torch.tensor([[0.7, 2.0]]), beta=0.25)
    >>> noise.normal.mean, noise.categories.probs
    (tensor([[0.6993]]), tensor([[[0.0000, 0.0000, 0.7500, 0.2500]]]))
    """

    lag: Level = 0.95
    counts: tuple[int, ...] = ()
    carry_visible: bool = False
    #: One category in a thousand is still masked. Numbers have noise of a standard deviation of 0.01.
    clean: ClassVar[float] = 1e-3
    mixed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "counts", tuple(checks.count("each of counts", each, 0) for each in self.counts))
        if 0 not in self.counts or not any(self.counts):
            instead = "GaussianKernel" if 0 in self.counts else "CategoricalKernel"
            raise InputError(
                f"counts is {self.counts}; a ProductKernel is for rows with at least one column of numbers (0) and one "
                f"of categories; a {instead} is for rows of one sort"
            )

    @property
    def classes(self) -> int:
        """The largest number of classes of a column, and never less than 2."""
        return max(2, *self.counts)

    @property
    def masked(self) -> int:
        """The state "masked" of every column of categories: one number for all, whatever their classes are."""
        return self.classes

    def _of_categories(self, lag: Level) -> CategoricalKernel:
        return CategoricalKernel(lag=lag, classes=self.classes, carry_visible=self.carry_visible)

    def noise(self, z: Float[Tensor, "batch columns"], beta: Level) -> Product:
        """Eqs 14 and 22."""
        z = self.check_data(z)
        level = checks.level("beta", beta, z)
        numbers, classes = parted(z, self.counts)
        return Product(
            GaussianKernel().noise(numbers, number_level(level)),
            self._of_categories(0.0).noise(classes.long(), level),
            self.counts,
        )

    def conditional(
        self,
        z: Float[Tensor, "batch columns"],
        x: Float[Tensor, "batch columns"],
        beta: Level,
        beta_next: Level,
    ) -> Product:
        """Eqs 15 and 23."""
        z, x = self.check_data(z), self.check_state(x)
        checks.same_shape("z", z, "x", x)
        (n, c), (m, d) = parted(z, self.counts), parted(x, self.counts)
        of_categories, of_numbers, level, following = self._parts(x, beta, beta_next)
        categories = of_categories.conditional(c.long(), d.long(), level, following)
        numbers = of_numbers.conditional(n, m, number_level(level), number_level(following))
        return Product(numbers, categories, self.counts)

    def transition(self, r: Product, x: Float[Tensor, "batch columns"], beta: Level, beta_next: Level) -> Product:
        """Eqs 19-21 and 27."""
        if not isinstance(r, Product):
            raise DtypeError(f"r is a {type(r).__name__}; a ProductKernel needs a denoiser that returns a Product")
        x = self.check_state(x)
        if (r.shape, r.counts, r.categories.classes) != (x.shape, self.counts, self.classes):
            raise ShapeError(
                f"r is of shape {tuple(r.shape)}, columns {r.counts} and {r.categories.classes} classes; for these "
                f"states it is of shape {tuple(x.shape)}, columns {self.counts} and {self.classes} classes"
            )
        m, d = parted(x, self.counts)
        of_categories, of_numbers, level, following = self._parts(x, beta, beta_next)
        categories = of_categories.transition(r.categories, d.long(), level, following)
        numbers = of_numbers.transition(r.normal, m, number_level(level), number_level(following))
        return Product(numbers, categories, self.counts)

    def _parts(
        self, x: Tensor, beta: Level, beta_next: Level
    ) -> tuple[CategoricalKernel, GaussianKernel, Tensor, Tensor]:
        """The kernel of each sort of columns with its lag for this step, and both levels."""
        level = checks.level("beta", beta, x)
        following = level if beta_next is beta else checks.level("beta_next", beta_next, x)
        w = self.lag_of(x[:, 0]).to(level)
        share = w / self.largest_lag(level, following)
        limit = GaussianKernel().largest_lag(number_level(level), number_level(following))
        # A lag beyond the limit of the categories is refused by them, which speak of the levels that were given.
        own = (share * limit).clamp(max=1.0).expand(len(x))
        return self._of_categories(self.lag), GaussianKernel(lag=own), level, following

    def refine(self, r: Product, x: Tensor) -> Product:
        """With `carry_visible`, certainty of the categories that are visible."""
        if not self.carry_visible:
            return r
        categories = self._of_categories(0.0).refine(r.categories, parted(x, self.counts)[1].long())
        return Product(r.normal, categories, self.counts)

    def shown(self, x: Tensor, observed: Tensor, mask: Tensor, beta: Level) -> tuple[Tensor, Level]:
        """Observed categories are visible. Observed numbers stay as the chain has them, with their noise."""
        categories = torch.tensor(self.counts, device=x.device) > 0
        return torch.where(categories & ~mask, observed, x), beta

    def revealed(self, x: Tensor, z: Tensor, generator: Randomness) -> Tensor:
        """In half of the rows each masked category is shown with one and the same probability, uniform in (0, 1).

        Which categories are masked does not depend on z, so what is true of z given x is the same function of x, at the
        level of the numbers. But at high noise hardly a category is visible by itself, and where rows are filled in,
        those that are observed are visible all the time.
        """
        u = uniform((len(x), 2 + x.shape[1]), generator, device=x.device)
        shown = (u[:, :1] < 0.5) & (u[:, 2:] < u[:, 1:2])
        categories = torch.tensor(self.counts, device=x.device) > 0
        return torch.where(shown & categories, z.to(x), x)

    def prior(self, shape: Sequence[int], *, device: torch.device | str | None = None) -> Product:
        """Numbers from N(0, 1), categories all masked."""
        batch, columns = shape
        if columns != len(self.counts):
            raise ShapeError(f"shape is {tuple(shape)}; this kernel is for rows of {len(self.counts)} columns")
        numbers = self.counts.count(0)
        masked = torch.full((batch, columns - numbers), self.masked, dtype=torch.int64, device=device)
        noise = Normal(torch.zeros(batch, numbers, device=device), torch.ones(batch, numbers, device=device))
        return Product(noise, Certain(masked, self.classes + 1), self.counts)

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """That of the categories, at which numbers carry over all that they can too."""
        return (beta_next / beta).clamp(max=1.0)

    def levels(self, steps: int, first: float = 1.0) -> Tensor:
        """Even in beta: in the share of what is known of every column."""
        return linear(first, self.clean)(torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64))

    def loudness(self, beta: Tensor) -> Tensor:
        """That of categories, sqrt(beta / (1 - beta)), for all columns: one level is as loud to one as to the other."""
        return self._of_categories(0.0).loudness(beta)

    def check_data(self, z: Any, name: str = "z") -> Tensor:
        return self._checked(z, name)

    def check_state(self, x: Any) -> Tensor:
        """`x`, if it is a state: each category a class of its column, or masked.

        Args:
            x: What was given as states.
        """
        return self._checked(x, "x", self.masked)

    def _checked(self, value: Any, name: str, other: int | None = None) -> Tensor:
        value = checks.floating(name, value)
        if value.ndim != 2 or value.shape[1] != len(self.counts):
            raise ShapeError(
                f"{name} has shape {tuple(value.shape)}; this kernel is for rows of {len(self.counts)} columns, that "
                f"is (batch, {len(self.counts)})"
            )
        if checks.readable(value):
            classes = as_classes(parted(value, self.counts)[1], name)
            few = torch.tensor([count for count in self.counts if count], device=value.device)
            good = (classes >= 0) & (classes < few)
            good = good if other is None else good | (classes == other)
            if not bool(good.all()):
                row, place = (~good).nonzero()[0].tolist()
                column = [e for e, count in enumerate(self.counts) if count][place]
                raise InputError(
                    f"{name} holds the class {int(classes[row, place])} in column {column} of sample {row}; with "
                    f"{self.counts[column]} classes they run from 0 to {self.counts[column] - 1}"
                    + ("" if other is None else f", and {other} is masked")
                )
        return value
