"""The kinds of data there are, by name: those of the package, and those that other packages add.

Another package adds a kind by an entry point of the group `noisekernel.kinds` whose name is that of the kind and whose
value is its class, in its pyproject.toml:

    [project.entry-points."noisekernel.kinds"]
    melodies = "my_package.kind:Melodies"
"""

import logging
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import Items

log = logging.getLogger(__name__)
GROUP = "noisekernel.kinds"
#: Module and class of each kind of the package.
OWN = {
    "pictures": "noisekernel.kinds.pictures.kind:Pictures",
    "points": "noisekernel.kinds.points.kind:Points",
    "tables": "noisekernel.kinds.tables.kind:Tables",
    "tokens": "noisekernel.kinds.tokens:Tokens",
    "music": "noisekernel.kinds.music.kind:Music",
}


@cache
def kinds() -> dict[str, type[Kind]]:
    """All kinds by name. One of another package that cannot be imported is left out, and a warning says why."""
    found: dict[str, type[Kind]] = {}
    for name, place in OWN.items():
        module, _, attribute = place.partition(":")
        found[name] = getattr(import_module(module), attribute)
    for entry in entry_points(group=GROUP):
        if entry.name in found:
            log.warning("the kind %r of %s is left out: there is one of that name", entry.name, entry.value)
            continue
        try:
            loaded = entry.load()
            if not (isinstance(loaded, type) and issubclass(loaded, Kind)):
                raise TypeError(f"{entry.value} is no subclass of noisekernel.kinds.Kind")
            if loaded.model_fields["kind"].default != entry.name:
                raise TypeError(f"its field kind has to be {entry.name!r}")
            found[entry.name] = loaded
        except Exception as error:  # someone else's code, which can fail in any way
            log.warning("the kind %r (%s) cannot be used: %s: %s", entry.name, entry.value, type(error).__name__, error)
    return found


def kind_by_name(name: str) -> type[Kind]:
    """The kind of this name."""
    if name not in kinds():
        raise InputError(
            f"{unknown('kind of data', name, kinds())} A package that provides another is found once it is installed"
        )
    return kinds()[name]


def kind_of(items: Items, origin: str) -> type[Kind]:
    """The kind that these examples are of, if it is one and the only one."""
    fits = [name for name, kind in kinds().items() if kind.recognises(items)]
    reasons = [reason for kind in kinds().values() if (reason := kind.lacks(items)) is not None]
    if not fits and reasons:
        raise InputError(f"{origin}: {'; '.join(reasons)}")
    if not fits:
        raise InputError(
            f"{origin} is of no kind of data that is known here ({', '.join(kinds())}); say of which: --kind NAME "
            "(in Python kind=…)"
        )
    if len(fits) > 1:
        raise InputError(
            f"{origin} may be {' or '.join(fits)}; say which: --kind {fits[0]} (in Python kind={fits[0]!r})"
        )
    return kinds()[fits[0]]
