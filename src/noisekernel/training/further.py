"""The recipe of a run that begins with the weights of another model."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.core.settings import parsed
from noisekernel.data.opening import Data, name_of, open_source
from noisekernel.data.source import Source
from noisekernel.kinds.registry import kinds
from noisekernel.models.model import Model
from noisekernel.recipes.schema import Recipe
from noisekernel.training.taking_over import check_like


def further(
    start: Model,
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    data: Data,
    kind: str | None = None,
) -> Recipe:
    """A recipe for training that begins with the weights of a model.

    Kernel, network, head and sampling are by default the model's. Size, channels, classes and moments are those of the
    data. All else is said by the recipe, which by default is the one that the model was trained by.
    """
    source = open_source(data)
    items = source if isinstance(source, Source) else None
    of = start.design
    check_same_kind(start, items, name_of(data), kind)
    set_here = [*settings] if isinstance(settings, Mapping) else [parsed(each)[0] for each in settings]
    if recipe is None:
        recipe = _own(start)
        # Labels are learned where there are any; names for the classes of its own data are not names for others.
        labels = recipe.data.labels and (bool(source.classes) or "data.labels" in set_here)
        treatment = recipe.data.model_copy(update={"class_names": None, "labels": labels})
        # By the clock was that run, not this one; nor is what it held out of its own data said for others.
        auto = {"held_out": "auto"} if recipe.training.minutes is not None or not recipe.training.held_out else {}
        training = recipe.training.model_copy(update={"minutes": None, "pace": (), **auto})
        recipe = recipe.model_copy(update={"data": treatment, "training": training})
    elif not isinstance(recipe, Recipe):
        recipe = recipes.recipe(recipe)
    if recipe.objective.correction is not None:  # for any kind of data, and as the model has them
        recipe = recipe.model_copy(update={"data": of.data})
    if recipe.data.kind != of.data.kind:
        raise InputError(f"the recipe is for {recipe.data.many}, and the model to start from for {of.data.many}")
    own = {name: getattr(of, name).model_dump() for name in ("network", "sampling")}
    own |= {name: getattr(of, name).unmeasured().model_dump() for name in ("kernel", "head")}
    treated = recipe.data.following(of.data, items)
    chosen = recipes.recipe({**recipe.model_dump(), **own, "data": treated.model_dump(), "published": None}, settings)
    check_like(chosen, of)
    return chosen


def check_same_kind(start: Model, items: Source | None, origin: str, kind: str | None) -> None:
    """Refuse data of another kind than the model to start from is for."""
    own = start.design.data
    others = [] if kind is None or kind == own.kind else [kind]
    if not others and items is not None and not own.takes(items):
        others = [name for name, other in kinds().items() if other.recognises(items)]
    if others:
        raise InputError(
            f"{origin} holds {' or '.join(others)}, and the model to start from (--from) is for {own.kind}; give a "
            f"model of {others[0]}, or train without --from"
        )


def _own(start: Model) -> Recipe:
    """The recipe that a model was trained by; for one that does not say, the usual one for its network or its data."""
    told = start.history.get("recipe")
    if told:
        return recipes.recorded(told, "the model to start from")
    usual = getattr(start.design.network, "recipe", None)
    return recipes.recipe(usual or type(start.design.data).recipe(None, on_cpu=True))
