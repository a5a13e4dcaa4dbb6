"""The nk command: what each writes, what each refuses, and that the same is to be had in Python."""

import itertools
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

import noisekernel as nk
from helpers import refused
from noisekernel import models
from noisekernel.cli.cost import TIMED
from noisekernel.core.errors import StorageError
from noisekernel.files import formats
from noisekernel.kinds import record as records
from noisekernel.kinds.pictures import drawing

COMMANDS = (
    "train",
    "sample",
    "vary",
    "equilibrate",
    "fill",
    "walk",
    "info",
    "recipes",
    "push",
    "pull",
    "export",
    "demo",
)


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "three.png"
    digits = nk.data.load_data("digits")[0]
    Image.fromarray(digits.values[3, 0].numpy()).save(path)
    return path


def test_samples_are_files_that_say_how_they_were_made(run, tmp_path):
    code, out, _ = run("sample", "digits", "-n", 3, "--out", "s", "--steps", 4, "--seed", 7, "--label", 3, "--json")
    assert code == 0
    assert json.loads(out)["n"] == 3
    assert {path.name for path in (tmp_path / "s").iterdir()} == {
        *(f"{i:04d}.png" for i in range(3)),
        "sheet.png",
        "manifest.json",
    }
    made = drawing.how_made(tmp_path / "s" / "0002.png")
    assert made == {
        "task": "sample",
        "model": "digits",
        "sampler": "stochastic",
        "steps": 4,
        "seed": 7,
        "sample": 2,
        "label": "3",
    }
    listed = json.loads((tmp_path / "s" / "manifest.json").read_text())["examples"]
    assert listed[2] == {"file": "0002.png", **made}
    model = nk.load("digits")
    z = nk.synthesize(model, 3, steps=4, seed=7, label=model.label(["3"], 3))
    for i, image in enumerate(model.draw(z)):
        assert np.array_equal(np.asarray(Image.open(tmp_path / "s" / f"{i:04d}.png")), np.asarray(image))


def test_nothing_is_overwritten_without_force(run, tmp_path):
    assert run("sample", "digits", "-n", 1, "--steps", 2)[0] == 0
    before = (tmp_path / "samples" / "0000.png").read_bytes()
    refused(run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 1), "not empty", "--force")
    assert (tmp_path / "samples" / "0000.png").read_bytes() == before
    assert run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 1, "--force")[0] == 0
    assert (tmp_path / "samples" / "0000.png").read_bytes() != before


@pytest.mark.parametrize(("sampler", "steps"), [("paper", 100), ("stochastic", 50), ("corrected", 100)])
def test_samplers_go_by_name(run, sampler, steps):
    code, out, _ = run("sample", "digits", "-n", 1, "--sampler", sampler, "--json")
    assert code == 0
    assert json.loads(out)["steps"] == steps
    assert json.loads(out)["sampler"] == sampler


