"""--guidance, --worse and --guide-between: one set of options for every command that draws."""

import json

import numpy as np
import pytest
from PIL import Image

import noisekernel as nk
from helpers import refused

GUIDED = ("--guidance", 2, "--label", "3", "--json", "--seed", 5)


def commands(picture):
    return {
        "sample": ("sample", "digits", "-n", 2, "--steps", 4, "--out", "out"),
        "vary": ("vary", "digits", picture, "-n", 2, "--below", 0.5, "--steps", 4, "--out", "out"),
        "fill": ("fill", "digits", picture, "--tiles", 4, "-n", 2, "--steps", 4, "--out", "out"),
        "equilibrate": ("equilibrate", "digits", picture, "-n", 2, "--steps", 3, "--out", "out"),
        "walk": ("walk", "digits", picture, "-n", 1, "--steps", 2, "--out", "out.gif"),
        "evaluate": ("evaluate", "digits", "--data", "digits", "-n", 40, "--steps", 3),
    }


@pytest.mark.parametrize("name", ["sample", "vary", "fill", "equilibrate", "walk", "evaluate"])
def test_every_command_that_draws_is_guided(run, picture, name):
    code, out, err = run(*commands(picture)[name], *GUIDED, "--guide-between", "0.1,0.9")
    assert code == 0, err
    assert "guided 2 away from no label between noise levels 0.1 and 0.9" in err
    assert "not the distribution of the data" in err
    figures = json.loads(out)
    assert (figures["guidance"], figures["worse"], figures["guide_between"]) == (2.0, None, [0.1, 0.9])


def test_samples_are_those_of_a_guided_model(run, tmp_path):
    worse = nk.load("digits", "cpu")
    for value in worse.denoiser.state_dict().values():
        value.mul_(0.9)
    worse.save(tmp_path / "worse")
    code, out, _ = run("sample", "digits", "-n", 2, "--steps", 4, "--guidance", 1.5, "--worse", "worse", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["worse"], told["network_calls"]) == ("worse", 10)
    model = nk.load("digits").guided(1.5, worse=nk.load(tmp_path / "worse"))
    for i, image in enumerate(model.draw(model.sample(2, steps=4))):
        seen = np.asarray(Image.open(tmp_path / "samples" / f"{i:04d}.png")).astype(int)
        assert np.abs(seen - np.asarray(image)).max() <= 1
    manifest = json.loads((tmp_path / "samples" / "manifest.json").read_text())["examples"][0]
    assert manifest["guidance"] == 1.5


def test_without_guidance_nothing_of_it_is_told(run):
    code, out, err = run("sample", "digits", "-n", 1, "--steps", 2, "--json")
    assert code == 0
    assert "guid" not in out + err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--guidance", 2), "no class was given; add --label NAME, or --worse MODEL"),
        (("--guidance", -1, "--label", 3), "--guidance is -1"),
        (("--guidance", "nan", "--label", 3), "--guidance is nan"),
        (("--guidance", 2, "--label", "cat"), "cat"),
        (("--guidance", 2, "--label", 3, "--guide-between", "0.9,0.1"), "give the lower one first"),
        (("--guidance", 2, "--label", 3, "--guide-between", "much"), "give two noise levels with a comma"),
        (("--guidance", 2, "--worse", "fashion"), "differ in size"),
        (("--guidance", 2, "--worse", "nowhere"), "nowhere"),
        (("--worse", "digits"), "--worse says how to guide, but not how far; add --guidance"),
        (("--guide-between", "0.1,0.9"), "--guide-between says how to guide, but not how far"),
    ],
)
def test_refusals(run, options, said):
    refused(run("sample", "digits", "-n", 1, "--steps", 2, *options), said)


def test_a_model_without_classes_is_told_apart(run, tmp_path):
    settings = {"training.images": 64, "data.labels": False}
    nk.fit("digits", settings=settings, progress=False, calibrate=False).save(tmp_path / "plain")
    refused(run("sample", "plain", "--guidance", 2), "learned no classes", "give a worse model")
