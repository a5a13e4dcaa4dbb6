"""Names for files and folders that a command writes."""

from collections.abc import Sequence
from pathlib import Path

from noisekernel.core.errors import InputError

#: So many bytes of a source's name are taken into the names of what is made of it.
LONGEST = 150


def new_folder(path: str | Path, *, force: bool = False) -> Path:
    """A folder to write into: new, empty, or said to be free for use."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; give the name of a folder")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise InputError(f"{path} exists and is not empty; choose another --out, or add --force to write into it")
    return path


def new_file(path: str | Path, *, force: bool = False) -> Path:
    """A file to write: new, or said to be free for replacing."""
    path = Path(path)
    if path.exists() and not force:
        raise InputError(f"{path} exists; choose another --out, or add --force to replace it")
    return path


def names_of(stems: Sequence[str]) -> list[str]:
    """A name for each example: the one given, with a number where several would have the same.

    Of a very long name only the beginning is taken, so that there is room for what is added to it.

    >>> names_of(["boot", "shoe", "Boot", "boot-2"])
    ['boot', 'shoe', 'Boot-3', 'boot-2']
    """
    names: list[str] = []
    stems = [stem.encode()[:LONGEST].decode(errors="ignore") for stem in stems]
    given = {stem.casefold() for stem in stems}
    for stem in stems:
        name, number = stem, 1
        while name.casefold() in (given if number > 1 else ()) or name.casefold() in map(str.casefold, names):
            number += 1
            name = f"{stem}-{number}"
        names.append(name)
    return names
