"""A unit trains once, measures what is asked of its weights, and does nothing where everything is on record."""

from dataclasses import replace

import pytest
import torch

from lab.effort import QUICK
from lab.material import Material
from lab.results import ResultsFolder
from lab.unit import Unit

EFFORT = replace(QUICK, samples=30, walkers=4)


class Arm:
    name, weights = "noise", None

    def __init__(self):
        self.did = []

    def train(self, material, seed, work):
        self.did.append("train")

    def draw(self, n, calls, seed):
        self.did.append(calls)
        return torch.randn(n, 1, 2, 2)


class Scorer:
    def distances(self, z):
        return {"fid": float(len(z)), "held_out": 0.0}

    def floor(self, n):
        return float(n)


def walk(arm, z, stops):
    arm.did.append("walk")
    for stop in stops:
        yield stop, 2 * stop, z + 1.0


@pytest.fixture
def material():
    pictures = torch.zeros(10, 1, 2, 2, dtype=torch.uint8)
    pictures[::2] = 255
    labels = torch.zeros(10, dtype=torch.long)
    return Material("squares", pictures, labels, pictures, labels, channels=8, multipliers=(1,), images=100)


def test_everything_asked_is_measured_once(tmp_path, material):
    def run():
        arm = Arm()
        unit = Unit("churn", "squares", arm, 0, [(arm, (10, 20))], {"far": (walk, (1, 3))})
        unit.run(material, Scorer(), ResultsFolder(tmp_path), tmp_path, EFFORT)
        return unit, arm.did

    unit, did = run()
    assert did == ["train", "train", 10, 20, "walk"]
    found = ResultsFolder(tmp_path).all()
    assert list(found) == unit.keys(100)
    samples, _, walked = found.values()
    assert (samples["fid"], samples["floor"], samples["samples"], samples["calls"]) == (30.0, 30.0, 30, 10)
    assert walked["walkers"] == 4
    assert [(stop["steps"], stop["calls"], stop["travelled"]) for stop in walked["stops"]] == [(1, 2, 0.5), (3, 6, 0.5)]

    assert run()[1] == []


def test_a_unit_that_was_stopped_measures_the_rest(tmp_path, material):
    def killed(arm, z, stops):
        raise KeyboardInterrupt

    first, second = Arm(), Arm()
    unit = Unit("churn", "squares", first, 0, [(first, (10,))], {"far": (killed, (1,))})
    with pytest.raises(KeyboardInterrupt):
        unit.run(material, Scorer(), ResultsFolder(tmp_path), tmp_path, EFFORT)
    unit = Unit("churn", "squares", second, 0, [(second, (10,))], {"far": (walk, (1,))})
    unit.run(material, Scorer(), ResultsFolder(tmp_path), tmp_path, EFFORT)
    assert second.did == ["train", "train", "walk"]
    assert len(ResultsFolder(tmp_path).all()) == 2
