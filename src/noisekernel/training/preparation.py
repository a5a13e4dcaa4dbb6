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
from noisekernel.core.settings import read
from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.held_out import HeldOut, hold_out
from noisekernel.data.mixed import check_one_kind
from noisekernel.data.opening import Data, kind_for, name_of, open_source
from noisekernel.data.source import FarSource, Source, Summary, load
from noisekernel.files.digest import digest
from noisekernel.kinds.base import Kind
from noisekernel.kinds.registry import kinds
from noisekernel.models.model import Model
from noisekernel.networks.adopted_head import AdoptedGaussian
from noisekernel.recipes.schema import Recipe
from noisekernel.training.cost import check_memory
from noisekernel.training.few import told_of_few
from noisekernel.training.further import further
from noisekernel.training.held_out import MOST, how_many

#: The moments of the data are measured on so many examples at most, with so many elements in all.
MEASURED, MEASURED_ELEMENTS = 10_000, 64_000_000


@dataclass(frozen=True)
class Prepared:
    """Data and design, ready to train."""

    examples: InMemory | ReadAsNeeded | Streamed
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
        return further(start, recipe, settings, data, kind)
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
        known = {name: value for name, value in before["design"]["data"].items() if name in wanted.fixed}
        kind, sentence = read(type(wanted), {**wanted.model_dump(), **known}, "the checkpoint"), None
    else:
        kind, sentence = wanted.fitted(items)
    if items is not None:
        source = items = kind.excerpts(items)
    if sentence is not None:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    classes = _classes(name_of(data), source, wanted)
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
    examples: InMemory | ReadAsNeeded | Streamed
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
        for line in told_of_few(loaded.values, kind) if before is None else ():
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        told = digest(loaded.values, [] if loaded.labels is None else loaded.labels)
    if recipe.objective.correction is not None:
        return Prepared(examples, _corrected(recipe, kind, before, start), kind, count, told, held_out=part)
    design = recipe.design(kind, classes if before is None else before["design"]["classes"])
    moments: Mapping[str, Tensor] = {}
    if isinstance(recipe.head, recipes.PreconditionedHeadConfig) and recipe.head.mean is None:
        head = _known_head(before)
        if head is None:
            # Of the examples as the network sees them, with the changes that it is told of: for those, too, what the
            # head knows is to be right on average.
            measured = _measured_head(recipe.head, examples, count, kind, console)
            head, moments = _as_in(start, measured.head), measured.tensors
            if measured.note is not None:
                console.print(measured.note, highlight=False, markup=False, soft_wrap=True)
        design = design.model_copy(update={"head": head})
    elif isinstance(recipe.head, recipes.AdoptedHeadConfig) and before is None:
        moments = _adopted(start, kind)
    return Prepared(examples, design, kind, count, told, moments, part)


def _corrected(recipe: Recipe, kind: Kind, before: Mapping[str, Any] | None, start: Model | None) -> recipes.Design:
    """The design of the model to start from, which stays as it is, with a correction."""
    if before is not None:
        return read(recipes.Design, before["design"], "the checkpoint")
    if start is None:
        raise InputError("objective.kind=persistent corrects a model that is trained already; say which: --from MODEL")
    if kind.shape != start.shape:
        raise InputError(f"the data are {kind.described()}, and the model is for {start.kind.described()}")
    assert recipe.objective.correction is not None
    correction = recipe.objective.correction.model_copy(update={"lag": recipe.kernel.lag})
    kernel = start.design.kernel.model_copy(update={"lag": recipe.kernel.lag})
    return start.design.model_copy(update={"correction": correction, "kernel": kernel})


def _adopted(start: Model | None, kind: Kind) -> Mapping[str, Tensor]:
    """What was measured when the model to start from was adopted: its schedule, its error, the moments of its data."""
    head = None if start is None else getattr(start.denoiser, "head", None)
    if start is None or not isinstance(head, AdoptedGaussian):
        raise InputError("head.kind=adopted goes on with a model that was adopted (nk adopt); say which: --from MODEL")
    if kind.shape != start.shape:
        raise InputError(
            f"the data are {kind.described()}, and the adopted model is for {start.kind.described()}; it goes on with "
            "such as it knows (data.size)"
        )
    return {name: value.to("cpu") for name, value in head.state_dict().items()}


def _check_kind(kind: Kind, items: Source | None, origin: str) -> None:
    """Refuse data that are plainly of another kind than the recipe is for."""
    if items is None or kind.takes(items):
        return
    others = [name for name, other in kinds().items() if other.recognises(items)]
    if others:
        raise InputError(
            f"{origin} holds {' or '.join(others)}, and this recipe is for {kind.kind}; choose a recipe for them, or "
            "let the data choose one (without --recipe)"
        )


def _classes(name: str, source: Source | FarSource, wanted: Kind) -> Sequence[str]:
    """The classes to learn: those of the data, if that is wanted."""
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
    return tuple(known)


def _known_head(before: Mapping[str, Any] | None) -> recipes.PreconditionedHeadConfig | None:
    """The moments that a run was begun with: measured again they might differ in the last bit."""
    if before is None:
        return None
    head = read(recipes.Design, before["design"], "the checkpoint").head
    assert isinstance(head, recipes.PreconditionedHeadConfig)
    return head


def _as_in(start: Model | None, head: recipes.PreconditionedHeadConfig) -> recipes.PreconditionedHeadConfig:
    """The moments of the model to start from, where those of the data differ by rounding alone: they are its data."""
    known = None if start is None else start.design.head
    if not isinstance(known, recipes.PreconditionedHeadConfig):
        return head
    if type(known) is not type(head) or known.unmeasured() != head.unmeasured():
        return head
    pairs = ((known.mean, head.mean), (known.variance, head.variance))
    return known if all(math.isclose(a or 0.0, b or 0.0, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs) else head


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
