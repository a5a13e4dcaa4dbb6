"""A time budget: from minutes to a recipe, by the speed of this machine.

A few training steps of each size that comes into question, on some of the data, are timed and thrown away. What
follows from the speeds:

| | |
|---|---|
| size of the network | the largest that sees as many images as it needs (`ladder`) |
| size of the examples | where it is open, the largest that such a network can be had for, one rung more a size |
| images | speed x the time that is left when the data have been read |
| batch | the recipe's, or less where that would be fewer than 4,000 steps, but at least 16 |
| warm-up, average | a twentieth and .03 of the images |
| log, samples, checkpoints | some 100 lines, 8 pages, and a checkpoint at least every twentieth of the time |

Settings that were given stay as they are. While the run goes on its plan is corrected (`pacing`), so that it ends in
time though the machine gets slower or faster.
"""

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from accelerate.utils import broadcast_object_list

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.settings import parsed
from noisekernel.data.examples import InMemory, Treatment
from noisekernel.data.opening import Data, name_of, open_source
from noisekernel.data.source import FarSource, Loaded, Source, Summary
from noisekernel.kinds.base import Kind
from noisekernel.recipes.schema import Recipe
from noisekernel.recipes.training import HalfLife
from noisekernel.training.cost import plan
from noisekernel.training.experience import expected
from noisekernel.training.ladder import LADDERS, Rung
from noisekernel.training.log import Window
from noisekernel.training.pacing import TRAINED
from noisekernel.training.trainer import Trainer

#: Examples that speeds are measured on.
PROBED = 64
#: The steps that a run should have at least; bundled models and benches here had 1,200 to 7,500.
STEPS = 4_000
#: Batches are not made smaller than this.
LEAST_BATCH = 16
#: Settings that a budget decides and that can therefore not be given with it.
DECIDED = ("training.images", "training.minutes", "training.pace")


