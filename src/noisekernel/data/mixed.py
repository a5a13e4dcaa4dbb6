"""Folders that hold data of more than one kind, such as pictures and a table beside them."""

from collections.abc import Mapping
from pathlib import Path

from noisekernel.core.errors import InputError
from noisekernel.data.readers.folder import FolderSource
from noisekernel.kinds.registry import kinds

#: Files that hold many examples each, and of which kind those usually are.
OF_MANY = {".csv": "points", ".tsv": "points", ".parquet": "tables", ".txt": "tokens"}
#: So many bytes at its beginning tell what a file is.
BEGINNING = 64


def check_one_kind(source: object, bad: str, origin: str) -> None:
    """Refuse a folder of two kinds, unless what does not belong is to be left out anyway.

    Args:
        source: Any source; only folders can be mixed.
        bad: What is done with files that are no examples: "fail", or "skip".
        origin: The folder in a sentence.
    """
    if bad == "skip" or not isinstance(source, FolderSource):
        return
    found = _counted(source)
    if not found.keys() & set(OF_MANY.values()) or len(found) == 1:
        return
    many = {kind: sum(counts.values()) for kind, counts in found.items()}
    text = next(path for path in source.files if path.suffix.lower() in OF_MANY)
    most = max(many, key=lambda kind: many[kind])
    raise InputError(
        f"{origin} holds data of {len(found)} kinds: {_listed(found)}; a model is of one kind. Move the others "
        f"elsewhere, or leave out all that is none of the {kinds()[most].many} (--set data.bad=skip), or give the "
        f"one file to train on: {source.root / text}"
    )


def check_files_of_one(source: object, origin: str) -> None:
    """Refuse a folder of files that hold many examples each: in a folder, a file is an example."""
    if isinstance(source, FolderSource) and all(path.suffix.lower() in OF_MANY for path in source.files):
        raise InputError(
            f"{origin} is a folder of {_listed(_counted(source))}, which hold many examples each; give one of them: "
            f"{source.root / source.files[0]}"
        )


def _counted(source: FolderSource) -> Mapping[str, Mapping[str, int]]:
    """By kind and by how their names end, how many files there are. One file of each ending tells its kind."""
    endings: dict[str, list[Path]] = {}
    for path in source.files:
        endings.setdefault(path.suffix.lower(), []).append(path)
    found: dict[str, dict[str, int]] = {}
    for ending, paths in endings.items():
        kind = OF_MANY.get(ending) or _recognised(source.root / paths[0])
        if kind is not None:
            found.setdefault(kind, {})[ending] = len(paths)
    return found


def _recognised(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return None
    return next((name for name, kind in kinds().items() if kind.called(beginning) is not None), None)


def _listed(found: Mapping[str, Mapping[str, int]]) -> str:
    """How many files of which kind, and how their names end."""
    told = []
    for kind, counts in found.items():
        files = sum(counts.values())
        told.append(f"{files:,} file{'s' * (files > 1)} of {kinds()[kind].many} ({', '.join(sorted(counts))})")
    return " and ".join(told)
