"""Pieces of music as data: windows, silence around them, transposition, holes, masks, pieces longer than a window."""

import json

import numpy as np
import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Streams
from noisekernel.data.held_out import hold_out
from noisekernel.data.readers.pieces import PiecesSource, read_pieces
from noisekernel.kinds.excerpts import Excerpts
from noisekernel.kinds.music.features import music_features
from noisekernel.kinds.music.grid import OPEN, REST, Note, Piece, codes_of, from_pitches, pitches_of, tidied
from noisekernel.kinds.music.hiding import hidden_parts
from noisekernel.kinds.music.kind import Music
from noisekernel.kinds.music.masks import mask_of_words
from noisekernel.kinds.music.transposing import Transposition

VOICES = ("Soprano", "Alto", "Tenor", "Bass")


def piece(steps=48, first=60, voices=4, **about):
    notes = [
        Note(v, first - 7 * v + (s // 4 + v) % 4, s, 4) for v in range(voices) for s in range(0, steps - steps % 4, 4)
    ]
    return Piece(codes_of(notes, voices, steps), **about)


def kind(**settings):
    return Music(**settings).fitted(PiecesSource([piece()], "test"))[0]


# Windows --------------------------------------------------------------------------------------------------------------


def test_windows_begin_on_beats_and_have_a_bar_of_silence_around_the_piece():
    own = kind(steps=32)
    windows = own.windows(piece(steps=48))
    assert len(windows) == (48 + 2 * 16 - 32) // 4 + 1
    whole = np.pad(piece(steps=48).codes, ((0, 0), (16, 16)))
    for i, window in enumerate(windows):
        assert np.array_equal(window, tidied(whole[:, 4 * i : 4 * i + 32]))
    assert (windows[0][:, :16] == REST).all()
    assert (windows[-1][:, 16:] == REST).all()
    # A pickup that is no whole beat shifts the windows, so that they begin on beats all the same.
    (first, *_) = kind(steps=32).windows(piece(steps=50, pickup=2))
    assert (first[:, :14] == REST).all()
    assert (first[:, 14] != REST).all()


def test_a_pickup_is_filled_up_to_a_whole_beat():
    own, given = kind(steps=64), piece(steps=18, pickup=2)
    stored = own.store(given)
    assert (stored.values[:, :2] == REST).all()
    assert np.array_equal(stored.values[:, 2:20], given.codes)
    assert "filled up to a whole beat by a rest of 2 steps" in stored.note
    mask, _ = own.mask("alto 0", [given])
    assert mask[1].nonzero().flatten().tolist() == [0, 1, 2, 3]
    assert own.store(piece(steps=16, pickup=4)).note is None


def test_a_note_that_is_cut_by_a_window_is_struck_at_its_beginning():
    long = Piece(codes_of([Note(0, 60, 0, 64)], 1, 64))
    windows = Music(steps=16, voices=("One",), low=50, high=70).windows(long)
    assert windows[8][0, 0] == 1 + 2 * 60 + 1
    assert windows[8][0, 1] == 1 + 2 * 60


def test_whole_pieces_are_held_out():
    source = PiecesSource([piece(steps=32 + 4 * i, first=60 + i % 3) for i in range(12)], "test")
    own = Music(steps=32).fitted(source)[0]
    excerpts = own.excerpts(source)
    part = hold_out(excerpts, own, 15, 10)
    names = {name.rpartition(",")[0] for name in part.names}
    left = {part.rest.name(i).rpartition(",")[0] for i in range(len(part.rest))}
    assert names
    assert names.isdisjoint(left)
    assert names | left == {source.name(i) for i in range(12)}
    assert len(part.names) >= 15
    assert (len(part.values), len(part.trained)) == (10, 10)
    again = hold_out(excerpts, own, len(part.names), 10)
    assert again.names == part.names  # a run that is resumed asks for as many as there were


def test_what_is_no_piece_is_named_or_left_out():
    source = PiecesSource([piece(), piece(voices=3)], "test")
    with pytest.raises(InputError, match="piece 2: it has 3 voices"):
        kind(steps=32).excerpts(source)
    skipping = kind(steps=32, bad="skip")
    loaded = nk.data.load_data([piece(), piece(voices=3)], skipping, bad="skip")[0]
    assert len(loaded.summary.skipped) == 1
    assert loaded.summary.read == len(skipping.windows(piece()))


def test_excerpts_have_the_labels_of_their_works():
    parts = Excerpts([1, 2, 3], [0, 1, 1], ["a", "b"], [0, 1], ("x", "y"))
    assert [parts.label(i) for i in range(3)] == [0, 1, 1]
    assert [parts.name(i) for i in range(3)] == ["a, part 1", "b, part 1", "b, part 2"]


# Transposition --------------------------------------------------------------------------------------------------------


def test_transposition_moves_all_pitches_by_what_is_told_and_nothing_else():
    changes = Transposition(4, 0.75)
    values = torch.from_numpy(np.stack([kind(steps=32).windows(piece())[0]] * 2000))
    how = changes.drawn(torch.rand(2000, 2, generator=generator(1)))
    changed = changes.applied(values, how)
    semitones = torch.tensor([-4, -3, -2, -1, 1, 2, 3, 4])
    moved = (how @ semitones.float()).long()
    before, after = (torch.from_numpy(pitches_of(each.numpy())).long() for each in (values, changed))
    assert torch.equal(after[before >= 0] - before[before >= 0], moved[:, None, None].expand_as(before)[before >= 0])
    assert torch.equal(changed[values <= REST], values[values <= REST])
    assert torch.equal(changed[how.sum(dim=1) == 0], values[how.sum(dim=1) == 0])
    share = (how.sum(dim=1) > 0).float().mean()
    assert abs(float(share) - 0.75) < 4 * (0.75 * 0.25 / 2000) ** 0.5
    each = how[how.sum(dim=1) > 0].mean(dim=0)
    assert bool((abs(each - 1 / 8) < 4 * (1 / 8 * 7 / 8 / 1500) ** 0.5).all())


def test_the_range_has_room_for_transposed_pieces_and_no_more():
    own = kind(transpose=3)
    sounding = pitches_of(piece().codes)
    assert own.range == (sounding.min() - 3, sounding.max() + 3)
    high = piece(first=int(sounding.max()) + 4)
    with pytest.raises(Exception, match=r"it has the pitch .*; pitches run from"):
        own.store(high)


# Holes, masks, parts --------------------------------------------------------------------------------------------------


def test_open_voices_are_holes_and_only_filled_in():
    own = kind(steps=32)
    codes = kind(steps=32).windows(piece())[3].copy()
    codes[1:] = OPEN
    z = own.encode(torch.from_numpy(own.store(codes).values)[None])
    holes = own.holes(z)
    assert holes[0].any(dim=1).tolist() == [False, True, True, True]
    with pytest.raises(InputError, match="Alto is open from step 1 on; fill it in first"):
        own.check_whole(z)
    assert torch.equal(own.encode(own.decode(z)), z)


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ("alto", {(1, s) for s in range(48)}),
        ("T,bass", {(v, s) for v in (2, 3) for s in range(48)}),
        ("bars 2-3", {(v, s) for v in range(4) for s in range(16, 48)}),
        ("3", {(v, s) for v in range(4) for s in range(32, 48)}),
        ("soprano 1; bass 2-2", {(0, s) for s in range(16)} | {(3, s) for s in range(16, 32)}),
    ],
)
def test_masks_in_words(words, cells):
    found = mask_of_words(words, VOICES, 48, 16)
    assert {tuple(cell) for cell in found.nonzero().tolist()} == cells


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("flute", "there is no voice called 'flute'"),
        ("bars 2-9", "this piece has bars 1 to 3"),
        ("bars 3-2", "this piece has bars 1 to 3"),
        ("alto x", "'x' are no bars"),
        (" ; ", "hides nothing"),
    ],
)
def test_masks_that_mean_nothing_get_a_sentence(words, said):
    with pytest.raises(InputError, match=said):
        mask_of_words(words, VOICES, 48, 16)


