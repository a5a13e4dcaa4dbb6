"""What is measured: for every arm, the questions put to it.

A unit is one training (material, arm, seed) and all that is asked of its weights. Units are independent, so they can be
shared among processes and stopped and resumed at any of their results.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from torch import Tensor

from lab import walks
from lab.arms import ADJUSTED, CATEGORICAL_ARMS, DEFAULT, GSN, LADDER, LEVEL_ARMS, OBJECTIVES
from lab.balance import balance
from lab.judge import Judge
from lab.material import Material
from lab.methods import CHURNS, DDPM, Arm, Bundled, FlowMatching, Ours, Rival
from lab.store import Store

#: Noise levels to walk at, and after how many steps to look.
NOISES, NOISE_STOPS = (0.1, 0.2, 0.3, 0.4, 0.6), (1, 3, 10, 30, 100)
LAGS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
DEEP_LAGS = (0.0, 0.5, 0.9)


@dataclass(frozen=True)
class Size:
    """How much of everything: `full` for results, `quick` for seeing that it works."""

    #: All is measured on these first.
    materials: tuple[str, ...]
    #: What the headline figures need is measured on these next, at a size people use.
    confirmed: tuple[str, ...]
    #: The chain alone, its samples, walks and balance, on these.
    walked: tuple[str, ...]
    #: And all again on these.
    later: tuple[str, ...]
    #: And ours, the paper's and the rivals once on these, on Inception's features.
    coloured: tuple[str, ...]
    seeds: int
    share: float
    samples: int
    walkers: int
    calls: tuple[int, ...]
    stops: tuple[int, ...]
    long_stops: tuple[int, ...]
    renewal_stops: tuple[int, ...]


FULL = Size(
    materials=("digits",),
    confirmed=("fashion28",),
    walked=("mnist28",),
    later=("fashion14",),
    coloured=("cifar32",),
    seeds=3,
    share=1.0,
    samples=1_000,
    walkers=200,
    calls=(10, 20, 50, 100),
    stops=(1, 10, 100, 400),
    long_stops=(1, 10, 100, 1_000, 2_000, 5_000, 10_000),
    renewal_stops=(1, 3, 10, 30, 100, 1_000, 10_000),
)
QUICK = Size(("digits",), (), (), (), (), 1, 0.05, 200, 50, (10, 20), (1, 10), (1, 10, 100), (1, 100))


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
    #: Whether the chain is in balance.
    balance: bool = False
    #: How many samples to judge, if not as many as usual.
    samples: int | None = None
    #: The same of walkers.
    walkers: int | None = None

    def run(self, material: Material, judge: Judge, store: Store, size: Size) -> None:
        tag = (self.material, material.images)
        asked: list[tuple[object, ...]] = [
            (*tag, arm.name, self.seed, f"{calls}calls") for arm, many in self.draws for calls in many
        ]
        asked += [(*tag, f"walk {name}", self.seed) for name in self.walks]
        asked += [(*tag, f"balance {self.weights.name}", self.seed)] * self.balance
        if all(store.get(*key) is not None for key in asked):
            return
        self.weights.train(material, self.seed, store.work)
        samples = self.samples or size.samples
        for arm, many in self.draws:
            arm.train(material, self.seed, store.work)
            for calls in many:
                store.measured(
                    *tag, arm.name, self.seed, f"{calls}calls",
                    by=lambda arm=arm, calls=calls: {  # type: ignore[misc]
                        **judge.distances(arm.draw(samples, calls, seed=1)),
                        "floor": judge.floor(samples),
                        "samples": samples,
                        "calls": calls,
                    },
                )  # fmt: skip
        if self.balance:
            assert isinstance(self.weights, Ours)
            model = self.weights.model
            store.measured(*asked[-1], by=lambda: balance(model, material.held_out_z))
        start = material.held_out_z[: self.walkers or size.walkers]
        for name, (walk, stops) in self.walks.items():
            store.measured(
                *tag, f"walk {name}", self.seed,
                by=lambda walk=walk, stops=stops: {  # type: ignore[misc]
                    "floor": judge.floor(len(start)),
                    "walkers": len(start),
                    "stops": list(_watched(walk(self.weights, start, stops), judge, start)),
                },
            )  # fmt: skip


def _watched(walk: walks.Stops, judge: Judge, start: Tensor) -> Iterator[dict[str, Any]]:
    """How far each stop is from the data and from the start; told as it comes, for walks take long."""
    for steps, calls, z in walk:
        stop = {"steps": steps, "calls": calls, **judge.distances(z), "travelled": walks.travelled(z, start)}
        print("  ", stop, flush=True)
        yield stop


def units(size: Size) -> Iterator[Unit]:
    """Everything, the most telling first and seed by seed, so that one cut short has whole seeds of what it has."""
    seeds = range(size.seeds)
    first, then = (_headline, _balance, _categories, _ladder, _few, _renewed), (_noises, _lags, _objectives)
    small = (*first, *then, _adjusted, _churns, _long)
    large = (_confirmation, _rivals, _balance, _few, _renewed, _bundled, _adjusted, _noises, _lags, _long)
    plan: list[tuple[tuple[str, ...], tuple[Any, ...]]] = [
        (size.materials, small),
        (size.confirmed, large),
        (size.walked, (_few, _renewed, _far, _long, _balance)),
        (size.later, small),
    ]
    for materials, studies in plan:
        for questions, seed, material in itertools.product(studies, seeds, materials):
            yield from questions(material, seed, size)
    for material in (*size.materials, *size.later):
        yield from _many_calls(material, size)
    for material in size.coloured:
        yield from _once(material)


def _ours(material: str, seed: int) -> Unit:
    return Unit(material, Ours("ours", DEFAULT), seed)


def _ddpm() -> list[Arm]:
    return [
        DDPM("ddpm"),
        DDPM("ddim", "ddpm", "DDIMScheduler"),
        DDPM("dpm-solver++", "ddpm", "DPMSolverMultistepScheduler"),
        DDPM("sde-dpm-solver++", "ddpm", "DPMSolverMultistepScheduler", stochastic=True),
    ]


def _flow() -> list[Arm]:
    return [FlowMatching("flow matching"), FlowMatching("flow matching, midpoint", "flow matching", midpoint=True)]


def _headline(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Ours, the paper's and the rivals, at every number of calls."""
    ours = _ours(material, seed)
    first = Ours("first order", DEFAULT, "ddim", weights="ours")
    second = LADDER["+ more and heavier high noise"]
    ours.draws = [(ours.weights, size.calls), (second, size.calls), (first, size.calls[:2])]
    yield ours
    yield Unit(material, LADDER["paper"], seed, [(LADDER["paper"], (100,))])
    for arms in (_ddpm(), _flow()):
        yield Unit(material, arms[0], seed, [(arm, size.calls) for arm in arms])


