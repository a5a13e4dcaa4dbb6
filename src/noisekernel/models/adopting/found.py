"""A network of `diffusers` with the scheduler that it was trained with, as found in a folder or a pipeline.

A folder is one of

    model_index.json  unet/  scheduler/      what `DiffusionPipeline.save_pretrained` writes
    config.json  scheduler_config.json       a network alone, with its scheduler beside it (or in scheduler/)

Only JSON and safetensors files are read, so that nothing in them can execute.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from noisekernel.core.errors import InputError, StorageError
from noisekernel.files.atomic import reason_of
from noisekernel.files.formats import read_json
from noisekernel.recipes.adopted_network import check_settings, diffusers

#: What the weights of a network are called, without their ending.
WEIGHTS = "diffusion_pytorch_model"
#: How files end that may hold pickles.
PICKLED = (".bin", ".ckpt", ".pt", ".pth", ".pkl")
#: Parts of a pipeline by which it works in a space of its own, or is told more than a class.
CODES = ("vae", "vqvae", "movq", "vqgan")
TOLD = ("text_encoder", "image_encoder", "transformer", "prior", "tokenizer", "conditioning")


@dataclass(frozen=True)
class Found:
    """A network and its scheduler, both by their settings, and its weights once they are asked for."""

    name: str
    #: What it is, for the model's history: the class of its pipeline, or of its network.
    called: str
    settings: Mapping[str, Any]
    scheduler: Mapping[str, Any]
    weights: Callable[[], Mapping[str, Tensor]]


def in_pipeline(pipeline: Any) -> Found:
    """A network and its scheduler in a pipeline of `diffusers`, or any object with these two."""
    parts = {name: type(part).__name__ for name, part in getattr(pipeline, "components", {}).items()}
    network, scheduler = getattr(pipeline, "unet", None), getattr(pipeline, "scheduler", None)
    if network is None or scheduler is None:
        if parts:
            _check_parts(type(pipeline).__name__, parts)
        raise InputError(
            f"{type(pipeline).__name__} cannot be adopted; give a folder of diffusers, or a pipeline with a unet and a "
            "scheduler"
        )
    _check_parts(type(pipeline).__name__, parts or {"unet": type(network).__name__, "scheduler": ""})
    told = {**dict(scheduler.config), "_class_name": type(scheduler).__name__}
    return Found(
        name=f"a {type(pipeline).__name__}",
        called=type(pipeline).__name__,
        settings=_settings(dict(network.config), "the network"),
        scheduler=json.loads(json.dumps(told, default=list)),
        weights=network.state_dict,
    )


def in_folder(folder: Path) -> Found:
    """A network and its scheduler in a folder."""
    if folder.is_file():
        raise InputError(_of_file(folder))
    index, parts = folder / "model_index.json", ("unet", "scheduler")
    if index.is_file():
        told = _table(index)
        called = str(told.get("_class_name", "pipeline"))
        _check_parts(called, {name: _class_in(part) for name, part in told.items() if not name.startswith("_")})
        # Early folders have all in one.
        network, scheduler = (folder / part if (folder / part).is_dir() else folder for part in parts)
    elif (folder / "config.json").is_file():
        network = folder
        scheduler = folder if (folder / "scheduler_config.json").is_file() else folder / "scheduler"
        called = str(_table(folder / "config.json").get("_class_name", "network"))
        _check_parts(called, {"unet": called})
    else:
        held = next((path for path in sorted(folder.iterdir()) if path.suffix in PICKLED), None)
        raise InputError(
            f"{folder} is no folder of diffusers: it has neither model_index.json nor config.json"
            + ("" if held is None else f". {_of_file(held)}")
        )
    for path in (network / "config.json", scheduler / "scheduler_config.json"):
        if not path.is_file():
            raise InputError(
                f"{folder} is not whole: {path.relative_to(folder)} is missing; the settings of the network and those "
                "of the scheduler that it was trained with are both needed"
            )
    return Found(
        name=folder.resolve().name,
        called=called,
        settings=_settings(_table(network / "config.json"), str(network / "config.json")),
        scheduler=_table(scheduler / "scheduler_config.json"),
        weights=lambda: _weights(network),
    )


def _check_parts(called: str, parts: Mapping[str, str]) -> None:
    """Refuse a pipeline with parts that ours has no use for."""
    if code := next((name for name in CODES if name in parts), None):
        raise InputError(
            f"{called} draws in the space of a code ({code}); latent pipelines are not adopted yet, pixel models are: "
            "a UNet2DModel with its scheduler"
        )
    if told := next((name for name in TOLD if any(part.startswith(name) for part in parts)), None):
        raise InputError(
            f"{called} is told more than a class ({told}); such pipelines are not adopted yet, models without labels "
            "or with a table of classes are: a UNet2DModel with its scheduler"
        )
    network = parts.get("unet")
    if network != "UNet2DModel":
        raise InputError(
            f"{called} has {'no unet' if network is None else f'a {network}'}; networks of the class UNet2DModel are "
            "adopted"
        )
    if odd := sorted(parts.keys() - {"unet", "scheduler"}):
        raise InputError(f"{called} has parts that are not known here: {', '.join(odd)}; only unet and scheduler are")


def _class_in(part: Any) -> str:
    """The class that an entry of model_index.json names: [library, class]; classes of a user's own are not run."""
    return part[1] if isinstance(part, list) and len(part) == 2 and part[0] == "diffusers" else str(part)