def test_a_pickup_is_bar_nought():
    assert mask_of_words("bars 0", VOICES, 40, 16, pickup=4)[0].nonzero().flatten().tolist() == [0, 1, 2, 3]
    assert mask_of_words("bars 1", VOICES, 40, 16, pickup=4)[0].nonzero().flatten().tolist() == list(range(4, 20))


def test_what_people_hide_is_drawn_as_it_says():
    hidden = hidden_parts(6000, 4, 32, generator(5))
    assert bool(hidden.flatten(1).any(dim=1).all())
    assert hidden.shape == (6000, 4, 32)
    # The end: from some step on everything, and nothing before it.
    full = hidden.all(dim=1)
    first = full.int().argmax(dim=1)
    until = torch.arange(32)[None] < first[:, None] - 1
    ends = full[:, -1] & ~(hidden & until[:, None]).flatten(1).any(dim=1)
    assert 0.4 < float(ends.float().mean()) < 0.7
    whole_voices = (hidden.all(dim=2).any(dim=1)) & ~hidden.any(dim=2).all(dim=1)
    assert float(whole_voices.float().mean()) > 0.01
    # One stream per example: the same numbers draw the same parts in any batch.
    streams = [Streams.of(3, numbers) for numbers in (range(8), range(4, 8))]
    several, few = (hidden_parts(len(each.samples), 4, 32, each) for each in streams)
    assert torch.equal(several[4:], few)


