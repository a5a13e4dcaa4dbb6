"""Sources of music: chorales in JSON, and those of Bach that music21 brings along."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown
from noisekernel.files.text import text_of
from noisekernel.kinds.music.grid import PITCHES, Piece, from_pitches

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PiecesSource:
    """Pieces by number."""

    pieces: Sequence[Piece]
    origin: str

    classes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.pieces)

    def name(self, i: int) -> str:
        return f"{self.origin}, {self.pieces[i].name or f'piece {i + 1}'}"

    def label(self, i: int) -> int | None:
        return None

    def item(self, i: int) -> Piece:
        return self.pieces[i]


def read_pieces(path: Path, part: str | None = None) -> PiecesSource:
    """Pieces in JSON: lists of steps, each a list of MIDI pitches, -1 for a rest; or several such lists by name.

    Args:
        path: The file.
        part: The name of the list to read; None for all of them.
    """
    try:
        content = json.loads(text_of(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path.name} is no JSON: {error}") from None
    lists = content if isinstance(content, dict) else {"": content}
    if part is not None and part not in lists:
        raise InputError(unknown("part", part, lists, f"{path.name} has"))
    chosen = lists if part is None else {part: lists[part]}
    pieces = [
        _piece(steps, f"{name} {i + 1}".strip(), path.name)
        for name, several in chosen.items()
        for i, steps in enumerate(several if isinstance(several, list) else [several])
    ]
    if not pieces:
        raise InputError(f"{path.name} holds no piece")
    return PiecesSource(pieces, path.name)


def _piece(steps: Any, name: str, origin: str) -> Piece:
    if not isinstance(steps, list) or not steps or not isinstance(steps[0], list) or not steps[0]:
        raise InputError(f"{origin}, {name}: a piece is a list of steps, each a list of MIDI pitches (-1 for a rest)")
    voices = len(steps[0])
    for i, step in enumerate(steps):
        if not isinstance(step, list) or len(step) != voices:
            raise InputError(f"{origin}, {name}, step {i + 1}: there are not {voices} pitches, as in the first step")
        if not all(isinstance(pitch, int) and -1 <= pitch < PITCHES for pitch in step):
            raise InputError(f"{origin}, {name}, step {i + 1}: {step} are not MIDI pitches from 0 to 127, or -1")
    return Piece(from_pitches(steps), name)


def read_bach() -> PiecesSource:
    """The chorales of Bach that come with music21."""
    from noisekernel.kinds.music.chorales import chorales

    return PiecesSource(list(chorales(tell=log.warning)), "bach")
