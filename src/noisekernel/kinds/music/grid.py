"""Notes on a grid: voices x steps, each cell with a pitch that begins there, one that sounds on, or a rest.

A cell is a code:

    OPEN = -1                   nothing is said: to be filled in
    REST = 0                    nothing sounds
    1 + 2 p + s                 the MIDI pitch p sounds; s = 1 if it is struck here, 0 if it sounds on from before

So every cell says by itself what is heard, whatever stands in the others: a cell that is kept keeps its pitch. A pitch
that sounds on after another pitch, or after a rest, is struck all the same: `tidied` puts that right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError

OPEN, REST = -1, 0
#: How a sentence ends about voices of which a file says nothing.
OPENED = "open, to be filled in"
#: MIDI pitches there are.
PITCHES = 128


@dataclass(frozen=True)
class Note:
    """A pitch that begins at a step and lasts for some."""

    voice: int
    pitch: int
    start: int
    length: int


@dataclass(frozen=True)
class Piece:
    """A piece of music on a grid.

    Args:
        codes: A code per cell, (voices, steps).
        name: What to call it.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        pickup: Steps before the first bar line; 0 if the piece begins with a whole bar.
        tempo: Quarter notes per minute.
        told: What was changed to fit the grid, in sentences for the user; empty for nothing.
    """

    codes: NDArray[np.int16]
    name: str = ""
    per_beat: int = 4
    bar: int = 16
    pickup: int = 0
    tempo: float = 80.0
    told: tuple[str, ...] = field(default=())

    def save(self, path: str | Path) -> Path:
        """Write the piece as a file.

        Args:
            path: Where to; its name says how: .mid, .musicxml, .wav or .png (a piano roll).

        Returns:
            The path of the file.
        """
        from noisekernel.kinds.music.saving import save_piece

        return save_piece(self, Path(path))

    @property
    def voices(self) -> int:
        return int(self.codes.shape[0])

    @property
    def steps(self) -> int:
        return int(self.codes.shape[1])


def code_of(pitch: int, struck: bool) -> int:
    """The code of a pitch that is struck, or sounds on."""
    return 1 + 2 * pitch + struck


def pitches_of(codes: NDArray[np.integer]) -> NDArray[np.int16]:
    """The MIDI pitch of each cell; -1 where none sounds or nothing is said.

    Args:
        codes: Codes of any shape.
    """
    return np.where(codes > REST, (codes - 1) // 2, -1).astype(np.int16)


def struck_in(codes: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Where a note is struck: as the codes say, and where a pitch sounds on that did not sound in the step before.

    Args:
        codes: Codes, (…, steps).
    """
    pitch = pitches_of(codes)
    before = np.concatenate((np.full_like(pitch[..., :1], -1), pitch[..., :-1]), axis=-1)
    return (pitch >= 0) & (((codes - 1) % 2 == 1) | (pitch != before))


def tidied(codes: NDArray[np.integer]) -> NDArray[np.int16]:
    """The same music in which each note says that it is struck where it begins.

    Args:
        codes: Codes, (…, steps).

    >>> tidied(np.array([[121, 121, 0, 121]])).tolist()
    [[122, 121, 0, 122]]
    """
    pitch = pitches_of(codes)
    return np.where(pitch >= 0, 1 + 2 * pitch + struck_in(codes), codes).astype(np.int16)


def notes_of(codes: NDArray[np.integer]) -> list[Note]:
    """The notes of a piece, voice by voice, in the order in which they begin.

    Args:
        codes: Codes, (voices, steps).

    >>> notes_of(np.array([[122, 121, 0, 126]]))
    [Note(voice=0, pitch=60, start=0, length=2), Note(voice=0, pitch=62, start=3, length=1)]
    """
    pitch, struck = pitches_of(codes), struck_in(codes)
    found = []
    for voice, line in enumerate(pitch):
        ends = np.append(np.flatnonzero(struck[voice] | (line < 0)), len(line))
        for start in np.flatnonzero(struck[voice]):
            end = int(ends[np.searchsorted(ends, start, side="right")])
            found.append(Note(voice, int(line[start]), int(start), end - int(start)))
    return found


def codes_of(notes: Iterable[Note], voices: int, steps: int, empty: int = REST) -> NDArray[np.int16]:
    """Notes as codes, (voices, steps); where two notes of a voice overlap, the later one ends the earlier.

    Args:
        notes: The notes.
        voices: How many voices there are.
        steps: How many steps there are; what sounds beyond is cut off.
        empty: What stands where there is no note: `REST`, or `OPEN`.
    """
    codes = np.full((voices, steps), empty, dtype=np.int16)
    for note in sorted(notes, key=lambda note: note.start):
        if not (0 <= note.voice < voices and 0 <= note.pitch < PITCHES and note.start >= 0 and note.length > 0):
            raise InputError(f"{note} is no note of {voices} voices")
        codes[note.voice, note.start : note.start + note.length] = code_of(note.pitch, struck=False)
        if note.start < steps:
            codes[note.voice, note.start] = code_of(note.pitch, struck=True)
    return codes


def from_pitches(pitches: Sequence[Sequence[int]] | NDArray[np.integer]) -> NDArray[np.int16]:
    """Codes of a grid of MIDI pitches, (steps, voices), -1 for a rest; the same pitch twice is one note.

    Args:
        pitches: A pitch for each step and voice, as the chorales in JSON have them.
    """
    grid = np.asarray(pitches, dtype=np.int64).T
    return tidied(np.where(grid < 0, REST, 1 + 2 * grid))
