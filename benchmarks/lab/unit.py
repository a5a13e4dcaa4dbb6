"""A unit of work: one training, and everything that a study asks of its weights.

Units are independent. Several processes can share them, and a run can be stopped and resumed at any of their results.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from lab.balance import balance
from lab.denoised import curve
from lab.effort import Effort
from lab.material import Material
from lab.own_arms import Arm, Ours
from lab.pace import pace
from lab.results import Key, ResultsFolder
from lab.scoring import Scorer
from lab.walk_arms import Stops, WalkFrom, travelled


@dataclass
class Unit:
    #: The study that asks; its results are appended to the file of this name.
    study: str
    material: str
    weights: Arm
    seed: int
    #: The arms that draw with these weights, each with its numbers of calls.
    draws: Sequence[tuple[Arm, tuple[int, ...]]] = ()
    #: The walks by name, each with the numbers of steps after which it is scored.
    walks: Mapping[str, tuple[WalkFrom, tuple[int, ...]]] = field(default_factory=dict)
    #: Whether to test the chain's balance, and at which lag, if not at its own.
    balance: bool = False
    balance_lag: float | None = None
    #: Whether to measure how well the weights denoise held-out pictures.
    curve: bool = False
    #: Arms whose training steps are timed by turns.
    timed: Sequence[Ours] = ()
    #: How many images to train on, if not as many as is usual for the material.
    images: int | None = None
    #: How many samples to score, if not as many as usual.
    samples: int | None = None
    #: How many walkers to score, if not as many as usual.
    walkers: int | None = None

    @property
    def claim(self) -> tuple[object, ...]:
        """What no other process may train at the same time."""
        return self.material, self.images or "", self.weights.weights or self.weights.name, self.seed

    def __str__(self) -> str:
        budget = f", {self.images:,} images" if self.images else ""
        return f"{self.study}, {self.material}{budget}, {self.weights.name}, seed {self.seed}"

    def keys(self, images: int) -> list[Key]:
        """The keys of all results that this unit asks for, where `images` is the material's number of images."""
        images = self.images or images
        draws = [self._key("samples", images, arm.name, n) for arm, calls in self.draws for n in calls]
        tests = [self._key("balance", images, self.weights.name)] if self.balance else []
        curves = [self._key("curve", images, self.weights.name)] if self.curve else []
        times = [self._key("pace", images, self.study)] if self.timed else []
        return [*curves, *times, *draws, *tests, *(self._key("walk", images, name) for name in self.walks)]

    def run(self, material: Material, scorer: Scorer, results: ResultsFolder, work: Path, effort: Effort) -> None:
        """Measure what is not on record yet."""
        if results.all().keys() >= set(self.keys(material.images)):
            return
        material = replace(material, images=self.images or material.images)
        self.weights.train(material, self.seed, work)
        if self.curve:
            key = self._key("curve", material.images, self.weights.name)
            results.measure(self.study, key, partial(_denoise, self.weights, material.held_out_z))
        if self.timed:
            key = self._key("pace", material.images, self.study)
            results.measure(self.study, key, partial(pace, self.timed, material, self.seed, work))
        for arm, calls in self.draws:
            arm.train(material, self.seed, work)
            for n in calls:
                key = self._key("samples", material.images, arm.name, n)
                results.measure(self.study, key, partial(_score, scorer, arm, n, self.samples or effort.samples))
        if self.balance:
            assert isinstance(self.weights, Ours)
            key = self._key("balance", material.images, self.weights.name)
            results.measure(
                self.study, key, partial(balance, self.weights.model, material.held_out_z, self.balance_lag)
            )
        start = material.held_out_z[: self.walkers or effort.walkers]
        for name, (walk, stops) in self.walks.items():
            key = self._key("walk", material.images, name)
            results.measure(self.study, key, partial(_follow, scorer, partial(walk, self.weights, start, stops), start))

    def _key(self, measured: str, images: int, arm: str, calls: int | None = None) -> Key:
        return Key(measured, self.material, images, arm, self.seed, calls)


def _denoise(arm: Arm, held_out: Tensor) -> dict[str, Any]:
    return {**curve(arm, held_out), **arm.beside}


def _score(scorer: Scorer, arm: Arm, calls: int, samples: int) -> dict[str, Any]:
    distances = scorer.distances(arm.draw(samples, calls, seed=1))
    return {**distances, "floor": scorer.floor(samples), "samples": samples, **arm.beside}


def _follow(scorer: Scorer, walk: partial[Stops], start: Tensor) -> dict[str, Any]:
    stops = list(_score_stops(scorer, walk(), start))
    return {"floor": scorer.floor(len(start)), "walkers": len(start), "stops": stops}


def _score_stops(scorer: Scorer, stops: Stops, start: Tensor) -> Iterator[dict[str, Any]]:
    """The distances of each stop from the data and from the start. Long walks print theirs as they go."""
    for steps, calls, z in stops:
        stop = {"steps": steps, "calls": calls, **scorer.distances(z), "travelled": travelled(z, start)}
        print("  ", stop, flush=True)
        yield stop
