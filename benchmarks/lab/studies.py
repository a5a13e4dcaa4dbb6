"""What is measured: the arms, and for each the questions put to it.

A unit is one training (material, arm, seed) and all that is asked of its weights. Units are independent, so they can be
shared among processes and stopped and resumed at any of their results.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from lab import walks
from lab.judge import Judge
from lab.material import Material
from lab.methods import DDPM, LEVELS, Arm, FlowMatching, Ours, Rival
from lab.store import Store

#: The paper's choices, for the same network and budget as everyone's.
PAPER = {
    "objective.kind": "contrastive",
    LEVELS: {"kind": "uniform"},
    "head.kind": "plain",
    "kernel.lag": 0.5,
    "training.fall": "constant",
}
SECOND = "second-order"

OBJECTIVES: dict[str, dict[str, Any]] = {
    "kl": {"objective.kind": "kl"},
    "contrastive": {"objective.kind": "contrastive"},
    "contrastive, control .9": {"objective.kind": "contrastive", "objective.control": 0.9},
    "reconstruction": {"objective.kind": "reconstruction"},
    "anchored .1": {"objective.kind": "anchored", "objective.weight": 0.1},
    "anchored 1": {"objective.kind": "anchored", "objective.weight": 1.0},
    "anchored 1, control .9": {"objective.kind": "anchored", "objective.control": 0.9},
    "unrolled": {"objective.kind": "unrolled"},
}

#: Where training looks, beside log sigma ~ N(-1.2, 1.2^2) of "kl".
LEVEL_ARMS: dict[str, dict[str, Any]] = {
    name: {"objective.kind": "kl", **{f"{LEVELS}.{key}": value for key, value in changes.items()}}
    for name, changes in {
        "levels -.6": {"mean": -0.6},
        "levels 0": {"mean": 0.0},
        "levels -.4, 1.4": {"mean": -0.4, "std": 1.4},
        "levels -1.2, lifted": {"lift": 1.0},
        "levels -.6, lifted": {"mean": -0.6, "lift": 1.0},
        "levels -.4, 1.4, lifted": {"mean": -0.4, "std": 1.4, "lift": 1.0},
    }.items()
}


def _without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in PAPER.items() if key not in keys}


#: Each rung adds one thing; the last ones share the weights of "kl" and differ in the sampler.
LADDER: dict[str, Ours] = {
    "paper": Ours("paper", PAPER, "paper"),
    "+ falling rate": Ours("+ falling rate", _without("training.fall"), "paper"),
    "+ preconditioning": Ours("+ preconditioning", _without("training.fall", "head.kind"), "paper"),
    "+ log-normal levels": Ours("+ log-normal levels", _without("training.fall", "head.kind", LEVELS), "paper"),
    "+ kl": Ours("+ kl", {"objective.kind": "kl"}, "paper", weights="kl"),
    "+ log-SNR, largest lag": Ours("deterministic", {"objective.kind": "kl"}, "deterministic", weights="kl"),
    "+ second order": Ours("second order", {"objective.kind": "kl"}, SECOND, weights="kl"),
    "+ correctors": Ours("correctors", {"objective.kind": "kl"}, "corrected", weights="kl"),
}

CATEGORICAL = {
    "data.codec": {"kind": "levels", "levels": 10},
    "kernel": {"kind": "categorical", "classes": 10, "lag": 0.95},
    "head": {"kind": "categorical", "classes": 10},
    LEVELS: {"kind": "uniform"},
}
CATEGORICAL_ARMS: dict[str, dict[str, Any]] = {
    "categorical paper": {"objective.kind": "contrastive"},
    "categorical kl": {"objective.kind": "kl"},
    "categorical reconstruction": {"objective.kind": "reconstruction"},
    "categorical unrolled": {"objective.kind": "unrolled", "objective.by": "reconstruction"},
    "categorical carried": {"objective.kind": "kl", "kernel.carry_visible": True},
}
LAGS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


@dataclass(frozen=True)
class Size:
    """How much of everything: `full` for results, `quick` for seeing that it works."""

    materials: tuple[str, ...]
    seeds: int
    share: float
    samples: int
    walkers: int
    calls: tuple[int, ...]
    stops: tuple[int, ...]
    long_stops: tuple[int, ...]


FULL = Size(
    ("digits", "fashion14"), 3, 1.0, 1_000, 200, (10, 20, 50, 100), (1, 10, 100, 400), (1, 10, 100, 1_000, 10_000)
)
QUICK = Size(("digits",), 1, 0.05, 200, 50, (10, 20), (1, 10), (1, 10, 100))


@dataclass
class Unit:
    """One training, and all that is asked of it."""

    material: str
    weights: Arm
    seed: int
    #: Arms that draw with these weights, and with how many calls.
    draws: list[tuple[Arm, tuple[int, ...]]] = field(default_factory=list)
    #: Walks by name.
    walks: dict[str, tuple[Any, tuple[int, ...]]] = field(default_factory=dict)

    def run(self, material: Material, judge: Judge, store: Store, size: Size) -> None:
        tag = (self.material, material.images)
        asked: list[tuple[object, ...]] = [
            (*tag, arm.name, self.seed, f"{calls}calls") for arm, many in self.draws for calls in many
        ]
        asked += [(*tag, f"walk {name}", self.seed) for name in self.walks]
        if all(store.get(*key) is not None for key in asked):
            return
        self.weights.train(material, self.seed, store.work)
        for arm, many in self.draws:
            arm.train(material, self.seed, store.work)
            for calls in many:
                store.measured(
                    *tag, arm.name, self.seed, f"{calls}calls",
                    by=lambda arm=arm, calls=calls: {  # type: ignore[misc]
                        "fid": judge.distance(arm.draw(size.samples, calls, seed=1)),
                        "floor": judge.floor(size.samples),
                        "samples": size.samples,
                        "calls": calls,
                    },
                )  # fmt: skip
        start = material.held_out_z[: size.walkers]
        for name, (walk, stops) in self.walks.items():
            store.measured(
                *tag, f"walk {name}", self.seed,
                by=lambda walk=walk, stops=stops: {  # type: ignore[misc]
                    "floor": judge.floor(len(start)),
                    "walkers": len(start),
                    "stops": [
                        {"steps": n, "calls": calls, "fid": judge.distance(z), "travelled": walks.travelled(z, start)}
                        for n, calls, z in walk(self.weights, start, stops)
                    ],
                },
            )  # fmt: skip


def units(size: Size) -> Iterator[Unit]:
    """Everything, the most telling first: samples before walks, seed by seed, so that one cut short has whole seeds."""
    for questions in (_samples, _walks):
        for seed in range(size.seeds):
            for material in size.materials:
                yield from questions(material, seed, size)


def _samples(material: str, seed: int, size: Size) -> Iterator[Unit]:
    calls, middle = size.calls, 50 if 50 in size.calls else size.calls[-1]
    by_kl: list[tuple[Arm, tuple[int, ...]]] = [
        (arm, calls) for arm in LADDER.values() if arm.weights == "kl" and arm.sampler != "paper"
    ]
    yield Unit(material, Ours("kl", OBJECTIVES["kl"], SECOND), seed, [*by_kl, (LADDER["+ kl"], (100,))])
    yield Unit(material, LADDER["paper"], seed, [(LADDER["paper"], (100,))])
    ddpm, ddim = DDPM("ddpm"), DDPM("ddim", "ddpm", "DDIMScheduler")
    yield Unit(material, ddpm, seed, [(ddpm, calls), (ddim, calls)])
    flow, midpoint = (
        FlowMatching("flow matching"),
        FlowMatching("flow matching, midpoint", "flow matching", midpoint=True),
    )
    yield Unit(material, flow, seed, [(flow, calls), (midpoint, calls)])
    for name, changes in LEVEL_ARMS.items():
        arm = Ours(name, changes, SECOND)
        yield Unit(material, arm, seed, [(arm, calls)])
    for name, changes in OBJECTIVES.items():
        if name != "kl":
            arm = Ours(name, changes, SECOND)
            yield Unit(material, arm, seed, [(arm, (middle,))])
    for arm in (LADDER["+ falling rate"], LADDER["+ preconditioning"], LADDER["+ log-normal levels"]):
        yield Unit(material, arm, seed, [(arm, (100,))])
    for name, changes in CATEGORICAL_ARMS.items():
        arm = Ours(name, {**CATEGORICAL, **changes}, "deterministic")
        draws: list[tuple[Arm, tuple[int, ...]]] = [(arm, calls)]
        if name == "categorical paper":
            draws = [(Ours(name, arm.changes, "paper"), (500,))]
        yield Unit(material, arm, seed, draws)


def _walks(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """With the weights of before: units of the same arm find them."""
    stops, long_stops = size.stops, size.long_stops
    kl = Unit(material, Ours("kl", OBJECTIVES["kl"], SECOND), seed)
    kl.walks = {f"lag {lag}": (partial(_walk, lag=lag), stops) for lag in LAGS}
    yield kl
    for name, changes in OBJECTIVES.items():
        if name != "kl":
            yield Unit(material, Ours(name, changes, SECOND), seed, [], {f"objective {name}": (_walk, stops)})
    for name, changes in LEVEL_ARMS.items():
        yield Unit(material, Ours(name, changes, SECOND), seed, [], {name: (_walk, stops)})
    deep = {f"deep lag {lag}": (partial(_deep, lag=lag), stops[:-1]) for lag in (0.0, 0.5, 0.9)}
    yield Unit(material, Ours("kl", OBJECTIVES["kl"], SECOND), seed, [], deep)
    yield Unit(material, DDPM("ddpm"), seed, [], {"long loopback": (_loop, long_stops[:-1])})
    yield Unit(material, Ours("kl", OBJECTIVES["kl"], SECOND), seed, [], {"long kl": (_walk, long_stops)})
    anchored = Ours("anchored 1", OBJECTIVES["anchored 1"], SECOND)
    yield Unit(material, anchored, seed, [], {"long anchored": (_walk, long_stops)})
    yield Unit(material, walks.FixedNoise("walk-jump"), seed, [], {"long walk-jump": (_jump, long_stops)})


def _walk(arm: Ours, z: Any, stops: tuple[int, ...], lag: float | None = None) -> Any:
    return walks.ours(arm.model, z, stops, lag)


def _deep(arm: Ours, z: Any, stops: tuple[int, ...], lag: float) -> Any:
    return walks.deep(arm.model, z, stops, inner=4, lag=lag)


def _loop(arm: DDPM, z: Any, stops: tuple[int, ...]) -> Any:
    return walks.loopback(arm, z, stops)


def _jump(arm: Rival, z: Any, stops: tuple[int, ...]) -> Any:
    return walks.walk_jump(arm, z, stops)
