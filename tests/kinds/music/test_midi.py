"""MIDI files: what is written comes back, what others write fits the grid, and what does not gets a sentence."""

import io
import json
from contextlib import suppress
from itertools import combinations

import mido
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.music import assembling
from noisekernel.kinds.music.grid import OPEN, REST, Note, code_of, codes_of, from_pitches, notes_of, pitches_of, tidied
from noisekernel.kinds.music.midi import read_midi, write_midi
from noisekernel.kinds.music.voices import VOICES, cheapest, names_of

TICKS = 480
#: Sixteenths and quarters, in ticks.
STEP, QUARTER = 120, 480


def midi(*tracks, ticks=TICKS, format=1, first=()):
    """A file of tracks (name, [(channel, pitch, start, end), …]), times in ticks; `first` are (time, meta message)."""
    file = mido.MidiFile(type=format, ticks_per_beat=ticks)
    file.tracks.append(track_of("", [], first))
    for name, notes, *more in tracks:
        file.tracks.append(track_of(name, notes, *more))
    if format == 0:
        file.tracks = [mido.merge_tracks(file.tracks)]
    return saved(file)


def track_of(name, notes, more=()):
    events = list(more)
    for channel, pitch, start, end in notes:
        events.append((start, mido.Message("note_on", channel=channel, note=pitch, velocity=64)))
        events.append((end, mido.Message("note_off", channel=channel, note=pitch)))
    track, now = mido.MidiTrack([mido.MetaMessage("track_name", name=name)]), 0
    for at, message in sorted(events, key=lambda event: (event[0], event[1].type == "note_on")):
        track.append(message.copy(time=at - now))
        now = at
    return track


def saved(file):
    content = io.BytesIO()
    file.save(file=content)
    return content.getvalue()


def line(*pitches, channel=0, length=QUARTER, gate=1.0):
    """Notes one after the other."""
    return [(channel, pitch, i * length, round((i + gate) * length)) for i, pitch in enumerate(pitches)]


def pitches_at(piece, step):
    return pitches_of(piece.codes)[:, step].tolist()


def told(piece, *words):
    assert any(all(word in sentence for word in words) for sentence in piece.told), piece.told


SONG = [("one", line(72, 74)), ("two", line(67, 69)), ("three", line(64, 65)), ("four", line(48, 50))]

# What is written comes back -------------------------------------------------------------------------------------------

cells = st.sampled_from([REST, *(code_of(pitch, struck) for pitch in (0, 59, 60, 127) for struck in (False, True))])
grids = arrays(np.int16, st.tuples(st.integers(1, 15), st.integers(1, 40)), elements=cells)


@given(codes=grids, per_beat=st.sampled_from([1, 2, 3, 4, 6, 8]), bar=st.integers(1, 24), data=st.data())
def test_what_is_written_comes_back(codes, per_beat, bar, data):
    assume((4 * bar) % per_beat == 0)
    pickup = data.draw(st.integers(0, min(bar, codes.shape[1]) - 1).filter(lambda steps: (4 * steps) % per_beat == 0))
    # Whole bars of silence at either end are no part of a piece.
    codes[0, 0] = codes[-1, -1] = code_of(64, struck=True)
    names = names_of(len(codes))
    how = {"seed": 1, "title": "Äolsharfe"}
    content = write_midi(codes, names, tempo=97.0, per_beat=per_beat, bar=bar, pickup=pickup, title="ein Lied", how=how)
    piece = read_midi(content, len(codes), "Lied", per_beat)
    assert np.array_equal(piece.codes, tidied(codes))
    assert piece.told == ()
    assert (piece.name, piece.per_beat, piece.bar, piece.pickup) == ("Lied", per_beat, bar, pickup)
    assert piece.tempo == pytest.approx(97.0, rel=1e-5)