def test_samples_refuse(run, tmp_path):
    refused(run("sample", "digitz"), "Did you mean 'digits'")
    refused(run("sample", "digits", "--sampler", "papre"), "Did you mean 'paper'")
    refused(run("sample", "digits", "--label", "zebra"), "no class called 'zebra'")
    refused(run("sample", "digits", "--sampler", "paper", "--steps", 5), "at least 33 steps")
    refused(run("sample", "digits", "--device", "quantum"), "cannot be used here")
    refused(run("sample", "digits", "-n", 0), "greater than or equal to 1")
    refused(run("sample", "digits", "--stepz", 5), "No such option")
    assert not (tmp_path / "samples").exists()


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
        (b"def f(picture): return None\n", "the score gave None; it must give one finite number"),
        (b"def f(picture): return picture\n", "it must give one finite number"),
        (b"def f(picture): return float('nan')\n", "the score gave nan"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(run, tmp_path, picture, content, said):
    (tmp_path / "mine.py").write_bytes(content)
    options = ("vary", "digits", picture, "-n", 2, "--below", 0.1, "--steps", 1, "--rounds", 2)
    refused(run(*options, "--score", "mine.py:f"), said)


def test_the_paper_s_chain_has_a_command_with_its_numbers(run, tmp_path, picture):
    code, out, _ = run("equilibrate", "digits", picture, "-n", 2, "--seed", 4, "--json", "--out", "e")
    assert code == 0
    figures = json.loads(out)
    assert {name: figures[name] for name in ("beta", "steps", "lag", "readout")} == {
        "beta": 0.2,
        "steps": 100,
        "lag": 0.5,
        "readout": 0,
    }
    model = nk.load("digits")
    wanted = model.draw(nk.equilibrate(model, model.read(picture), 2, seed=4))
    for k in range(2):
        with Image.open(tmp_path / "e" / f"three-{k:02d}.png") as made:
            assert np.abs(np.asarray(made).astype(int) - np.asarray(wanted[k])).max() <= 1
    assert (tmp_path / "e" / "sheet.png").exists()
    listed = json.loads((tmp_path / "e" / "manifest.json").read_text())
    assert [each["variant"] for each in listed["examples"]] == [0, 1]
    _, out, _ = run("equilibrate", "digits", picture, "-n", 1, "--steps", 2, "--lag", 0.8, "--json", "--out", "f")
    assert json.loads(out)["lag"] == 0.8


def test_filling_keeps_what_is_kept(run, tmp_path, picture):
    mask = np.zeros((8, 8), np.uint8)
    mask[:, 4:] = 255
    Image.fromarray(mask).save(tmp_path / "mask.png")
    assert run("fill", "digits", picture, "--mask", "mask.png", "--steps", 5, "-n", 2)[0] == 0
    original = np.asarray(Image.open(picture))
    for k in range(2):
        filled = np.asarray(Image.open(tmp_path / "filled" / f"three-{k:02d}.png"))
        assert np.array_equal(filled[:, :4], original[:, :4])
        assert not np.array_equal(filled[:, 4:], original[:, 4:])
    code, out, _ = run("fill", "digits", picture, "--tiles", 4, "--keep", 0.25, "--steps", 5, "--out", "t", "--json")
    assert (code, json.loads(out)["filled_share"]) == (0, 0.75)


def test_filling_refuses(run, tmp_path, picture):
    refused(run("fill", "digits", picture), "either --mask MASK or --tiles SIDE")
    refused(run("fill", "digits", picture, "--mask", picture), "neither black (keep) nor white")
    refused(run("fill", "digits", picture, "--mask", picture, "--keep", 0.5), "with a mask, the mask says it")
    refused(run("fill", "digits", picture, "--tiles", 2, "--keep", 2), "keep is 2")


def test_masks_lie_where_they_were_drawn(run, tmp_path, picture):
    """What is opaque may have an alpha channel; what would be cut elsewhere than the picture is refused."""
    mask = np.zeros((8, 8, 4), np.uint8)
    mask[..., 3] = 255
    mask[:, 4:, :3] = 255
    Image.fromarray(mask).save(tmp_path / "opaque.png")
    assert run("fill", "digits", picture, "--mask", "opaque.png", "--steps", 2, "-n", 1)[0] == 0
    Image.fromarray(mask).resize((16, 8)).save(tmp_path / "wide.png")
    refused(
        run("fill", "digits", picture, "--mask", "wide.png", "--out", "x"),
        "the mask has 16 x 8 pixels and the picture 8 x 8",
    )
    Image.new("L", (16, 8)).save(tmp_path / "broad.png")
    Image.fromarray(mask).save(tmp_path / "small.png")  # of the model's size: laid on what the model sees
    assert run("fill", "digits", "broad.png", "--mask", "small.png", "--steps", 2, "-n", 1, "--out", "y")[0] == 0
    Image.fromarray(mask).resize((10, 10), Image.Resampling.NEAREST).save(tmp_path / "ten.png")
    code, _, err = run("fill", "digits", picture, "--mask", "ten.png", "--steps", 2, "-n", 1, "--out", "z")
    assert code == 0
    assert "the mask has 10 x 10 pixels; its middle is resized to the model's 8 x 8, each pixel the nearest one" in err
    assert (
        "broad.png (16 x 8; its middle is resized"
        in run("vary", "digits", "broad.png", "-n", 1, "--steps", 1, "--out", "v")[2]
    )
    assert run("vary", "digits", picture, "-n", 1, "--steps", 1, "--out", "w")[2] == ""
    refused(run("fill", "digits", picture, "--tiles", 2, "--keep", 1, "--out", "x"), "keeps every part")
    Image.new("L", (80, 80)).save(tmp_path / "black.png")
    refused(run("fill", "digits", picture, "--mask", "black.png", "--out", "x"), "nothing to fill in: white is filled")
    refused(run("fill", "digits", picture, "--tiles", 9, "--out", "x"), "--tiles is 9; the pictures have 8 x 8 pixels")


def test_who_interrupts_is_told(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "load", interrupt)
    code, _, err = run("sample", "digits")
    assert (code, err) == (130, "nk: interrupted; what is written so far is whole\n")


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


def test_a_full_disk_leaves_a_folder_that_says_what_is_in_it(run, tmp_path, monkeypatch):
    """The third picture does not fit: what is there is told, is on record, and is cleared by --force."""
    save = records.write_bytes

    def full(path, content):
        if path.name == "0002.png":
            raise StorageError(f"{path} cannot be written: No space left on device. What was there before is untouched")
        save(path, content)

    monkeypatch.setattr(records, "write_bytes", full)
    said = "No space left on device", "2 of 4 pictures are in samples, each of them whole", "not finished", "--force"
    refused(run("sample", "digits", "-n", 4, "--steps", 2), *said)
    assert {path.name for path in (tmp_path / "samples").iterdir()} == {"0000.png", "0001.png", "manifest.json"}
    manifest = json.loads((tmp_path / "samples" / "manifest.json").read_text())
    assert (manifest["finished"], len(manifest["examples"])) == (False, 4)
    assert run("sample", "digits", "-n", 1, "--steps", 2, "--force")[0] == 0
    assert {path.name for path in (tmp_path / "samples").iterdir()} == {"0000.png", "sheet.png", "manifest.json"}
    assert json.loads((tmp_path / "samples" / "manifest.json").read_text())["finished"] is True
    monkeypatch.setattr(records, "write_json", lambda path, content: full(path.with_name("0002.png"), b""))
    refused(run("sample", "digits", "-n", 4, "--steps", 2, "--out", "other"), "No space left on device")
    assert not (tmp_path / "other").exists()


def test_long_work_is_not_begun_unasked(run, tmp_path, picture, monkeypatch):
    """Memory and disk are known beforehand; time after a few steps, by a clock that says that each takes a minute."""
    with monkeypatch.context() as large:
        large.setattr("noisekernel.core.machine.memory_of", lambda device: 10**18)
        large.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=10**18))
        refused(run("sample", "digits", "-n", 10**9), "1,000,000,000 pictures take about", "of disk", "add --yes")
        refused(run("sample", "digits", "-n", 10**6, "--batch-size", 10**6), "of memory", "or for smaller batches")
        refused(run("vary", "digits", picture, "-n", 10**8), "100,000,000 pictures take about", "add --yes")
        refused(run("fill", "digits", picture, "--tiles", 2, "-n", 10**8), "100,000,000 pictures take about")
        refused(run("walk", "digits", "--steps", 10**8), "of memory", "add --yes", "fewer steps")
    with monkeypatch.context() as small:
        small.setattr("noisekernel.core.machine.memory_of", lambda device: 10**9)
        small.setattr("shutil.disk_usage", lambda place: SimpleNamespace(free=10**6))
        refused(run("sample", "digits", "-n", 10**7, "--batch-size", 1, "--yes"), "there are 1.0 GB of memory; ask for")
        refused(run("walk", "digits", "--steps", 10**8, "--yes"), "there are 1.0 GB of memory; ask for fewer steps")
        small.setattr("noisekernel.core.machine.memory_of", lambda device: 10**18)
        refused(run("sample", "digits", "-n", 10**7, "--yes"), "there are 1.0 MB of disk; ask for fewer pictures")
    for command in (("sample", "digits"), ("vary", "digits", picture), ("fill", "digits", picture, "--tiles", 2)):
        refused(run(*command, "--steps", 10**9, "--out", "x"), "steps is 1000000000; it is at most 10,000,000")
    minutes = itertools.count(0.0, 60.0 * (TIMED - 1))
    monkeypatch.setattr("noisekernel.cli.cost.clock", lambda: next(minutes))
    for command, said in [
        (("sample", "digits", "-n", 2, "--steps", 500), "this takes about 8.2 hours; add --yes to go on all the same"),
        (("equilibrate", "digits", picture, "-n", 1, "--steps", 100), "this takes about 1.6 hours; add --yes"),
        (
            ("vary", "digits", picture, "-n", 1, "--rounds", 9, "--score", "dark"),
            "this takes about 2.9 hours; add --yes",
        ),
        (("fill", "digits", picture, "--tiles", 2, "-n", 1), "this takes about 1.6 hours; add --yes"),
        (("walk", "digits", "-n", 1, "--steps", 100), "this takes about 1.6 hours; add --yes"),
    ]:
        refused(run(*command, "--out", "x.gif" if command[0] == "walk" else "x"), said)
        assert not list(tmp_path.glob("x*"))
    code, _, err = run("fill", "digits", picture, "--tiles", 2, "-n", 1, "--steps", 70, "--yes")
    assert code == 0
    assert "nk: this takes about 65 minutes" in err


