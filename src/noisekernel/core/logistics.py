"""Many classes in order, as a mixture of logistic distributions that is cut into classes."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import logsigmoid, pad

from noisekernel.core.categories import LOG_ZERO, Categories


@dataclass(frozen=True)
class Logistics(Categories):
    """From a curve, for many classes in order: a mixture of logistics over [-1, 1], cut into classes of equal width.

    The probability of a class is what the curve has between the class's edges (the outermost classes reach to
    infinity). With a <= b the edges in units of a component's scale, seen from its place,

        sigmoid(b) - sigmoid(a) = sigmoid(b) sigmoid(-a) (1 - exp(a - b)),

    whose logarithm is finite everywhere. (Salimans et al., 2017, *PixelCNN++*.)
    """

    log_weight: Float[Tensor, "batch *event components"]
    place: Float[Tensor, "batch *event components"]
    scale: Float[Tensor, "batch *event components"]
    classes: int

    @property
    def shape(self) -> torch.Size:
        return self.place.shape[:-1]

    @property
    def dtype(self) -> torch.dtype:
        return self.place.dtype

    def table(self) -> Tensor:
        edges = self._edge(torch.arange(1, self.classes, device=self.place.device))
        seen = (edges - self.place[..., None]) / self.scale[..., None]  # (*shape, components, classes - 1)
        under = logsigmoid(seen)
        below, above = pad(under, (0, 1)), pad(under - seen, (1, 0))  # logsigmoid(-seen), without computing it
        between = self._log_width()[..., None].expand(*seen.shape[:-1], self.classes - 2)
        return torch.logsumexp(self.log_weight[..., None] + below + above + pad(between, (1, 1)), dim=-2)

    def log_of(self, value: Tensor) -> Tensor:
        known = value.clamp(max=self.classes - 1)[..., None]
        first, last = known == 0, known == self.classes - 1
        low, high = ((self._edge(known + more) - self.place) / self.scale for more in (0, 1))
        log_probs = torch.where(last, 0.0, logsigmoid(high)) + torch.where(first, 0.0, logsigmoid(-low))
        log_probs = log_probs + torch.where(first | last, 0.0, self._log_width())
        return torch.where(value < self.classes, torch.logsumexp(self.log_weight + log_probs, dim=-1), LOG_ZERO)

    def up_to(self, value: Tensor) -> Tensor:
        seen = torch.sigmoid((self._edge(value[..., None] + 1) - self.place) / self.scale)
        inside = (self.log_weight.exp() * seen).sum(dim=-1)
        return torch.where(value < 0, 0.0, torch.where(value < self.classes - 1, inside, 1.0))

    def quantile(self, u: Tensor) -> Tensor:
        """By bisection: eight looks for 256 classes."""
        low = torch.zeros(self.shape, dtype=torch.int64, device=u.device)
        high = torch.full_like(low, self.classes - 1)
        for _ in range((self.classes - 1).bit_length()):
            middle = (low + high) // 2
            enough = self.up_to(middle) >= u
            low, high = torch.where(enough, low, middle + 1), torch.where(enough, middle, high)
        return high

    def _edge(self, number: Tensor) -> Tensor:
        return 2.0 * number.to(self.place.dtype) / self.classes - 1.0

    def _log_width(self) -> Tensor:
        """log(1 - exp(a - b)), the same for all classes."""
        return torch.log(-torch.expm1(-2.0 / (self.classes * self.scale)))