def test_the_file_is_one_that_notation_programs_open():
    codes = codes_of([Note(0, 72, 0, 4), Note(0, 72, 4, 4), Note(3, 48, 0, 16)], 4, 16)
    file = mido.MidiFile(file=io.BytesIO(write_midi(codes, VOICES, tempo=60.0, bar=12, pickup=4, how={"a": 1})))
    assert (file.type, file.ticks_per_beat, len(file.tracks)) == (1, 480, 5)
    assert all(track[-1].type == "end_of_track" for track in file.tracks)
    assert [track.name for track in file.tracks[1:]] == list(VOICES)
    # A text is printed in the score: that a voice is silent may stand there. What is a program's own is not printed.
    assert [message.text for track in file.tracks for message in track if message.type == "text"] == ["tacet"] * 2
    ((maker, *own),) = [message.data for message in file.tracks[0] if message.type == "sequencer_specific"]
    assert (maker, json.loads(bytes(own))) == (0x7D, {"a": 1})
    signatures = [m for m in file.tracks[0] if m.type == "time_signature"]
    assert [(m.numerator, m.denominator, m.time) for m in signatures] == [(1, 4, 0), (3, 4, 480)]
    channels = {m.channel for track in file.tracks for m in track if m.type == "note_on"}
    assert channels == {0, 3}
    # A note ends before the same pitch is struck again.
    kinds = [(m.type, m.time) for m in file.tracks[1] if m.type.startswith("note")]
    assert kinds == [("note_on", 0), ("note_off", 480), ("note_on", 0), ("note_off", 480)]
    assert sum(m.time for m in file.tracks[2]) == 16 * STEP


def test_no_voice_is_on_the_channel_of_drums():
    codes = np.full((15, 4), code_of(60, struck=True), np.int16)
    file = mido.MidiFile(file=io.BytesIO(write_midi(codes, names_of(15))))
    channels = [m.channel for track in file.tracks for m in track if m.type == "program_change"]
    assert channels == [*range(9), *range(10, 16)]


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"codes": np.full((4, 8), OPEN)}, "32 of 32 cells are open; a MIDI file cannot hold that: fill them in first"),
        ({"names": ("a",)}, "give a row of steps per name"),
        ({"codes": np.zeros((4, 0), int)}, "give a row of steps per name"),
        ({"tempo": 2.0}, "a tempo of 2 quarter notes per minute; 4 to 1000 are allowed"),
        (
            {"pickup": 16},
            "16 steps before the first bar line, of 8 in all; a pickup is shorter than a bar, which has 16",
        ),
        ({"per_beat": 7}, "7 steps per quarter note; a MIDI file takes a divisor of 480"),
        ({"bar": 7, "per_beat": 5}, "a bar of 7 steps, 5 per quarter note, has no time signature"),
        ({"codes": np.zeros((16, 4), int), "names": names_of(16)}, "16 voices; a MIDI file has channels for 15"),
    ],
)
def test_what_cannot_be_written_is_refused(given_, said):
    arguments = {"codes": np.zeros((4, 8), int), "names": VOICES} | given_
    with pytest.raises(InputError, match=said):
        write_midi(**arguments)


# Which line is which voice --------------------------------------------------------------------------------------------


def test_tracks_are_voices_in_the_order_of_their_pitch():
    assert read_midi(midi(*SONG), 4).told == ()
    piece = read_midi(midi(*SONG[::-1]), 4)
    assert pitches_at(piece, 0) == [72, 67, 64, 48]
    told(piece, "in the order of their mean pitch: one, two, three, four")


def test_format_0_has_a_voice_per_channel():
    voices = [(str(i), [(i, *rest) for _, *rest in notes]) for i, (_, notes) in enumerate(SONG)]
    piece = read_midi(midi(*voices, format=0), 4)
    assert pitches_at(piece, 0) == [72, 67, 64, 48]
    assert piece.steps == 8


def test_names_of_voices_are_taken_at_their_word():
    """The alto is above the soprano here, and stays the alto."""
    named = [("B", line(48)), (" alto ", line(76)), ("SOPRANO", line(60)), ("tenor", line(55))]
    piece = read_midi(midi(*named), 4)
    assert pitches_at(piece, 0) == [60, 76, 55, 48]
    assert piece.told == ()
    piece = read_midi(midi(("Bass", line(48))), 4)
    assert pitches_at(piece, 0) == [-1, -1, -1, 48]
    told(piece, "no notes for Soprano and Alto and Tenor")


