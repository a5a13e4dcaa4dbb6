"""MODEL, EXAMPLE and recipes by name: what is found, what is told apart, what is refused."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import noisekernel as nk
from helpers import refused


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


def test_models_for_another_shape_take_pictures_of_any_size(run, tmp_path):
    """A picture of another size is cut and resized; data of another shape, in Python, is refused."""
    Image.new("RGB", (300, 200), "red").save(tmp_path / "red.jpg")
    assert run("vary", "digits", "red.jpg", "-n", 1, "--steps", 1)[0] == 0
    with pytest.raises(nk.NoiseKernelError, match="made for a batch of"):
        nk.equilibrate(nk.load("digits"), torch.zeros(1, 3, 200, 300))


def test_names_with_brackets_are_names(run, tmp_path):
    code, out, _ = run("sample", "digits", "-n", 1, "--steps", 2, "--out", "a[/b]")
    assert code == 0
    assert "a[/b]" in out.replace("\n", "")


def test_pictures_without_one_meaning_are_refused(run, tmp_path):
    Image.fromarray(np.zeros((8, 8), np.float32)).save(tmp_path / "scan.tiff")
    refused(run("vary", "digits", "scan.tiff"), "scan.tiff: floating-point values have no one meaning")
    Image.new("RGBA", (8, 8)).save(tmp_path / "glass.png")
    refused(run("fill", "digits", "glass.png", "--mask", "glass.png"), "transparent in parts")


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
    refused(run("info", picture), "three.png is a PNG picture, not a model", "one of: emoji, bach, digits, fashion")
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
