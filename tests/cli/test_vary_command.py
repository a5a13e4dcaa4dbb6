"""nk vary: rounds, choices, scores, strength."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import noisekernel as nk
from helpers import refused
from noisekernel import models
from noisekernel.kinds.pictures import drawing


@pytest.mark.parametrize("how", [("--steps", 3), ("--below", 0.3, "--steps", 2)])
def test_variants_rounds_and_choices(run, tmp_path, picture, how):
    options = ("vary", "digits", picture, "-n", 3, *how, "--json")
    code, out, _ = run(*options, "--out", "a", "--rounds", 3, "--choose", "2,0")
    assert code == 0
    assert json.loads(out)["chosen"] == [[2], [0]]
    assert len(list((tmp_path / "a").glob("three-round*.png"))) == 9
    _, out, _ = run(*options, "--out", "b", "--rounds", 2, "--score", "bright")
    chosen = json.loads(out)["chosen"][0][0]
    brightness = [np.asarray(Image.open(tmp_path / "b" / f"three-round0-{k:02d}.png")).mean() for k in range(3)]
    assert chosen == int(np.argmax(brightness))
    (tmp_path / "mine.py").write_text("def dark(picture):\n    return 1 - picture.mean()\n")
    _, out, _ = run(*options, "--out", "c", "--rounds", 2, "--score", "mine.py:dark")
    assert json.loads(out)["chosen"][0][0] == int(np.argmin(brightness))
    original = np.asarray(Image.open(tmp_path / "a" / "three-original.png"))
    assert np.array_equal(original, np.asarray(Image.open(picture)))
    assert len({path.read_bytes() for path in (tmp_path / "a").glob("three-round*.png")}) == 9


def test_a_picture_that_the_model_never_saw_the_like_of_is_named(run, tmp_path, picture):
    Image.fromarray(np.indices((60, 90)).sum(0).astype(np.uint8)).save(tmp_path / "slope.png")
    code, _, said = run("vary", "digits", picture, tmp_path / "slope.png", "-n", 1, "--steps", 2)
    assert code == 0
    assert "slope.png: This is unlike all that the model learned from" in said
    assert str(picture) not in said
    code, _, said = run("walk", "digits", tmp_path / "slope.png", "-n", 1, "--steps", 2, "--out", "w.gif")
    assert code == 0
    assert "slope.png: This is unlike all that the model learned from" in said


def test_variants_refuse(run, picture):
    refused(run("vary", "digits", picture, "--choose", "1"), "one round only")
    refused(run("vary", "digits", picture, "--rounds", 3, "--choose", "1"), "need 2 numbers")
    refused(run("vary", "digits", picture, "--rounds", 2, "--choose", "a"), "give numbers with commas")
    refused(run("vary", "digits", picture, "--rounds", 2), "need to know how to go on")
    refused(run("vary", "digits", picture, "--rounds", 2, "--score", "brigth"), "Did you mean 'bright'")
    refused(run("equilibrate", "digits", picture, "--beta", 0), "beta is 0")
    refused(run("vary", "digits", picture, "--strength", 2), "strength is 2")
    refused(run("vary", "digits", picture, "--strength", 0.2, "--below", 0.2), "both strength and below were given")
    for command in (("equilibrate", "digits", picture), ("diagnose", "digits", "--data", "digits")):
        refused(run(*command, "--beta", 0.2, "--lag", 1), "--lag is 1; it lies in [0, 1)")
        refused(run(*command, "--beta", "nan"), "--beta is nan; it lies in (0, 1]")
    refused(run("walk", "digits", "--pace", 1.1), "--pace is 1.1; it lies in [0, 1]")
    for command in (("vary", "digits", picture), ("walk", "digits")):
        for option in ("--beta", "--lag", "--readout"):
            refused(run(*command, option, 0), "No such option")
    refused(run("vary", "digits", "none.png"), "none.png cannot be opened")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\xff", "mine.py is not Python"),
        (b"def f(:\n", "mine.py is not Python (line 1: SyntaxError"),
        (b"def g(picture): return 1\n", "mine.py defines no function 'f'"),
        (b"f = 3\n", "mine.py defines no function 'f'"),
        (b"import nonsense_that_is_not_there\n", "cannot be run to take the score 'f' from it: "),
        (b"raise SystemExit('away')\n", "SystemExit: away"),
        (b"def f(picture):\n    return picture.nonsense\n", "the score failed: line 2: AttributeError"),
        (b"def f(): return 1\n", "the score failed: "),
        (b"def f(picture): return None\n", "the score gave None; it must give one number"),
        (b"def f(picture): return picture\n", "it must give one number"),
        (b"def f(picture): return float('nan')\n", "the score gave nan"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(run, tmp_path, picture, content, said):
    (tmp_path / "mine.py").write_bytes(content)
    options = ("vary", "digits", picture, "-n", 2, "--below", 0.1, "--steps", 1, "--rounds", 2)
    refused(run(*options, "--score", "mine.py:f"), said)


def test_variants_are_named_after_their_pictures(run, tmp_path, picture):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "boot.png").write_bytes(picture.read_bytes())
    (tmp_path / "boot-2.png").write_bytes(picture.read_bytes())
    sources = ("a/boot.png", "b/boot.png", "boot-2.png")
    assert run("vary", "digits", *sources, "-n", 1, "--steps", 1, "--out", "v")[0] == 0
    assert run("fill", "digits", *sources, "--tiles", 4, "-n", 1, "--steps", 1, "--out", "i")[0] == 0
    names = ["boot", "boot-3", "boot-2"]
    made = [f"{name}-{what}.png" for name in names for what in ("original", "round0-00")]
    assert {path.name for path in (tmp_path / "v").glob("boot*")} == set(made)
    assert {path.name for path in (tmp_path / "i").glob("boot*")} == {f"{name}-00.png" for name in names}
    assert drawing.how_made(tmp_path / "v" / "boot-3-round0-00.png")["example"] == 1
    (tmp_path / f"{'a' * 250}.png").write_bytes(picture.read_bytes())
    assert run("vary", "digits", f"{'a' * 250}.png", "-n", 1, "--steps", 1, "--out", "long")[0] == 0
    assert len(list((tmp_path / "long").glob("aaa*-round0-00.png"))) == 1
    assert (
        run("vary", "digits", "a/boot.png", "-n", 1, "--steps", 1, "--rounds", 2, "--score", "dark", "--out", "w")[0]
        == 0
    )
    assert run("vary", "digits", "a/boot.png", "-n", 1, "--steps", 1, "--out", "w", "--force")[0] == 0
    assert {path.name for path in (tmp_path / "w").glob("*.png")} == {
        "boot-original.png",
        "boot-round0-00.png",
        "sheet0.png",
    }


def test_a_strength_of_nothing_is_the_picture(run, tmp_path, picture):
    assert run("vary", "digits", picture, "-n", 2, "--strength", 0)[0] == 0
    original = np.asarray(Image.open(picture)).astype(int)
    for k in range(2):
        assert np.abs(np.asarray(Image.open(tmp_path / "variants" / f"three-round0-{k:02d}.png")) - original).max() <= 6


def test_a_model_is_measured_for_its_strength_once(run, tmp_path, picture, monkeypatch):
    digits = nk.load("digits")
    models.save(replace(digits, history={**digits.history, "seed": 99}), tmp_path / "own.safetensors")
    how = ("vary", tmp_path / "own.safetensors", picture, "-n", 1, "--steps", 4, "--json", "--out")
    code, out, _ = run(*how, "a")
    assert code == 0
    figures = json.loads(out)
    assert figures["strength"] == 0.3
    assert 0.005 < figures["below"] < 0.3
    monkeypatch.setattr("noisekernel.tasks.strength.Way.measure", None)
    code, out, _ = run(*how, "b")
    assert (code, json.loads(out)["below"]) == (0, figures["below"])


def test_rounds_go_on_from_the_noise_of_the_chosen(run, tmp_path, picture):
    """Round 1 at strength 0 is the candidate that was chosen, to the bit: its noise was not looked for again."""
    code, *_ = run("vary", "digits", picture, "-n", 2, "--rounds", 2, "--choose", "1", "--strength", 0, "--steps", 4)
    assert code == 0
    chosen, again = (
        np.asarray(Image.open(tmp_path / "variants" / f"{name}.png")) for name in ("three-round0-01", "three-round1-00")
    )
    assert np.array_equal(chosen, again)
