"""MusicXML files (.musicxml, .xml, zipped .mxl): read onto the grid and written, by music21 where it is installed.

A line of notes is a part (a staff), or a voice of a part if the file then has as many lines as there are voices;
`voices` says which line is which voice. Pitches are those that sound, also for instruments that are written in another
key. Kept are notes with their ties, the first tempo, the first time signature, and a short first bar as pickup.
Fermatas, grace notes, words and whatever else is in a score are left out, which is told. Repeats are read once.

music21 warns of much that is harmless: while it works, its warnings and what it writes to stderr go nowhere.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import BadExampleError, NoiseKernelError
from noisekernel.kinds.music.assembling import Frame, checked_names, piece_of
from noisekernel.kinds.music.bars import bar_of, check_written
from noisekernel.kinds.music.engraving import score_of
from noisekernel.kinds.music.grid import PITCHES, Piece
from noisekernel.kinds.music.gridding import Line, Sound, gridded, nearest
from noisekernel.kinds.music.mxl import root_of

#: The text by which a part says that it is silent on purpose.
TACET = "tacet"
#: What is left out, by the class of music21 that it is.
LEFT_OUT = {
    "Fermata": "fermatas",
    "Ornament": "ornaments",
    "Articulation": "articulations",
    "Dynamic": "dynamics",
    "DynamicWedge": "dynamics",
    "Slur": "slurs",
    "ChordSymbol": "chord symbols",
    "Unpitched": "drums",
    "PercussionChord": "drums",
}


#: What music21 stumbles over in scores that make no sense.
HARMLESS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)


@contextmanager
def quiet_music21() -> Iterator[Any]:
    """music21, which says nothing as long as this lasts; `NoiseKernelError` where it is not installed."""
    with catch_warnings(), redirect_stderr(io.StringIO()):
        simplefilter("ignore")
        try:
            import music21
        except ImportError:
            raise NoiseKernelError("MusicXML files need music21: pip install 'noisekernel[music]'") from None
        yield music21


def read_musicxml(
    content: bytes, voices: int, name: str = "", per_beat: int = 4, names: Sequence[str] | None = None
) -> Piece:
    """The piece in a MusicXML file; `BadExampleError` says why there is none.

    Args:
        content: The file's bytes, zipped or not.
        voices: How many voices the piece has to have.
        name: What to call it.
        per_beat: Steps per quarter note.
        names: The names of the voices, from the highest to the lowest, by which parts are recognised.
    """
    called = checked_names(voices, names, per_beat)
    score = read_score(content, per_beat)
    lines = [line for part in score.parts for line in part]
    if len(lines) != voices or not all(gridded(line).single for line in lines):
        lines = [_merged(part) for part in score.parts]
    return piece_of(lines, called, score.frame(name, per_beat))


@dataclass(frozen=True)
class ReadScore:
    """What is kept of a score.

    Args:
        parts: The parts, each with a line per voice that it is written in.
        bar: Quarter notes per bar, as a numerator and a denominator.
        pickup: Steps before the first bar line.
        tempo: Quarter notes per minute.
        end: When it ends, in steps.
        told: What is left out, in sentences.
    """

    parts: tuple[tuple[Line, ...], ...]
    bar: tuple[int, int]
    pickup: int
    tempo: float
    end: float
    told: tuple[str, ...]

    def frame(self, name: str, per_beat: int) -> Frame:
        """What it says besides its notes.

        Args:
            name: What to call the piece.
            per_beat: Steps per quarter note.
        """
        bar, told = bar_of(*self.bar, per_beat), self.told
        if bar is None:
            told += (f"a bar of {self.bar[0]}/{self.bar[1]} is no whole number of steps; bars are counted as 4/4",)
        return Frame(name, per_beat, bar or 4 * per_beat, self.pickup, self.tempo, self.end, told)


def read_score(content: bytes, per_beat: int) -> ReadScore:
    """The lines of a score, and what it says besides.

    Args:
        content: The file's bytes, zipped or not.
        per_beat: Steps per quarter note.
    """
    root = root_of(content)
    with quiet_music21() as music21:
        try:
            score = music21.musicxml.xmlToM21.MusicXMLImporter().xmlRootToScore(root)
            if any(found.transposition for found in score[music21.instrument.Instrument]):
                score = score.toSoundingPitch()
            return _read(score, per_beat)
        except (music21.exceptions21.Music21Exception, *HARMLESS) as error:
            reason = str(error).strip().splitlines()[0][:100] if str(error).strip() else type(error).__name__
            raise BadExampleError(f"it is a MusicXML file that music21 cannot read ({reason})") from None


def _read(score: Any, per_beat: int) -> ReadScore:
    """What is kept of a score of music21's."""
    left: set[str] = set()
    parts = tuple(_lines(part, per_beat, left) for part in score.parts)
    for element in score.recurse():
        left |= {LEFT_OUT[name] for name in element.classes if name in LEFT_OUT}
    told = [f"left out: {', '.join(sorted(left))}"] if left else []
    measures = list(score.parts[0].getElementsByClass("Measure")) if score.parts else []
    signatures = [found for measure in measures for found in measure.getElementsByClass("TimeSignature")]
    bar = (signatures[0].numerator, signatures[0].denominator) if signatures else (4, 4)
    changes = [found.ratioString for found in signatures if (found.numerator, found.denominator) != bar]
    if changes:
        among = ", ".join(list(dict.fromkeys(changes))[:4])
        told.append(f"the time signature changes to {among}; bars are counted as {bar[0]}/{bar[1]} throughout")
    pickup, steps = 0, 4 * bar[0] * per_beat / bar[1]
    lines = [float(measure.offset) * per_beat for measure in measures]
    if len(lines) > 1 and lines[1] < steps and lines[1] == int(lines[1]):
        pickup = int(lines[1])
    odd = sum((line - pickup) % steps > 0 for line in lines[1:])
    if odd and not changes:
        told.append(f"{odd:,} of {len(lines):,} bars begin elsewhere than the time signature has it")
    if any("Repeat" in found.classes for found in score.recurse().getElementsByClass("Barline")):
        told.append("repeats are read once")
    tempi = [mark.getQuarterBPM() for mark in score.recurse().getElementsByClass("MetronomeMark")]
    tempi = [tempo for tempo in tempi if tempo]
    if any(tempo != tempi[0] for tempo in tempi):
        told.append(f"the tempo changes; {tempi[0]:.0f} quarter notes per minute are kept throughout")
    tempo = float(tempi[0]) if tempi else 80.0
    return ReadScore(parts, bar, pickup, tempo, _end(score) * per_beat, tuple(told))


