"""`nk` on pieces of music: a melody harmonised, bars rewritten, longer pieces, a film to listen to."""

import json

import numpy as np
import pytest

from noisekernel.kinds.music.grid import Note, Piece, codes_of, pitches_of
from noisekernel.kinds.music.midi import read_midi, write_midi

NAMES = ("Soprano", "Alto", "Tenor", "Bass")


def midi(path, notes, steps, names=NAMES):
    path.write_bytes(write_midi(codes_of(notes, len(names), steps), names))
    return path


@pytest.fixture
def melody(tmp_path):
    return midi(tmp_path / "tune.mid", [Note(0, 72 + s % 3, 4 * s, 4) for s in range(8)], 32, ("Soprano",))


@pytest.fixture
def long(tmp_path):
    notes = [Note(v, 74 - 8 * v + s % 3, 4 * s, 4) for v in range(4) for s in range(20)]
    return midi(tmp_path / "long.mid", notes, 80)


def grids(folder, pattern="*.mid"):
    return {path.name: pitches_of(read_midi(path.read_bytes(), 4).codes) for path in sorted(folder.glob(pattern))}


@pytest.mark.training
def test_a_melody_is_harmonised(run, music_model, melody, tmp_path):
    code, out, err = run("fill", music_model.model, melody, "-n", 3, "--steps", 6, "--out", "found")
    assert code == 0, err
    made = grids(tmp_path / "found")
    assert len(made) == 3
    tune = pitches_of(read_midi(melody.read_bytes(), 1).codes)
    for grid in made.values():
        assert np.array_equal(grid[:1, :32], tune)
        assert (grid[1:, :32] >= 0).mean() > 0.5
    assert (tmp_path / "found" / "sheet.png").read_bytes().startswith(b"\x89PNG")
    how = json.loads((tmp_path / "found" / "manifest.json").read_text())
    assert how["finished"]
    assert "results on" in out


@pytest.mark.training
def test_bars_of_a_longer_piece_are_rewritten_and_all_else_kept(run, music_model, long, tmp_path):
    asked = ("fill", music_model.model, long, "--mask", "tenor 2-3", "-n", 2, "--steps", 4, "--out", "found")
    code, _, err = run(*asked)
    assert code == 0, err
    before = pitches_of(read_midi(long.read_bytes(), 4).codes)
    for grid in grids(tmp_path / "found").values():
        assert grid.shape == before.shape
        same = grid == before
        assert same[[0, 1, 3]].all()
        assert same[2, :16].all()
        assert same[2, 48:].all()
    code, _, err = run("vary", music_model.model, long, "-n", 2, "--below", 0.5, "--steps", 4, "--out", "varied")
    assert code == 0, err
    assert all(grid.shape == (4, 80) for grid in grids(tmp_path / "varied", "*round*").values())


@pytest.mark.training
def test_pieces_of_a_length_and_a_film(run, music_model, tmp_path):
    code, _, err = run("sample", music_model.model, "-n", 2, "--length", 4, "--steps", 4, "--out", "new")
    assert code == 0, err
    assert all(grid.shape[1] <= 64 for grid in grids(tmp_path / "new").values())
    assert json.loads((tmp_path / "new" / "manifest.json").read_text())["length"] == 4
    code, _, err = run("walk", music_model.model, "--steps", 2, "-n", 1, "--out", "walk.mid")
    assert code == 0, err
    film = read_midi((tmp_path / "walk.mid").read_bytes(), 4)
    assert film.steps > 2 * 32
    code, _, err = run("walk", music_model.model, "--steps", 2, "--out", "walk.gif")
    assert (code, "are written as .mid" in err) == (2, True)
    code, _, err = run("sample", "digits", "-n", 1, "--length", 4, "--out", "x")
    assert (code, "have one length" in err) == (2, True)


@pytest.mark.training
def test_mistakes_get_a_sentence(run, music_model, melody, tmp_path):
    def refused(said, *asked):
        code, _, err = run(*asked)
        assert code == 2
        assert said in err, err

    refused("Alto is open", "vary", music_model.model, melody, "--out", "a")
    refused("no voice called 'flute'", "fill", music_model.model, melody, "--mask", "flute", "--out", "a")
    (tmp_path / "notes.mid").write_bytes(b"MThd")
    refused("notes.mid", "vary", music_model.model, "notes.mid", "--out", "a")
    refused("pitches run from", "vary", music_model.model, _too_low(tmp_path), "--out", "a")


def _too_low(folder):
    return midi(folder / "low.mid", [Note(v, 20 + v, 0, 32) for v in range(4)], 32)


@pytest.mark.training
def test_a_folder_of_midi_is_trained_on(run, tmp_path):
    folder = tmp_path / "pieces"
    folder.mkdir()
    for i in range(6):
        notes = [Note(v, 70 - 8 * v + (s + i) % 4, 4 * s, 4) for v in range(4) for s in range(12)]
        midi(folder / f"{i}.mid", notes, 48)
    few = ("--set", "training.images=64", "--set", "training.batch=8", "--set", "network.depth=1")
    code, out, err = run("train", "pieces", "--out", "r", *few, "--set", "network.width=16")
    assert code == 0, err
    assert "pieces of 4 voices (Soprano, Alto, Tenor, Bass)" in " ".join((out + err).split())
    code, out, _ = run("info", "r")
    assert (code, "4 voices" in out) == (0, True)
    assert Piece(codes_of([], 4, 8)).voices == 4
