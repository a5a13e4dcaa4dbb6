"""The nk command: what each writes, what each refuses, and that the same is to be had in Python."""

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import noisekernel as nk
from noisekernel import models, outputs


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "three.png"
    digits = nk.data.load(nk.data.open_source("digits"))
    Image.fromarray(digits.pixels[3, 0].numpy()).save(path)
    return path


def refused(result, *said):
    code, _, err = result
    assert code == 2
    assert any(line.startswith("nk: ") for line in err.splitlines()) or "Error" in err
    for words in said:
        assert words in " ".join(err.split())


def test_samples_are_files_that_say_how_they_were_made(run, tmp_path):
    code, out, _ = run("sample", "digits", "-n", 3, "--out", "s", "--steps", 4, "--seed", 7, "--label", 3, "--json")
    assert code == 0
    assert json.loads(out)["n"] == 3
    assert {path.name for path in (tmp_path / "s").iterdir()} == {
        *(f"{i:04d}.png" for i in range(3)),
        "sheet.png",
        "manifest.json",
    }
    made = outputs.how_made(tmp_path / "s" / "0002.png")
    assert made == {
        "task": "sample",
        "model": "digits",
        "sampler": "stochastic",
        "steps": 4,
        "seed": 7,
        "sample": 2,
        "label": "3",
    }
    listed = json.loads((tmp_path / "s" / "manifest.json").read_text())["pictures"]
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


@pytest.mark.parametrize("how", [("--steps", 3), ("--beta", 0.3, "--steps", 2, "--readout", 2)])
def test_variants_rounds_and_choices(run, tmp_path, picture, how):
    options = ("vary", "digits", picture, "-n", 3, *how, "--json")
    code, out, _ = run(*options, "--out", "a", "--rounds", 3, "--choose", "2,0")
    assert code == 0
    assert json.loads(out)["chosen"] == [[2], [0]]
    assert len(list((tmp_path / "a").glob("round*.png"))) == 9
    _, out, _ = run(*options, "--out", "b", "--rounds", 2, "--score", "bright")
    chosen = json.loads(out)["chosen"][0][0]
    brightness = [np.asarray(Image.open(tmp_path / "b" / f"round0-0-{k:02d}.png")).mean() for k in range(3)]
    assert chosen == int(np.argmax(brightness))
    (tmp_path / "mine.py").write_text("def dark(picture):\n    return 1 - picture.mean()\n")
    _, out, _ = run(*options, "--out", "c", "--rounds", 2, "--score", "mine.py:dark")
    assert json.loads(out)["chosen"][0][0] == int(np.argmin(brightness))
    original = np.asarray(Image.open(tmp_path / "a" / "original-0.png"))
    assert np.array_equal(original, np.asarray(Image.open(picture)))
    assert len({path.read_bytes() for path in (tmp_path / "a").glob("round*.png")}) == 9


def test_a_picture_that_the_model_never_saw_the_like_of_is_named(run, tmp_path, picture):
    Image.fromarray(np.indices((60, 90)).sum(0).astype(np.uint8)).save(tmp_path / "slope.png")
    code, _, said = run("vary", "digits", picture, tmp_path / "slope.png", "-n", 1, "--steps", 2)
    assert code == 0
    assert "slope.png: This picture is unlike those that the model learned from" in said
    assert str(picture) not in said


def test_variants_refuse(run, picture):
    refused(run("vary", "digits", picture, "--choose", "1"), "one round only")
    refused(run("vary", "digits", picture, "--rounds", 3, "--choose", "1"), "need 2 numbers")
    refused(run("vary", "digits", picture, "--rounds", 2, "--choose", "a"), "give numbers with commas")
    refused(run("vary", "digits", picture, "--rounds", 2), "need to know how to go on")
    refused(run("vary", "digits", picture, "--rounds", 2, "--score", "brigth"), "Did you mean 'bright'")
    refused(run("vary", "digits", picture, "--beta", 0), "beta is 0")
    refused(run("vary", "digits", picture, "--strength", 2), "strength is 2")
    refused(run("vary", "digits", picture, "--strength", 0.2, "--beta", 0.2), "draw noise anew by a strength, or walk")
    refused(run("vary", "digits", picture, "--lag", 0.5), "--lag is of a walk at constant noise")
    refused(run("walk", "digits", "--readout", 3), "--readout is of a walk at constant noise")
    refused(run("vary", "digits", "none.png"), "none.png cannot be opened")


