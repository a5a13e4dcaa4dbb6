"""A piece as a score of music21's: measures with notes that are tied over bar lines, in a key that suits them.

The key is the one, of one to seven sharps or flats or none, in which the fewest notes need an accidental (the one
nearest to C of several); notes are spelled by the line of fifths, F C G D A E B F# …, as near to the middle of the key
as their pitch allows.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.bars import signature_of
from noisekernel.kinds.music.grid import Note, notes_of

#: The letters by fifths, and the clefs of voices by their mean pitch.
FIFTHS = "FCGDAEB"
TREBLE, TENOR = 60, 53


def sharps_of(pitches: Sequence[int]) -> int:
    """How many sharps the key has (flats count negative) in which the fewest notes need an accidental.

    Args:
        pitches: MIDI pitches of the notes.

    >>> sharps_of([62, 64, 66, 67, 69, 71, 73]), sharps_of([60, 62, 64, 65])
    (2, 0)
    """
    counts = np.bincount(np.asarray(pitches, dtype=np.int64) % 12, minlength=12)
    inside = {key: sum(counts[(7 * fifth) % 12] for fifth in range(key - 1, key + 6)) for key in range(-7, 8)}
    return max(inside, key=lambda key: (inside[key], -abs(key), key))


def spelled(pitch: int, sharps: int) -> tuple[str, int, int]:
    """The letter of a pitch, its accidental in semitones upwards, and its octave.

    Args:
        pitch: The MIDI pitch.
        sharps: How many sharps the key has.

    >>> spelled(61, 2), spelled(61, -4), spelled(60, 7)
    (('C', 1, 4), ('D', -1, 4), ('B', 1, 3))
    """
    middle = sharps + 2
    same = [fifth for fifth in range(middle - 6, middle + 7) if (7 * fifth - pitch) % 12 == 0]
    fifth = min(same, key=lambda fifth: abs(fifth - middle))
    alter, place = divmod(fifth + 1, 7)
    return FIFTHS[place], alter, (pitch - alter) // 12 - 1


def score_of(
    music21: Any,
    codes: NDArray[np.integer],
    names: Sequence[str],
    timing: tuple[float, int, int, int],
    title: str,
    about: str | None,
) -> Any:
    """The score of a piece.

    Args:
        music21: The module.
        codes: Codes, (voices, steps); none of them open.
        names: The names of the voices.
        timing: Quarter notes per minute; steps per quarter note, per bar, and before the first bar line.
        title: What to call the piece.
        about: What to say of how it was made; None for nothing.
    """
    tempo, per_beat, bar, pickup = timing
    signature = signature_of(bar, per_beat)
    if signature is None:
        raise InputError(f"a bar of {bar} steps, {per_beat} per quarter note, has no time signature")
    notes = notes_of(codes)
    sharps = sharps_of([note.pitch for note in notes])
    score = music21.stream.Score()
    score.metadata = music21.metadata.Metadata(title=title or None)
    if about is not None:
        score.metadata.addCustom("noisekernel", about)
    for voice, name in enumerate(names):
        own = [note for note in notes if note.voice == voice]
        events = _events(own, codes.shape[1])
        part = music21.stream.Part()
        singer = music21.instrument.Choir()
        singer.partId, singer.partName, singer.partAbbreviation = f"P{voice + 1}", name, name[:1]
        singer.instrumentId = f"{singer.partId}-I1"
        part.insert(0, singer)
        lines = sorted({0, *range(pickup, codes.shape[1], bar), codes.shape[1]})
        for number, (begin, end) in enumerate(pairwise(lines), start=0 if pickup else 1):
            measure = music21.stream.Measure(number=number)
            if begin == 0:
                measure.append(_clef(music21, [note.pitch for note in own]))
                measure.append(music21.key.KeySignature(sharps))
                measure.append(music21.meter.TimeSignature(f"{signature[0]}/{signature[1]}"))
                if pickup:
                    measure.paddingLeft = float(Fraction(bar - pickup, per_beat))
                    measure.showNumber = music21.stream.enums.ShowNumber.NEVER
                if voice == 0:
                    measure.insert(0, music21.tempo.MetronomeMark(number=tempo))
                if not own:
                    measure.insert(0, music21.expressions.TextExpression("tacet"))
            for start, stop, pitch in events:
                if start < end and stop > begin:
                    here = (max(start, begin), min(stop, end))
                    measure.append(_note(music21, here, (start, stop), pitch, sharps, per_beat))
            if begin and end - begin < bar:
                measure.paddingRight = float(Fraction(bar - (end - begin), per_beat))
            if end == codes.shape[1]:
                measure.rightBarline = "final"
            part.append(measure)
        score.insert(0, part)
    return score


def _events(notes: Sequence[Note], steps: int) -> list[tuple[int, int, int | None]]:
    """The notes and rests of a voice: where each begins and ends, and its pitch, None for a rest."""
    found: list[tuple[int, int, int | None]] = []
    step = 0
    for note in notes:
        if note.start > step:
            found.append((step, note.start, None))
        step = note.start + note.length
        found.append((note.start, step, note.pitch))
    return [*found, (step, steps, None)] if step < steps else found


def _note(
    music21: Any, here: tuple[int, int], whole: tuple[int, int], pitch: int | None, sharps: int, per_beat: int
) -> Any:
    """A note or a rest between two bar lines, tied to where else it sounds."""
    length = Fraction(here[1] - here[0], per_beat)
    if pitch is None:
        return music21.note.Rest(quarterLength=length)
    letter, alter, octave = spelled(pitch, sharps)
    found = music21.note.Note(
        music21.pitch.Pitch(step=letter, octave=octave, accidental=alter or None), quarterLength=length
    )
    before, after = here[0] > whole[0], here[1] < whole[1]
    if before or after:
        found.tie = music21.tie.Tie("continue" if before and after else "stop" if before else "start")
    return found


def _clef(music21: Any, pitches: Sequence[int]) -> Any:
    """The clef in which a voice has few ledger lines."""
    mean = sum(pitches) / len(pitches) if pitches else TREBLE
    if mean >= TREBLE:
        return music21.clef.TrebleClef()
    return music21.clef.Treble8vbClef() if mean >= TENOR else music21.clef.BassClef()
