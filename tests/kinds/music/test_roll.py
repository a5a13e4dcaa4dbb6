"""Piano rolls: each note is where it belongs in the colour of its voice, and the sheet is as large as it should be."""

import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageColor

from noisekernel.core.errors import InputError
from noisekernel.kinds.music import roll as module
from noisekernel.kinds.music.grid import OPEN, REST, Note, codes_of
from noisekernel.kinds.music.roll import COLOURS, DOT, MARGIN, NAMES, roll, roll_png

#: Pixels per step and per pitch in these tests: large, so that a pixel's middle is its colour.
ACROSS, UP = 8, 6


def near(pixel, colour, by=12):
    return all(abs(a - b) <= by for a, b in zip(pixel, ImageColor.getrgb(colour), strict=True))


def where(image, colour, by=12):
    """The box of all pixels of a colour right of the names, as (left, top, right, bottom); None for none."""
    same = (np.abs(np.asarray(image).astype(int) - ImageColor.getrgb(colour)) <= by).all(axis=-1)
    same[:, : MARGIN + NAMES] = False
    if not same.any():
        return None
    rows, columns = np.flatnonzero(same.any(axis=1)), np.flatnonzero(same.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def test_notes_are_where_they_belong_in_the_colour_of_their_voice():
    notes = [Note(0, 72, 0, 4), Note(1, 65, 4, 4), Note(2, 60, 8, 4), Note(3, 48, 12, 4)]
    image = roll(codes_of(notes, 4, 16), across=ACROSS, up=UP)
    boxes = [where(image, colour) for colour in COLOURS[:4]]
    tops = []
    for note, box in zip(notes, boxes, strict=True):
        left, top, right, bottom = box
        assert left == pytest.approx(MARGIN + NAMES + note.start * ACROSS, abs=2)
        assert right == pytest.approx(MARGIN + NAMES + (note.start + note.length) * ACROSS, abs=2)
        assert bottom - top == pytest.approx(UP, abs=1)
        tops.append(top)
    assert np.diff(tops).tolist() == [7 * UP, 5 * UP, 12 * UP]


def test_a_note_that_is_struck_again_begins_after_a_gap():
    def gaps(*notes):
        image = roll(codes_of(notes, 1, 16), across=ACROSS, up=UP)
        left, top, right, bottom = where(image, COLOURS[0])
        line = [near(image.getpixel((x, (top + bottom) // 2)), COLOURS[0]) for x in range(left, right)]
        return sum(a and not b for a, b in pairwise(line))

    assert gaps(Note(0, 60, 0, 8)) == 0
    assert gaps(Note(0, 60, 0, 4), Note(0, 60, 4, 4)) == 1


def test_voices_that_sing_the_same_share_the_height():
    image = roll(codes_of([Note(0, 60, 0, 8), Note(1, 60, 4, 4)], 2, 8), across=ACROSS, up=UP)
    upper, lower = where(image, COLOURS[0]), where(image, COLOURS[1])
    assert upper[3] - upper[1] == pytest.approx(UP, abs=1)
    assert lower[3] - lower[1] == pytest.approx(UP / 2, abs=1)
    assert lower[0] > upper[0] + 3 * ACROSS


def test_open_cells_are_dots_and_hidden_ones_too():
    codes = codes_of([Note(0, 72, 0, 16), Note(1, 60, 0, 16)], 2, 16)
    assert where(roll(codes, across=ACROSS, up=UP), DOT, 4) is None
    hidden = np.zeros((2, 16), bool)
    hidden[1, 4:12] = True
    image = roll(codes, hidden=hidden, across=ACROSS, up=UP)
    left, top, right, bottom = where(image, DOT, 4)
    assert MARGIN + NAMES + 4 * ACROSS <= left < right <= MARGIN + NAMES + 12 * ACROSS
    # On the line of the notes before and after.
    line = where(image, COLOURS[1])
    assert line[1] <= top < bottom <= line[3]
    assert image.tobytes() == roll(np.where(hidden, OPEN, codes), across=ACROSS, up=UP).tobytes()


def test_a_voice_that_is_open_throughout_lies_below_its_neighbour():
    codes = np.concatenate([codes_of([Note(0, 72, 0, 16)], 1, 16), np.full((3, 16), OPEN, np.int16)])
    image = roll(codes, across=ACROSS, up=UP)
    dots, line = where(image, DOT, 4), where(image, COLOURS[0])
    assert dots[1] > line[3]
    assert dots[3] - dots[1] > 2 * 7 * UP
    assert where(roll(np.full((4, 16), OPEN)), DOT, 4) is not None


@pytest.mark.parametrize(("columns", "wide", "high"), [(1, 1, 6), (2, 2, 3), (4, 4, 2), (9, 6, 1)])
def test_examples_are_in_rows_and_columns(columns, wide, high):
    codes = np.zeros((6, 2, 16), np.int16)
    one, image = roll(codes[0]), roll(codes, columns=columns)
    cell = (one.width - NAMES - 2 * MARGIN + module.BETWEEN, one.height - 2 * MARGIN + module.BETWEEN)
    size = (NAMES + 2 * MARGIN + wide * cell[0] - module.BETWEEN, 2 * MARGIN + high * cell[1] - module.BETWEEN)
    assert image.size == size


def test_captions_and_bars_are_drawn():
    codes = np.full((1, 1, 32), REST)
    plain = roll(codes, bar=16)
    assert roll(codes, captions=["a name"]).height == plain.height + module.CAPTION
    bars = where(plain.crop((2, MARGIN + 2, plain.width - MARGIN - 2, 40)), module.BAR, 2)
    assert bars[2] - bars[0] == 1
    assert roll(codes, bar=16, pickup=4).tobytes() != plain.tobytes()


def test_the_png_is_the_picture():
    codes = codes_of([Note(0, 60, 0, 8)], 2, 16)
    with Image.open(io.BytesIO(roll_png(codes[None], 4, 16, 1))) as image:
        assert image.format == "PNG"
        assert image.tobytes() == roll(codes).tobytes()


@given(seed=st.integers(0, 1000), across=st.integers(2, 9), up=st.integers(2, 7))
@settings(max_examples=30)
def test_whatever_there_is_can_be_drawn(seed, across, up):
    draw = np.random.default_rng(seed)
    codes = draw.integers(OPEN, 257, (draw.integers(1, 4), draw.integers(1, 10), draw.integers(1, 20)))
    image = roll(codes, across=across, up=up, bar=int(draw.integers(1, 17)), per_beat=int(draw.integers(1, 5)))
    assert image.mode == "RGB"


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"codes": np.zeros((0, 4, 8))}, r"codes of shape \(0, 4, 8\); a piano roll shows examples of voices of steps"),
        ({"codes": np.zeros(8)}, "a piano roll shows examples of voices of steps"),
        ({"captions": ["a"]}, "1 captions for 2 examples; give one each, or none"),
        ({"across": 1}, "1 pixels per step and 4 per pitch; two of each are the least"),
        ({"codes": np.zeros((300, 2, 5000))}, "300 examples of 5,000 steps make a picture of .* show fewer"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given_, said):
    with pytest.raises(InputError, match=said):
        roll(**({"codes": np.zeros((2, 4, 8))} | given_))