def _table(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise StorageError(f"{path} holds no table of settings")
    return content


def _settings(told: Mapping[str, Any], origin: str) -> dict[str, Any]:
    """What a network is built with, as plain data."""
    named = told.get("_class_name", "UNet2DModel")
    if named != "UNet2DModel":
        raise InputError(f"{origin} is of a {named}; networks of the class UNet2DModel are adopted")
    settings = json.loads(json.dumps({name: value for name, value in told.items() if not name.startswith("_")}))
    check_settings(settings)
    return settings


def _weights(folder: Path) -> dict[str, Tensor]:
    """The weights of a network, all of them, in single precision."""
    files, variant = _files(folder)
    for path in files:
        _check_whole(path)
    try:
        network, told = diffusers().UNet2DModel.from_pretrained(
            folder, use_safetensors=True, local_files_only=True, output_loading_info=True, variant=variant
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise StorageError(f"{folder}: the weights do not fit the network: {str(error).splitlines()[0]}") from None
    if odd := sorted(
        {str(name) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") for name in told[kind]}
    ):
        raise StorageError(
            f"{folder}: the weights do not fit the network that config.json describes, in {', '.join(odd[:3])}"
        )
    found: dict[str, Tensor] = network.float().state_dict()
    return found


def _files(folder: Path) -> tuple[list[Path], str | None]:
    """The files that hold the weights, and what they are called beside the usual; a sentence where there are none."""
    index = folder / f"{WEIGHTS}.safetensors.index.json"
    if index.is_file():
        shards = _table(index).get("weight_map")
        if not isinstance(shards, dict) or not all(isinstance(name, str) for name in shards.values()):
            raise StorageError(f"{index} does not say in which files the weights are")
        paths = [folder / name for name in sorted(set(shards.values()))]
        missing = [path.name for path in paths if not path.is_file()]
        if missing or not paths:
            raise InputError(f"{folder} is not whole: {', '.join(missing) or 'all weights'} missing; download it again")
        return paths, None
    if (plain := folder / f"{WEIGHTS}.safetensors").is_file():
        return [plain], None
    variants = sorted(folder.glob(f"{WEIGHTS}.*.safetensors"))
    if len(variants) == 1:
        return variants, variants[0].name.removeprefix(f"{WEIGHTS}.").removesuffix(".safetensors")
    pickled = next((path for path in sorted(folder.iterdir()) if path.suffix in PICKLED), None)
    if pickled is not None:
        raise InputError(_of_file(pickled))
    several = f"; of {', '.join(path.name for path in variants)} leave one" if variants else ""
    raise InputError(f"{folder} is not whole: {WEIGHTS}.safetensors is missing; download it again{several}")


def _check_whole(path: Path) -> None:
    with path.open("rb") as file:
        beginning = file.read(20)
    if beginning.startswith(b"version https://git"):
        raise InputError(f"{path} stands for a file that was not downloaded; fetch it: git lfs pull")
    try:
        with safe_open(path, framework="pt") as file:
            file.keys()
    except SafetensorError as error:
        raise StorageError(f"{path} is damaged or cut short ({error}); download it again") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {reason_of(error)}") from None


def _of_file(path: Path) -> str:
    """Why a file alone is not adopted."""
    if path.suffix in PICKLED:
        return (
            f"{path} may be a pickle, which could run any code when opened, so it was not opened. Where you trust it, "
            f"convert it: diffusers.UNet2DModel.from_pretrained(FOLDER, use_safetensors=False).save_pretrained(FOLDER) "
            f"writes {WEIGHTS}.safetensors"
        )
    return f"{path} is a file, which says nothing of its network and its noise levels; give a folder of diffusers"
