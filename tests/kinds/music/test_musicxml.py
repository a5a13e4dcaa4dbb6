"""MusicXML through music21: what is written comes back, scores of others are read, and mistakes get a sentence each."""

import io
import re
import sys
import zipfile
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from noisekernel.core.errors import BadExampleError, InputError, NoiseKernelError
from noisekernel.kinds.music import chorales as module
from noisekernel.kinds.music import mxl
from noisekernel.kinds.music.chorales import chorales
from noisekernel.kinds.music.engraving import sharps_of, spelled
from noisekernel.kinds.music.grid import OPEN, REST, Note, code_of, codes_of, notes_of, pitches_of, tidied
from noisekernel.kinds.music.musicxml import quiet_music21, read_musicxml, write_musicxml
from noisekernel.kinds.music.voices import VOICES, names_of


def score(*parts, root="score-partwise"):
    """A score of parts (name, measures), a measure being XML; a quarter note has 4 divisions."""
    names = "".join(f'<score-part id="P{i}"><part-name>{n}</part-name></score-part>' for i, (n, _) in enumerate(parts))
    bodies = "".join(
        f'<part id="P{i}">' + "".join(f'<measure number="{m}">{x}</measure>' for m, x in enumerate(xs, 1)) + "</part>"
        for i, (_, xs) in enumerate(parts)
    )
    version = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{version}<{root} version="3.1"><part-list>{names}</part-list>{bodies}</{root}>'.encode()


def time(beats=4, unit=4, more=""):
    return (
        f"<attributes><divisions>4</divisions><time><beats>{beats}</beats><beat-type>{unit}</beat-type></time>"
        f"{more}</attributes>"
    )


def note(name, length=4, more="", voice=1, chord=False):
    """A note such as C#4, or a rest."""
    if name == "rest":
        what = "<rest/>"
    else:
        alter = "<alter>1</alter>" if "#" in name else ""
        what = f"<pitch><step>{name[0]}</step>{alter}<octave>{name[-1]}</octave></pitch>"
    return (
        f"<note>{'<chord/>' * chord}{what}<duration>{length}</duration><voice>{voice}</voice><type>quarter</type>"
        f"{more}</note>"
    )


def whole(*names, beats=4):
    return time(beats) + "".join(note(name) for name in names)


def told(piece, *words):
    assert any(all(word in sentence for word in words) for sentence in piece.told), piece.told


CHOIR = [
    ("S", [whole("C5", "D5", "E5", "C5")]),
    ("A", [whole("G4", "G4", "G4", "E4")]),
    ("T", [whole("E4", "D4", "C4", "C4")]),
    ("B", [whole("C3", "B2", "C3", "C3")]),
]

# What is written comes back -------------------------------------------------------------------------------------------

cells = st.sampled_from([REST, *(code_of(pitch, struck) for pitch in (36, 59, 60, 61, 90) for struck in (False, True))])


@given(
    codes=arrays(np.int16, st.tuples(st.integers(1, 5), st.integers(8, 40)), elements=cells),
    timing=st.sampled_from(
        [(4, 16, 0), (4, 16, 4), (4, 12, 0), (4, 14, 3), (3, 12, 3), (6, 12, 5), (2, 7, 0), (1, 4, 1)]
    ),
)
@settings(max_examples=25)
def test_what_is_written_comes_back(codes, timing):
    per_beat, bar, pickup = timing
    codes[0, 0] = codes[-1, -1] = code_of(64, struck=True)
    given_ = {"tempo": 90.0, "per_beat": per_beat, "bar": bar, "pickup": pickup}
    piece = read_musicxml(write_musicxml(codes, names_of(len(codes)), **given_), len(codes), "Lied", per_beat)
    assert np.array_equal(piece.codes, tidied(codes))
    assert piece.told == ()
    assert (piece.name, piece.per_beat, piece.bar, piece.pickup, piece.tempo) == ("Lied", per_beat, bar, pickup, 90.0)


