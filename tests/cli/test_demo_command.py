"""nk demo: one page, of any small set."""

import json
import time

import numpy as np
import pytest
from PIL import Image

from helpers import refused


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
    assert page.count("data:image/svg+xml;base64,") >= 2
    assert "data:image/gif;base64," in page
    assert 'src="http' not in page
    assert 'href="http' not in page
    for title in ("New pictures", "From noise to a picture", "A tree of variants", "Filling in", "How training went"):
        assert f"<h2>{title}</h2>" in page
    assert (tmp_path / "d" / "run" / "model.safetensors").exists()