def _end(score: Any) -> float:
    """Where the last note or rest ends, in quarter notes: hidden rests only fill up the last measure."""
    return max(
        (
            begin + float(note.offset) + float(note.duration.quarterLength)
            for part in score.parts
            for _, begin, container in _containers(part)
            for note in container.notesAndRests
            if not note.style.hideObjectOnPrint
        ),
        default=0.0,
    )


def _containers(part: Any) -> Iterator[tuple[str, float, Any]]:
    """What holds the notes of a part, with the name of its voice (empty if there is one only), and where it begins."""
    for measure in part.getElementsByClass("Measure"):
        yield "", float(measure.offset), measure
        for voice in measure.voices:
            yield str(voice.id), float(measure.offset) + float(voice.offset), voice


def _lines(part: Any, per_beat: int, left: set[str]) -> tuple[Line, ...]:
    """The lines of a part, one for each voice that it is written in."""
    found: dict[str, list[Sound]] = {}
    tacet = False
    for voice, begin, container in _containers(part):
        tacet = tacet or any(text.content == TACET for text in container.getElementsByClass("TextExpression"))
        own = found.setdefault(voice, [])
        for note in container.notes:
            left |= _extras(note)
            if note.duration.isGrace or not {"Note", "Chord"} & set(note.classes) or "ChordSymbol" in note.classes:
                continue
            start = (begin + float(note.offset)) * per_beat
            end = start + float(note.duration.quarterLength) * per_beat
            for each in getattr(note, "notes", (note,)):
                pitch = nearest(each.pitch.ps)
                if not 0 <= pitch < PITCHES:
                    raise BadExampleError(f"it has the note {each.pitch.nameWithOctave}, which no instrument plays")
                left |= {"quarter tones, for the semitone above"} if pitch != each.pitch.ps else set()
                _add(own, Sound(start, end, pitch), each.tie is not None and each.tie.type != "start")
    name = str(part.partName or "")
    full = [line for line in found.values() if line]
    if not full:
        return (Line(name, (), tacet),)
    return tuple(Line(name if len(full) == 1 else "", tuple(line)) for line in full)


def _add(line: list[Sound], sound: Sound, tied: bool) -> None:
    """Add a note, to the one before that it is tied to if there is one."""
    for i in range(len(line) - 1, max(-1, len(line) - 9), -1):
        if tied and line[i].pitch == sound.pitch and abs(line[i].end - sound.start) < 1e-6:
            line[i] = line[i]._replace(end=sound.end)
            return
    line.append(sound)


def _extras(note: Any) -> set[str]:
    """What a note has that is left out."""
    found = {LEFT_OUT.get(type(mark).__name__, "ornaments") for mark in note.expressions}
    found |= {"articulations"} if note.articulations else set()
    found |= {"words"} if note.lyrics else set()
    return found | ({"grace notes"} if note.duration.isGrace else set())


def _merged(part: Sequence[Line]) -> Line:
    """All lines of a part as one."""
    name = part[0].name if len(part) == 1 else ""
    return Line(name, tuple(sound for line in part for sound in line.sounds), any(line.tacet for line in part))


def write_musicxml(
    codes: NDArray[np.integer],
    names: Sequence[str],
    *,
    tempo: float = 80.0,
    per_beat: int = 4,
    bar: int = 16,
    pickup: int = 0,
    title: str = "",
    how: Mapping[str, Any] | None = None,
) -> bytes:
    """A piece as a MusicXML file, with a part per voice.

    Args:
        codes: Codes, (voices, steps); none of them open.
        names: The names of the voices.
        tempo: Quarter notes per minute.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
        title: What to call the piece.
        how: How it was made; stands in the file's miscellaneous fields as JSON.
    """
    check_written(codes, names, tempo, bar, pickup, "a MusicXML file")
    about = None if how is None else json.dumps(how)
    with quiet_music21() as music21:
        score = score_of(music21, codes, names, (tempo, per_beat, bar, pickup), title, about)
        content = bytes(music21.musicxml.m21ToXml.GeneralObjectExporter(score).parse())
    # The day is no part of the piece, music21 did not compose it, and the title of a movement would be its own.
    return re.sub(rb"\s*<(encoding-date|creator|movement-title)\b[^>]*>[^<]*</\1>", b"", content)
