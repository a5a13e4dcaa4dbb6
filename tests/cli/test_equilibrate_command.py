"""nk equilibrate: the paper's chain with the paper's numbers."""

import json

import numpy as np
from PIL import Image

import noisekernel as nk


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