def test_the_file_says_what_it_is_and_how_it_was_made():
    codes = codes_of([Note(voice, 72 - 8 * voice, 0, 20) for voice in range(4)], 4, 20)
    given_ = {"title": "Lied", "how": {"seed": 1}, "pickup": 4}
    content = write_musicxml(codes, VOICES, **given_)
    text = content.decode()
    assert all(f"<part-name>{name}</part-name>" in text for name in VOICES)
    assert "<work-title>Lied</work-title>" in text
    assert '<miscellaneous-field name="noisekernel">{"seed": 1}</miscellaneous-field>' in text
    assert re.findall(r'<measure implicit="(\w+)" number="(\d)"', text)[:2] == [("yes", "0"), ("no", "1")]
    assert "<clef-octave-change>-1" in text  # the tenor
    # It depends on neither the day nor the run, and nothing is printed that music21 made up.
    assert not re.search(r"<encoding-date|Music21</creator>|<movement-title", text)
    assert text.count("<bar-style>light-heavy</bar-style>") == len(VOICES)
    # Without an instrument a notation program says that the part has none.
    assert len(set(re.findall(r'<score-instrument id="(P\d-I1)">', text))) == len(VOICES)
    assert content == write_musicxml(codes, VOICES, **given_)


def test_notes_are_spelled_in_the_key():
    a_flat = [68, 70, 72, 73, 75, 77, 79]
    assert sharps_of(a_flat) == -4
    assert "".join(spelled(pitch, -4)[0] for pitch in a_flat) == "ABCDEFG"
    assert sharps_of([]) == 0
    for sharps in range(-7, 8):
        for pitch in range(128):
            letter, alter, octave = spelled(pitch, sharps)
            assert {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}[letter] + alter + 12 * (
                octave + 1
            ) == pitch


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"codes": np.full((4, 8), OPEN)}, "32 of 32 cells are open; a MusicXML file cannot hold that: fill them in"),
        ({"names": ("a",)}, "give a row of steps per name"),
        ({"tempo": 5000.0}, "a tempo of 5000 quarter notes per minute; 4 to 1000 are allowed"),
        ({"bar": 7, "per_beat": 5}, "a bar of 7 steps, 5 per quarter note, has no time signature"),
        ({"pickup": 8}, "8 steps before the first bar line, of 8 in all"),
    ],
)
def test_what_cannot_be_written_is_refused(given_, said):
    arguments = {"codes": np.zeros((4, 8), int), "names": VOICES} | given_
    with pytest.raises(InputError, match=said):
        write_musicxml(**arguments)


# Scores of others -----------------------------------------------------------------------------------------------------


def test_parts_are_voices():
    piece = read_musicxml(score(*CHOIR), 4)
    assert pitches_of(piece.codes)[:, 0].tolist() == [72, 67, 64, 48]
    assert (piece.steps, piece.bar, piece.tempo, piece.told) == (16, 16, 80.0, ())
    # By name, whatever their order; by pitch, where the names say nothing.
    assert np.array_equal(read_musicxml(score(*CHOIR[::-1]), 4).codes, piece.codes)
    nameless = read_musicxml(score(*(("x", xs) for _, xs in CHOIR[::-1])), 4)
    assert np.array_equal(nameless.codes, piece.codes)
    told(nameless, "in the order of their mean pitch")


def test_a_melody_leaves_the_others_open():
    piece = read_musicxml(score(("Flute", [whole("C5", "D5", "E5", "C5")])), 4)
    assert (piece.codes[1:] == OPEN).all()
    told(piece, "no notes for Alto and Tenor and Bass: open, to be filled in")


def test_two_staves_with_two_voices_each_are_four_voices():
    back = "<backup><duration>16</duration></backup>"

    def staff(upper, lower):
        return time() + "".join(map(note, upper)) + back + "".join(note(name, voice=2) for name in lower)

    staves = [("women", [staff(["C5"] * 4, ["G4"] * 4)]), ("men", [staff(["E4"] * 4, ["C3"] * 4)])]
    piece = read_musicxml(score(*staves), 4)
    assert pitches_of(piece.codes)[:, 0].tolist() == [72, 67, 64, 48]
    assert piece.told == ()


def test_chords_are_distributed():
    right = time() + (note("C5") + note("G4", chord=True)) * 4
    left = time() + (note("E4") + note("C3", chord=True)) * 4
    piece = read_musicxml(score(("right", [right]), ("left", [left])), 4)
    assert pitches_of(piece.codes)[:, 4].tolist() == [72, 67, 64, 48]
    told(piece, "chords were distributed over 4 voices")


def test_ties_make_one_note_and_repeated_notes_stay_apart():
    tie = '<tie type="{}"/>'
    first = time() + note("rest", 8) + note("C5") + note("C5", more=tie.format("start"))
    second = note("C5", 12, tie.format("stop")) + note("C5")
    piece = read_musicxml(score(("S", [first, second])), 1)
    assert [(n.start, n.length) for n in notes_of(piece.codes)] == [(8, 4), (12, 16), (28, 4)]


