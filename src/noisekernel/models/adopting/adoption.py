"""Adopting a model: from what `diffusers` wrote to a model of ours.

What its files do not say is measured, on pictures like those that it learned from or on its own samples: the mean of
each element, the variance, and the error of the network by noise level, which is the variance of r.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from noisekernel.core import checks
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.core.settings import read
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.data.opening import Data, name_of
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.models.adopting.found import Found, in_folder, in_pipeline
from noisekernel.models.adopting.measured import AT_ONCE, STEPS, drawn, errors, given
from noisekernel.models.adopting.schedule import Levels, levels_of
from noisekernel.models.model import Model, build
from noisekernel.networks.adopted_head import KNOTS, AdoptedGaussian
from noisekernel.networks.denoiser import Denoiser
from noisekernel.networks.guided import needs_label
from noisekernel.recipes.adopted_network import diffusers
from noisekernel.recipes.schema import Design

#: How many pictures the error is measured on.
EXAMPLES = 64
#: What is fetched from the Hub, nothing of which could execute: first what says whether it can be adopted.
SETTINGS, WEIGHTS = ["*.json"], ["unet/*.safetensors", "diffusion_pytorch_model*.safetensors"]


def adopt(
    what: str | Path | Any,
    *,
    pictures: Data | None = None,
    classes: Sequence[str] | None = None,
    examples: int = EXAMPLES,
    seed: int = 0,
    device: str | torch.device | None = None,
    advance: Advance = nothing,
) -> Model:
    """A model that was trained as a diffusion or flow model by `diffusers`, as a model of ours.

    All that one does with a model can be done with it. Its weights stay as they are. Models of pixels are adopted: a
    UNet2DModel, with or without classes, and any scheduler whose noise levels are known.

    Args:
        what: A folder of `diffusers`, OWNER/NAME on the Hugging Face Hub, or a pipeline with a unet and a scheduler.
        pictures: Pictures like those that it learned from, to measure its error on; else its own samples.
        classes: The names of its classes, in their order ("0", "1", …). Where the network has one class more, the last
            one stands for no label.
        examples: How many pictures its error is measured on, at most.
        seed: Names the noise that is drawn for that.
        device: Where its weights go, such as "cpu" or "cuda:1"; None for the best device there is.
        advance: Called after every network call: `models.adopting.work(examples, pictures is None)` times.

    Returns:
        The model, to use and to save.

    >>> from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel
    >>> blocks = {"down_block_types": ["DownBlock2D"], "up_block_types": ["UpBlock2D"], "block_out_channels": [8]}
    >>> unet = UNet2DModel(sample_size=8, norm_num_groups=4, layers_per_block=1, **blocks)
    >>> pipeline = DDPMPipeline(unet, DDPMScheduler())
    >>> adopt(pipeline, pictures=torch.randint(256, (4, 8, 8, 3), dtype=torch.uint8).numpy(), device="cpu").shape
    (3, 8, 8)
    """
    examples = checks.count("examples", examples, 2)
    found = _found(what)
    levels = levels_of(found.scheduler)
    design = _design(found, levels, classes)
    with torch.random.fork_rng(devices=[]):  # the weights that it begins with are replaced
        model = build(design).to(checks.pick_device(device))
    denoiser, head = model.denoiser, getattr(model.denoiser, "head", None)
    assert isinstance(denoiser, Denoiser) and isinstance(head, AdoptedGaussian)  # noqa: PT018
    _take(denoiser, found)
    if levels.log_sigmas is not None:
        head.follow(levels.log_sigmas)
    if pictures is None:
        z, labels = drawn(model, head, examples, seed, advance)
    else:
        z, labels = given(model, pictures, examples)
    head.fit(z)
    head.calibrate(errors(model, head, z, labels, seed, advance))
    history = {
        "adopted": {
            "name": found.name,
            "from": found.called,
            "diffusers": diffusers().__version__,
            "measured": "its own samples" if pictures is None else _called(pictures),
            "examples": len(z),
            "seed": seed,
            "notes": [*_notes(model, head), *levels.notes],
        }
    }
    return replace(model, history=history)


def work(examples: int = EXAMPLES, own: bool = True) -> int:
    """How many network calls adopting takes, each for a batch, on so many pictures.

    Args:
        examples: How many pictures its error is measured on.
        own: Whether these are drawn by the model.
    """
    batches = math.ceil(examples / AT_ONCE)
    return KNOTS * batches + (STEPS * batches if own else 0)


def _found(what: str | Path | Any) -> Found:
    if not isinstance(what, str | Path):
        return in_pipeline(what)
    path = Path(what).expanduser()
    if path.exists():
        return in_folder(path)
    if isinstance(what, Path) or what.startswith((".", "/", "~")) or what.count("/") != 1 or not all(what.split("/")):
        raise InputError(f"there is no folder {str(what)!r}; give a folder of diffusers, or OWNER/NAME on the Hub")
    from huggingface_hub import snapshot_download

    try:
        found = in_folder(Path(snapshot_download(what, allow_patterns=SETTINGS)))
        snapshot_download(what, allow_patterns=WEIGHTS)
        return replace(found, name=what)
    except NoiseKernelError:
        raise
    except Exception as error:  # whatever the network and the Hub come up with
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise NoiseKernelError(
            f"{what} is no folder here, and cannot be fetched from the Hub: {first}. Where it was downloaded, give its "
            "folder"
        ) from None


def _design(found: Found, levels: Levels, classes: Sequence[str] | None) -> Design:
    """The design that the settings of a network and its scheduler come to."""
    settings = found.settings
    side, channels = settings.get("sample_size"), settings.get("in_channels", 3)
    outputs = settings.get("out_channels", 3)
    if settings.get("center_input_sample"):
        raise InputError(
            "the network takes data from 0 to 1 (center_input_sample); those of data from -1 to 1 are adopted"
        )
    if side is None:
        raise InputError("config.json does not say the size of the pictures; set sample_size there, such as 32")
    if outputs not in (channels, 2 * channels):
        raise InputError(
            f"the network has {outputs} outputs for {channels} channels; as many are adopted, or twice as many (the "
            "second half is a variance)"
        )
    rows = settings.get("num_class_embeds") or 0
    if classes is None:
        classes = [str(number) for number in range(rows)]
    elif isinstance(classes, str) or len(set(classes)) != len(classes):
        raise InputError("classes is a list of names, no two of them the same")
    shape = (channels, *(side if isinstance(side, list | tuple) else (side, side)))
    content = {
        "data": _kind(shape).bare.model_dump(),
        "kernel": {"kind": "gaussian"},
        "head": {
            "kind": "adopted",
            "prediction": levels.prediction,
            "timesteps": levels.timesteps,
            "clip": levels.clip,
            "from_noise": levels.from_noise,
            "ignored": outputs - channels,
        },
        "network": {"kind": "diffusers", "settings": dict(settings), "scheduler": dict(found.scheduler)},
        "classes": tuple(classes),
    }
    return read(Design, content, found.name)


def _kind(shape: tuple[int, ...]) -> Kind:
    kind = next(filter(None, (each.of_signals(shape) for each in kinds().values())), None)
    if kind is None:
        raise InputError(f"the network is for data of the shape {shape}, and no kind of data here has such")
    return kind


def _take(denoiser: Denoiser, found: Found) -> None:
    """Give the network its weights."""
    given = {f"unet.{name}": value.detach().float().cpu() for name, value in found.weights().items()}
    if not all(bool(torch.isfinite(value).all()) for value in given.values()):
        raise InputError(f"{found.name} has weights that are no numbers; it is of no use")
    denoiser.backbone.load_state_dict(given)
    denoiser.requires_grad_(False).eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def _notes(model: Model, head: AdoptedGaussian) -> list[str]:
    """What people should know of a network."""
    notes = []
    if head.ignored:
        notes.append(
            "the variance that it learned is of its own sampler's steps, and is not used; that of r is measured"
        )
    if needs_label(model.denoiser):
        notes.append("it was always told a class, so it takes a label for all it does (--label)")
    return notes


def _called(pictures: Data) -> str:
    return Path(pictures).name if isinstance(pictures, str | Path) else name_of(pictures)
