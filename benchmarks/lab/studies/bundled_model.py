"""What does more training give? The model of the package, with the same scorer. It has no table of its own."""

from collections.abc import Iterator

from lab.effort import Effort
from lab.own_arms import Bundled
from lab.studies.noise_renewal import renewals
from lab.unit import Unit
from lab.walk_arms import constant_noise

STUDY = "bundled_model"

#: Of the larger network, only the most informative walks.
RENEWED = ("renewal, many", "renewed below 0.5", "beta 0.2, many")


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    if material != "fashion28" or seed > 0:
        return
    arm, few = Bundled("bundled"), Bundled("bundled, as many as walkers")
    walks = renewals(effort, *RENEWED, prefix="bundled, ")
    yield Unit(STUDY, material, arm, seed, walks=walks, walkers=effort.samples)
    short = {"bundled": (constant_noise, (1, 10, 100))}
    yield Unit(STUDY, material, arm, seed, [(arm, (20,))], short, balance=True)
    yield Unit(STUDY, material, few, seed, [(few, (20,))], samples=effort.walkers)