def test_inpainting_keeps_what_is_kept(run, tmp_path, picture):
    mask = np.zeros((8, 8), np.uint8)
    mask[:, 4:] = 255
    Image.fromarray(mask).save(tmp_path / "mask.png")
    assert run("inpaint", "digits", picture, "--mask", "mask.png", "--steps", 5, "-n", 2)[0] == 0
    original = np.asarray(Image.open(picture))
    for k in range(2):
        filled = np.asarray(Image.open(tmp_path / "inpainted" / f"0-{k:02d}.png"))
        assert np.array_equal(filled[:, :4], original[:, :4])
        assert not np.array_equal(filled[:, 4:], original[:, 4:])
    code, out, _ = run("inpaint", "digits", picture, "--tiles", 4, "--keep", 0.25, "--steps", 5, "--out", "t", "--json")
    assert (code, json.loads(out)["filled_share"]) == (0, 0.75)


def test_inpainting_refuses(run, tmp_path, picture):
    refused(run("inpaint", "digits", picture), "either --mask MASK or --tiles SIDE")
    refused(run("inpaint", "digits", picture, "--mask", picture), "neither black (keep) nor white")
    refused(run("inpaint", "digits", picture, "--mask", picture, "--keep", 0.5), "with a mask, the mask says it")
    refused(run("inpaint", "digits", picture, "--tiles", 2, "--keep", 2), "keep is 2")


def test_masks_lie_where_they_were_drawn(run, tmp_path, picture):
    """What is opaque may have an alpha channel; what would be cut elsewhere than the picture is refused."""
    mask = np.zeros((8, 8, 4), np.uint8)
    mask[..., 3] = 255
    mask[:, 4:, :3] = 255
    Image.fromarray(mask).save(tmp_path / "opaque.png")
    assert run("inpaint", "digits", picture, "--mask", "opaque.png", "--steps", 2, "-n", 1)[0] == 0
    Image.fromarray(mask).resize((16, 8)).save(tmp_path / "wide.png")
    refused(
        run("inpaint", "digits", picture, "--mask", "wide.png", "--out", "x"),
        "the mask has 16 x 8 pixels and the picture 8 x 8",
    )
    Image.new("L", (16, 8)).save(tmp_path / "broad.png")
    Image.fromarray(mask).save(tmp_path / "small.png")  # of the model's size: laid on what the model sees
    assert run("inpaint", "digits", "broad.png", "--mask", "small.png", "--steps", 2, "-n", 1, "--out", "y")[0] == 0
    Image.new("L", (80, 80)).save(tmp_path / "black.png")
    refused(run("inpaint", "digits", picture, "--mask", "black.png", "--out", "x"), "there is nothing to fill in")
    refused(
        run("inpaint", "digits", picture, "--tiles", 9, "--out", "x"), "--tiles is 9; the pictures have 8 x 8 pixels"
    )


