"""How a run begins, or goes on: its folder, its recipe, its seed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from noisekernel.core.checks import pick_device
from noisekernel.core.errors import InputError, StorageError
from noisekernel.core.settings import changed
from noisekernel.data.opening import Data, name_of
from noisekernel.files.atomic import is_unfinished, remove_unfinished
from noisekernel.files.formats import read_json
from noisekernel.files.locks import lock
from noisekernel.models.model import Model
from noisekernel.models.saving import digest_of_weights, weights_of
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.reading import recorded
from noisekernel.recipes.schema import Recipe
from noisekernel.recipes.training import TrainingSettings
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.preparation import Prepared, chosen_recipe
from noisekernel.training.taking_over import TakenOver, take_over
from noisekernel.training.trainer import Trainer

#: Settings that may differ when a run is resumed: they change how it is done, not what comes out.
FREE = {"save_every", "save_minutes", "keep", "log_every", "draw_every", "accumulate", "compile"}


#: Settings that a run by the clock decides and corrects.
BY_CLOCK = {"images", "minutes", "pace", "warmup", "average", "held_out"}


#: Held by the process that trains in a folder.
LOCK = ".lock"


CHECKPOINTS, SAMPLES = "checkpoints", "samples"


#: The model of an early moment, in the folder of a run.
EARLY = "early.safetensors"


def trainer_for(
    ready: Prepared,
    recipe: Recipe,
    seed: int,
    start: Model | None = None,
    say: Callable[[TakenOver], None] = lambda taken: None,
    **rest: Any,
) -> Trainer:
    """A trainer that begins at the weights of this seed, or at those of a model as far as they fit.

    `say` is told what was taken over from the model; `rest` is as for `Trainer`.
    """
    torch.manual_seed(seed)
    kernel, denoiser = ready.design.kernel.build(), ready.design.denoiser()
    if ready.moments:
        denoiser.head.load_state_dict(ready.moments)  # type: ignore[attr-defined]
    if denoiser.correction is not None:
        _only_correct(denoiser, start)
    elif start is not None:
        say(take_over(denoiser, ready.design, start))
    objective, told = recipe.objective.build().hiding_by(ready.kind.hiding), ready.examples.treatment.told
    return Trainer(kernel, denoiser, objective, ready.examples, recipe.training, seed, told=told, **rest)


def _only_correct(denoiser: Denoiser, start: Model | None) -> None:
    """All weights are those of the model to start from, and none but the correction's learn."""
    if start is not None:
        own = denoiser.state_dict()
        given = {name: value for name, value in weights_of(start).items() if not name.startswith("correction.")}
        denoiser.load_state_dict({**own, **given})
    denoiser.requires_grad_(False)
    assert denoiser.correction is not None
    denoiser.correction.requires_grad_(True)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Refuse to train in a folder in which another process trains. The system forgets the lock of a killed one."""
    held = lock(folder / LOCK)
    if held is None:
        raise InputError(f"another process is training in {folder}; wait for its end, or choose another")
    with held:
        for inner in (folder, folder / CHECKPOINTS, folder / SAMPLES):
            remove_unfinished(inner)
        yield


def on_cpu(device: str | None) -> bool:
    """Whether to train on the CPU. Which of several accelerators is the launcher's to say, not ours."""
    chosen = pick_device(device)
    if chosen.index is not None and device is not None:
        raise InputError(
            f"device is {device!r}; training takes a kind of device, such as {chosen.type!r}. Which ones of that kind "
            "is said by the launcher, or by CUDA_VISIBLE_DEVICES"
        )
    return chosen.type == "cpu"