def test_two_commands_do_not_write_into_one_folder(run, tmp_path, monkeypatch):
    """Whoever is second is told, be the first still at it or just done, and nothing of the first is lost."""
    write = records.Record.write
    told = []

    def interrupted(record, images, files):
        write(record, images, files)
        if not told:
            told.append(None)
            told[0] = run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 5, "--force", "--out", "s")

    with monkeypatch.context() as patch:
        patch.setattr(records.Record, "write", interrupted)
        assert run("sample", "digits", "-n", 3, "--steps", 2, "--out", "s")[0] == 0
    refused(told[0], "another command writes into s")
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["finished"]
    assert len(list((tmp_path / "s").glob("000*.png"))) == 3

    begin = records.Record._begin

    def late(record):
        with monkeypatch.context() as patch:
            patch.setattr(records.Record, "_begin", begin)
            assert run("sample", "digits", "-n", 2, "--steps", 2, "--out", "t")[0] == 0
        begin(record)

    with monkeypatch.context() as patch:
        patch.setattr(records.Record, "_begin", late)
        refused(
            run("sample", "digits", "-n", 1, "--steps", 2, "--seed", 5, "--out", "t"), "another command writes into t"
        )
    assert len(list((tmp_path / "t").glob("000*.png"))) == 2


def test_force_leaves_nothing_of_what_it_replaces(run, tmp_path):
    run("sample", "digits", "-n", 5, "--steps", 2)
    (tmp_path / "samples" / "mine.png").write_bytes(b"not of ours")
    run("sample", "digits", "-n", 2, "--steps", 2, "--force")
    names = {path.name for path in (tmp_path / "samples").iterdir()}
    assert names == {"0000.png", "0001.png", "mine.png", "sheet.png", "manifest.json"}
    (tmp_path / "samples" / "manifest.json").write_text(
        '{"pictures": [{"file": "../precious.png"}, {"file": "mine.txt"}]}'
    )
    (tmp_path / "precious.png").write_bytes(b"elsewhere")
    (tmp_path / "samples" / "mine.txt").write_bytes(b"not of ours")
    run("sample", "digits", "-n", 1, "--steps", 2, "--force")
    assert (tmp_path / "precious.png").exists()
    assert (tmp_path / "samples" / "mine.txt").exists()


