"""Codes of a grid: each says by itself what is heard; notes and codes are two ways to write the same music."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import (
    OPEN,
    REST,
    Note,
    Piece,
    code_of,
    codes_of,
    from_pitches,
    notes_of,
    pitches_of,
    struck_in,
    tidied,
)

#: Few pitches, so that the same ones follow each other.
cells = st.sampled_from([REST, *(code_of(pitch, struck) for pitch in (0, 60, 61, 127) for struck in (False, True))])
shapes = st.tuples(st.integers(1, 4), st.integers(1, 24))
grids = arrays(np.int16, shapes, elements=cells)
open_grids = arrays(np.int16, shapes, elements=st.one_of(st.just(OPEN), cells))


@given(codes=open_grids)
def test_tidying_keeps_what_is_heard_and_is_done_once(codes):
    tidy = tidied(codes)
    assert np.array_equal(pitches_of(tidy), pitches_of(codes))
    assert np.array_equal(tidied(tidy), tidy)
    assert np.array_equal(struck_in(tidy), struck_in(codes))
    assert np.array_equal(tidy <= REST, codes <= REST)
    assert np.array_equal(tidy[codes <= REST], codes[codes <= REST])
    # What is struck says so, and nothing else does.
    assert np.array_equal(struck_in(tidy), (tidy > REST) & (tidy % 2 == 0))


@given(codes=grids)
def test_notes_and_codes_are_the_same_music(codes):
    notes = notes_of(codes)
    assert np.array_equal(codes_of(notes, *codes.shape), tidied(codes))
    assert sum(note.length for note in notes) == (codes > REST).sum()
    assert len(notes) == struck_in(codes).sum()
    assert notes == sorted(notes, key=lambda note: (note.voice, note.start))


@given(codes=open_grids)
def test_no_note_begins_or_lasts_in_an_open_cell(codes):
    played = codes_of(notes_of(codes), *codes.shape, empty=OPEN)
    assert np.array_equal(played > REST, codes > REST)
    assert set(played[codes <= REST].tolist()) <= {OPEN}


@given(codes=grids)
def test_a_cell_says_its_pitch_whatever_stands_in_the_others(codes):
    """The pitch of a cell is a function of its code alone."""
    known = {code: pitch for code, pitch in zip(codes.flat, pitches_of(codes).flat, strict=True)}  # noqa: C416
    for code, pitch in known.items():
        assert pitches_of(np.array([[code]]))[0, 0] == pitch


def test_the_codes():
    assert code_of(60, struck=False) == 121
    assert code_of(60, struck=True) == 122
    assert pitches_of(np.array([OPEN, REST, 1, 2, 255, 256])).tolist() == [-1, -1, 0, 0, 127, 127]
    assert tidied(np.array([[OPEN, 121, 121, REST, 121, 122]])).tolist() == [[OPEN, 122, 121, REST, 122, 122]]


def test_the_later_of_two_notes_ends_the_earlier_and_what_is_beyond_is_cut_off():
    codes = codes_of([Note(0, 60, 0, 4), Note(0, 62, 2, 9), Note(0, 64, 7, 1)], 1, 6)
    assert notes_of(codes) == [Note(0, 60, 0, 2), Note(0, 62, 2, 4)]


@pytest.mark.parametrize(
    "note", [Note(4, 60, 0, 1), Note(-1, 60, 0, 1), Note(0, 128, 0, 1), Note(0, 60, -1, 1), Note(0, 60, 0, 0)]
)
def test_what_is_no_note_is_refused(note):
    with pytest.raises(InputError, match="is no note of 4 voices"):
        codes_of([note], 4, 8)


def test_a_grid_of_pitches_has_one_note_where_a_pitch_stays():
    codes = from_pitches([[60, 55], [60, -1], [62, 55]])
    assert notes_of(codes) == [Note(0, 60, 0, 2), Note(0, 62, 2, 1), Note(1, 55, 0, 1), Note(1, 55, 2, 1)]


def test_a_piece_knows_its_size():
    piece = Piece(np.zeros((4, 32), np.int16))
    assert (piece.voices, piece.steps, piece.bar, piece.told) == (4, 32, 16, ())
