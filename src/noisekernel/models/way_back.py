"""The way back: an adopted model as a folder that `diffusers` loads, with the weights it has now.

The folder is that of a `DDPMPipeline`: the network, and the scheduler that it came with. What was measured when it was
adopted has no place there.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import torch

from noisekernel.core.errors import InputError, NoiseKernelError, StorageError
from noisekernel.core.randomness import Streams, normal
from noisekernel.files.atomic import TEMPORARY, reason_of
from noisekernel.models.adopting.schedule import scheduler_of
from noisekernel.models.model import Model
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.adopted_network import DiffusersConfig, DiffusersUNet, diffusers

#: What makes a folder one of a pipeline.
INDEX = "model_index.json"
#: The largest difference between the network that is loaded and the original, relative to its largest output.
TOLERANCE = 1e-6


def write_folder(model: Model, out: Path) -> dict[str, Any]:
    """Write the folder; returns what the network takes and gives, and the largest difference.

    Args:
        model: A model with a network of `diffusers`.
        out: The folder, which is made, or written into.
    """
    config = model.design.network
    if not isinstance(config, DiffusersConfig) or not isinstance(model.denoiser, Denoiser):
        raise InputError(
            f"a folder is how a model with a network of diffusers is written, and this one is a {config.kind}; give a "
            "file, .pt2 or .onnx"
        )
    network, library = model.denoiser.backbone, diffusers()
    assert isinstance(network, DiffusersUNet)
    pipeline = library.DDPMPipeline(network.unet, scheduler_of(config.scheduler))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.", suffix=TEMPORARY) as name:
            pipeline.save_pretrained(name, safe_serialization=True)
            difference = _difference(network, library.UNet2DModel.from_pretrained(Path(name) / "unet"))
            if not difference <= TOLERANCE:  # NaN is not
                raise NoiseKernelError(f"the network in the folder differs from the original by {difference:.3g}")
            out.mkdir(exist_ok=True)
            for part in ("unet", "scheduler"):
                shutil.copytree(Path(name) / part, out / part, dirs_exist_ok=True)
            # Last, so that a folder that was begun and not finished is none.
            shutil.copyfile(Path(name) / INDEX, out / INDEX)
    except OSError as error:
        raise StorageError(f"{out} cannot be written: {reason_of(error)}") from None
    return {
        "file": str(out),
        "inputs": "sample, timestep" + (", class_labels" if model.classes else ""),
        "outputs": str(model.design.head.model_dump()["prediction"]),
        "largest_difference": difference,
    }


@torch.no_grad()
def _difference(network: DiffusersUNet, again: Any) -> float:
    """The largest difference of two networks on noise, relative to the largest output."""
    unet = network.unet
    side, classes = unet.config.sample_size, unet.config.num_class_embeds
    height, width = (side, side) if isinstance(side, int) else side
    x = normal((3, unet.config.in_channels, height, width), Streams.of(0, range(3)))
    told = {"class_labels": torch.arange(3) % classes if classes else None, "return_dict": False}
    one, other = (each.eval()(x, torch.tensor([0.0, 250.5, 999.0]), **told)[0] for each in (unet, again))
    return float((one - other).abs().max() / one.abs().max().clamp(min=1e-12))
