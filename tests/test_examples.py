"""The examples run as they stand, and what they draw is right."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from helpers import generator
from two_sample import accuracy

EXAMPLES = Path(__file__).parents[1] / "examples"

pytestmark = pytest.mark.training


def test_quickstart_saves_a_picture(tmp_path):
    picture = tmp_path / "quickstart.png"
    done = subprocess.run([sys.executable, EXAMPLES / "quickstart.py", picture], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_users_own_kernel_learns_to_stay_on_the_data():
    spec = importlib.util.spec_from_file_location("own_kernel", EXAMPLES / "own_kernel.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["own_kernel"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    data = module.moons(20_000, generator(0))
    kernel = module.Jumps()
    fresh = data[2000:4000]
    with torch.no_grad():
        assert accuracy(module.walk(kernel, data[:2000], 100), fresh) > 0.8  # untrained: the wrong twin
    module.train(kernel, data, steps=1500)
    with torch.no_grad():
        assert accuracy(module.walk(kernel, data[:2000], 100), fresh) < 0.6
