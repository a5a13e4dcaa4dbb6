"""nk push, nk pull, nk export: models for others."""

import json

import pytest

import noisekernel as nk
from helpers import refused
from noisekernel import models


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