def test_names_of_ones_own_are_taken_at_their_word():
    own = [("low", line(80)), ("high", line(40))]
    piece = read_midi(midi(*own), 2, names=("high", "low"))
    assert pitches_at(piece, 0) == [40, 80]
    codes, names = from_pitches([[40, 80]] * 4), ("Flöte", "Hörner")
    assert np.array_equal(read_midi(write_midi(codes, names), 2, names=names).codes, codes)


def test_a_melody_is_the_highest_voice_and_the_others_are_open():
    piece = read_midi(midi(("Melody", line(60, 62))), 4)
    assert pitches_at(piece, 0) == [60, -1, -1, -1]
    assert (piece.codes[1:] == OPEN).all()
    told(piece, "no notes for Alto and Tenor and Bass: open, to be filled in")


def test_a_silent_track_is_open_unless_it_says_that_it_is_silent():
    piece = read_midi(midi(*SONG[:3], ("Bass", [])), 4)
    assert (piece.codes[3] == OPEN).all()
    silent = ("Bass", [], [(0, mido.MetaMessage("text", text="tacet"))])
    assert (read_midi(midi(*SONG[:3], silent), 4).codes[3] == REST).all()


def test_chords_are_distributed_and_a_note_keeps_its_voice_while_it_sounds():
    right = [(0, 72, 0, 960), (0, 67, 0, 480), (0, 69, 480, 960)]
    left = [(0, 60, 0, 480), (0, 48, 0, 960), (0, 62, 480, 960)]
    piece = read_midi(midi(("right", right), ("left", left)), 4)
    assert pitches_at(piece, 0) == [72, 67, 60, 48]
    assert pitches_at(piece, 4) == [72, 69, 62, 48]
    assert len(notes_of(piece.codes)) == 6
    told(piece, "chords were distributed over 4 voices")


@given(
    costs=st.integers(1, 5).flatmap(
        lambda columns: arrays(
            np.int64, st.tuples(st.integers(1, columns), st.just(columns)), elements=st.integers(0, 9)
        )
    )
)
def test_the_cheapest_way_is_that_of_all_ways(costs):
    rows, columns = costs.shape
    found = cheapest(costs.tolist())
    assert found == sorted(set(found))
    ways = [sum(costs[row, c] for row, c in enumerate(way)) for way in combinations(range(columns), rows)]
    assert sum(costs[row, c] for row, c in enumerate(found)) == min(ways)


def test_two_notes_at_once_are_the_two_highest_voices():
    piece = read_midi(midi(("piano", [(0, 72, 0, 480), (0, 60, 0, 480), (0, 74, 480, 960)])), 4)
    assert pitches_at(piece, 0) == [72, 60, -1, -1]
    assert pitches_at(piece, 4)[:2] == [74, -1]
    assert (piece.codes[2:] == OPEN).all()
    assert piece.codes[1, 4] == REST


@given(seed=st.integers(0, 50))
@settings(max_examples=25)
def test_voices_that_never_cross_are_found_in_a_piano_reduction(seed):
    """Four voices, each within its own third, struck together or held: the reduction has the same notes back."""
    draw = np.random.default_rng(seed)
    floors = np.array([74, 67, 60, 50])
    steps = [floors + draw.integers(0, 4, 4) for _ in range(12)]
    codes = from_pitches(np.repeat(steps, 4, axis=0))
    notes = [(0, n.pitch, n.start * STEP, (n.start + n.length) * STEP, n.voice) for n in notes_of(codes)]
    staves = [[n[:4] for n in notes if n[4] in pair] for pair in ((0, 1), (2, 3))]
    piece = read_midi(midi(("right", staves[0]), ("left", staves[1])), 4)
    assert np.array_equal(piece.codes, codes)


def test_more_notes_than_voices_are_refused():
    chord = [(0, pitch, 5 * 1920, 5 * 1920 + 480) for pitch in (48, 55, 60, 64, 67)]
    with pytest.raises(BadExampleError, match="bar 6 has 5 notes at once where 4 voices are; leave some out"):
        read_midi(midi(("piano", line(60) + chord)), 4)
    many = [(f"track {i}", line(60 + i)) for i in range(20)]
    with pytest.raises(BadExampleError, match=r"20 tracks with notes where 4 voices can be: track 0, .* and 14 more"):
        read_midi(midi(*many), 4)


