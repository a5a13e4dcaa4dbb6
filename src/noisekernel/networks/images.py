"""What the two U-Nets share."""

from torch import Tensor, nn

from noisekernel.core.errors import ShapeError


def check_images(h: Tensor, stem: nn.Conv2d) -> None:
    """Refuse what the first convolution cannot take."""
    if h.ndim != 4 or h.shape[1] != stem.in_channels:
        raise ShapeError(
            f"a U-Net for {stem.in_channels} channels takes (batch, {stem.in_channels}, height, width); "
            f"given {tuple(h.shape)}"
        )


def crop_like(h: Tensor, skip: Tensor) -> Tensor:
    """Halving rounds an odd size up, so doubling overshoots it by one: drop that row or column."""
    return h[..., : skip.shape[-2], : skip.shape[-1]]
