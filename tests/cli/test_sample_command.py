"""nk sample: files that say how they were made, samplers by name, refusals."""

import json

import numpy as np
import pytest
from PIL import Image

import noisekernel as nk
from helpers import refused
from noisekernel.kinds.pictures import drawing


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
