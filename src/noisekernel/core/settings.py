"""Settings as data: put together, checked, and refused with a sentence for each thing that is wrong.

A kind of settings is a pydantic model, `Strict`; where a setting is one of several kinds, its `kind` says which. What
the kinds are, and what they build, is in `recipes`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import nearest

Positive = Annotated[float, Field(gt=0)]


Count = Annotated[int, Field(ge=1, strict=True)]


Share = Annotated[float, Field(ge=0, lt=1)]


class Strict(BaseModel):
    """Settings that cannot change, refuse names they do not know, and refuse values that would need guessing."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


Some = TypeVar("Some", bound=Strict)


def read(kind: type[Some], content: Any, origin: str) -> Some:
    """`content` as settings of this kind, or an error with a sentence for each thing that is wrong."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        sentences = [_sentence(kind, content, dict(problem)) for problem in error.errors()]
        raise InputError(f"{origin}: {'; '.join(sentences)}") from None


def merged(kinds: Sequence[type[Strict]], base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with what is in `over` put in its place.

    Where there are several kinds, another one begins anew, but for the fields that all of them inherit.
    """
    if len(kinds) > 1 and over.get("kind", base["kind"]) != base["kind"]:
        base = {key: value for key, value in base.items() if key in _inherited(kinds)}
    inner = {name: kinds_in(field.annotation) for kind in kinds for name, field in kind.model_fields.items()}
    both = {
        key: merged(inner.get(key, []), base[key], over[key])
        for key in base.keys() & over.keys()
        if isinstance(base[key], Mapping) and isinstance(over[key], Mapping)
    }
    return {**base, **over, **both}


def parsed(text: str) -> tuple[str, Any]:
    """The key and the value of "key=value", which is JSON or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(f"{text!r} is no setting; write key=value, such as training.batch=128")
    try:
        read = json.loads(value)
    except ValueError:
        return key.strip(), value.strip()
    # 1e6 is how one writes a large whole number.
    return key.strip(), int(read) if isinstance(read, float) and read.is_integer() else read


def put(content: dict[str, Any], path: list[str], value: Any) -> None:
    """Set what lies at this path of tables."""
    *tables, last = path
    for table in tables:
        inner = content.setdefault(table, {})
        if not isinstance(inner, dict):
            raise InputError(f"{'.'.join(path)} is set inside {table}, which is set as a whole too; give one of them")
        content = inner
    if last in content:
        raise InputError(f"{'.'.join(path)} is set twice; give it once")
    content[last] = value


def flat(content: Mapping[str, Any]) -> dict[str, Any]:
    """Tables within tables as one, by paths.

    >>> flat({"training": {"batch": 8}, "name": "mine"})
    {'training.batch': 8, 'name': 'mine'}
    """
    found: dict[str, Any] = {}
    for key, value in content.items():
        inner = flat(value) if isinstance(value, Mapping) else None
        found |= {key: value} if inner is None else {f"{key}.{path}": each for path, each in inner.items()}
    return found


def changed(one: Strict, other: Strict, exclude: Any = None) -> list[str]:
    """The paths at which two settings differ."""
    these, those = (flat(each.model_dump(exclude=exclude)) for each in (one, other))
    return sorted(key for key in these.keys() | those.keys() if these.get(key) != those.get(key))


def _sentence(kind: type[Strict], content: Any, problem: dict[str, Any]) -> str:
    # Where a setting is one of several kinds, the place names the kind as well, which is no key of the user's.
    place, here = [], content
    for part in problem["loc"]:
        if isinstance(here, Mapping) and part not in here and part != problem["loc"][-1]:
            continue
        place.append(str(part))
        here = here.get(part) if isinstance(here, Mapping) else None
    name = ".".join(place) or "the whole"
    if problem["type"] == "extra_forbidden":
        *above, last = place
        takers = _takers(kind, above, last)
        if takers:
            table = ".".join(above)
            *more, one = map(repr, takers)
            return (
                f"{name} is a setting of {table}.kind {' and '.join(filter(None, (', '.join(more), one)))}, not of "
                f"{_at(content, above).get('kind')!r}; leave it out, or set {table}.kind"
            )
        # One that another kind has is no help: it is what was given.
        known = [known for path in paths(kind) if (known := ".".join(path)) != name]
        near = nearest(name, known, cutoff=0.5) or nearest(place[-1], [path.split(".")[-1] for path in known])
        return f"there is no setting {name!r}" + (f"; did you mean {near!r}?" if near else "")
    if problem["type"] == "union_tag_invalid":
        known = [tag.strip().strip("'") for tag in problem["ctx"]["expected_tags"].split(",")]
        near = nearest(problem["ctx"]["tag"], known)
        hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known)}"
        return f"{name}.kind is {problem['ctx']['tag']!r}; {hint}"
    if problem["type"] == "value_error":
        return str(problem["ctx"]["error"])
    given = "" if problem["type"] == "missing" else f"is {problem['input']!r}; "
    return f"{name} {given}{problem['msg'][:1].lower()}{problem['msg'][1:]}"


def paths(kind: type[Strict]) -> list[tuple[str, ...]]:
    """All the keys there are, as paths where they are nested."""
    found: list[tuple[str, ...]] = []
    for name, field in kind.model_fields.items():
        found.append((name,))
        for inner in kinds_in(field.annotation):
            found += [(name, *path) for path in paths(inner)]
    return found


def _inherited(kinds: Sequence[type[Strict]]) -> set[str]:
    """The fields that several kinds have from one and the same ancestor."""
    common = set.intersection(*({*kind.__mro__} for kind in kinds))
    return {name for base in common if issubclass(base, Strict) for name in base.model_fields}


def _takers(kind: type[Strict], above: Sequence[str], name: str) -> list[str]:
    """The kinds, of those that there may be at this place, that have a setting of this name."""
    kinds = [kind]
    for part in above:
        kinds = [
            inner
            for each in kinds
            if part in each.model_fields
            for inner in kinds_in(each.model_fields[part].annotation)
        ]
    return [each.model_fields["kind"].default for each in kinds if {"kind", name} <= each.model_fields.keys()]


def _at(content: Any, path: Sequence[str]) -> Any:
    for part in path:
        content = content[part]
    return content


def kinds_in(annotation: Any) -> list[type[Strict]]:
    """The kinds of settings that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, Strict):
        return [annotation]
    return [kind for inner in getattr(annotation, "__args__", ()) for kind in kinds_in(inner)]
