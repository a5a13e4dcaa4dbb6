"""The categorical noise kernel (section 2.4, eqs 22-27).

Each element has K classes, 0 … K-1, and its noisy state one more: K, the absorbing state, "masked". Element by element,

    p^t(x | z)    = (1 - beta_t) 1[z] + beta_t 1[K]                                   eq. 22
    p^t(y | z, x) = (1 - b) w 1[x] + (1 - b) (1 - w) 1[z] + b 1[K]                    eq. 23
    p^t(y = K | z) = (1 - b) w beta_t + b, which has to be beta_{t+1}, so             eq. 24
    b = (beta_{t+1} - w beta_t) / (1 - w beta_t)                                      eq. 25

and Proposition 3 says that at a constant level the kernel balances. With r(z | x) = Cat(f) (eq. 26)

    p^t(y | x) = (1 - b) w 1[x] + (1 - b) (1 - w) f + b 1[K]                          eq. 27.

b >= 0 needs w <= beta_{t+1} / beta_t.

An element that is visible was never masked, so z = x there and the exact r is certain of it. A network has to learn
that, and while it has not, it may revise a visible element: that freedom repairs earlier mistakes.
`carry_visible=True` takes it away and puts the exact 1[x] in the place of f where x is visible.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Integer
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.categories import LOG_ZERO, Categories, Certain, Mixed
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Delta
from noisekernel.core.errors import DtypeError, ShapeError
from noisekernel.core.levels import linear
from noisekernel.kernels.base import NoiseKernel


@dataclass(frozen=True)
class CategoricalKernel(NoiseKernel):
    """Data in `classes` categories, of any shape. States have one category more: `masked`.

    Args:
        lag: How much of the state one step carries over, in [0, 1].
        classes: The number of categories K. Data are whole numbers from 0 to K - 1.
        carry_visible: Whether elements that are not masked are taken for certain, so that the denoiser cannot revise
            them.

    >>> kernel = CategoricalKernel(classes=3, lag=0.5)
    >>> kernel.noise(torch.tensor([[2]]), beta=0.25).probs
    tensor([[[0.0000, 0.0000, 0.7500, 0.2500]]])
    """

    lag: Level = 0.95
    classes: int = 2
    carry_visible: bool = False
    #: One element in a thousand is still masked, and filled in by the best guess.
    clean: ClassVar[float] = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.count("classes", self.classes, 2)

    @property
    def masked(self) -> int:
        """The absorbing state, K + 1 in the paper and K here, where classes count from 0."""
        return self.classes

    @property
    def absorbing(self) -> int:
        return self.masked

    def noise(self, z: Integer[Tensor, "batch *event"], beta: Level) -> Mixed:
        """Eq. 22."""
        z = self.check_data(z)
        level = checks.spread(checks.level("beta", beta, z), z)
        return self._masking(Certain(z, self.classes), level)

    def coefficients(self, x: Tensor, beta: Level, beta_next: Level) -> tuple[Tensor, Tensor]:
        """w and the b of eq. 25, each ready to multiply x, in wide precision.

        Args:
            x: States, (batch, *event).
            beta: The noise level of x: one number, or one per sample, (batch,).
            beta_next: The noise level of the next state, likewise.
        """
        level = checks.spread(checks.level("beta", beta, x), x)
        following = level if beta_next is beta else checks.spread(checks.level("beta_next", beta_next, x), x)
        w = self.lag_of(x)
        kept = 1.0 - w * level
        more = self.refuse_negative(following - w * level, level, following)
        # w beta = 1 only if nothing moves (w = 1) and all is masked (beta = 1): then b = 0 does it.
        return w, torch.where(kept > 0, more / torch.where(kept > 0, kept, 1.0), 0.0)

    def conditional(
        self,
        z: Integer[Tensor, "batch *event"],
        x: Integer[Tensor, "batch *event"],
        beta: Level,
        beta_next: Level,
    ) -> Mixed:
        """Eq. 23."""
        z, x = self.check_data(z), self.check_state(x)
        checks.same_shape("z", z, "x", x)
        return self._step(Certain(z, self.classes), x, beta, beta_next)

    def transition(self, r: Categories, x: Integer[Tensor, "batch *event"], beta: Level, beta_next: Level) -> Mixed:
        """Eq. 27."""
        if not isinstance(r, Categories):
            raise DtypeError(
                f"r is a {type(r).__name__}; a CategoricalKernel needs a denoiser that returns a Categorical"
            )
        x = self.check_state(x)
        if (r.shape, r.classes) != (x.shape, self.classes):
            raise ShapeError(
                f"r has shape {(*r.shape, r.classes)}; for states of shape {tuple(x.shape)} and {self.classes} "
                f"classes it is {(*x.shape, self.classes)}"
            )
        return self._step(self.refine(r, x), x, beta, beta_next)

    def refine(self, r: Categories, x: Tensor) -> Categories:
        """With `carry_visible`, certainty of what is visible."""
        if not self.carry_visible:
            return r
        masked = x == self.masked
        return r.clamp(torch.where(masked, 0, x), masked)

    def prior(self, shape: Sequence[int], *, device: torch.device | str | None = None) -> Delta:
        """All masked: eq. 22 at beta = 1, and the paper's x_0."""
        return Delta(torch.full(tuple(shape), self.masked, dtype=torch.int64, device=device))

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """b >= 0 in eq. 25, and no more than 1."""
        return (beta_next / beta).clamp(max=1.0)

    def levels(self, steps: int, first: float = 1.0) -> Tensor:
        """Even in beta, the share of elements that are masked."""
        return linear(first, self.clean)(torch.linspace(0.0, 1.0, steps + 1, dtype=torch.float64))

    def loudness(self, beta: Tensor) -> Tensor:
        """sqrt(beta / (1 - beta)), the square root of the odds that an element is masked.

        Let u be 1 where z is of some class, and v what is seen of u: u where the element is visible, 0 where it is
        masked (eq. 22). Then v / (1 - beta) has the mean u, and at u = 1 this standard deviation.

        >>> CategoricalKernel().loudness(torch.tensor([0.0, 0.5, 0.8, 1.0]))
        tensor([0., 1., 2., inf])
        """
        return torch.sqrt(beta / (1.0 - beta))

    def check_data(self, z: Any, name: str = "z") -> Tensor:
        return checks.classes(name, z, self.classes)

    def check_state(self, x: Any) -> Tensor:
        """`x`, if it is a state: each element a class, or masked.

        Args:
            x: What was given as states.
        """
        return checks.classes("x", x, self.classes + 1)

    def _step(self, f: Categories, x: Tensor, beta: Level, beta_next: Level) -> Mixed:
        """(1 - b) w 1[x] + (1 - b) (1 - w) f + b 1[K]: f mixed with x, and that with the masked state."""
        w, b = self.coefficients(x, beta, beta_next)
        kept = Mixed(f, x, _log(1.0 - w, x, f.dtype), _log(w, x, f.dtype), self.classes + 1)
        return self._masking(kept, b)

    def _masking(self, d: Categories, share: Tensor) -> Mixed:
        """(1 - share) d + share 1[K]."""
        masked = torch.full(d.shape, self.masked, device=share.device)
        return Mixed(d, masked, _log(1.0 - share, masked, d.dtype), _log(share, masked, d.dtype), self.classes + 1)


def _log(share: Tensor, like: Tensor, dtype: torch.dtype) -> Tensor:
    """For every element, and finite."""
    return torch.log(share).clamp(min=LOG_ZERO).to(dtype).expand(like.shape)