def begin(
    data: Data,
    folder: Path | None,
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    seed: int | None,
    resume: bool,
    device: str | None,
    start: Model | None,
    kind: str | None = None,
    minutes: float | None = None,
) -> tuple[Recipe, int, bool]:
    """The recipe and seed of the run, and whether it was begun before."""
    before = folder is not None and (folder / "recipe.json").exists()
    if before and not resume:
        raise InputError(f"{folder} holds a run already; go on with it (--resume), or choose another folder (--out)")
    if resume and folder is None:
        raise InputError("there is nothing to resume without a folder; say which (out)")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give the name of a folder")
    # A run that was killed while it wrote its first files is not begun yet, and can be.
    there = list(folder.iterdir()) if not before and folder is not None and folder.is_dir() else []
    if any(path.name not in ("run.json", LOCK) and not is_unfinished(path) for path in there):
        raise InputError(f"{folder} exists and is not empty; choose another folder")
    if folder is None or not before:
        return chosen_recipe(recipe, settings, data, device, start, kind), seed or 0, False
    begun = recorded(read_json(folder / "recipe.json"), str(folder / "recipe.json"))
    told = read_json(folder / "run.json")
    if not isinstance(told, dict) or not {"data", "seed", "skipped", "notes"} <= told.keys():
        raise StorageError(f"{folder / 'run.json'} does not say the data and the seed of the run; it is damaged")
    base = recipe if recipe is not None else folder / "recipe.json"
    began = Checkpoints(folder / CHECKPOINTS, 1)
    if began.newest is None:
        # There is nothing yet that other settings would spoil.
        if told.get("start") is not None and start is None:
            raise InputError(f"{folder} has no checkpoint yet and was to start from {told['start']}: add --from")
        # Its own recipe says all that a model to start from said.
        wanted = chosen_recipe(base, settings, data, device, None if recipe is None else start, kind)
        return wanted, int(told["seed"]) if seed is None else seed, True
    if not same_place(name_of(data), told["data"]):
        raise InputError(f"{folder} was begun with data {told['data']!r}, not {name_of(data)!r}")
    if start is not None and began.about(began.newest).get("start") != digest_of_weights(start):
        raise InputError(f"{folder} did not begin with the weights of this model (--from); resume without it")
    if seed is not None and seed != told["seed"]:
        raise InputError(f"{folder} was begun with seed {told['seed']}, not {seed}")
    if minutes is not None and minutes != begun.training.minutes:
        had = "no time budget" if begun.training.minutes is None else f"{begun.training.minutes:g} minutes"
        raise InputError(f"{folder} was begun with {had}, not with {minutes:g} minutes; resume without --minutes")
    if recipe is not None or settings:
        wanted = chosen_recipe(base, settings, data, device, None if recipe is None else start, kind)
        if begun.training.minutes is not None:
            kept = {name: getattr(begun.training, name) for name in BY_CLOCK}
            wanted = wanted.model_copy(update={"training": wanted.training.model_copy(update=kept)})
        may = free_settings(begun.training)
        free = {"training": dict.fromkeys(may, True), "name": True, "about": True}
        other = changed(wanted, begun, exclude=free)
        if other:
            raise InputError(
                f"{folder} was begun with another {', '.join(other)}; resume without --recipe and --set (only "
                f"{', '.join(sorted(f'training.{name}' for name in may))} may change), or choose another folder"
            )
        begun = wanted
    return begun, int(told["seed"]), True


def free_settings(training: TrainingSettings) -> set[str]:
    """The settings that may differ. A run that stops by itself stops at a look, so it keeps to when it looks."""
    return FREE if training.stop is None else FREE - {"draw_every"}


def identity(training: TrainingSettings) -> dict[str, Any]:
    """The settings that a checkpoint must agree on to be resumed from. The plan of a run by the clock is in it."""
    free = free_settings(training) | ({"images", "pace"} if training.minutes is not None else set())
    # What is held out is told by the number of examples, not by the setting.
    told = training.model_dump(mode="json", exclude=free | {"held_out"})
    return {name: value for name, value in told.items() if name not in ("minutes", "pace", "stop", "early") or value}


def same_place(data: str, before: str) -> bool:
    """Whether two names are of one place, however it is spelt."""
    return data == before or (Path(data).exists() and Path(data).resolve() == Path(before).resolve())


def begun_from(start: str | Path | Model | None, folder: Path | None) -> str | None:
    """The name of the model that a run began with, if it did: as is said now, or was when it was begun."""
    if start is None:
        told = read_json(folder / "run.json") if folder is not None and (folder / "run.json").exists() else {}
        return told.get("start")
    return "a model" if isinstance(start, Model) else Path(start).resolve().name
