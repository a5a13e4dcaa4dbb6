"""What to say of a name that is not known: the nearest one that is."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any


def unknown(what: str, name: str, known: Sequence[str] | Mapping[str, Any]) -> str:
    """The sentence for a name that is not known."""
    near = get_close_matches(name, list(known), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
    return f"there is no {what} called {name!r}. {hint}"
