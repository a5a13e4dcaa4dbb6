"""What has to be known before training can begin: the recipe, the data, the design with the moments of the data."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from rich.console import Console

from noisekernel import models, recipes
from noisekernel.core.checks import pick_device
from noisekernel.core.errors import InputError
from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.opening import Data, name_of, open_source
from noisekernel.data.source import FarSource, Source, load
from noisekernel.files.digest import digest
from noisekernel.kinds.pictures.reading import Size
from noisekernel.models.model import Model
from noisekernel.recipes.schema import Recipe
from noisekernel.recipes.settings import changed, read
from noisekernel.training.cost import check_memory

#: How many examples the moments of the data are measured on.
MEASURED = 10_000


@dataclass(frozen=True)
class Prepared:
    """Data and design, ready to train."""

    examples: Examples
    design: recipes.Design
    size: Size
    count: int | None
    #: A hash of the pictures, or of their names where they are read as needed; a stream has none.
    digest: str | None


def chosen_recipe(
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    data: Data,
    device: str | None,
    start: Model | None = None,
) -> Recipe:
    """The recipe given, or the usual one; for a model to start from, one of its design."""
    if start is not None:
        return _further(start, recipe, settings)
    if isinstance(recipe, Recipe):
        if settings:
            raise InputError("settings go with a recipe's name or file; a Recipe has its settings already")
        return recipe
    if recipe is None:
        usual = "small" if pick_device(device).type == "cpu" else "default"
        recipe = "digits" if name_of(data) == "digits" else usual
    return recipes.recipe(recipe, settings)


def _further(start: Model, recipe: str | Path | Recipe | None, settings: Sequence[str] | Mapping[str, Any]) -> Recipe:
    """A recipe for the further training of a model, by default its own: all but the design is open."""
    if recipe is None:
        # Names for the classes of its own data are not names for those of others.
        recipe = recipes.recorded(start.history.get("recipe") or {}, "the model to start from")
        recipe = recipe.model_copy(update={"data": recipe.data.model_copy(update={"class_names": None})})
    elif not isinstance(recipe, Recipe):
        recipe = recipes.recipe(recipe)
    of = start.design
    own = {name: getattr(of, name).model_dump() for name in ("kernel", "network", "head", "sampling")}
    treated = {**recipe.data.model_dump(), "size": of.shape, "codec": of.codec.model_dump()}
    chosen = recipes.recipe({**recipe.model_dump(), **own, "data": treated, "published": None}, settings)
    wanted = chosen.design(Size(*of.shape) if chosen.data.size is None else Size(*chosen.data.size), of.classes)
    given = {"shape": "data.size", "codec": "data.codec"}
    other = [given.get(key.split(".")[0], key) for key in changed(wanted, of, exclude={"sampling"})]
    if other:
        raise InputError(f"{', '.join(other)} cannot be set: a run that starts from a model has that of the model")
    return chosen


def opened(start: str | Path | Model | None) -> Model | None:
    """The model to start from, or where to find it."""
    return start if start is None or isinstance(start, Model) else models.load(start, "cpu")


def prepare(
    data: Data,
    recipe: Recipe,
    seed: int,
    console: Console,
    before: Mapping[str, Any] | None = None,
    start: Model | None = None,
) -> Prepared:
    """Read what has to be read before training can begin.

    `before` is what the checkpoint of a begun run says, `start` the model whose weights a new one begins with.
    """
    source, wanted = open_source(data), recipe.data
    natural = source.natural_size() if isinstance(source, Source) else None
    if before is not None:
        natural = Size(*before["design"]["shape"])
    size = wanted.size_for(natural).check()
    shape = " x ".join(map(str, size))
    if start is not None and natural != size:
        sentence = f"pictures are made into {shape}, the size of the model to start from"
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    elif wanted.size is None and natural is None:
        sentence = f"pictures are made into {shape}, the recipe's size; for another, --set 'data.size=[3,64,64]'"
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    classes = _classes(name_of(data), source, wanted, start)
    state = PartialState()
    check_memory(recipe, size, len(classes), state.device, state.num_processes)
    forget = wanted.forget if classes else 0.0
    treatment = Treatment(wanted.codec.build(), seed, wanted.flip, len(classes) or None, forget)
    examples: Examples
    count: int | None = None
    told: str | None = None
    if not isinstance(source, Source):
        examples = Streamed(source, size, treatment, wanted.bad, wanted.workers)
    elif len(source) * size.channels * size.height * size.width > wanted.memory * 1_000_000:
        examples, count = ReadAsNeeded(source, size, treatment, wanted.bad, wanted.workers), len(source)
        told = digest([source.name(i) for i in range(len(source))])
    else:
        with console.status("") as status:
            began = time.perf_counter()

            def progress(done: int) -> None:
                if done % 256 == 0 and time.perf_counter() - began > 0.5:
                    status.update(f"reading pictures: {done:,} of {len(source):,}")

            pictures = load(source, size, wanted.bad, progress)
        examples, count = InMemory(pictures, treatment), len(pictures)
        told = digest(pictures.pixels, [] if pictures.labels is None else pictures.labels)
    own = classes if start is None else start.classes
    if start is None and before is not None and before.get("start"):
        own = before["design"]["classes"]
    design = recipe.design(size, own)
    if isinstance(recipe.head, recipes.PreconditionedHeadConfig) and recipe.head.mean is None:
        head = _known_head(before) or _measured_head(recipe.head, examples, count, console)
        design = design.model_copy(update={"head": head})
    return Prepared(examples, design, size, count, told)


def _classes(name: str, source: Source | FarSource, wanted: recipes.DataConfig, start: Model | None) -> Sequence[str]:
    """The classes to learn: those of the data, if that is wanted; for a model that has its own, those."""
    if not wanted.labels:
        return ()
    known: Sequence[str] = tuple(source.classes)
    if not known:
        stray = getattr(source, "stray", None)
        reason = f": {stray} lies in none of the subfolders that name classes" if stray else ""
        raise InputError(f"data.labels is set, but {name} has no labels{reason}; --set data.labels=false does without")
    if wanted.class_names is not None:
        if len(wanted.class_names) != len(known):
            raise InputError(f"data.class_names has {len(wanted.class_names)} names for {len(known)} classes")
        known = wanted.class_names
    if start is not None and tuple(known) != tuple(start.classes):
        raise InputError(
            f"the model to start from has the classes {', '.join(start.classes) or '(none)'}, and {name} "
            f"{', '.join(known)}; train without labels (--set data.labels=false), or on data of its classes"
        )
    return tuple(known)


def _known_head(before: Mapping[str, Any] | None) -> recipes.PreconditionedHeadConfig | None:
    """The moments that a run was begun with: measured again they might differ in the last bit."""
    told = (before or {}).get("design", {}).get("head")
    return None if told is None else read(recipes.PreconditionedHeadConfig, told, "the checkpoint")


def _measured_head(
    head: recipes.PreconditionedHeadConfig, examples: Examples, count: int | None, console: Console
) -> recipes.PreconditionedHeadConfig:
    """The moments of the first examples, measured by the main process for all."""
    known = MEASURED if count is None else min(MEASURED, count)
    told: list[Any] = [None]
    if PartialState().is_main_process:
        with console.status("measuring the data's mean and variance"):
            parts = [range(first, min(first + 100, known)) for first in range(0, known, 100)]
            told = [head.measured(z for z, _ in examples.stream(parts, torch.device("cpu")))]
        if not isinstance(examples, InMemory):
            examples.summary.read = 0
    return broadcast_object_list(told)[0]
