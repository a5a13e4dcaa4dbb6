"""The examples run as they stand, and what they draw is right."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from PIL import Image

from helpers import generator
from two_sample import accuracy

EXAMPLES = Path(__file__).parents[1] / "examples"

pytestmark = pytest.mark.training


#: Runs an example as the gallery does, and keeps its last figure.
SHOWN = """
import runpy, sys, warnings
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
runpy.run_path(sys.argv[1], run_name="__main__")
plt.gcf().savefig(sys.argv[2])
"""


@pytest.mark.parametrize("name", ["quickstart", "digits", "flowers", "numerals", "table", "steering", "walking"])
def test_an_example_runs_and_draws(name, tmp_path):
    path = tmp_path / "figure.png"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SHOWN, EXAMPLES / f"{name}.py", path],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    with Image.open(path) as figure:
        assert len(figure.convert("L").getcolors()) > 10  # more than an empty frame


def test_every_example_has_a_place_in_the_gallery():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(gallery().ORDER)


def gallery():
    return loaded(EXAMPLES.parent / "docs" / "site_tools" / "gallery.py")


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_users_own_kernel_learns_to_stay_on_the_data():
    module = loaded(EXAMPLES / "own_kernel.py")
    data = module.moons(20_000, generator(0))
    kernel = module.Jumps()
    fresh = data[2000:4000]
    with torch.no_grad():
        assert accuracy(module.walk(kernel, data[:2000], 100), fresh) > 0.8  # untrained: the wrong twin
    module.train(kernel, data, steps=1500)
    with torch.no_grad():
        assert accuracy(module.walk(kernel, data[:2000], 100), fresh) < 0.6