def test_force_does_not_remove_what_is_varied(run, tmp_path):
    run("sample", "digits", "-n", 3, "--steps", 2)
    assert run("vary", "digits", "samples/0001.png", "-n", 1, "--out", "samples", "--force", "--steps", 2)[0] == 0
    left = sorted(path.name for path in (tmp_path / "samples").glob("*.png"))
    assert left == ["0001-original.png", "0001-round0-00.png", "0001.png", "sheet0.png"]
    # What is read is not written over, even so.
    again = (tmp_path / "samples" / "0001-original.png").read_bytes()
    how = ("vary", "digits", "samples/0001.png", "samples/0001-original.png", "-n", 1, "--out", "samples", "--force")
    refused(run(*how), "0001-original.png is to be read and would be written over")
    assert (tmp_path / "samples" / "0001-original.png").read_bytes() == again


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


def test_walks_are_films(run, tmp_path, picture):
    options = ("walk", "digits", "--steps", 6, "--every", 2, "-n", 2)
    assert run(*options)[0] == 0
    with Image.open(tmp_path / "walk.gif") as film:
        assert (film.format, film.n_frames) == ("GIF", 4)
    assert run(*options, picture, "--out", "walk.mp4")[0] == 0
    assert (tmp_path / "walk.mp4").read_bytes()[4:8] == b"ftyp"
    refused(run(*options), "exists", "--force")
    refused(run(*options, "--out", "walk.avi"), "films are .gif or .mp4")


