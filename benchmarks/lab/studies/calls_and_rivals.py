"""How good are samples at each number of network calls: ours, the paper's recipe, and rivals?"""

from collections.abc import Iterator

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, Arm, Ours
from lab.rival_arms import DDPM, FlowMatching
from lab.studies.recipe_ladder import LADDER
from lab.tables import over_seeds, table
from lab.unit import Unit

STUDY = "calls_and_rivals"

OURS = ("ours", "deterministic", "first order", "correctors")
RIVALS = ("ddpm", "ddim", "dpm-solver++", "sde-dpm-solver++", "flow matching", "flow matching, midpoint")
#: A seed is compared with its best rival only where these were measured.
FAMILIES = ("ddpm", "ddim", "flow matching")


def _ddpm() -> list[Arm]:
    return [
        DDPM("ddpm"),
        DDPM("ddim", "ddpm", "DDIMScheduler"),
        DDPM("dpm-solver++", "ddpm", "DPMSolverMultistepScheduler"),
        DDPM("sde-dpm-solver++", "ddpm", "DPMSolverMultistepScheduler", stochastic=True),
    ]


def _flow() -> list[Arm]:
    return [FlowMatching("flow matching"), FlowMatching("flow matching, midpoint", "flow matching", midpoint=True)]


def _paper(material: str, seed: int) -> Unit:
    return Unit(STUDY, material, LADDER["paper"], seed, [(LADDER["paper"], (100,))])


def headline(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Ours, the paper's recipe and the rivals at every number of calls."""
    ours, second = Ours("ours", DEFAULT), LADDER["+ more and heavier high noise"]
    first = Ours("first order", DEFAULT, "ddim", weights="ours")
    draws = [(ours, effort.calls), (second, effort.calls), (first, effort.calls[:2])]
    yield Unit(STUDY, material, ours, seed, draws)
    yield _paper(material, seed)
    for arms in (_ddpm(), _flow()):
        yield Unit(STUDY, material, arms[0], seed, [(arm, effort.calls) for arm in arms])


def confirmation(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """Ours and the paper's recipe, where training takes long."""
    ours = Ours("ours", DEFAULT)
    draws = [(ours, effort.calls), (LADDER["+ more and heavier high noise"], (20, 50))]
    yield Unit(STUDY, material, ours, seed, draws)
    yield _paper(material, seed)


def rivals(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """The rivals, without those that were worse on small pictures."""
    for arms in (_ddpm(), _flow()[:1]):
        yield Unit(STUDY, material, arms[0], seed, [(arm, (20, 50)) for arm in arms])


def most_calls(material: str, effort: Effort) -> Iterator[Unit]:
    """The largest number of calls, for one seed."""
    for arm in (Ours("ours", DEFAULT), _ddpm()[0], _flow()[0]):
        yield Unit(STUDY, material, arm, 0, [(arm, (effort.most_calls,))])


def coloured(material: str) -> Iterator[Unit]:
    """One seed, few numbers of calls and the best rival only: here scoring takes as long as training."""
    ours = Ours("ours", DEFAULT)
    ancestral, *_, stochastic = _ddpm()
    draws = [(ours, (20, 50)), (LADDER["+ more and heavier high noise"], (50,))]
    rival = Unit(STUDY, material, ancestral, 0, [(stochastic, (50,)), (ancestral, (50,))])
    for unit in (Unit(STUDY, material, ours, 0, draws), _paper(material, 0), rival):
        unit.samples = 2_000
        yield unit


def calls_table(found: Findings, material: str, effort: Effort) -> str:
    many = (*effort.calls, 500)
    return table(
        ["", *(f"{n} calls" for n in many)],
        (
            [name, *(over_seeds(found.fids(material, name, n).values()) for n in many)]
            for name in (*OURS, "bundled", "paper", *RIVALS)
        ),
    )


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