# Features -------------------------------------------------------------------------------------------------------------


def test_features_tell_of_steps_and_intervals():
    codes = torch.from_numpy(from_pitches([[60 + s // 4, 48] for s in range(32)]))[None].long()
    shares = music_features(codes, 40, 70, 4) ** 2
    pitch, step = shares[0, : 2 * 31].reshape(2, 31), shares[0, 62 : 62 + 50].reshape(2, 25)
    assert pitch[0, 20:28].tolist() == pytest.approx([1 / 8] * 8)
    assert step[0, 13] == pytest.approx(1.0)  # every new note of the first voice is a semitone higher
    assert float(step[1].sum()) == 0.0
    between = shares[0, -12:]
    assert between[:8].tolist() == pytest.approx([1 / 8] * 8)


# Files ----------------------------------------------------------------------------------------------------------------


def test_chorales_in_json_by_their_lists(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"train": [[[60, 48]] * 8] * 3, "test": [[[61, -1]] * 8]}))
    assert len(nk.data.open_source(path)) == 4
    (last,) = nk.data.open_source(f"{path}:test").pieces
    assert pitches_of(last.codes).tolist() == [[61] * 8, [-1] * 8]
    with pytest.raises(InputError, match="'trian'"):
        nk.data.open_source(f"{path}:trian")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[[[60, 48], [60]]]", "step 2: there are not 2 pitches"),
        ("[[[60, 200]]]", "are not MIDI pitches"),
        ("[[]]", "a piece is a list of steps"),
        ("[]", "holds no piece"),
        ("{", "is no JSON"),
    ],
)
def test_json_that_holds_no_pieces(tmp_path, content, said):
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(InputError, match=said):
        read_pieces(path)


# A model --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(music_model):
    return nk.load(str(music_model.model))


@pytest.mark.training
def test_longer_pieces_are_drawn_varied_and_filled_in(model, tmp_path):
    longer = model.of_length(5)
    assert longer.shape == (4, 80)
    drawn = longer.sample(2, steps=8)
    assert drawn.shape == (2, 4, 80)
    mask = longer.kind.mask("tenor 2-4", [])[0]
    filled = longer.fill(drawn, mask, 3, steps=6)
    kept = ~mask.expand_as(filled)
    assert torch.equal(filled[kept], drawn[:, None].expand_as(filled)[kept])
    assert longer.vary(drawn, 2, below=0.5, steps=6).shape == (2, 2, 4, 80)
    with pytest.raises(InputError, match="is for longer examples than it learned, which a file does not hold"):
        longer.save(tmp_path / "longer")
    with pytest.raises(InputError, match="at most 8,192"):
        model.of_length(1000)
    with pytest.raises(InputError, match="pieces of 1 bars are shorter than the window, which has 2"):
        model.of_length(1)
    with pytest.raises(InputError, match="pictures have one length"):
        nk.load("digits").of_length(3)


@pytest.mark.training
def test_pieces_of_the_windows_length_are_drawn_as_before(model):
    assert model.spanning(model.kind) is model
    same = model.spanning(model.kind.model_copy(update={"steps": model.kind.steps}))
    assert torch.equal(same.sample(2, steps=5, seed=3), model.sample(2, steps=5, seed=3))


@pytest.mark.training
@pytest.mark.statistical
def test_there_are_no_seams(model):
    """How often a voice leaps, by place: where a window begins and ends it leaps as often as elsewhere.

    The twin draws windows that know nothing of each other, and leaps at their seams.
    """
    steps, window = 128, model.kind.steps
    long = model.of_length(steps // model.kind.bar)
    inner = torch.arange(16, steps - 17)
    seam = inner % window == window - 1  # from the last step of a window to the first of the next
    beats = inner % 4 == 3  # notes begin on beats, so only these are compared

    def leaps(z):
        pitch = (z - 1).div(2, rounding_mode="floor").float()
        far = ((pitch[..., 1:] - pitch[..., :-1]).abs() > 5)[..., inner].float()
        return far.mean(dim=1)  # of the voices

    def apart(z):
        found = leaps(z)
        difference = found[:, seam & beats].mean(dim=1) - found[:, ~seam & beats].mean(dim=1)
        return float(difference.mean() / (difference.std() / len(difference) ** 0.5))

    drawn = long.sample(96, steps=32, seed=1)
    assert abs(apart(drawn)) < 3.3  # a test at the level of 0.1 %
    wrong = model.sample(96 * 4, steps=32, seed=1).reshape(96, 4, 4, window).transpose(1, 2).reshape(96, 4, steps)
    assert apart(wrong) > 3.3