def _confirmation(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Ours and the paper's, where training takes long."""
    ours = _ours(material, seed)
    ours.draws = [(ours.weights, size.calls), (LADDER["+ more and heavier high noise"], (20, 50))]
    yield ours
    yield Unit(material, LADDER["paper"], seed, [(LADDER["paper"], (100,))])


def _rivals(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Without what the small pictures have shown to be worse."""
    for arms in (_ddpm(), _flow()[:1]):
        yield Unit(material, arms[0], seed, [(arm, (20, 50)) for arm in arms])


def _ends(size: Size) -> tuple[int, ...]:
    """Few calls and many."""
    return (20, 100) if size is FULL else size.calls[-1:]


def _ladder(material: str, seed: int, size: Size) -> Iterator[Unit]:
    kl, ours = Unit(material, Ours("kl", OBJECTIVES["kl"]), seed), _ours(material, seed)
    kl.draws = [
        (LADDER["+ kl"], (100,)),
        (LADDER["+ log-SNR, largest lag"], _ends(size)),
        (LADDER["+ second order"], _ends(size)),
    ]
    ours.draws = [(LADDER["+ correctors"], _ends(size))]
    yield from (kl, ours)
    for arm in (LADDER["+ falling rate"], LADDER["+ preconditioning"], LADDER["+ log-normal levels"]):
        yield Unit(material, arm, seed, [(arm, (100,))])


def _categories(material: str, seed: int, size: Size) -> Iterator[Unit]:
    for name, arm in CATEGORICAL_ARMS.items():
        yield Unit(material, arm, seed, [(arm, (500,) if name.endswith("paper") else _ends(size))])


def _churns(material: str, seed: int, size: Size) -> Iterator[Unit]:
    for unit in (_ours(material, seed), Unit(material, CATEGORICAL_ARMS["categorical carried"], seed)):
        unit.draws = [(_churned(unit.weights, churn), _ends(size)) for churn in CHURNS]
        yield unit


def _objectives(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """What each objective, and where training looks, do to samples and to a walk of a few hundred steps."""
    middle = tuple(n for n in size.calls if n in (20, 50))
    for name, changes in (OBJECTIVES | LEVEL_ARMS).items():
        arm = Ours(name, changes)
        yield Unit(material, arm, seed, [(arm, middle)], {name: (_walk, size.stops)})


def _adjusted(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """What contrastive adjustment is for: balance, and a chain that stays. By many walkers, on small pictures far."""
    middle, large = tuple(n for n in size.calls if n in (20, 50)), _large(material, size)
    stops = size.stops[:3] if large else size.long_stops
    for name, arm in ADJUSTED.items():
        if large and arm.budget > 2.0:
            continue
        walk = {f"{name}, many": (_walk, stops)}
        yield Unit(material, arm, seed, [(arm, middle)], walk, balance=True, walkers=size.samples)


def _churned(arm: Any, churn: float) -> Ours:
    return replace(arm, name=f"{arm.name}, churn {churn:g}", sampler=f"churn {churn:g}", weights=arm.name)


def _large(material: str, size: Size) -> bool:
    """Whether walks take so long that one seed has to do."""
    return material in (*size.confirmed, *size.walked)


def _lags(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Drift against way, by the lag."""
    large = _large(material, size)
    if large and seed > 0:
        return
    ours = _ours(material, seed)
    lags, deep_lags = ((0.9, 0.5, 0.98), ()) if large else (LAGS, DEEP_LAGS)
    ours.walks = {f"lag {lag}": (partial(_walk, lag=lag), size.stops) for lag in lags}
    ours.walks |= {f"deep lag {lag}": (partial(_deep, lag=lag), size.stops[:-1]) for lag in deep_lags}
    yield ours


def _few(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """As many samples as there are walkers: where a walk ends, if it forgets its start and errs no more than they."""
    few = Ours("ours, as many as walkers", DEFAULT, weights="ours")
    yield Unit(material, few, seed, [(few, size.calls[-2:-1])], samples=size.walkers)


def _long(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """To 10,000 steps; what drifts is shown drifting in fewer. Some once only: at a size people use, all of them."""
    stops = size.long_stops
    large = _large(material, size)
    if large and seed > 0:
        return
    ours = _ours(material, seed)
    ours.walks = {"long ours": (partial(_walk, compiled=large), stops)}
    yield ours
    yield Unit(material, DDPM("ddpm"), seed, [], {"long loopback": (_loop, tuple(n for n in stops if n <= 100))})
    if large or seed > 0:
        return
    yield Unit(
        material, GSN, seed, [], {"long gsn walkback": (partial(_walk, lag=0.0), tuple(n for n in stops if n <= 1_000))}
    )
    yield Unit(material, walks.FixedNoise("walk-jump"), seed, [], {"long walk-jump": (_jump, stops)})


def _bundled(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """What more training gives: the model of the package, by the same judge."""
    if material != "fashion28" or seed > 0:
        return
    arm = Bundled("bundled")
    yield Unit(material, arm, seed, walks=_renewals("bundled, ", size), walkers=size.samples)
    few = Bundled("bundled, as many as walkers")
    yield Unit(material, arm, seed, [(arm, (20,))], {"bundled": (_walk, (1, 10, 100))}, balance=True)
    yield Unit(material, few, seed, [(few, (20,))], samples=size.walkers)


def _noises(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Drift against way, by the noise level: many steps at a low one, or few at a high one?"""
    ours = _ours(material, seed)
    stops = tuple(n for n in NOISE_STOPS if n <= size.stops[-1])
    ours.walks = {f"beta {beta}": (partial(_walk, beta=beta), stops) for beta in NOISES}
    yield ours


def _renewed(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """The chain of the noise beside the chain at constant noise, by many walkers: distances of 200 are blunt."""
    ours = _ours(material, seed)
    yield replace(ours, walks=_renewals("", size), walkers=size.samples)


def _renewals(prefix: str, size: Size) -> dict[str, Any]:
    most = {"renewal, many": size.renewal_stops[-1]}
    found = {}
    for name, (walk, stops) in RENEWALS.items():
        if prefix and name not in ("renewal, many", "renewed below 0.5", "beta 0.2, many"):
            continue  # of the large network, what is most telling
        stops = tuple(n for n in stops if n <= most.get(name, size.stops[-1]))
        found[f"{prefix}{name}"] = (walk, stops)
    return found


def _far(material: str, seed: int, size: Size) -> Iterator[Unit]:
    """Where walks end, as far as can be told in thousands of calls: at low noise, and by the deep kernel at high."""
    if seed > 0:
        return
    ours = _ours(material, seed)
    high = partial(_deep, lag=0.0, inner=10, beta=0.6)
    ours.walks = {"far, beta 0.2": (_walk, (1, 10, 100, 1_000, 2_000)), "far, deep, beta 0.6": (high, (1, 10, 30, 100))}
    yield ours


def _balance(material: str, seed: int, size: Size) -> Iterator[Unit]:
    ours = _ours(material, seed)
    ours.balance = True
    yield ours


def _many_calls(material: str, size: Size) -> Iterator[Unit]:
    """500 calls, for one seed."""
    most = (max(500, size.calls[-1]),) if size is FULL else (2 * size.calls[-1],)
    ours = _ours(material, 0)
    ours.draws = [(ours.weights, most)]
    yield ours
    for arms in (_ddpm(), _flow()):
        yield Unit(material, arms[0], 0, [(arms[0], most)])


def _once(material: str) -> Iterator[Unit]:
    """Where judging costs as much as training: one seed, few numbers of calls, and the best rival of the others."""
    ours = _ours(material, 0)
    ours.draws = [(ours.weights, (20, 50)), (LADDER["+ more and heavier high noise"], (50,))]
    ancestral, *_, stochastic = _ddpm()
    paper = Unit(material, LADDER["paper"], 0, [(LADDER["paper"], (100,))])
    for unit in (ours, paper, Unit(material, ancestral, 0, [(stochastic, (50,)), (ancestral, (50,))])):
        unit.samples = 2_000
        yield unit


def _walk(
    arm: Ours,
    z: Any,
    stops: tuple[int, ...],
    lag: float | None = None,
    beta: float = walks.BETA,
    compiled: bool = False,
) -> Any:
    if compiled:  # minutes, for a walk of hours that takes two thirds of the time
        arm.model.denoiser.backbone.compile()  # type: ignore[attr-defined]
    return walks.ours(arm.model, z, stops, lag, beta)


def _renew(arm: Ours, z: Any, stops: tuple[int, ...]) -> Any:
    return walks.renewed(arm.model, z, stops)


def _rounds(arm: Ours, z: Any, stops: tuple[int, ...], carried: bool, beta: float = 0.5) -> Any:
    return walks.rounds(arm.model, z, stops, beta, carried)


def _deep(arm: Ours, z: Any, stops: tuple[int, ...], lag: float, inner: int = 4, beta: float = walks.BETA) -> Any:
    return walks.deep(arm.model, z, stops, inner, lag, beta)


def _loop(arm: DDPM, z: Any, stops: tuple[int, ...]) -> Any:
    return walks.loopback(arm, z, stops)


def _jump(arm: Rival, z: Any, stops: tuple[int, ...]) -> Any:
    return walks.walk_jump(arm, z, stops)


#: By many walkers: the walk of the noise, variants of variants, variants by level, and beside them constant noise.
RENEWALS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "renewal, many": (_renew, FULL.renewal_stops),
    "rounds, noise carried": (partial(_rounds, carried=True), (1, 3, 10)),
    "rounds, noise found again": (partial(_rounds, carried=False), (1, 3)),
    **{
        f"renewed below {beta}": (partial(_rounds, carried=True, beta=beta), (1,)) for beta in (0.1, 0.3, 0.5, 0.7, 0.9)
    },
    "beta 0.2, many": (_walk, (1, 10, 100)),
    "beta 0.4, many": (partial(_walk, beta=0.4), (1, 10)),
    "beta 0.6, many": (partial(_walk, beta=0.6), (1, 10)),
}
