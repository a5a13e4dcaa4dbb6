"""What has to be known before training can begin: the recipe, the data, the design with the moments of the data."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from rich.console import Console
from torch import Tensor

from noisekernel import models, recipes
from noisekernel.core.checks import pick_device
from noisekernel.core.errors import InputError
from noisekernel.core.settings import changed, read
from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.held_out import HeldOut, hold_out
from noisekernel.data.mixed import check_one_kind
from noisekernel.data.opening import Data, kind_for, name_of, open_source
from noisekernel.data.source import FarSource, Source, Summary, load
from noisekernel.files.digest import digest
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.models.model import Model
from noisekernel.recipes.schema import Recipe
from noisekernel.training.cost import check_memory
from noisekernel.training.held_out import MOST, how_many

#: The moments of the data are measured on so many examples at most, with so many elements in all.
MEASURED, MEASURED_ELEMENTS = 10_000, 64_000_000


@dataclass(frozen=True)
class Prepared:
    """Data and design, ready to train."""

    examples: Examples
    design: recipes.Design
    #: What the data are, with all settings.
    kind: Kind
    count: int | None
    #: A hash of the examples, or of their names where they are read as needed; a stream has none.
    digest: str | None
    #: The moments of the data that are kept with the weights of the head; none where a checkpoint has them.
    moments: Mapping[str, Tensor] = field(default_factory=dict)
    #: What is held out of the data; None for nothing.
    held_out: HeldOut | None = None


def chosen_recipe(
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    data: Data,
    device: str | None,
    start: Model | None = None,
    kind: str | None = None,
) -> Recipe:
    """The recipe given, or the usual one for the kind of data; for a model to start from, one of its design.

    `kind` is the kind of data by name; by default it is the recipe's, or else found out from the data.
    """
    if start is not None:
        return _further(start, recipe, settings)
    if isinstance(recipe, Recipe):
        if settings:
            raise InputError("settings go with a recipe's name or file; a Recipe has its settings already")
        return recipe
    table: str | Path | Mapping[str, Any]
    if recipe is not None:
        table = recipe
    elif name_of(data) == "digits":
        table = "digits"
    else:
        source = open_source(data)
        found = kind_for(source, kind, name_of(data))
        table = found.recipe(source if isinstance(source, Source) else None, pick_device(device).type == "cpu")
    chosen = recipes.recipe(table, settings)
    if kind is not None and chosen.data.kind != kind:
        raise InputError(f"recipe {chosen.name} is for {chosen.data.kind}, not for {kind}; choose another recipe")
    return chosen


def _further(start: Model, recipe: str | Path | Recipe | None, settings: Sequence[str] | Mapping[str, Any]) -> Recipe:
    """A recipe for the further training of a model, by default its own: all but the design is open."""
    if recipe is None:
        # Names for the classes of its own data are not names for those of others.
        recipe = recipes.recorded(start.history.get("recipe") or {}, "the model to start from")
        # Nor is the number of examples that a run by the clock held out of its own data one for others.
        auto = {} if recipe.training.minutes is None else {"held_out": "auto"}
        treated = {"data": recipe.data.model_copy(update={"class_names": None})}
        recipe = recipe.model_copy(update={**treated, "training": recipe.training.model_copy(update=auto)})
    elif not isinstance(recipe, Recipe):
        recipe = recipes.recipe(recipe)
    of = start.design
    if recipe.data.kind != of.data.kind:
        raise InputError(f"the recipe is for {recipe.data.many}, and the model to start from for {of.data.many}")
    own = {name: getattr(of, name).model_dump() for name in ("kernel", "network", "head", "sampling")}
    treated = {**recipe.data.model_dump(), **of.data.model_dump(include=set(of.data.fixed))}
    chosen = recipes.recipe({**recipe.model_dump(), **own, "data": treated, "published": None}, settings)
    other = changed(chosen.design(chosen.data, of.classes), of, exclude={"sampling"})
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
    """Read what has to be read before training can begin; `count` and `digest` are of what is trained on.

    `before` is what the checkpoint of a begun run says, `start` the model whose weights a new one begins with.
    """
    source, wanted = open_source(data), recipe.data
    items = source if isinstance(source, Source) else None
    check_one_kind(source, wanted.bad, name_of(data))
    _check_kind(wanted, items, name_of(data))
    if before is not None:
        known = {name: before["design"]["data"][name] for name in wanted.fixed}
        kind, sentence = read(type(wanted), {**wanted.model_dump(), **known}, "the checkpoint"), None
    else:
        kind, sentence = wanted.fitted(items)
    if start is not None:
        own_kind, _ = wanted.model_validate({**wanted.model_dump(), **_unfixed(wanted)}).fitted(items)
        if own_kind.shape != kind.shape:
            sentence = f"{kind.many} are made into {' x '.join(map(str, kind.shape))}, as of the model to start from"
    if sentence is not None:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    classes = _classes(name_of(data), source, wanted, start)
    state = PartialState()
    check_memory(recipe, kind, len(classes), state.device, state.num_processes)
    forget = wanted.forget if classes else 0.0
    treatment = Treatment(kind, seed, len(classes) or None, forget)
    withheld, reason = how_many(recipe, kind, None if items is None else len(items), before)
    part = hold_out(items, kind, withheld, min(withheld, MOST)) if withheld and items is not None else None
    if reason is not None:
        console.print(reason, highlight=False, markup=False, soft_wrap=True)
    if part is not None:
        source = part.rest
    examples: Examples
    count: int | None = None
    told: str | None = None
    if not isinstance(source, Source):
        examples = Streamed(source, treatment, wanted.bad, wanted.workers, Summary(kind.one, kind.many))
    elif len(source) * kind.bytes_stored > wanted.memory * 1_000_000:
        summary = Summary(kind.one, kind.many)
        examples, count = ReadAsNeeded(source, treatment, wanted.bad, wanted.workers, summary), len(source)
        told = digest([source.name(i) for i in range(len(source))])
    else:
        with console.status("") as status:
            began = time.perf_counter()

            def progress(done: int) -> None:
                if done % 256 == 0 and time.perf_counter() - began > 0.5:
                    status.update(f"reading {kind.many}: {done:,} of {len(source):,}")

            loaded = load(source, kind, wanted.bad, progress)
        examples, count = InMemory(loaded, treatment), len(loaded)
        told = digest(loaded.values, [] if loaded.labels is None else loaded.labels)
    own = classes if start is None else start.classes
    if start is None and before is not None and before.get("start"):
        own = before["design"]["classes"]
    design = recipe.design(kind, own)
    moments: Mapping[str, Tensor] = {}
    if isinstance(recipe.head, recipes.PreconditionedHeadConfig) and recipe.head.mean is None:
        head = _known_head(before)
        if head is None:
            measured = _measured_head(recipe.head, examples, count, kind, console)
            head, moments = measured.head, measured.tensors
            if measured.note is not None:
                console.print(measured.note, highlight=False, markup=False, soft_wrap=True)
        design = design.model_copy(update={"head": head})
    return Prepared(examples, design, kind, count, told, moments, part)


def _unfixed(kind: Kind) -> dict[str, Any]:
    """The settings that a model is made for, as they are before the data have said anything."""
    return {name: type(kind).model_fields[name].default for name in kind.fixed}


def _check_kind(kind: Kind, items: Source | None, origin: str) -> None:
    """Refuse data that are plainly of another kind than the recipe is for."""
    if items is None or kind.recognises(items):
        return
    others = [name for name, other in kinds().items() if other.recognises(items)]
    if others:
        raise InputError(
            f"{origin} holds {' or '.join(others)}, and this recipe is for {kind.kind}; choose a recipe for them, or "
            "let the data choose one (without --recipe)"
        )


def _classes(name: str, source: Source | FarSource, wanted: Kind, start: Model | None) -> Sequence[str]:
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
    if before is None:
        return None
    head = read(recipes.Design, before["design"], "the checkpoint").head
    assert isinstance(head, recipes.PreconditionedHeadConfig)
    return head


def _measured_head(
    head: recipes.PreconditionedHeadConfig, examples: Examples, count: int | None, kind: Kind, console: Console
) -> recipes.Measured:
    """The moments of the first examples, measured by the main process for all."""
    most = min(MEASURED, max(1, MEASURED_ELEMENTS // math.prod(kind.shape)))
    known = most if count is None else min(most, count)
    told: list[Any] = [None]
    if PartialState().is_main_process:
        with console.status("measuring the moments of the data"):
            parts = [range(first, min(first + 100, known)) for first in range(0, known, 100)]
            batches = (z for z, _ in examples.stream(parts, torch.device("cpu")))
            told = [head.measured(batches, kind.channels)]
        if not isinstance(examples, InMemory):
            examples.summary.read = 0
    return broadcast_object_list(told)[0]
