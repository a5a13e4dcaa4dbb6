"""How good are samples at each number of network calls: ours, the paper's recipe, and rivals?"""

from collections.abc import Iterator

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import Arm, Ours, ours, recipe_of
from lab.rivals.ddpm import DDPM
from lab.rivals.edm import CIFAR, EDM, IMAGENET
from lab.rivals.flow_matching import FlowMatching
from lab.studies.recipe_ladder import LADDER
from lab.tables import CURVE_HEAD, curve_cells, over_seeds, table
from lab.unit import Unit

STUDY = "calls_and_rivals"

OURS = ("ours", "deterministic", "first order", "correctors")
RIVALS = (
    "ddpm",
    "ddim",
    "dpm-solver++",
    "sde-dpm-solver++",
    "flow matching",
    "flow matching, midpoint",
    "edm",
    "edm, stochastic",
    "edm, more stochastic",
)
#: A seed is compared with its best rival only where these were measured.
FAMILIES = ("ddpm", "ddim", "flow matching", "edm")
#: The rivals that have weights of their own.
TRAINED = ("ddpm", "flow matching", "edm")


def _ddpm() -> list[Arm]:
    return [
        DDPM("ddpm"),
        DDPM("ddim", "ddpm", "DDIMScheduler"),
        DDPM("dpm-solver++", "ddpm", "DPMSolverMultistepScheduler"),
        DDPM("sde-dpm-solver++", "ddpm", "DPMSolverMultistepScheduler", stochastic=True),
    ]


def _flow() -> list[Arm]:
    return [FlowMatching("flow matching"), FlowMatching("flow matching, midpoint", "flow matching", midpoint=True)]


def _edm() -> list[Arm]:
    return [
        EDM("edm"),
        EDM("edm, stochastic", "edm", churn=CIFAR),
        EDM("edm, more stochastic", "edm", churn=IMAGENET),
    ]


def _deterministic(material: str) -> Ours:
    return Ours("deterministic", recipe_of(material), "deterministic", weights="ours")


def _paper(material: str, seed: int) -> Unit:
    return Unit(STUDY, material, LADDER["paper"], seed, [(LADDER["paper"], (100,))], curve=True)


def headline(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Ours, the paper's recipe and the rivals at every number of calls."""
    own, second = ours(material), _deterministic(material)
    first = Ours("first order", recipe_of(material), "ddim", weights="ours")
    draws = [(own, effort.calls), (second, effort.calls), (first, effort.calls[:2])]
    yield Unit(STUDY, material, own, seed, draws, curve=True)
    yield _paper(material, seed)
    for arms in (_ddpm(), _flow(), _edm()):
        yield Unit(STUDY, material, arms[0], seed, [(arm, effort.calls) for arm in arms], curve=True)


def confirmation(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Ours, where training takes long."""
    draws = [(ours(material), effort.calls), (_deterministic(material), (20, 50))]
    yield Unit(STUDY, material, ours(material), seed, draws, curve=True)


def rivals(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """The rivals, without those that were worse on small pictures, and the paper's recipe."""
    for arms in (_ddpm(), _flow()[:1], _edm()):
        yield Unit(STUDY, material, arms[0], seed, [(arm, (20, 50)) for arm in arms], curve=True)
    yield _paper(material, seed)


def most_calls(material: str, effort: Effort) -> Iterator[Unit]:
    """The largest number of calls, for one seed."""
    for arm in (ours(material), _ddpm()[0], _flow()[0], _edm()[0]):
        yield Unit(STUDY, material, arm, 0, [(arm, (effort.most_calls,))])


def once(material: str) -> Iterator[Unit]:
    """One seed and 50 calls, without samplers that were worse elsewhere: here scoring takes longer than training."""
    ancestral, first_order, _, stochastic = _ddpm()
    for arms in ([ours(material)], [ancestral, first_order, stochastic], _flow()[:1], _edm()[:2]):
        yield Unit(STUDY, material, arms[0], 0, [(arm, (50,)) for arm in arms], curve=True, samples=5_000)


def calls_table(found: Findings, material: str, effort: Effort) -> str:
    many = (*effort.calls, 500)
    return table(
        ["", *(f"{n} calls" for n in many)],
        (
            [name, *(over_seeds(found.fids(material, name, n).values()) for n in many)]
            for name in (*OURS, "bundled", "paper", *RIVALS)
        ),
    )


def curves_table(found: Findings, material: str, effort: Effort) -> str:
    """How well each network denoises held-out pictures."""
    shown = ("ours", "paper", *TRAINED)
    return table(["", *CURVE_HEAD], ([name, *curve_cells(found.curves(material, name).values())] for name in shown))


def figures_of(found: Findings, material: str, arm: str, calls: int | None) -> dict[int, float]:
    """Distances at a number of calls by seed, or bits where no number is given."""
    return found.bits(material, arm) if calls is None else found.fids(material, arm, calls)


def best_rivals(found: Findings, material: str, calls: int | None) -> dict[int, tuple[float, str]]:
    """The best rival of each seed with its figure, for the seeds for which every family was measured."""
    names, needed = (TRAINED, TRAINED) if calls is None else (RIVALS, FAMILIES)
    every = {name: figures_of(found, material, name, calls) for name in names}
    whole = set.intersection(*(set(every[name]) for name in needed))
    return {seed: min((own[seed], name) for name, own in every.items() if seed in own) for seed in sorted(whole)}


def best_table(found: Findings, material: str, effort: Effort) -> str:
    """Ours over the best rival by seed, and which that is."""
    rows = []
    for label, calls in {"bits": None, **{f"distance, {n} calls": n for n in effort.calls}}.items():
        own, best = figures_of(found, material, "ours", calls), best_rivals(found, material, calls)
        cells = [
            f"{own[seed] / best[seed][0]:.3f} ({best[seed][1]})" if seed in own.keys() & best.keys() else "-"
            for seed in range(effort.seeds)
        ]
        rows.append([label, *cells])
    return table(["ours over the best rival", *(f"seed {seed}" for seed in range(effort.seeds))], rows)


def held_out_table(found: Findings, material: str, effort: Effort) -> str:
    """The same samples, scored against pictures that no arm was trained on."""
    many = effort.calls
    return table(
        ["", *(f"{n} calls" for n in many)],
        (
            [name, *(over_seeds(found.fids(material, name, n, "held_out").values()) for n in many)]
            for name in (*OURS, "paper", *RIVALS)
        ),
    )
