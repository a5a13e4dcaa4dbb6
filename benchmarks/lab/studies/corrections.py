"""Does a correction keep the walk at constant noise with the data, and what would more training have done?"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from math import log
from pathlib import Path

import noisekernel as nk
from lab.effort import Effort
from lab.findings import Findings
from lab.material import Material
from lab.own_arms import TODAY, Ours, weights_path
from lab.tables import over_seeds, table
from lab.unit import Unit
from lab.walk_arms import SIGMA, constant_noise
from noisekernel import models

STUDY = "corrections"
#: The lag of the walk; a correction is for one lag.
LAG = 0.9
BASE = Ours("today", TODAY)


@dataclass
class GoingOn(Ours):
    """A model of another arm, trained on. `shares` is for how many images, as a multiple of those of that arm."""

    recipe: str = "correction"
    further: dict[str, object] = field(default_factory=dict)
    shares: float = 1.0

    def train(self, material: Material, seed: int, work: Path) -> None:
        path = weights_path(work, material, self.name, seed)
        if not path.exists():
            BASE.train(material, seed, work)
            images = round(self.shares * material.images)
            settings = {**self.further, "training.images": images}
            model = nk.fit(
                material.write(work),
                start=BASE.model,
                recipe=self.recipe,
                settings=settings,
                seed=seed,
                calibrate=False,
                progress=False,
            )
            models.save(model, path)
        self.model = nk.load(path)


#: The recipe as it is for 14 x 14 (six times the images of the denoiser); for larger pictures, less of it.
CORRECTED = GoingOn("corrected", shares=6.0)
CORRECTED_SHORTLY = GoingOn("corrected", shares=1.0)
#: As many steps of the optimiser as the recipe has, for larger pictures too.
CORRECTED_LONGER = GoingOn("corrected for longer", shares=3.0)
#: The same number of steps of the chain, by a quarter of the walkers, which grow four times as old meanwhile; and four
#: times as many steps of the optimiser.
FEWER_WALKERS = GoingOn("fewer walkers", further={"training.batch": 128, "objective.walkers": 512}, shares=1.0)
#: Instead of a correction: training on by KL at about the level of the walk alone.
SPECIALIST = GoingOn(
    "specialist",
    recipe="small",
    further={
        "objective.levels": {"kind": "log-normal", "mean": log(SIGMA), "std": 0.3, "lift": 0.0},
        **{"training.batch": 16, "training.rate": 1e-3, "training.warmup": 4_000, "training.held_out": 0},
    },
    shares=2.0,
)


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """The same walkers with a correction, with none, and with a denoiser that learned their level alone at last."""
    large = effort.large(material)
    few = tuple(n for n in effort.corrected_stops if n <= 400 or not large)
    walk = partial(constant_noise, lag=LAG)
    for name, arm in (
        ("today", BASE),
        ("corrected", CORRECTED_SHORTLY if large else CORRECTED),
        ("corrected for longer", CORRECTED_LONGER),
        ("fewer walkers", FEWER_WALKERS),
        ("specialist", SPECIALIST),
    ):
        if name in ("corrected for longer", "fewer walkers") and not large:
            continue
        stops = effort.corrected_stops if name in ("today", "corrected for longer") else few
        yield Unit(
            STUDY,
            material,
            arm,
            seed,
            draws=[(arm, (20,))] if name in ("today", "specialist") else (),
            walks={f"correction: {name}": (walk, stops)},
            walkers=effort.corrected_walkers,
            balance=name != "specialist" and not large,
            balance_lag=LAG,
        )


def corrections_table(found: Findings, material: str, effort: Effort) -> str:
    rows = []
    for name in ("today", "corrected", "corrected for longer", "fewer walkers", "specialist"):
        steps = found.walk(material, f"correction: {name}")
        cells = [
            f"{over_seeds(steps[n][0])} ({over_seeds(steps[n][1])})" if n in steps else "-"
            for n in effort.corrected_stops
        ]
        rows.append([name, *cells])
    return table(["distance (travelled)", *(f"step {n:,}" for n in effort.corrected_stops)], rows)
