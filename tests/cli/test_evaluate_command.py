"""nk evaluate: what it prints and writes, and what it refuses."""

import json

import pytest
import torch

import noisekernel as nk
from helpers import refused

QUICK = ("evaluate", "digits", "--data", "digits", "-n", 40, "--steps", 2, "--features", "quarters.py:means")


@pytest.fixture
def quarters(tmp_path):
    code = "import torch\ndef means(pixels):\n    return torch.nn.functional.avg_pool2d(pixels.float(), 4).flatten(1)\n"
    (tmp_path / "quarters.py").write_text(code)


@pytest.mark.usefixtures("quarters")
def test_figures_for_people_and_programs(run, tmp_path):
    code, out, _ = run(*QUICK, "--seed", 3, "--json", "--out", "f.json")
    assert code == 0
    told = json.loads(out)
    assert json.loads((tmp_path / "f.json").read_text()) == told
    assert (told["model"], told["data"], told["n"], told["examples"]) == ("digits", "digits", 40, 1797)
    assert (told["features"], told["width"], told["steps"], told["seed"]) == ("quarters.py:means", 4, 2, 3)
    low, high = told["figures"]["fid"]["interval"]
    assert low <= told["figures"]["fid"]["value"] <= high
    assert set(told["floor"]) == set(told["figures"])
    assert "logits" in told["missing"]["inception_score"]
    assert ["against 1,797 examples" in told["warnings"][0], "(--held-out)" in told["warnings"][1]] == [True, True]
    denoising = told["denoising"]
    assert (denoising["examples"], denoising["held_out"], denoising["scale"]) == (40, False, "sigma")
    assert len(denoising["levels"]) == len(denoising["errors"]) == len(denoising["reference"]["errors"]) == 19
    low, high = denoising["bits"]["interval"]
    assert low < denoising["bits"]["value"] < high < denoising["reference"]["bits"]["value"]

    def means(pixels):
        return torch.nn.functional.avg_pool2d(pixels.float(), 4).flatten(1)

    same = nk.measure("digits", "digits", n=40, steps=2, features=means, seed=3).as_json()
    assert same["figures"] == told["figures"]
    assert same["floor"] == told["floor"]
    assert same["denoising"]["bits"]["value"] == pytest.approx(denoising["bits"]["value"], rel=1e-4)
    code, out, _ = run(*QUICK)
    assert code == 0
    for words in (
        "Fréchet distance (FID)",
        "less its bias",
        "95% interval",
        "real data",
        "warning: 40 samples",
        "one variance",
        "bits per element",
    ):
        assert words in out


@pytest.mark.usefixtures("quarters")
def test_evaluate_refuses(run, tmp_path):
    (tmp_path / "f.json").write_text("mine")
    refused(run(*QUICK, "--out", "f.json"), "exists", "--force")
    assert (tmp_path / "f.json").read_text() == "mine"
    start = ("evaluate", "digits", "--data", "digits")
    refused(run("evaluate", "digits"), "--data")
    refused(run("evaluate", "digitz", "--data", "digits"), "Did you mean 'digits'")
    refused(run("evaluate", "digits", "--data", "digitz"), "Did you mean 'digits'")
    refused(run(*start, "-n", 5), "n is 5; it is at least 20")
    refused(run(*start, "--sampler", "papre"), "Did you mean 'paper'")
    refused(run(*start, "--label", "zebra"), "no class called 'zebra'")
    refused(run(*start, "--device", "quantum"), "cannot be used here")
    refused(run(*start, "--held-out", "nowhere"), "no file, folder or data set called 'nowhere'")
    refused(run(*start, "--features", "nothing"), "there are no features called 'nothing'")
    refused(run(*start, "--features", "quarters.py:medians"), "has no function 'medians'")
    refused(run(*start, "--features", "inception:nowhere.pt"), "is no file")
    torch.save({"weight": torch.zeros(1)}, tmp_path / "weights.pth")
    refused(run(*start, "--features", "inception:weights.pth"), "no TorchScript file", "Pickles")
    (tmp_path / "bad.py").write_text("def f(pixels):\n    raise KeyError('x')\n")
    refused(run(*start, "-n", 20, "--steps", 1, "--features", "bad.py:f"), "features bad.py:f failed", "KeyError")


@pytest.mark.training
def test_digits_end_to_end(run):
    """Default features: a classifier of the data, trained in seconds."""
    code, out, _ = run("evaluate", "digits", "--data", "digits", "-n", 200, "--steps", 10, "--json")
    assert code == 0
    told = json.loads(out)
    assert told["figures"]["inception_score"]["value"] > 6
    assert told["figures"]["precision"]["value"] > 0.6
    assert told["floor"]["fid"]["value"] < told["figures"]["fid"]["value"] < 5
    assert told["width"] == 64
