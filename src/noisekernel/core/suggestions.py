"""What to say of a name that is not known: the nearest one that is."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like this one, if any is at least `cutoff` alike (0 to 1).

    >>> nearest("stepz", ["seed", "steps"]), nearest("zebra", ["seed", "steps"])
    ('steps', None)
    """
    return next(iter(get_close_matches(name, list(known), n=1, cutoff=cutoff)), None)


def unknown(what: str, name: str, known: Sequence[str] | Mapping[str, Any], otherwise: str = "There are") -> str:
    """The sentence for a name that is not known. `otherwise` leads the list of all names, where none is near.

    >>> unknown("model", "digit", ["digits", "fashion"])
    "there is no model called 'digit'. Did you mean 'digits'?"
    >>> unknown("model", "cats", ["digits", "fashion"], "Give a path, or one of")
    "there is no model called 'cats'. Give a path, or one of: digits, fashion."
    """
    near = nearest(name, known)
    hint = f"{otherwise}: {', '.join(known)}." if near is None else f"Did you mean {near!r}?"
    return f"there is no {what} called {name!r}. {hint}"
