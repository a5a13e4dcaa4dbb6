"""Two processes are one, up to rounding: the same losses, the same pictures. Each runs on another processor."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import noisekernel as nk
import other_processor
from noisekernel.training.observers import read_log

SETTINGS = [
    *("network.channels=8", "training.batch=32", "training.images=640"),
    *("training.log_every=64", "training.save_every=320", "objective.kind=anchored"),
]


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def launch(processes, *arguments, cwd):
    """`nk …` in one process, or in several as torchrun starts them (gloo, over this machine's loopback)."""
    many = ["-m", "torch.distributed.run", "--nproc-per-node", str(processes), "--standalone"] if processes > 1 else []
    command = [sys.executable, *many, other_processor.__file__, *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-20_000:]
    return done


@pytest.mark.training
def test_two_processes_train_as_one_does(tmp_path):
    settings = [part for setting in SETTINGS for part in ("--set", setting)]
    for processes in (1, 2):
        launch(processes, "train", "digits", "--out", f"run{processes}", *settings, "--device", "cpu", cwd=tmp_path)
    one, two = (read_log(tmp_path / f"run{n}" / "log.jsonl") for n in (1, 2))
    assert [entry["images"] for entry in one] == [entry["images"] for entry in two] == list(range(64, 641, 64))
    for a, b in zip(one, two, strict=True):
        assert b["loss"] == pytest.approx(a["loss"], rel=1e-4)
        assert b["gradient"] == pytest.approx(a["gradient"], rel=1e-3)
        assert b["by_level"] == pytest.approx(a["by_level"], rel=1e-3)
    # Were the processes given the same examples, or other noise, the losses would be apart by far more than that.
    assert abs(one[0]["loss"] / one[1]["loss"] - 1) > 1e-3
    assert json.loads((tmp_path / "run2" / "run.json").read_text())["examples"] == 1797


def test_two_processes_draw_the_pictures_of_one(tmp_path):
    options = ("sample", "digits", "-n", 10, "--steps", 3, "--batch-size", 4, "--seed", 5, "--device", "cpu")
    for processes in (1, 2):
        launch(processes, *options, "--out", f"s{processes}", cwd=tmp_path)
    one, two = (sorted((tmp_path / f"s{n}").glob("*.png")) for n in (1, 2))
    assert [path.name for path in one] == [path.name for path in two]
    assert len(one) == 11
    shown = [[np.asarray(Image.open(path)).astype(int) for path in paths] for paths in (one, two)]
    for a, b in zip(*shown, strict=True):
        assert np.abs(a - b).max() <= 1  # of 255: where rounding differs
    for i, j in itertools.combinations(range(10), 2):
        assert np.abs(shown[0][i] - shown[1][j]).mean() > 10


def told(value, name=""):
    """All that a report tells, by the way to it."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from told(part, f"{name}/{key}")
    else:
        yield name, value


def test_two_processes_measure_what_one_does(tmp_path, monkeypatch):
    pictures = nk.data.load_data("digits")[0].values[:100, 0].numpy()
    np.save(tmp_path / "some.npy", pictures)
    options = ("-n", 50, "--steps", 2, "--batch-size", 16, "--seed", 3, "--device", "cpu", "--json")
    found = []
    for processes in (1, 2):
        monkeypatch.setenv("NK_HOME", str(tmp_path / f"home{processes}"))
        done = launch(processes, "evaluate", "digits", "--data", "some.npy", *options, cwd=tmp_path)
        found.append({**json.loads(done.stdout), "seconds": None})
    one, two = (dict(told(each)) for each in found)
    assert len(one) > 20
    # One of 50 pictures may pass for another's neighbour.
    near = {name: pytest.approx(value, rel=0.01, abs=0.021) for name, value in one.items() if isinstance(value, float)}
    assert two == one | near
    assert found[0]["features"] == "32 principal components of the data"
    names = [sorted(p.name for p in (tmp_path / f"home{n}").rglob("*.safetensors")) for n in (1, 2)]
    assert names[0] == names[1]
    assert len(names[0]) == 2
