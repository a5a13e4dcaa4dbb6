"""Denoisers: r(z | x, beta), the one thing that is learned.

A denoiser is a backbone between the two halves of a *head*: `encode` turns the state into what the
backbone likes to see, `decode` turns its features into a distribution over z. Anything that maps (x, beta) to a
distribution will do in its place: a closed form, a denoiser with its label filled in (`functools.partial`), or one that
was told part of the answer (`Clamped`).
"""

from collections.abc import Callable

import torch
from jaxtyping import Shaped
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.checks import Level
from noisekernel.core.distributions import Elementwise
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.correction import Correction
from noisekernel.networks.head import Head

Denoise = Callable[..., Elementwise]


class Denoiser(nn.Module):
    """A backbone and a head.

    Args:
        backbone: A module that maps (h, level, label) to features: `networks.UNet`, `networks.MLP`,
            `networks.Transformer`, or one of your own.
        head: What stands between the data and the backbone; it says how many channels the backbone needs.
        correction: What the chain at constant noise is corrected by, if it is (`networks.Correction`); r is the same.

    >>> from noisekernel.networks import MLP, PlainGaussian
    >>> head = PlainGaussian(channels=2)
    >>> denoiser = Denoiser(MLP(head.in_channels, head.out_channels), head)
    >>> denoiser(torch.zeros(3, 2), beta=0.5).mean.shape
    torch.Size([3, 2])
    """

    def __init__(self, backbone: nn.Module, head: Head, correction: Correction | None = None) -> None:
        super().__init__()
        self.backbone, self.head, self.correction = backbone, head, correction

    def forward(
        self,
        x: Shaped[Tensor, "batch *event"],
        beta: Level,
        label: Tensor | None = None,
        told: Tensor | None = None,
    ) -> Elementwise:
        """r(z | x, beta).

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
            label: The class of each sample, (batch,), for a backbone built with `classes`; None to leave it open.
            told: How each example was changed, (batch, numbers), for a backbone built with `told`; None for not at all.
        """
        h, scaled, level, known = self._encoded(x, beta)
        features = self.backbone(h, scaled, label) if told is None else self.backbone(h, scaled, label, told)
        expected = (len(h), self.head.out_channels, *h.shape[2:])
        if tuple(features.shape) != expected:
            raise ShapeError(
                f"the backbone returned features of shape {tuple(features.shape)}; its head needs {expected}: build it "
                f"with out_channels={self.head.out_channels}"
            )
        return self.head.decode(features, x, level, known)

    @property
    def head_bytes(self) -> int:
        """The bytes that the head takes in a file, beside the weights of the backbone."""
        held = self.head.state_dict().values() if isinstance(self.head, nn.Module) else ()
        return sum(value.numel() * value.element_size() for value in held)

    def summary(self, x: Shaped[Tensor, "batch *event"], beta: Level, label: Tensor | None = None) -> Tensor:
        """What the network sees in each state as a whole: one vector per sample, (batch, width).

        Args:
            x: States, (batch, *event).
            beta: The noise level: one number, or one per sample, (batch,).
            label: The class of each sample, (batch,), for a backbone built with `classes`; None to leave it open.
        """
        if not isinstance(self.backbone, Backbone):
            raise InputError(
                f"a {type(self.backbone).__name__} gives no summary of what it sees; make it a subclass of "
                "noisekernel.networks.Backbone"
            )
        h, told, _, _ = self._encoded(x, beta)
        return self.backbone.summary(h, told, label)

    def _encoded(self, x: Tensor, beta: Level) -> tuple[Tensor, Tensor, Tensor, Elementwise | None]:
        """The backbone's input, the noise level on the scale that it is told, the noise level, what the head knows."""
        level = checks.level("beta", beta, checks.tensor("x", x))
        known = self.head.known(x, level)
        h, told = self.head.encode(x, level, known)
        # The network computes in its own precision; r comes back in that of the data.
        dtype = next((p.dtype for p in self.backbone.parameters()), torch.float32)
        return h.to(dtype), told.float(), level, known
