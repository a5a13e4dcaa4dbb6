"""MIDI files: read onto the grid, and written so that notation programs open them cleanly.

Read are formats 0 and 1. A line of notes is a track and a channel; `voices` says which line is which voice, `gridding`
how times become steps. The first tempo is kept, and the first time signature; changes are told. A first bar that is
shorter than its time signature, which programs write as a time signature of its own, is a pickup. Drums (channel 10)
are left out. The sustain pedal is not heard: a note lasts as long as its key is held.

Written is format 1: a track with name, tempo and time signatures, then a track per voice. A voice that is silent
throughout says so by the text "tacet", since a track without notes is read as a voice that is open.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mido
import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.music.assembling import Frame, checked_names, piece_of
from noisekernel.kinds.music.bars import bar_of, check_written, signature_of
from noisekernel.kinds.music.grid import Note, Piece, notes_of
from noisekernel.kinds.music.gridding import Line, Sound

#: Ticks per quarter note in files that are written; the channel of the drums; the program: a choir that sings "ah".
TICKS, DRUMS, CHOIR, VELOCITY = 480, 9, 52, 80
#: The controller of the sustain pedal.
PEDAL = 64
#: Who data of a program's own belong to: the number that is free for whoever has none (MIDI 1.0).
NO_MAKER = 0x7D
#: The text by which a track says that it is silent on purpose.
TACET = "tacet"
#: Channels there are for voices: sixteen, without the drums.
CHANNELS = tuple(channel for channel in range(16) if channel != DRUMS)


def read_midi(
    content: bytes, voices: int, name: str = "", per_beat: int = 4, names: Sequence[str] | None = None
) -> Piece:
    """The piece in a MIDI file; `BadExampleError` says why there is none.

    Args:
        content: The file's bytes.
        voices: How many voices the piece has to have.
        name: What to call it.
        per_beat: Steps per quarter note.
        names: The names of the voices, from the highest to the lowest, by which tracks are recognised.
    """
    called = checked_names(voices, names, per_beat)
    file = _opened(content)
    tracks = [_read(track, per_beat / file.ticks_per_beat) for track in file.tracks]
    lines = [line for track in tracks for line in track.lines]
    drums = sum(track.drums for track in tracks)
    if drums and not any(line.sounds for line in lines):
        raise BadExampleError("it holds drums only; drums have no pitch, so no voice can sing them")
    signatures = sorted((at for track in tracks for at in track.signatures), key=lambda at: at[0])
    bar, pickup, told = _bars(signatures, file.ticks_per_beat, per_beat)
    tempo, of_tempo = _tempo(sorted(at for track in tracks for at in track.tempi))
    told += of_tempo
    told += [f"{drums:,} notes of drums are left out"] if drums else []
    if any(track.pedal for track in tracks):
        told.append("the sustain pedal is left out: notes last as long as their keys are held")
    end = max(track.end for track in tracks) if tracks else 0.0
    return piece_of(lines, called, Frame(name, per_beat, bar, pickup, tempo, end, tuple(told)))


@dataclass
class _Track:
    """What was read of a track: times of notes and of its end are in steps, others in ticks."""

    end: float = 0.0
    lines: list[Line] = field(default_factory=list)
    drums: int = 0
    pedal: bool = False
    tempi: list[tuple[int, float]] = field(default_factory=list)
    signatures: list[tuple[int, tuple[int, int]]] = field(default_factory=list)


def _read(messages: Iterable[Any], scale: float) -> _Track:
    """A track; a note that is struck again while it sounds begins anew, and one without an end lasts to the end."""
    track, now, title, tacet = _Track(), 0, "", False
    sounding: dict[tuple[int, int], int] = {}
    found: dict[int, list[Sound]] = {}
    for message in messages:
        now += message.time
        if message.type in ("note_on", "note_off"):
            key = (message.channel, message.note)
            if key in sounding:
                found.setdefault(message.channel, []).append(Sound(sounding.pop(key) * scale, now * scale, key[1]))
            if message.type == "note_on" and message.velocity:
                sounding[key] = now
        elif message.type == "track_name":
            title = title or _text(message.name)
        elif message.type == "text":
            tacet = tacet or message.text == TACET
        elif message.type == "set_tempo" and message.tempo:
            track.tempi.append((now, mido.tempo2bpm(message.tempo)))
        elif message.type == "time_signature" and message.numerator:
            track.signatures.append((now, (message.numerator, message.denominator)))
        elif message.type == "control_change" and message.control == PEDAL:
            track.pedal = track.pedal or message.value >= 64
    for (channel, pitch), start in sounding.items():
        found.setdefault(channel, []).append(Sound(start * scale, now * scale, pitch))
    track.end, track.drums = now * scale, len(found.pop(DRUMS, []))
    for channel, own in sorted(found.items()):
        track.lines.append(Line(f"{title} {channel + 1}".strip() if len(found) > 1 else title, tuple(own)))
    if not found:
        track.lines.append(Line(title, (), tacet))
    return track


def _opened(content: bytes) -> mido.MidiFile:
    """The file as mido reads it."""
    if not content:
        raise BadExampleError("it is empty, so no MIDI file")
    if content[:4] != b"MThd":
        raise BadExampleError("it is no MIDI file: one begins with the letters MThd")
    try:
        file = mido.MidiFile(file=io.BytesIO(content))
    except (OSError, EOFError, ValueError, LookupError, TypeError, ArithmeticError, mido.KeySignatureError):
        raise BadExampleError("it begins like a MIDI file, but is cut short or damaged; export it once more") from None
    if file.type == 2:
        raise BadExampleError("it is a MIDI file of format 2, several pieces in one; export the piece as format 1")
    if file.ticks_per_beat <= 0:
        raise BadExampleError("its times are in frames of a film (SMPTE), not in beats; export it with beats")
    return file


def _bars(signatures: Sequence[tuple[int, tuple[int, int]]], ticks: int, per_beat: int) -> tuple[int, int, list[str]]:
    """Steps per bar and before the first bar line, and what is to be told of time signatures."""
    told: list[str] = []
    at_start = [of for at, of in signatures if at == 0]
    later = [(at, of) for at, of in signatures if at > 0]
    numerator, denominator = at_start[-1] if at_start else (4, 4)
    pickup = 0
    if at_start and later:
        at, (a, b) = later[0]
        one_bar = at * denominator == 4 * numerator * ticks
        if one_bar and numerator * b < a * denominator and (steps := bar_of(numerator, denominator, per_beat)):
            pickup, numerator, denominator = steps, a, b
    changes = [f"{a}/{b}" for _, (a, b) in later if (a, b) != (numerator, denominator)]
    if changes:
        among = ", ".join(list(dict.fromkeys(changes))[:4])
        told.append(f"the time signature changes to {among}; bars are counted as {numerator}/{denominator} throughout")
    bar = bar_of(numerator, denominator, per_beat)
    if bar is None:
        told.append(f"a bar of {numerator}/{denominator} is no whole number of steps; bars are counted as 4/4")
    return bar or 4 * per_beat, pickup, told


def _tempo(tempi: Sequence[tuple[int, float]]) -> tuple[float, list[str]]:
    """Quarter notes per minute, and what is to be told of it."""
    if not tempi:
        return 120.0, []
    first = [tempo for at, tempo in tempi if at == tempi[0][0]][-1]
    changes = sum(tempo != first for _, tempo in tempi)
    return first, [f"the tempo changes; {first:.0f} quarter notes per minute are kept throughout"] if changes else []


def _text(text: str) -> str:
    """A text that mido took for Latin-1, in UTF-8 where it is that."""
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def write_midi(
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
    """A piece as a MIDI file of format 1, with a track per voice.

    Args:
        codes: Codes, (voices, steps); none of them open.
        names: The names of the voices.
        tempo: Quarter notes per minute.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
        title: What to call the piece.
        how: How it was made; stands in the first track as JSON, as data of a program's own.
    """
    check_written(codes, names, tempo, bar, pickup, "a MIDI file")
    voices, steps = codes.shape
    if TICKS % per_beat:
        raise InputError(f"{per_beat} steps per quarter note; a MIDI file takes a divisor of {TICKS}")
    if voices > len(CHANNELS):
        raise InputError(f"{voices} voices; a MIDI file has channels for {len(CHANNELS)}")
    ticks = TICKS // per_beat
    file = mido.MidiFile(type=1, ticks_per_beat=TICKS, charset="utf-8")
    first = [mido.MetaMessage("track_name", name=title)]
    if how is not None:
        # Not as text, which notation programs print above the first bar; this they leave alone.
        first.append(mido.MetaMessage("sequencer_specific", data=(NO_MAKER, *json.dumps(how).encode())))
    first.append(mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(tempo)))
    first += _signatures(bar, pickup, per_beat, ticks)
    file.tracks.append(mido.MidiTrack(first))
    notes = notes_of(codes)
    for voice, name in enumerate(names):
        own = [note for note in notes if note.voice == voice]
        file.tracks.append(_track(own, name, CHANNELS[voice], ticks, steps))
    content = io.BytesIO()
    file.save(file=content)
    return content.getvalue()


def _signatures(bar: int, pickup: int, per_beat: int, ticks: int) -> Iterable[mido.MetaMessage]:
    """The time signature, after that of a pickup."""
    found = [(0, steps) for steps in (pickup, bar) if steps]
    for i, (_, steps) in enumerate(found):
        signature = signature_of(steps, per_beat)
        if signature is None:
            raise InputError(f"a bar of {steps} steps, {per_beat} per quarter note, has no time signature")
        yield mido.MetaMessage(
            "time_signature", numerator=signature[0], denominator=signature[1], time=pickup * ticks if i else 0
        )


def _track(notes: Sequence[Note], name: str, channel: int, ticks: int, steps: int) -> mido.MidiTrack:
    """A voice: each note ends before the next begins, and the track with the piece."""
    events: list[tuple[int, Any]] = []
    for note in notes:
        on = mido.Message("note_on", channel=channel, note=note.pitch, velocity=VELOCITY)
        off = mido.Message("note_off", channel=channel, note=note.pitch, velocity=0)
        events += [(note.start * ticks, on), ((note.start + note.length) * ticks, off)]
    track = mido.MidiTrack([mido.MetaMessage("track_name", name=name)])
    if not notes:
        track.append(mido.MetaMessage("text", text=TACET))
    track.append(mido.Message("program_change", channel=channel, program=CHOIR))
    now = 0
    for at, event in [*events, (steps * ticks, mido.MetaMessage("end_of_track"))]:
        track.append(event.copy(time=at - now))
        now = at
    return track
