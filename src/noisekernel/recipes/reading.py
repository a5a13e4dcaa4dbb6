"""Recipes by name, from files and with changes.

A recipe is a TOML file (those in this folder go by name) or any JSON of the same keys; `key=value` settings override
it. What is not known is refused, with the nearest name that is.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.core.settings import kinds_in, merged, parsed, put, read
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.registry import kinds
from noisekernel.recipes.schema import Recipe


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    root = files("noisekernel") / "recipes"
    names = []
    for entry in root.iterdir():
        if entry.name.endswith(".toml"):
            names.append(entry.name.removesuffix(".toml"))
        elif entry.is_dir():
            names += [
                f"{entry.name}/{e.name.removesuffix('.toml')}" for e in entry.iterdir() if e.name.endswith(".toml")
            ]
    return sorted(names, key=lambda name: ("/" in name, name))


def recipe(
    name: str | Path | Mapping[str, Any] = "default", settings: Sequence[str] | Mapping[str, Any] = ()
) -> Recipe:
    """A recipe by name, from a file or as a table, with settings such as "training.batch=128" put in.

    >>> recipe("digits", ["training.images=5000"]).training.images
    5000
    """
    # A copy all the way down: tables that were given may be put into, and belong to the caller.
    given = deepcopy(list(settings.items())) if isinstance(settings, Mapping) else list(map(parsed, settings))
    changes: dict[str, Any] = {}
    for key, value in given:
        put(changes, key.split("."), value)
    content = merged([Recipe], Recipe().model_dump(), _content(name))
    content = merged([Recipe], merged([Recipe], content, _with(content, changes)), changes)
    if given and "name" not in changes and not content["name"].endswith("with changes"):
        content["name"] = f"{content['name']} with changes"
    return read(Recipe, content, f"recipe {content['name'] if isinstance(name, Mapping) else name}")


def recorded(content: Any, origin: str) -> Recipe:
    """A recipe as the record of a run tells it: less what earlier versions wrote of settings that had no effect.

    A record that does not speak of held-out examples is of a version that held out none.
    """
    if isinstance(content, Mapping) and isinstance(content.get("training"), Mapping):
        content = {**content, "training": {"held_out": 0, **content["training"]}}
    told = content.get("objective") if isinstance(content, Mapping) else None
    kinds = {kind.model_fields["kind"].default: kind for kind in kinds_in(Recipe.model_fields["objective"].annotation)}
    if isinstance(told, Mapping) and (kind := kinds.get(told.get("kind"))):
        without_effect = {"by", "weight", "control"} - kind.model_fields.keys()
        content = {**content, "objective": {key: told[key] for key in told.keys() - without_effect}}
    return read(Recipe, content, origin)


def _with(content: Mapping[str, Any], changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """What changes with the settings of the data that a user changed: a kernel and a head that go with them."""
    own = changes.get("data")
    if not isinstance(own, Mapping) or not isinstance(content.get("data"), Mapping):
        return {}
    kind = kinds().get(own.get("kind", content["data"].get("kind")))
    return {} if kind is None else kind.parts(content["data"], own)


def _content(name: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(name, Mapping):
        return dict(name)
    known = recipe_names()
    if str(name) in known:
        text = (files("noisekernel") / "recipes").joinpath(*f"{name}.toml".split("/")).read_text(encoding="utf-8")
        return {"name": str(name), **tomllib.loads(text)}
    path = Path(name)
    if not path.is_file():
        raise InputError(f"{unknown('recipe', str(name), known)} Or give the path of a .toml or .json file.")
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise InputError(f"{path} cannot be read as a recipe: {error}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} holds a {type(content).__name__}; a recipe is a table of settings")
    return {"name": path.stem, **content}
