"""What is wrong with a request, in a sentence."""

from collections.abc import Sequence
from typing import Any

from noisekernel.core.settings import Strict
from noisekernel.core.suggestions import nearest, unknown
from noisekernel.studio.rounds import TASKS
from noisekernel.studio.web import schemas


def sentence_for(errors: Sequence[Any]) -> tuple[int, str]:
    """The first thing that is wrong with a request, for people."""
    first = errors[0]
    place, kind = [str(part) for part in first["loc"]], first["type"]
    if place[0] == "path":
        return 404, "there is nothing of this name"
    name = [part for part in place if not part.isdecimal()][-1] if len(place) > 1 else "the request"
    if kind == "extra_forbidden":
        near = nearest(name, _settings())
        return 422, f"there is no setting called {name[:100]!r}." + (f" Did you mean {near!r}?" if near else "")
    if kind in ("missing", "json_invalid"):
        return 422, "the body is not JSON" if kind == "json_invalid" else f"{name} is missing"
    if kind == "union_tag_not_found":
        return 422, f"task is missing; it is one of {', '.join(TASKS)}"
    if kind == "union_tag_invalid":
        given = str(first.get("ctx", {}).get("tag", ""))[:100]
        return 422, unknown("task", given, TASKS)
    if kind == "string_pattern_mismatch":
        return 422, f"{name[:100]}: {str(first['input'])[:100]!r} is no id; take one that an answer gave"
    if kind == "too_short":
        return 422, f"{name[:100]} is empty; give at least {first['ctx']['min_length']}"
    if kind in BOUNDS:
        words, bound = BOUNDS[kind]
        limit = first["ctx"][bound]
        told = f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"
        return 422, f"{name[:100]} is {str(first['input'])[:100]}; give {words} {told}"
    message = str(first["msg"]).removeprefix("Value error, ")
    return 422, f"{name[:100]}: {message[:1].lower()}{message[1:300]}"


#: How numbers out of bounds are refused, by pydantic's name for it: in which words, and where it keeps the bound.
BOUNDS = {
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
}


def _settings() -> list[str]:
    """All settings that any request takes."""
    kinds = [kind for kind in vars(schemas).values() if isinstance(kind, type) and issubclass(kind, Strict)]
    kinds += [task.request for task in TASKS.values()]
    return sorted({field for kind in kinds for field in kind.model_fields})
