"""nk train: every file is accounted for, and what cannot be done is said before or as it fails."""

import json
import os
import resource
import subprocess
import sys

import numpy as np
from PIL import Image

import noisekernel as nk
from helpers import refused
from noisekernel import models
from noisekernel.files import formats


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