# Time -----------------------------------------------------------------------------------------------------------------


def meta(kind, **given_):
    return mido.MetaMessage(kind, **given_)


@pytest.mark.parametrize(("numerator", "denominator", "bar"), [(3, 4, 12), (4, 4, 16), (12, 8, 24), (7, 16, 7)])
def test_time_signatures_give_bars(numerator, denominator, bar):
    signature = (0, meta("time_signature", numerator=numerator, denominator=denominator))
    piece = read_midi(midi(*SONG, first=[signature]), 4)
    assert (piece.bar, piece.pickup, piece.told) == (bar, 0, ())


def test_changes_of_time_and_tempo_are_told():
    first = [
        (0, meta("time_signature", numerator=3, denominator=4)),
        (0, meta("set_tempo", tempo=mido.bpm2tempo(90))),
        (480, meta("set_tempo", tempo=mido.bpm2tempo(60))),
        (2880, meta("time_signature", numerator=2, denominator=4)),
    ]
    piece = read_midi(midi(*SONG, first=first), 4)
    assert (piece.bar, piece.tempo) == (12, pytest.approx(90, rel=1e-4))
    told(piece, "the time signature changes to 2/4; bars are counted as 3/4 throughout")
    told(piece, "the tempo changes; 90 quarter notes per minute are kept")


def test_a_bar_that_fits_no_grid_is_told():
    piece = read_midi(midi(*SONG, first=[(0, meta("time_signature", numerator=3, denominator=32))]), 4)
    assert piece.bar == 16
    told(piece, "a bar of 3/32 is no whole number of steps; bars are counted as 4/4")


def test_a_short_first_bar_is_a_pickup():
    first = [
        (0, meta("time_signature", numerator=1, denominator=4)),
        (480, meta("time_signature", numerator=4, denominator=4)),
    ]
    piece = read_midi(midi(*SONG, first=first), 4)
    assert (piece.bar, piece.pickup, piece.told) == (16, 4, ())


def test_notes_beside_the_grid_are_moved_and_told():
    triplets = [(0, 60 + i, i * 160, (i + 1) * 160) for i in range(6)]
    piece = read_midi(midi(("", triplets)), 1)
    assert [note.start for note in notes_of(piece.codes)] == [0, 1, 3, 4, 5, 7]
    told(piece, "6 of 6 notes moved by more than a quarter of a step, onto the grid of sixteenths")
    assert read_midi(midi(("", triplets)), 1, per_beat=3).told == ()
    slightly = [(0, 60, 20, 500), (0, 62, 490, 950)]
    piece = read_midi(midi(("", slightly)), 1)
    assert [(note.start, note.length) for note in notes_of(piece.codes)] == [(0, 4), (4, 4)]
    assert piece.told == ()


def test_runs_quicker_than_the_grid_lose_notes_and_say_so():
    run = [(0, 60 + i, i * 30, (i + 1) * 30) for i in range(8)]
    piece = read_midi(midi(("", run)), 1)
    told(piece, "of 8 notes are left out")
    told(piece, "8 of 8 notes were shorter than half a step")


def test_players_who_let_go_early_or_late_are_understood():
    early = read_midi(midi(("", line(60, 62, 64, gate=0.95))), 1)
    assert [note.length for note in notes_of(early.codes)] == [4, 4, 4]
    assert early.told == ()
    late = read_midi(midi(("", line(60, 62, 64, gate=1.08))), 1)
    assert [note.length for note in notes_of(late.codes)] == [4, 4, 4]
    short = read_midi(midi(("", line(60, 62, 64, length=STEP, gate=0.6))), 1)
    assert [note.length for note in notes_of(short.codes)] == [1, 1, 1]
    told(short, "2 of 3 notes are held until the next begins")


def test_rests_stay():
    piece = read_midi(midi(("", [(0, 60, 0, 240), (0, 62, 480, 960)])), 1)
    assert [(note.start, note.length) for note in notes_of(piece.codes)] == [(0, 2), (4, 4)]


