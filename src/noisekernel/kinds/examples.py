"""Examples as people have them, read for a model: files, strings, rows, objects, and masks on them.

Nothing is changed in silence. What is not taken as it is, an example or a mask, leaves a sentence: commands print it,
and in Python it is a warning (`Altered`).
"""

import inspect
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from noisekernel.core.errors import Altered, BadExampleError, InputError
from noisekernel.files.outputs import names_of
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Named


class Given(NamedTuple):
    """Examples that a user gave."""

    #: A name for each, no two alike.
    names: list[str]
    #: What to call each in a sentence and in a record.
    sources: list[str]
    items: list[Any]
    #: The examples as they are stored, and as clean data.
    values: Tensor
    z: Tensor
    #: The files among what was given.
    files: list[Path]
    #: Sentences about what was not taken as it is.
    notes: list[str]


def read_examples(kind: Kind, examples: Any) -> Given:
    """One example or a list of them: paths or words, which mean what they do at the command line, or objects."""
    given = _listed(kind, examples)
    several = len(given) > 1
    named = [(each, one) for i, each in enumerate(given) for one in _named(kind, each, i + 1 if several else None)]
    sources = [Path(each).name if _is_word(each) and one.name == Path(each).stem else one.name for each, one in named]
    values = stored(
        kind, [one.item for _, one in named], [str(each) if _is_word(each) else one.name for each, one in named]
    )
    others = [
        f"{source} ({how})"
        for source, (_, one) in zip(sources, named, strict=True)
        if (how := kind.differs(one.item)) is not None
    ]
    few = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    return Given(
        names_of([one.name for _, one in named]),
        sources,
        [one.item for _, one in named],
        values,
        kind.encode(values),
        [Path(each) for each in given if _is_word(each) and Path(each).is_file()],
        [f"not every {kind.one} is taken as it is: {few}"] if others else [],
    )


def items_of(kind: Kind, examples: Any) -> list[Any]:
    """What examples are read from: the content of files, lines, rows, objects."""
    return [one.item for each in _listed(kind, examples) for one in _named(kind, each)]


def read_mask(kind: Kind, word: str | Path, items: Sequence[Any]) -> tuple[Tensor, list[str]]:
    """The mask that a word or a file means, for these items, and sentences about what was not taken as it is.

    Without items the examples are clean data, which have the model's own form.
    """
    mask, note = kind.mask(str(word), items)
    return mask, [] if note is None else [note]


def open_in(kind: Kind, z: Tensor) -> Tensor:
    """The mask of what these examples leave open, if they leave anything open."""
    holes = kind.holes(z)
    if holes is None:
        raise InputError(f"say what to fill in: {kind.many} have no holes by themselves, so it takes a mask")
    if not bool(holes.any()):
        raise InputError(f"no cell of these {kind.many} is empty, so there is nothing to fill in; or give a mask")
    return holes


def stored(kind: Kind, items: Sequence[Any], names: Sequence[str]) -> Tensor:
    """Items as they are stored, (n, …); what is no example of the kind is refused by its name."""
    found = []
    for item, name in zip(items, names, strict=True):
        try:
            found.append(kind.store(item).values)
        except BadExampleError as error:
            raise InputError(f"{name}: {error}") from None
    return torch.from_numpy(np.stack(found))


def encoded(kind: Kind, items: Sequence[Any], names: Sequence[str]) -> Tensor:
    """Items as clean data, (n, *shape); what is no example of the kind is refused by its name."""
    return kind.encode(stored(kind, items, names))


def warn(notes: Iterable[str]) -> None:
    """Warn of what was not taken as it is; the warning names the user's line, not one of the package."""
    outside = next(
        (level for level, frame in enumerate(inspect.stack(context=0)) if not _is_ours(frame.frame.f_globals)), 1
    )
    for note in notes:
        warnings.warn(note, Altered, stacklevel=outside + 1)


def _is_ours(names: Mapping[str, Any]) -> bool:
    return str(names.get("__name__", "")).partition(".")[0] == "noisekernel"


def _listed(kind: Kind, examples: Any) -> list[Any]:
    if hasattr(examples, "columns") and hasattr(examples, "itertuples"):  # a DataFrame: its rows
        names = list(map(str, examples.columns))
        examples = [dict(zip(names, row, strict=True)) for row in examples.itertuples(index=False, name=None)]
    given = list(examples) if isinstance(examples, list | tuple) else [examples]
    if not given:
        raise InputError(f"no {kind.one} was given; give at least one")
    return given


def _named(kind: Kind, each: Any, number: int | None = None) -> list[Named]:
    """What a word means; an object is called by its number in its list, where there are others."""
    if _is_word(each):
        return kind.given([str(each)])
    return [Named(f"the {kind.one}" if number is None else f"{kind.one} {number}", each)]


def _is_word(each: Any) -> bool:
    return isinstance(each, str | Path)