def test_who_interrupts_is_told(run, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(models, "load", interrupt)
    code, _, err = run("sample", "digits")
    assert (code, err) == (130, "nk: interrupted; what is written so far is whole\n")


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
    assert sorted(path.name for path in (tmp_path / "samples").glob("0*.png")) == ["0001.png"]


def test_a_strength_of_nothing_is_the_picture(run, tmp_path, picture):
    assert run("vary", "digits", picture, "-n", 2, "--strength", 0)[0] == 0
    original = np.asarray(Image.open(picture)).astype(int)
    for k in range(2):
        assert np.abs(np.asarray(Image.open(tmp_path / "variants" / f"round0-0-{k:02d}.png")) - original).max() <= 6


def test_a_model_is_measured_for_its_strength_once(run, tmp_path, picture, monkeypatch):
    digits = nk.load("digits")
    models.save(replace(digits, history={**digits.history, "seed": 99}), tmp_path / "own.safetensors")
    how = ("vary", tmp_path / "own.safetensors", picture, "-n", 1, "--steps", 4, "--json", "--out")
    code, out, _ = run(*how, "a")
    assert code == 0
    figures = json.loads(out)
    assert figures["strength"] == 0.3
    assert 0.005 < figures["below"] < 0.3
    monkeypatch.setattr("noisekernel.dial.Dial.measure", None)
    code, out, _ = run(*how, "b")
    assert (code, json.loads(out)["below"]) == (0, figures["below"])


def test_rounds_go_on_from_the_noise_of_the_chosen(run, tmp_path, picture):
    """Round 1 at strength 0 is the candidate that was chosen, to the bit: its noise was not looked for again."""
    code, *_ = run("vary", "digits", picture, "-n", 2, "--rounds", 2, "--choose", "1", "--strength", 0, "--steps", 4)
    assert code == 0
    chosen, again = (
        np.asarray(Image.open(tmp_path / "variants" / f"{name}.png")) for name in ("round0-0-01", "round1-0-00")
    )
    assert np.array_equal(chosen, again)


@pytest.mark.parametrize("how", [(), ("--beta", 0.3, "--readout", 2)])
def test_walks_are_films(run, tmp_path, picture, how):
    options = ("walk", "digits", "--steps", 6, "--every", 2, "-n", 2, *how)
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
    assert figures["design"]["shape"] == [1, 8, 8]
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


def test_models_for_another_shape_take_pictures_of_any_size(run, tmp_path):
    """A picture of another size is cut and resized; data of another shape, in Python, is refused."""
    Image.new("RGB", (300, 200), "red").save(tmp_path / "red.jpg")
    assert run("vary", "digits", "red.jpg", "-n", 1, "--steps", 1)[0] == 0
    with pytest.raises(nk.NoiseKernelError, match="made for a batch of"):
        nk.vary(nk.load("digits"), torch.zeros(1, 3, 200, 300))


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
    design = nk.config.recipe("levels", settings).design(nk.data.Size(1, 4, 4))
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
    refused(run("inpaint", "digits", "glass.png", "--mask", "glass.png"), "transparent in parts")


def test_odd_values_are_refused(run, picture):
    refused(run("walk", "digits", "--fps", "nan"), "greater than or equal to 0.1")
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
    refused(run("sample", "a.py"), "is no safetensors file")
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


def test_help_is_fast_and_light():
    """In under half a second on a quiet machine; here as processor time, which other jobs do not lengthen."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-m", "noisekernel", "--help"], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.returncode == 0
        for command in [
            "train",
            "sample",
            "vary",
            "inpaint",
            "walk",
            "info",
            "recipes",
            "push",
            "pull",
            "export",
            "demo",
        ]:
            assert command in done.stdout
    assert min(times) < 0.5
    code = "import sys; from noisekernel.cli import main; print('torch' in sys.modules, 'numpy' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]


def test_every_command_explains_itself(run):
    for command in ("train", "sample", "vary", "inpaint", "walk", "info", "recipes", "push", "pull", "export", "demo"):
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
    refused(run(*options), "f.png: cannot be decoded", "data.bad=skip")
    assert not (tmp_path / "r" / "checkpoints").exists()
    code, _, err = run(*options, "--set", "data.bad=skip")
    assert code == 0
    assert "5 pictures read, 2 skipped" in err
    told = json.loads((tmp_path / "r" / "run.json").read_text())
    assert (told["pictures"], [name for name, _ in told["skipped"]]) == (5, ["f.png", "g.jpg"])


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
    monkeypatch.setattr("noisekernel.diagnosis.VARIANT_STEPS", 3)
    arguments = ("diagnose", "digits", "--data", "digits", "--steps", 12, "-n", 8, "--pairs", 60, "--out", "d")
    code, out, _ = run(*arguments, "--json", "--lag", 0.5, "--beta", 0.3)
    assert code == 0
    figures = json.loads(out)
    assert figures == json.loads((tmp_path / "d" / "diagnosis.json").read_text())
    assert {r["beta"] for r in figures["reversible"]} == {0.05, 0.1, 0.2, 0.3, 0.4, 0.8}
    assert figures["stationary"]["beta"] == 0.3
    assert figures["stationary"]["lag"] == figures["strength"]["lag"] == 0.5
    assert len(figures["renewal"]["distances"]) == len(figures["renewal"]["betas"]) > 5
    assert {m["chains"] for m in figures["mixing"]} == {8}
    page = (tmp_path / "d" / "diagnose.html").read_text()
    assert page.count("<img") == 5
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