def test_info_and_recipes(run):
    _, out, _ = run("info", "digits", "--json")
    figures = json.loads(out)
    assert figures["parameters"] == nk.load("digits").parameters
    assert figures["design"]["data"]["size"] == [1, 8, 8]
    assert "trained on digits" in run("info", "digits")[1].replace("\n", " ")
    rows = {row["name"]: row for row in json.loads(run("recipes", "--json")[1])}
    assert rows["paper/cifar10"]["published_fid"] == 18.27
    assert rows["digits"]["published_fid"] is None
    assert json.loads(run("recipes", "small")[1])["name"] == "small"
    assert "paper/celebahq-256" in run("recipes")[1]
    refused(run("recipes", "smal"), "Did you mean 'small'")


def test_train_from_the_command_line(run, tmp_path):
    small = ("--set", "network.channels=8", "--set", "training.images=128", "--set", "training.save_every=64")
    code, out, _ = run("train", "digits", "--out", "r", *small, "--json")
    assert code == 0
    assert json.loads(out)["images"] == 128
    assert run("sample", "r", "-n", 1, "--steps", 2)[0] == 0
    refused(run("train", "digits", "--out", "r", *small), "holds a run already")
    refused(run("train", "digits"), "--out DIR")
    refused(run("train", "digitz", "--out", "q"), "Did you mean 'digits'")
    refused(run("train", "digits", "--out", "q", "--set", "training.bach=3"), "did you mean 'training.batch'")
    refused(run("train", "digits", "--out", "q", "--recipe", "smal"), "Did you mean 'small'")
    refused(run("train", "digits", "--out", "q", "--device", "cpu:0"), "training takes a kind of device")
    assert not (tmp_path / "q").exists()
    _, out, _ = run("train", "digits", "--dry-run", *small, "--json")
    assert json.loads(out)["parameters"] == nk.load(tmp_path / "r").parameters


def test_sizes_that_fit_no_memory_are_refused_before_anything_is_read(run, tmp_path, monkeypatch):
    huge = ("train", "digits", "--out", "q", "--set", "data.size=[1,100000,100000]")
    refused(run(*huge), "pictures of 1 x 100000 x 100000 hold 10,000,000,000 numbers, 40 GB each; at most 16,777,216")
    refused(run(*huge, "--dry-run"), "40 GB each")
    about = models.about("digits")
    about["design"]["data"]["size"] = [1, 100_000, 100_000]
    formats.write_tensors(tmp_path / "m.safetensors", nk.load("digits").denoiser.state_dict(), about)
    refused(run("sample", "m.safetensors", "-n", 1), "40 GB each")
    monkeypatch.setattr("noisekernel.core.machine.memory_of", lambda device: 16_000_000_000)
    monkeypatch.setattr("noisekernel.training.preparation.load", None)
    large = ("train", "digits", "--out", "q", "--set", "data.size=[1,2048,2048]")
    refused(run(*large), "takes about", "for each picture of a batch of 64", "There are 16 GB (cpu)", "data.size")
    assert not (tmp_path / "q").exists()


def test_models_for_another_shape_take_pictures_of_any_size(run, tmp_path):
    """A picture of another size is cut and resized; data of another shape, in Python, is refused."""
    Image.new("RGB", (300, 200), "red").save(tmp_path / "red.jpg")
    assert run("vary", "digits", "red.jpg", "-n", 1, "--steps", 1)[0] == 0
    with pytest.raises(nk.NoiseKernelError, match="made for a batch of"):
        nk.equilibrate(nk.load("digits"), torch.zeros(1, 3, 200, 300))


