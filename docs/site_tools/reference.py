"""Writes the pages of the reference: one for each room of the package, with every public name that lives there.

The names come from `noisekernel.__all__` and from `__all__` of the rooms, so that a name that is added, renamed or
moved needs no change here.
"""

import inspect
from importlib import import_module
from pathlib import Path
from types import ModuleType

import noisekernel as nk

#: The rooms as the reference shows them, from what most readers need to what few do.
ROOMS = {
    "tasks": "Tasks: what a chain is used for",
    "models": "Models: load, save, share",
    "training": "Training",
    "data": "Data",
    "kinds": "Kinds of data",
    "recipes": "Recipes",
    "measuring": "Measuring samples and chains",
    "kernels": "Noise kernels",
    "networks": "Denoisers and networks",
    "objectives": "Objectives",
    "sampling": "Models of a chain, schedules and chains",
    "core": "Distributions, noise levels, randomness, errors",
}


#: Rooms whose modules open with the mathematics, which the reference shows before what they define.
MATHEMATICS = ("kernels", "networks", "objectives", "sampling")


def names() -> dict[str, list[tuple[str, str]]]:
    """For each room, the path to import each of its public names by, and the name: those of `nk` first."""
    found: dict[str, list[tuple[str, str]]] = {room: [] for room in ROOMS}
    seen: set[int] = set()
    for name in nk.__all__:
        thing = getattr(nk, name)
        if isinstance(thing, ModuleType):
            continue
        found[_room_of(thing)].append(("noisekernel", name))
        seen.add(id(thing))
    for module in modules():
        room = module.__name__.split(".")[1]
        for name in _given_by(module):
            thing = getattr(module, name)
            if _is_documented(thing) and id(thing) not in seen:
                found[room].append((module.__name__, name))
                seen.add(id(thing))
    return found


def _given_by(module: ModuleType) -> list[str]:
    """What a module offers: what it lists, or else what it defines."""
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", None) == module.__name__]
    return list(getattr(module, "__all__", [name for name in own if not name.startswith("_")]))


def modules() -> list[ModuleType]:
    """The rooms, and the other modules that are public names."""
    public = [getattr(nk, name) for name in nk.__all__ if isinstance(getattr(nk, name), ModuleType)]
    rooms = [import_module(f"noisekernel.{room}") for room in ROOMS]
    return list({module.__name__: module for module in (*rooms, *public)}.values())


def _room_of(thing: object) -> str:
    return str(getattr(thing, "__module__", "")).split(".")[1]


def _is_documented(thing: object) -> bool:
    return inspect.isclass(thing) or inspect.isfunction(thing)


def write(folder: Path) -> None:
    """One page a room. A page that is right already is left alone, so that Sphinx does not read it again."""
    folder.mkdir(parents=True, exist_ok=True)
    found = names()
    for room, title in ROOMS.items():
        _write(folder / f"{room}.rst", _page(room, title, found[room]))
    for stale in set(folder.glob("*.rst")) - {folder / f"{room}.rst" for room in ROOMS}:
        stale.unlink()


def _page(room: str, title: str, listed: list[tuple[str, str]]) -> str:
    lines = [title, "=" * len(title), "", f".. automodule:: noisekernel.{room}", "   :no-index:", ""]
    lines += [".. currentmodule:: None", ""]
    rooms = ("noisekernel", f"noisekernel.{room}")
    lines += _entries([(home, name) for home, name in listed if home in rooms])
    for short in nk.__all__:
        module = getattr(nk, short)
        if isinstance(module, ModuleType) and module.__name__.startswith(f"noisekernel.{room}."):
            lines += [f"nk.{short}", "-" * (len(short) + 3), "", f".. automodule:: {module.__name__}"]
            lines += ["   :no-index:", "", ".. currentmodule:: None", ""]
            lines += _entries([(home, name) for home, name in listed if home == module.__name__], headed=False)
    return "\n".join(lines) + "\n"


def _entries(listed: list[tuple[str, str]], headed: bool = True) -> list[str]:
    """A table of names, and what each of them is."""
    if not listed:
        return []
    lines = [".. autosummary::", "   :nosignatures:", "", *(f"   {home}.{name}" for home, name in listed), ""]
    opened = set()
    for home, name in listed:
        thing = getattr(import_module(home), name)
        shown = f"{home.replace('noisekernel', 'nk')}.{name}"
        lines += [shown, "-" * len(shown), ""] if headed else []
        if headed and _room_of(thing) in MATHEMATICS and thing.__module__ not in opened:
            opened.add(thing.__module__)
            lines += [f".. automodule:: {thing.__module__}", "   :no-index:", "", ".. currentmodule:: None", ""]
        if inspect.isclass(thing):
            lines += [f".. autoclass:: {home}.{name}", "   :members:", "   :special-members: __call__", ""]
        else:
            lines += [f".. autofunction:: {home}.{name}", ""]
    return lines


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
