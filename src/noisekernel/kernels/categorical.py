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
from typing import Any

import torch
from jaxtyping import Integer
from torch import Tensor

from noisekernel import checks
from noisekernel.checks import Level
from noisekernel.distributions import LOG_ZERO, Categorical, Delta
from noisekernel.errors import DtypeError, ShapeError
from noisekernel.kernels.base import NoiseKernel
from noisekernel.schedules import Schedule, linear

#: Where annealing ends: one element in a thousand is still masked, and filled in by the best guess.
CLEAN = 1e-3
#: The churn of annealing: measured, see docs/results.md.
CHURN = 1.0


@dataclass(frozen=True)
class CategoricalKernel(NoiseKernel):
    """Data in `classes` categories, of any shape. States have one category more: `masked`.

    >>> kernel = CategoricalKernel(classes=3, lag=0.5)
    >>> kernel.noise(torch.tensor([[2]]), beta=0.25).probs
    tensor([[[0.0000, 0.0000, 0.7500, 0.2500]]])
    """

    lag: Level = 0.95
    classes: int = 2
    carry_visible: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.count("classes", self.classes, 2)

    @property
    def masked(self) -> int:
        """The absorbing state, K + 1 in the paper and K here, where classes count from 0."""
        return self.classes

    def noise(self, z: Integer[Tensor, "batch *event"], beta: Level) -> Categorical:
        """Eq. 22."""
        z = self.check_data(z)
        level = checks.spread(checks.level("beta", beta, z), z)
        log_probs = self._mixture(z, torch.log1p(-level).clamp(min=LOG_ZERO).float().expand(z.shape))
        return self._also_masked(log_probs, level.float())

    def coefficients(self, x: Tensor, beta: Level, beta_next: Level) -> tuple[Tensor, Tensor]:
        """w and the b of eq. 25, each ready to multiply x, in wide precision."""
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
    ) -> Categorical:
        """Eq. 23."""
        z, x = self.check_data(z), self.check_state(x)
        checks.same_shape("z", z, "x", x)
        return self._step(self._mixture(z, torch.zeros(z.shape, device=z.device)), x, beta, beta_next)

    def transition(
        self, r: Categorical, x: Integer[Tensor, "batch *event"], beta: Level, beta_next: Level
    ) -> Categorical:
        """Eq. 27."""
        if not isinstance(r, Categorical):
            raise DtypeError(
                f"r is a {type(r).__name__}; a CategoricalKernel needs a denoiser that returns a Categorical"
            )
        x = self.check_state(x)
        if r.log_probs.shape != (*x.shape, self.classes):
            raise ShapeError(
                f"r has shape {tuple(r.log_probs.shape)}; for states of shape {tuple(x.shape)} and {self.classes} "
                f"classes it is {(*x.shape, self.classes)}"
            )
        log_f = torch.nn.functional.pad(self.refine(r, x).log_probs, (0, 1), value=LOG_ZERO)
        return self._step(log_f, x, beta, beta_next)

    def refine(self, r: Categorical, x: Tensor) -> Categorical:
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

    def annealing(self, steps: int, first: float = 1.0, churn: float | None = None) -> Schedule:
        """Linear down to `CLEAN`, the lag being its limit to the power 1 + `churn`: the more, the more is redone."""
        power = 1.0 + checks.number("churn", CHURN if churn is None else churn, 0.0, 100.0)
        self.refuse_clean(first, CLEAN)
        return Schedule.along(linear(first, CLEAN), steps, lambda beta, after: self.largest_lag(beta, after) ** power)

    def check_data(self, z: Any, name: str = "z") -> Tensor:
        return checks.classes(name, z, self.classes)

    def check_state(self, x: Any) -> Tensor:
        """States may also be masked."""
        return checks.classes("x", x, self.classes + 1)

    def _step(self, log_f: Tensor, x: Tensor, beta: Level, beta_next: Level) -> Categorical:
        """(1 - b) w 1[x] + (1 - b) (1 - w) f + b 1[K], in logarithms, for f over K + 1 states."""
        w, b = (c.to(log_f.dtype).expand(x.shape) for c in self.coefficients(x, beta, beta_next))
        moved = (torch.log1p(-b) + torch.log1p(-w)).clamp(min=LOG_ZERO)[..., None] + log_f
        stayed = self._mixture(x, (torch.log1p(-b) + torch.log(w)).clamp(min=LOG_ZERO))
        return self._also_masked(torch.logaddexp(moved, stayed), b)

    def _mixture(self, value: Tensor, log_weight: Tensor) -> Tensor:
        """log(weight 1[value]) over the K + 1 states."""
        log_probs = torch.full((*value.shape, self.classes + 1), LOG_ZERO, dtype=log_weight.dtype, device=value.device)
        return log_probs.scatter(-1, value[..., None], log_weight[..., None])

    def _also_masked(self, log_probs: Tensor, probability: Tensor) -> Categorical:
        """log(p + probability 1[K])."""
        log_b = torch.log(probability).clamp(min=LOG_ZERO).expand(log_probs.shape[:-1])
        last = torch.logaddexp(log_probs[..., -1], log_b)
        return Categorical(torch.cat((log_probs[..., :-1], last[..., None]), dim=-1))
