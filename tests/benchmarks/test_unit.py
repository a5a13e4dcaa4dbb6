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
        self.did, self.beside = [], {"said": "beside"}

    def train(self, material, seed, work):
        self.did.append("train" if material.images == 100 else f"train on {material.images}")

    def draw(self, n, calls, seed):
        self.did.append(calls)
        return torch.randn(n, 1, 2, 2)

    def estimate(self, noisy, sigma):
        self.did.append("estimate")
        return torch.zeros_like(noisy)


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
    assert samples["said"] == "beside"
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


def test_a_unit_may_train_on_another_number_of_images_and_measure_a_curve(tmp_path, material):
    arm = Arm()
    unit = Unit("heads", "squares", arm, 0, [(arm, (10,))], curve=True, images=40)
    unit.run(material, Scorer(), ResultsFolder(tmp_path), tmp_path, EFFORT)
    assert set(arm.did) == {"train on 40", "estimate", 10}
    found = ResultsFolder(tmp_path).all()
    assert list(found) == unit.keys(100)
    assert {key.images for key in found} == {40}
    curve = next(iter(found.values()))
    # All pixels are 1 or -1, so an estimate of 0 has a squared error of 1 at every level.
    assert curve["errors"] == [1.0] * len(curve["sigmas"])
    assert (curve["pictures"], curve["bits_error"], curve["said"]) == (10, 0.0, "beside")


def test_the_same_weights_for_other_numbers_of_images_may_be_trained_at_the_same_time():
    arm = Arm()
    few, many = (Unit("heads", "squares", arm, 0, images=images) for images in (10, 20))
    assert few.claim != many.claim
    assert few.claim == Unit("colour", "squares", arm, 0, images=10).claim
