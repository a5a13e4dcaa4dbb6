"""A piece from the lines of a file: on the grid, as voices, without whole bars of silence before and after.

Readers of files give the notes of each line with their times in steps, and what the file says of tempo and bars. What
had to be changed is told in `Piece.told`, a sentence each; what cannot be changed sensibly is refused by a
`BadExampleError`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.music.grid import OPEN, REST, Note, Piece, codes_of
from noisekernel.kinds.music.gridding import Gridded, Line, gridded, nearest, told_of
from noisekernel.kinds.music.voices import distributed, names_of

#: A piece may have this many steps: seventeen hours of sixteenths.
MOST_STEPS = 1_000_000


@dataclass(frozen=True)
class Frame:
    """What a file says besides its notes.

    Args:
        name: What to call the piece.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
        tempo: Quarter notes per minute.
        end: When the file ends, in steps; silence at its end is part of the piece.
        told: What was found out so far, in sentences.
    """

    name: str
    per_beat: int
    bar: int
    pickup: int
    tempo: float
    end: float
    told: tuple[str, ...] = ()


def piece_of(lines: Sequence[Line], names: Sequence[str], frame: Frame) -> Piece:
    """The piece that lines make up.

    Args:
        lines: The lines, those without notes too.
        names: The names of the voices, from the highest to the lowest.
        frame: What the file says besides.
    """
    sounds = [sound for line in lines for sound in line.sounds]
    if not sounds:
        raise BadExampleError("it holds no notes")
    if min(sound.start for sound in sounds) < 0:
        raise BadExampleError("a note begins before the piece does; export it once more")
    last = max(frame.end, *(sound.end for sound in sounds))
    if last > MOST_STEPS:
        raise BadExampleError(
            f"it is {last:,.0f} steps long, more than the {MOST_STEPS:,} allowed; a note far from all others may be "
            "the reason"
        )
    placed, frame, told = _without_silence([gridded(line) for line in lines], frame)
    steps = max(nearest(frame.end), *(note.end for line in placed for note in line.held))
    found, of_voices = distributed(placed, names, frame.bar, frame.pickup)
    notes = [
        Note(voice, note.pitch, note.start, note.end - note.start)
        for voice, own in enumerate(found)
        for note in own or ()
    ]
    codes = codes_of(notes, len(names), steps, REST)
    codes[[own is None for own in found]] = OPEN
    sentences = (*frame.told, *told_of(placed, frame.per_beat), *told, *of_voices)
    return Piece(codes, frame.name, frame.per_beat, frame.bar, frame.pickup, frame.tempo, sentences)


def _without_silence(lines: Sequence[Gridded], frame: Frame) -> tuple[list[Gridded], Frame, list[str]]:
    """The lines without whole bars of silence before the first note and after the last."""
    bar, pickup, told = frame.bar, frame.pickup, []
    first = min(note.start for line in lines for note in line.held)
    last = max(note.end for line in lines for note in line.held)
    early = pickup + (first - pickup) // bar * bar if first >= max(pickup, bar) else 0
    late = max(0, nearest(frame.end) - last) // bar * bar
    if early:
        told.append(f"the silence at its start is left out: {_bars(early, bar)}")
    if late:
        told.append(f"the silence at its end is left out: {_bars(late, bar)}")
    moved = [
        replace(line, held=tuple(n._replace(start=n.start - early, end=n.end - early) for n in line.held))
        for line in lines
    ]
    return moved, replace(frame, pickup=0 if early else pickup, end=frame.end - early - late), told


def _bars(steps: int, bar: int) -> str:
    """So many bars in words; a pickup is not counted."""
    count = steps // bar
    return f"{count:,} bar{'s' * (count != 1)}" if count else "a pickup"


def checked_names(voices: int, names: Sequence[str] | None, per_beat: int) -> tuple[str, ...]:
    """The names of the voices, where what was asked for is allowed.

    Args:
        voices: How many voices there are.
        names: Their names, from the highest to the lowest; None for the usual ones.
        per_beat: Steps per quarter note.
    """
    if voices < 1:
        raise InputError(f"{voices} voices; there has to be one at least")
    if per_beat < 1:
        raise InputError(f"{per_beat} steps per quarter note; there has to be one at least")
    if names is not None and len(names) != voices:
        raise InputError(f"{len(names)} names for {voices} voices; give each a name, or none")
    return names_of(voices) if names is None else tuple(names)