def test_silence_at_the_start_is_kept_unless_it_is_whole_bars():
    piece = read_midi(midi(("", [(0, 60, 480, 960)])), 1)
    assert (piece.steps, piece.codes[0, 0], piece.told) == (8, REST, ())
    piece = read_midi(midi(("", [(0, 60, 2 * 1920 + 480, 2 * 1920 + 960)])), 1)
    assert notes_of(piece.codes)[0].start == 4
    told(piece, "the silence at its start is left out: 2 bars")


def test_silence_at_the_end_is_kept_unless_it_is_whole_bars():
    end = meta("text", text="x")
    piece = read_midi(midi(("", line(60), [(960, end)])), 1)
    assert (piece.steps, piece.told) == (8, ())
    piece = read_midi(midi(("", line(60), [(960 + 3 * 1920, end)])), 1)
    assert piece.steps == 8
    told(piece, "the silence at its end is left out: 3 bars")


def test_a_note_without_an_end_lasts_to_the_end_and_one_struck_again_begins_anew():
    on = mido.Message("note_on", note=60, velocity=64)
    track = mido.MidiTrack([on, on.copy(time=480), mido.Message("note_on", note=60, velocity=0, time=480)])
    track += [on.copy(note=62), mido.MetaMessage("end_of_track", time=480)]
    piece = read_midi(saved(mido.MidiFile(type=1, ticks_per_beat=480, tracks=[track])), 1)
    assert notes_of(piece.codes) == [Note(0, 60, 0, 4), Note(0, 60, 4, 4), Note(0, 62, 8, 4)]


# What is left out, and what is refused --------------------------------------------------------------------------------


def test_drums_and_pedals_are_left_out_and_told():
    drums = ("kit", line(36, 38, channel=9))
    pedal = [(0, mido.Message("control_change", control=64, value=127))]
    piece = read_midi(midi(*SONG, drums, ("", [], pedal)), 4)
    assert pitches_at(piece, 0) == [72, 67, 64, 48]
    told(piece, "2 notes of drums are left out")
    told(piece, "the sustain pedal is left out")
    with pytest.raises(BadExampleError, match="drums only"):
        read_midi(midi(drums), 4)


def with_ticks(content, ticks):
    return content[:12] + ticks.to_bytes(2, "big") + content[14:]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty, so no MIDI file"),
        (b"RIFF....WAVE", "it is no MIDI file: one begins with the letters MThd"),
        (b"MThd", "cut short or damaged"),
        (midi(*SONG)[:-20], "cut short or damaged; export it once more"),
        (midi(*SONG).replace(b"MTrk", b"XTrk", 1), "cut short or damaged"),
        (with_ticks(midi(*SONG), 0xE250), "frames of a film"),
        (with_ticks(midi(*SONG), 0), "frames of a film"),
        (midi(*SONG)[:9] + b"\2" + midi(*SONG)[10:], "format 2, several pieces in one"),
        (midi(("Soprano", [])), "it holds no notes"),
        (midi(), "it holds no notes"),
        (midi(*SONG).replace(b"\x90H@", b"\x90H\xc0"), "cut short or damaged"),
    ],
)
def test_what_is_no_piece_gets_a_sentence(content, said):
    with pytest.raises(BadExampleError, match=said):
        read_midi(content, 4)


def test_a_piece_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(assembling, "MOST_STEPS", 100)
    assert read_midi(midi(("", [(0, 60, 0, 100 * STEP)])), 1).steps == 100
    with pytest.raises(BadExampleError, match="101 steps long, more than the 100 allowed"):
        read_midi(midi(("", [(0, 60, 0, 101 * STEP)])), 1)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"voices": 0}, "0 voices"),
        ({"voices": 2, "names": ("a",)}, "1 names for 2 voices"),
        ({"voices": 2, "per_beat": 0}, "0 steps per quarter note"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(given_, said):
    with pytest.raises(InputError, match=said):
        read_midi(midi(*SONG), **given_)


@given(data=st.data())
@settings(max_examples=300)
def test_a_damaged_file_is_a_piece_or_gets_a_sentence(data):
    content = bytearray(midi(*SONG))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadExampleError):
        piece = read_midi(bytes(content[: data.draw(st.integers(4, len(content)))]), 4)
        assert piece.codes.shape == (4, piece.steps)