def test_transposing_instruments_are_read_as_they_sound():
    clarinet = "<transpose><diatonic>-1</diatonic><chromatic>-2</chromatic></transpose>"
    measure = time(more=clarinet) + "".join(note(name) for name in ("D5", "E5", "D5", "D5"))
    assert pitches_of(read_musicxml(score(("Clarinet", [measure])), 1).codes)[0, 0] == 72


def test_what_is_left_out_is_told_once():
    fermata = "<notations><fermata/><ornaments><trill-mark/></ornaments></notations><lyric><text>la</text></lyric>"
    grace = "<note><grace/><pitch><step>D</step><octave>5</octave></pitch><voice>1</voice><type>eighth</type></note>"
    repeat = '<barline location="right"><bar-style>light-heavy</bar-style><repeat direction="backward"/></barline>'
    measure = time() + grace + note("C5", more=fermata) * 4 + repeat
    piece = read_musicxml(score(("S", [measure])), 1)
    assert len(notes_of(piece.codes)) == 4
    assert piece.told == ("left out: fermatas, grace notes, ornaments, words", "repeats are read once")


def test_quarter_tones_are_told():
    measure = time() + note("C#5").replace("<alter>1<", "<alter>0.5<")
    piece = read_musicxml(score(("S", [measure])), 1)
    assert pitches_of(piece.codes)[0, 0] == 73
    told(piece, "left out: quarter tones, for the semitone above")


def test_time_tempo_and_pickup():
    tempo = (
        "<direction><direction-type><metronome><beat-unit>quarter</beat-unit><per-minute>{}</per-minute></metronome>"
    )
    tempo += "</direction-type></direction>"
    first = time(3) + tempo.format(72) + note("C5")
    rest = [note("C5", 12), tempo.format(60) + note("C5", 12), time(2) + note("C5", 8)]
    piece = read_musicxml(score(("S", [first, *rest])), 1)
    assert (piece.bar, piece.pickup, piece.tempo, piece.steps) == (12, 4, 72.0, 36)
    told(piece, "the time signature changes to 2/4; bars are counted as 3/4 throughout")
    told(piece, "the tempo changes; 72 quarter notes per minute are kept")
    odd = read_musicxml(score(("S", [time() + note("C5", 16), note("C5", 8), note("C5", 16)])), 1)
    told(odd, "1 of 3 bars begin elsewhere than the time signature has it")
    short = read_musicxml(score(("S", [time(3, 32) + note("C5", 16)])), 1)
    told(short, "a bar of 3/32 is no whole number of steps; bars are counted as 4/4")


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            file.writestr(name.replace("__", "/").replace("_", "."), text)
    return content.getvalue()


def test_zipped_scores_are_read():
    assert np.array_equal(read_musicxml(zipped(a_xml=score(*CHOIR)), 4).codes, read_musicxml(score(*CHOIR), 4).codes)
    container = '<container><rootfiles><rootfile full-path="b.musicxml"/></rootfiles></container>'
    files = {"a_xml": b"<other/>", "b_musicxml": score(*CHOIR), "META-INF__container_xml": container}
    assert read_musicxml(zipped(**files), 4).steps == 16


MANY = [(f"part {i}", [whole("C5", "C5", "C5", "C5")]) for i in range(20)]
CHORD = time() + note("C5", 16) + "".join(note(name, 16, chord=True) for name in ("G4", "E4", "C4", "C3"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty, so no MusicXML file"),
        (b"MThd....", "it is no XML, so no MusicXML file"),
        (score(*CHOIR)[:-40], "it begins like XML, but is cut short or damaged"),
        (b"<html></html>", "it is XML, but no MusicXML: that begins with score-partwise, this with html"),
        (score(*CHOIR, root="score-timewise"), "sorted by time; export it as score-partwise"),
        (zipped(a_txt="x"), "it is a zip file without a score"),
        (zipped(a_xml=score(*CHOIR))[:-30], "it begins like a zipped MusicXML file, but is cut short or damaged"),
        (score(("S", [time() + note("rest", 16)])), "it holds no notes"),
        (score(), "it holds no notes"),
        (score(*MANY), r"20 tracks with notes where 4 voices can be: part 0, .* and 14 more"),
        (score(("piano", [time() + note("C5", 16), CHORD])), "bar 2 has 5 notes at once where 4 voices are"),
        (score(("S", [time("x") + note("C5")])), "a MusicXML file with beats of 'x', which cannot be"),
        (score(("S", [time(100_000) + note("C5")])), "a MusicXML file with beats of '100000', which cannot be"),
        (score(("S", [time(4, 7) + note("C5")])), "a MusicXML file with beat-type of '7', which cannot be"),
        (score(("S", [time().replace(">4</div", ">0</div") + note("C5")])), "with divisions of '0', which cannot be"),
        (score(("S", [time() + note("C5", "inf")])), "with duration of 'inf', which cannot be"),
        (score(("S", [time() + note("C9").replace("C", "H")])), "a MusicXML file that music21 cannot read"),
        (score(("S", [time() + note("C5").replace(">5<", ">77<")])), "it has the note C77, which no instrument plays"),
        (score(("S", [time() + note("C5", 2_000_000)])), "2,000,000 steps long, more than the 1,000,000 allowed"),
    ],
)
def test_what_is_no_piece_gets_a_sentence(content, said):
    with pytest.raises(BadExampleError, match=said):
        read_musicxml(content, 4)