def test_push_and_pull_through_a_folder(run, tmp_path):
    assert run("push", "digits", "./shelf")[0] == 0
    assert "# shelf" in (tmp_path / "shelf" / "README.md").read_text()
    assert run("pull", "./shelf", "--out", "mine")[0] == 0
    assert nk.load(tmp_path / "mine").history == nk.load("digits").history
    refused(run("push", "digits", "./shelf"), "model.safetensors and README.md already")
    refused(run("pull", "nonsense", "--out", "x"), "no repository of the Hub")
    (tmp_path / "shelf" / "model.safetensors").write_bytes(b"\x80\x04K\x01.")
    refused(run("pull", "./shelf", "--out", "y"), "could run any code")
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize("suffix", ["pt2", "onnx"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_exports_agree_with_the_original(run, tmp_path, suffix):
    code, out, _ = run("export", "digits", "--out", f"d.{suffix}", "--json")
    assert code == 0
    figures = json.loads(out[out.index("{") :])
    assert figures["largest_difference"] < 1e-3
    assert (tmp_path / f"d.{suffix}").stat().st_size > 1_000_000
    refused(run("export", "digits", "--out", f"d.{suffix}"), "exists")
    refused(run("export", "digits", "--out", "d.tflite"), "exports are .pt2")


@pytest.mark.parametrize("suffix", ["pt2", "onnx"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_models_of_many_levels_are_exported_with_all_their_probabilities(run, tmp_path, suffix):
    settings = {"network.channels": 8, "network.multipliers": [1, 1], "network.blocks": 1}
    design = nk.recipes.recipe("levels", {**settings, "data.size": [1, 4, 4]})
    design = design.design(design.data)
    nk.save(models.build(design), tmp_path / "levels.safetensors")
    code, out, _ = run("export", "levels.safetensors", "--out", f"d.{suffix}", "--json")
    assert code == 0
    figures = json.loads(out[out.index("{") :])
    assert figures["outputs"] == "log_probs"
    assert figures["largest_difference"] < 1e-3


def test_a_page_of_the_users_is_not_written_over(run, tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("mine")
    refused(run("push", "digits", "./project"), "README.md already")
    assert (tmp_path / "project" / "README.md").read_text() == "mine"


def test_names_with_brackets_are_names(run, tmp_path):
    code, out, _ = run("sample", "digits", "-n", 1, "--steps", 2, "--out", "a[/b]")
    assert code == 0
    assert "a[/b]" in out.replace("\n", "")


def test_pictures_without_one_meaning_are_refused(run, tmp_path):
    Image.fromarray(np.zeros((8, 8), np.float32)).save(tmp_path / "scan.tiff")
    refused(run("vary", "digits", "scan.tiff"), "scan.tiff: floating-point values have no one meaning")
    Image.new("RGBA", (8, 8)).save(tmp_path / "glass.png")
    refused(run("fill", "digits", "glass.png", "--mask", "glass.png"), "transparent in parts")


def test_odd_values_are_refused(run, picture):
    refused(run("walk", "digits", "--fps", "nan"), "--fps is nan; it lies in [0.1, 100]")
    refused(run("walk", "digits", "--fps", "inf"), "--fps is inf")
    refused(run("walk", "digits", *[picture] * 3, "-n", 2), "give each picture a chain")
    refused(run("sample", "digits", "--sampler", "corrected", "--steps", 51), "51 is odd")
    refused(run("sample", "digits", "--device", "meta"), "cannot be used here")
    refused(run("sample", "digits", "--seed", 2**64), "18446744073709551616; give a whole number from 0")


def test_demos_of_small_and_odd_sets(run, tmp_path):
    (tmp_path / "few").mkdir()
    for i in range(10):
        Image.fromarray(np.full((8, 8), 20 * i, np.uint8)).save(tmp_path / "few" / f"{i}.png")
    settings = ("network.channels=8", "training.images=16", "training.batch=8", "data.size=[1,8,8]")
    options = ("--data", "few", *(part for setting in settings for part in ("--set", setting)), "--json")
    code, out, _ = run("demo", "--out", "d", *options)
    assert code == 0
    assert "principal components" in json.loads(out)["frechet_features"]
    refused(run("demo", "--out", "d", *options), "--force")
    (tmp_path / "mine" / "run").mkdir(parents=True)
    (tmp_path / "mine" / "run" / "thesis.txt").touch()
    refused(run("demo", "--out", "mine", "--force", *options), "is not empty")
    assert (tmp_path / "mine" / "run" / "thesis.txt").exists()


def test_what_is_no_model_or_picture_is_told_apart(run, tmp_path, picture):
    small = ("--set", "training.images=1e2", "--set", "training.batch=50", "--set", "training.save_every=50")
    assert run("train", "digits", "--out", "r", *small)[0] == 0
    newest = sorted((tmp_path / "r" / "checkpoints").iterdir())[-1]
    code, out, _ = run("train", "digits", "--out", "further", "--from", "r", *small, "--json")
    assert (code, json.loads(out)["start"], json.loads(out)["images"]) == (0, "r", 100)
    refused(run("train", "digits", "--out", "q", "--from", "nowhere"), "there is no model called 'nowhere'")
    refused(run("sample", newest), "is a checkpoint, from which training goes on; give the folder of its run")
    (tmp_path / "a.py").write_text("print('hello, this is no model')")
    refused(run("sample", "a.py"), "a.py is a text file, not a model; a model is a .safetensors file, the folder of a")
    refused(run("info", picture), "three.png is a PNG picture, not a model", "one of: digits, fashion")
    (tmp_path / "umlauts.txt").write_text("ä" * 2000)
    refused(run("sample", "umlauts.txt"), "is a text file")
    (tmp_path / "nothing.safetensors").touch()
    refused(run("sample", "nothing.safetensors"), "is an empty file")
    with zipfile.ZipFile(tmp_path / "a.nkd", "w") as file:
        file.writestr("design.json", "{}")
    refused(run("sample", "a.nkd"), "is a design file of the studio, not a model")
    (tmp_path / "pictures").mkdir()
    refused(run("vary", "digits", "pictures"), "pictures is a folder; give pictures, such as pictures/*.png")
    refused(run("vary", "digits", picture, "--label", 1, "--label", 2), "--label was given 2 times, for 1 picture;")
    refused(run("train", "digits", "--out", "a.py"), "a.py is a file; give the name of a folder")
    refused(run("train", "digits", "--out", "q", "--set", "data.size=32"), "a size is [channels, height, width]")


def test_broken_models_are_refused_in_a_sentence(run, tmp_path):
    (tmp_path / "m").mkdir()
    refused(run("sample", "m"), "holds no model")
    whole = Path(nk.models.save(nk.load("digits"), tmp_path / "whole")).read_bytes()
    (tmp_path / "m" / "model.safetensors").write_bytes(whole[:5000])
    refused(run("sample", "m"), "damaged or cut short")
    refused(run("info", "m"), "damaged or cut short")


def test_help_is_light():
    """It names every command and imports nothing that would make one wait. (benchmarks/start_up.py has times.)"""
    code = (
        "import sys; from noisekernel.cli.main import main; sys.argv = ['nk', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print({'torch', 'numpy', 'pydantic', 'PIL', 'sklearn', 'scipy', 'accelerate'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "set()"
    for command in COMMANDS:
        assert command in done.stdout


def test_every_command_explains_itself(run):
    for command in COMMANDS:
        code, out, _ = run(command, "--help")
        assert code == 0
        assert "--json" in out
    assert run("--version")[1].strip() == nk.__version__


@pytest.mark.training
def test_the_demo_writes_one_file_that_needs_no_other(run, tmp_path):
    small = ("network.channels=8", "training.images=512", "training.draw_every=256")
    began = time.monotonic()
    code, out, _ = run("demo", "--out", "d", "--json", *(part for setting in small for part in ("--set", setting)))
    assert code == 0
    figures = json.loads(out)
    assert 0 < figures["seconds"] < time.monotonic() - began + 1
    page = (tmp_path / "d" / "report.html").read_text()
    assert page.count("data:image/png;base64,") >= 5
    assert "data:image/gif;base64," in page
    assert 'src="http' not in page
    assert 'href="http' not in page
    for title in ("New pictures", "From noise to a picture", "A tree of variants", "Filling in", "How training went"):
        assert f"<h2>{title}</h2>" in page
    assert (tmp_path / "d" / "run" / "model.safetensors").exists()


def test_a_mixed_folder_trains_and_accounts_for_every_file(run, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    grey = Image.fromarray(np.arange(400, dtype=np.uint8).reshape(20, 20))
    for i, (name, mode) in enumerate([("a.png", "L"), ("b.jpg", "RGB"), ("c.webp", "RGBA"), ("d.gif", "P")]):
        grey.rotate(90 * i).convert(mode).save(folder / name)
    Image.fromarray(np.full((9, 9), 40_000, np.uint16)).save(folder / "e.png")
    (folder / "f.png").write_bytes((folder / "a.png").read_bytes()[:60])
    (folder / "g.jpg").write_text("not a picture")
    small = ("network.channels=8", "training.images=16", "training.batch=8", "data.size=[3,8,8]")
    options = ("train", folder, "--out", "r", *(part for setting in small for part in ("--set", setting)))
    code, out, _ = run("train", "mixed", "--dry-run", *options[4:], "--set", "data.bad=skip")
    assert code == 0
    assert "2 files would be skipped:\n  skipped f.png: the file is cut short\n  skipped g.jpg: not a picture" in out
    refused(run(*options), "f.png: the file is cut short", "data.bad=skip")
    assert not (tmp_path / "r" / "checkpoints").exists()
    code, _, err = run(*options, "--set", "data.bad=skip")
    assert code == 0
    assert "5 pictures read, 2 skipped" in err
    told = json.loads((tmp_path / "r" / "run.json").read_text())
    assert (told["examples"], [name for name, _ in told["skipped"]]) == (5, ["f.png", "g.jpg"])


def test_a_disk_that_is_full_stops_training_with_a_sentence(tmp_path):
    """No file of this process may grow beyond 300 kB, so the first checkpoint cannot be written whole."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    settings = ("network.channels=16", "training.images=64", "training.batch=16", "training.save_every=32")
    done = subprocess.run(
        [sys.executable, "-m", "noisekernel", "train", "digits", "--out", "r"]
        + [part for setting in settings for part in ("--set", setting)],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert "nk: " in done.stderr
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "r").rglob("*.safetensors")) == []
    assert list((tmp_path / "r").rglob("*.unfinished")) == []


@pytest.mark.training
def test_a_diagnosis_is_a_page_and_every_figure(run, tmp_path, monkeypatch):
    monkeypatch.setattr("noisekernel.measuring.chains.diagnosis.VARIANT_STEPS", 3)
    arguments = ("diagnose", "digits", "--data", "digits", "--steps", 12, "-n", 8, "--pairs", 60, "--out", "d")
    code, out, _ = run(*arguments, "--json", "--lag", 0.5, "--beta", 0.3)
    assert code == 0
    figures = json.loads(out)
    assert figures == json.loads((tmp_path / "d" / "diagnosis.json").read_text())
    walk, paper = figures["walk"], figures["paper"]
    assert {r["beta"] for r in paper["reversible"]} == {0.05, 0.1, 0.2, 0.3, 0.4, 0.8}
    assert {r["beta"] for r in walk["reversible"]} == {0.1, 0.5, 0.9}
    assert (paper["stationary"]["beta"], walk["stationary"]["beta"]) == (0.3, 0.5)
    assert paper["stationary"]["lag"] == paper["strength"]["lag"] == 0.5
    for one in (walk, paper):
        assert len(one["strength"]["distances"]) == len(one["strength"]["betas"]) > 5
        assert {m["chains"] for m in one["mixing"]} == {8}
    page = (tmp_path / "d" / "diagnose.html").read_text()
    assert page.count("<img") == 9
    assert "http" not in page
    for title in ("Reversible?", "Stationary?", "Mixing?", "How far does a variant go?"):
        assert title in page
    refused(run(*arguments), "d exists and is not empty", "--force")


def test_what_cannot_be_diagnosed_is_refused_in_a_sentence(run, monkeypatch):
    refused(run("diagnose", "digits", "--data", "digit"), "Did you mean 'digits'?")
    refused(run("diagnose", "digits", "--data", "digits", "--beta", 1.5), "beta is 1.5")
    refused(run("diagnose", "digits"), "--data")
    monkeypatch.setitem(sys.modules, "arviz", None)
    refused(run("diagnose", "digits", "--data", "digits"), "pip install 'noisekernel[diagnose]'")


def test_help_says_what_is_taken(run):
    """Training takes a kind of device only, and only folders of pictures have a manifest."""
    for command in ("train", "demo"):
        assert "cuda:1" not in run(command, "--help")[1]
    for command, listed in (("sample", True), ("export", False), ("push", False), ("evaluate", False)):
        assert ("manifest" in run(command, "--help")[1].split("--force")[1]) is listed
