"""Networks of `diffusers`, as backbones: built from their settings as plain data, with nothing executed from a file.

The library is imported when such a network is built, and not before. Which of its classes may be named, and of which
blocks they may be made, is listed here.
"""

import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar, Literal

from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError
from noisekernel.core.settings import Strict
from noisekernel.networks.backbone import Backbone
from noisekernel.networks.head import Head

#: The blocks that a network may be made of: convolutions and attention, and no tables beside their weights.
BLOCKS = {"DownBlock2D", "AttnDownBlock2D", "ResnetDownsampleBlock2D"} | {
    "UpBlock2D",
    "AttnUpBlock2D",
    "ResnetUpsampleBlock2D",
}


def diffusers() -> ModuleType:
    """The library; a sentence where it is missing."""
    try:
        import diffusers
    except ImportError:
        raise NoiseKernelError("models of diffusers need that library: pip install 'noisekernel[diffusers]'") from None
    found: ModuleType = diffusers
    return found


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a `UNet2DModel` that cannot be a denoiser of ours, with a sentence that says why."""
    known = inspect.signature(diffusers().UNet2DModel.__init__).parameters.keys() - {"self"}
    if odd := sorted(settings.keys() - known):
        raise InputError(
            f"the network has settings that UNet2DModel of the installed diffusers does not know: {', '.join(odd)}; "
            "install a newer version"
        )
    blocks = [*settings.get("down_block_types", ()), *settings.get("up_block_types", ())]
    if odd := sorted({str(block) for block in blocks} - BLOCKS):
        raise InputError(f"networks with blocks {', '.join(odd)} are not adopted; {', '.join(sorted(BLOCKS))} are")
    if (told := settings.get("time_embedding_type", "positional")) != "positional":
        raise InputError(
            f"the network is told its time in the form {told!r}, which knows no time between whole steps; networks of "
            "the form 'positional' are adopted"
        )
    if settings.get("class_embed_type") is not None:
        raise InputError(
            f"the network is told its class as {settings['class_embed_type']!r}; networks with a table of classes "
            "(num_class_embeds) are adopted, and networks without classes"
        )


class DiffusersUNet(Backbone):
    """A `UNet2DModel` of `diffusers`.

    Args:
        settings: What it is built with, as its config.json says.
        classes: How many classes have names. Where the network has one more, the last stands for no label.
    """

    def __init__(self, settings: Mapping[str, Any], classes: int | None = None) -> None:
        super().__init__()
        # From 64 samples on the library takes another way through memory, for a fault of old versions of torch.
        self.largest_batch = 63
        check_settings(settings)
        self.classes, self.numbers_told = classes, 0
        rows = settings.get("num_class_embeds") or 0
        if (classes or 0) not in (rows, max(rows - 1, 0)):
            raise InputError(
                f"the network was trained with {rows or 'no'} classes, and {classes or 'none'} are named; give "
                f"{rows or 'none'}, or one less where its last class stands for no label. Where data have classes and "
                "the network has none, --set data.labels=false"
            )
        #: Whether the network knows no state without a label.
        self.needs_label = bool(rows) and rows == classes
        try:
            self.unet = diffusers().UNet2DModel(**settings)
        except (TypeError, ValueError, KeyError, NotImplementedError, ZeroDivisionError) as error:
            raise InputError(f"diffusers cannot build the network that is described: {error}") from None

    def forward(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """The network's output, (batch, out_channels, height, width).

        Args:
            h: The encoded states, (batch, in_channels, height, width).
            level: The timestep, (batch,).
            label: The class of each sample, (batch,), or None.
        """
        if h.ndim != 4 or h.shape[1] != self.unet.conv_in.in_channels:
            wanted = f"(batch, {self.unet.conv_in.in_channels}, height, width)"
            raise ShapeError(f"this network takes {wanted}; given {tuple(h.shape)}")
        out: Tensor = self.unet(h, level, class_labels=self._class(label, h), return_dict=False)[0]
        return out

    def summary(self, h: Tensor, level: Tensor, label: Tensor | None = None) -> Tensor:
        """The mean of the lowest resolution over its pixels, (batch, width)."""
        seen: list[Tensor] = []
        lowest: nn.Module = self.unet.mid_block or self.unet.down_blocks[-1].resnets[-1]
        handle = lowest.register_forward_hook(lambda module, given, out: seen.append(out))
        try:
            self.forward(h, level, label)
        finally:
            handle.remove()
        return seen[0].flatten(2).mean(dim=2)

    def _class(self, label: Tensor | None, h: Tensor) -> Tensor | None:
        """The row of the table of classes that each sample takes."""
        if self.classes is None:
            if label is not None:
                raise InputError("a label was given to a network without classes; leave it out")
            return None
        if label is None:
            label = h.new_full((len(h),), self.classes).long()
        if label.shape != (len(h),):
            raise ShapeError(f"label has shape {tuple(label.shape)}; give one class a sample: ({len(h)},)")
        if not self.needs_label:
            return label
        if checks.readable(label) and bool((label >= self.classes).any()):
            raise InputError(
                "this model was always told a class when it was trained, and knows no picture without one; give a "
                "label (--label NAME; in training, data.labels=true and data.forget=0)"
            )
        return label


class DiffusersConfig(Strict):
    """A network of `diffusers`, by its own settings, and those of the scheduler that it was trained with."""

    kind: Literal["diffusers"] = "diffusers"
    family: Literal["UNet2DModel"] = "UNet2DModel"
    settings: dict[str, Any]
    #: The scheduler, as its scheduler_config.json says: for the way back. Sampling does not look at it.
    scheduler: dict[str, Any]

    #: The recipe by which a model with this network is trained further, unless another is named.
    recipe: ClassVar[str] = "adopted"

    def build(self, head: Head, classes: int | None, told: int = 0) -> nn.Module:
        if told:
            raise InputError("the network 'diffusers' cannot be told how examples were changed; set data.augment=0")
        return DiffusersUNet(self.settings, classes)