def test_a_score_that_is_too_large_unpacked_is_refused(monkeypatch):
    monkeypatch.setattr(mxl, "MOST_BYTES", 1000)
    with pytest.raises(BadExampleError, match="its score has more than the 1,000 bytes allowed"):
        read_musicxml(zipped(a_xml=score(*CHOIR)), 4)


def test_without_music21_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "music21", None)
    for use in (
        lambda: read_musicxml(score(*CHOIR), 4),
        lambda: write_musicxml(np.zeros((1, 8), int), ["a"]),
        lambda: next(chorales()),
    ):
        with pytest.raises(NoiseKernelError, match=r"need music21: pip install 'noisekernel\[music\]'"):
            use()


def test_music21_is_imported_when_it_is_needed_and_says_nothing(capfd):
    with quiet_music21() as music21:
        music21.environment.Environment("test").warn("noise")
    assert capfd.readouterr() == ("", "")


# Chorales -------------------------------------------------------------------------------------------------------------


def test_chorales_come_with_bars_and_pickups():
    seen = []
    found = list(islice(chorales(progress=lambda done, of: seen.append((done, of))), 3))
    assert [piece.name for piece in found] == ["bwv10.7", "bwv101.7", "bwv102.7"]
    assert [(piece.bar, piece.pickup) for piece in found] == [(16, 0), (16, 4), (16, 4)]
    assert all(piece.voices == 4 and (piece.codes >= REST).all() for piece in found)
    assert seen[0] == (1, seen[0][1])
    assert seen[0][1] > 400
    # The first chord of BWV 101.7, Nimm von uns, Herr, du treuer Gott: D minor.
    assert pitches_of(found[1].codes)[:, 0].tolist() == [69, 65, 62, 50]


def test_chorales_tell_what_they_leave_out(monkeypatch, tmp_path):
    (tmp_path / "damaged.xml").write_bytes(b"<")
    (tmp_path / "quick.xml").write_bytes(score(*CHOIR[:3], ("B", [time() + note("C3", 3) + note("C3", 13)])))
    (tmp_path / "beside.xml").write_bytes(
        score(*CHOIR[:3], ("B", [time().replace(">4</div", ">5</div") + note("C3", 3) + note("C3", 17)]))
    )
    (tmp_path / "three.xml").write_bytes(score(*CHOIR[:3]))
    (tmp_path / "reserved.krn").write_bytes(b"**kern")
    monkeypatch.setattr(module, "_files", lambda: sorted(tmp_path.iterdir()))
    said = []
    assert [piece.name for piece in chorales(tell=said.append)] == ["quick"]
    (sentence,) = said
    assert sentence.startswith("4 of 5 scores of the corpus are left out: ")
    for reason in (
        "1 that cannot be read",
        "1 with notes between those of the grid of sixteenths",
        "1 without four parts of single notes",
        "1 with rights reserved",
    ):
        assert reason in sentence
    said.clear()
    assert list(chorales(tell=said.append, progress=lambda done, of: None))
    monkeypatch.setattr(module, "_files", lambda: [tmp_path / "quick.xml"])
    said.clear()
    assert len(list(chorales(tell=said.append))) == 1
    assert said == []


def test_without_the_corpus_the_error_says_what_to_do(monkeypatch, tmp_path):
    with quiet_music21() as music21:
        monkeypatch.setattr(music21, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(NoiseKernelError, match="installed without its corpus"):
        next(chorales())