@dataclass(frozen=True)
class Budget:
    """What follows from the minutes, but for the number of images: that depends on how long the data take to read."""

    minutes: float
    recipe: Recipe
    #: Images a second.
    speed: float
    #: The images that a network of this size needs to see; None where its size was given.
    needs: int | None
    #: What is made of the examples, in words; None where they stay as they are.
    resized: str | None

    #: The data, fitted.
    kind: Kind

    def told(self) -> list[str]:
        """What was decided, and what such budgets have given, in sentences."""
        recipe = self.planned(0.0)
        cost = plan(recipe, self.kind)
        sentences = [] if self.resized is None else [self.resized]
        sentences.append(
            f"{self.minutes:g} minutes: a network of {cost.parameters:,} parameters, {self.speed:,.0f} images per "
            f"second here, so about {recipe.training.images:,} images in batches of {recipe.training.batch}"
        )
        if self.needs is not None and recipe.training.images < self.needs:
            sentences.append(f"even the smallest network should see {self.needs:,} images, and will not in this time")
        return sentences + expected(self.kind, cost.total)

    def planned(self, spent: float) -> Recipe:
        """The recipe of the run, of whose time `spent` seconds are over."""
        training = self.recipe.training
        left = TRAINED * 60.0 * self.minutes - spent
        steps = max(1, int(left * self.speed / training.batch))
        images = steps * training.batch
        often = max(1, steps // 100) * training.batch
        settings = {
            "images": images,
            "minutes": self.minutes,
            "warmup": images // 20,
            "average": HalfLife(images=max(1.0, 0.03 * images)),
            "log_every": often,
            "draw_every": max(often, images // 8),
            "save_every": max(often, images // 8),
            "save_minutes": min(5.0, self.minutes / 20),
        }
        return self.recipe.model_copy(update={"training": training.model_copy(update=settings)})


def check_minutes(minutes: float, settings: Sequence[str] | Mapping[str, Any]) -> None:
    """Refuse a budget that is none, and settings that it decides."""
    if not (math.isfinite(minutes) and minutes > 0):
        raise InputError(f"minutes is {minutes}; give the minutes that training may take, such as 30")
    twice = [key for key in _keys(settings) if key in DECIDED]
    if twice:
        raise InputError(
            f"{twice[0]} was set, and minutes decides it; leave one of them out. All other settings may be given, and "
            "stay as they are"
        )


def budget(
    data: Data,
    recipe: Recipe,
    minutes: float,
    *,
    settings: Sequence[str] | Mapping[str, Any] = (),
    given: bool = False,
    seed: int = 0,
    cpu: bool = False,
) -> Budget:
    """What `minutes` of training are best used for, by the speed of this machine.

    Args:
        data: As for `fit`.
        recipe: Everything that time does not decide.
        minutes: The time for the whole run.
        settings: The settings of the recipe that were given by the user, which stay as they are.
        given: Whether the whole recipe was given (or a model to start from): then only the number of images, and what
            goes with it, is decided.
        seed: That of the run.
        cpu: Whether it runs on the CPU although there may be an accelerator.
    """
    check_minutes(minutes, settings)
    if recipe.objective.correction is not None:
        raise InputError("a correction is not planned by the clock; leave out minutes, and set training.images instead")
    fixed = {key.split(".")[0] if key.startswith("network") else key for key in _keys(settings)}
    source = open_source(data)
    items = source if isinstance(source, Source) else None
    rungs: Sequence[Rung | None] = (None,)
    if not given and "network" not in fixed:
        rungs = LADDERS.get(recipe.network.kind, rungs)
    sizes = [recipe.data.fitted(items)[0]] if given else recipe.data.sizes(items)
    source = source if items is None else sizes[0].excerpts(items)
    probe = Prober(recipe, name_of(data), source, seed, cpu, seconds=min(1.5, max(0.1, 0.005 * 60.0 * minutes)))
    seconds = TRAINED * 60.0 * minutes
    chosen: tuple[Kind, Rung | None] | None = None
    for number, kind in enumerate(sizes):
        highest: tuple[int, Rung | None] | None = None
        for place, rung in enumerate(rungs):
            seen = seconds * probe(_on(recipe, rung, fixed), kind) if len(sizes) * len(rungs) > 1 else math.inf
            enough = rung is None or seen >= rung.needs
            if enough or place == number == 0:
                highest = place, rung
            if not enough:
                break
        if highest is None or (chosen is not None and highest[0] < min(number, len(rungs) - 1)):
            break
        chosen = kind, highest[1]
    assert chosen is not None
    kind, rung = chosen
    decided = _on(recipe, rung, fixed)
    if not given:
        decided = decided.model_copy(update={"data": kind})
    batch = decided.training.batch
    speed = probe(decided, kind, batch)
    if not given and "training.batch" not in fixed:
        shares = probe.processes * decided.training.accumulate
        while batch > LEAST_BATCH and batch % (2 * shares) == 0 and seconds * speed / batch < STEPS:
            batch //= 2
        if batch != decided.training.batch:
            smaller = decided.training.model_copy(update={"batch": batch})
            decided = decided.model_copy(update={"training": smaller})
            speed = probe(decided, kind, batch)
    resized = recipe.data.resized(items, kind) if not given else None
    return Budget(minutes, decided, speed, None if rung is None else rung.needs, resized, kind)


def _keys(settings: Sequence[str] | Mapping[str, Any]) -> list[str]:
    return list(settings) if isinstance(settings, Mapping) else [parsed(each)[0] for each in settings]


def _on(recipe: Recipe, rung: Rung | None, fixed: Iterable[str]) -> Recipe:
    """The recipe with the network of a rung, at its rate unless one was given."""
    if rung is None:
        return recipe
    placed = rung.of(recipe)
    if "training.rate" in fixed:
        placed = placed.model_copy(update={"training": recipe.training})
    return placed


class Prober:
    """Times training steps, on some of the data, that change nothing."""

    def __init__(
        self, recipe: Recipe, origin: str, source: Source | FarSource, seed: int, cpu: bool, seconds: float
    ) -> None:
        self.seed, self.cpu, self.seconds, self.origin = seed, cpu, seconds, origin
        if isinstance(source, Source):
            spread = range(0, len(source), -(-len(source) // PROBED))
            self.items = [source.item(i) for i in spread]
        else:
            self.items = [item for _, item, _ in islice(source.turn(0, seed), PROBED)]
        self.processes = 1

    def __call__(self, recipe: Recipe, kind: Kind, batch: int | None = None) -> float:
        """Images a second. Without a batch: of a small one, where examples are large enough for it not to matter."""
        if batch is None:
            large = self.cpu and math.prod(kind.shape) >= 256
            batch = min(LEAST_BATCH, recipe.training.batch) if large else recipe.training.batch
        training = recipe.training.model_copy(update={"batch": batch, "images": 10**9, "compile": False})
        design = recipe.design(kind)
        torch.manual_seed(self.seed)
        examples = InMemory(self._some(kind), Treatment(kind, self.seed))
        parts = design.kernel.build(), design.denoiser(), recipe.objective.build().hiding_by(kind.hiding)
        trainer = Trainer(*parts, examples, training, self.seed, cpu=self.cpu, told=examples.treatment.told)
        self.processes = trainer.accelerator.num_processes
        stream, window = examples.stream(trainer.parts(), trainer.accelerator.device), Window()
        times: list[float] = []
        while len(times) < 3 or (sum(times) < self.seconds and len(times) < 50):
            began = time.perf_counter()
            trainer.step(len(times), stream, window)
            float(window.norms[-1])  # an accelerator is done when its numbers can be looked at
            times.append(time.perf_counter() - began)
        told = [batch * len(times[1:]) / sum(times[1:])]  # the first step is slower than all others
        return float(broadcast_object_list(told)[0]) if self.processes > 1 else told[0]

    def _some(self, kind: Kind) -> Loaded:
        stored = []
        for item in self.items:
            try:
                stored.append(kind.store(item).values)
            except BadExampleError:  # whoever reads all of them says so
                continue
        if not stored:
            raise InputError(f"{self.origin}: none of {len(self.items)} examples that were looked at can be read")
        return Loaded(torch.from_numpy(np.stack(stored)), None, (), Summary())
