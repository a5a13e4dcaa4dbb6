"""What a diagnosis found: of the walk of the noise, which people run by default, and of the paper's chain beside it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from torch import Tensor

from noisekernel.measuring.chains.mixing import Mixing
from noisekernel.measuring.chains.reversible import Reversibility
from noisekernel.measuring.chains.stationary import Stationarity
from noisekernel.sampling.strength import StrengthCurve

#: The probability of calling a chain irreversible, at any level or number of steps, that is not.
LEVEL = 0.01
#: What the two chains are called.
WALK, PAPER = "The walk of the noise", "The paper's chain"


@dataclass(frozen=True)
class Found:
    """All that was measured of one chain."""

    reversible: tuple[Reversibility, ...]
    stationary: Stationarity
    mixing: tuple[Mixing, ...]
    #: How far variants go that are made this way.
    strength: StrengthCurve
    #: The number of steps to the first few chains there, to be looked at.
    shown: Mapping[int, Tensor]

    @property
    def main(self) -> Reversibility:
        """The test at the noise level of the walk, one step apart."""
        return next(r for r in self.reversible if r.beta == self.stationary.beta and r.steps == 1)

    @property
    def p_values(self) -> list[tuple[Reversibility, str, float]]:
        """Everything that could show that the chain is not reversible: where, by what, p-value."""
        tests = [(r, "classifiers", r.test.p_value) for r in self.reversible]
        return tests + [(r, s.name, s.p_value) for r in self.reversible for s in r.statistics]

    @property
    def irreversible(self) -> list[tuple[Reversibility, str]]:
        """Where and by what the chain is called irreversible, at `LEVEL` shared out evenly (Bonferroni) among all.

        The statistics count as the classifiers do: on few pairs one of them may see what classifiers do not learn.
        """
        return [(r, by) for r, by, p_value in self.p_values if p_value < LEVEL / len(self.p_values)]

    @property
    def slowest(self) -> Mixing:
        """The function that mixes worst: one that cannot be told comes before any that can."""
        return max(self.mixing, key=lambda m: float("inf") if m.integrated_time is None else m.integrated_time)

    def __str__(self) -> str:
        test, walk, slow = self.main.test, self.stationary, self.slowest
        where = sorted({(r.beta, r.steps) for r, _ in self.irreversible})
        caught = ", ".join(f"{beta:g} ({steps} step{'s' * (steps > 1)})" for beta, steps in where)
        time = "not to be told" if slow.integrated_time is None else f"{slow.integrated_time:,.0f} steps"
        return "\n".join(
            (
                f"reversible: AUC {test.auc:.3f} ± {test.error:.3f} at beta {walk.beta:g}, one step, p = "
                f"{test.p_value:.2g}; called irreversible {f'at beta {caught}' if caught else 'nowhere'}",
                f"stationary: distance {walk.distances[-1].distance:.2f} ± {walk.distances[-1].error:.2f} after "
                f"{walk.distances[-1].steps:,} steps, {walk.rise:.2f} times that after one; the floor is "
                f"{walk.floor:.2f} ± {walk.floor_error:.2f}",
                f"mixing: integrated time {time} for {slow.function}, the slowest"
                + f" ({slow.remark})" * bool(slow.remark),
                f"strength: at beta {walk.beta:g} a variant goes {self.strength.distance(walk.beta):.2f} of the way to "
                "an unrelated example",
            )
        )

    def figures(self) -> dict[str, Any]:
        """Everything as JSON can hold it; docs/howto/diagnose.md says what each means."""
        summary = {
            "auc": self.main.test.auc,
            "auc_error": self.main.test.error,
            "p_value": self.main.test.p_value,
            "level": LEVEL,
            "irreversible": [{"beta": r.beta, "steps": r.steps, "by": by} for r, by in self.irreversible],
            "rise": self.stationary.rise,
            "slowest": self.slowest.function,
            "integrated_time": self.slowest.integrated_time,
            "trusted": all(m.trusted for m in self.mixing),
        }
        return {
            "summary": summary,
            "reversible": [asdict(r) for r in self.reversible],
            "stationary": asdict(self.stationary),
            "mixing": [asdict(m) for m in self.mixing],
            "strength": self.strength.figures(),
        }


@dataclass(frozen=True)
class Diagnosis:
    """All that was measured of a model."""

    examples: int
    seed: int
    #: The walk of the noise: what `vary` and `walk` do.
    walk: Found
    #: The chain at constant noise: what `equilibrate` does.
    paper: Found

    def __str__(self) -> str:
        return f"{WALK}: nk vary, nk walk\n{self.walk}\n{PAPER}: nk equilibrate\n{self.paper}"

    def figures(self) -> dict[str, Any]:
        """Everything as JSON can hold it; docs/howto/diagnose.md says what each means."""
        return {
            "examples": self.examples,
            "seed": self.seed,
            "walk": self.walk.figures(),
            "paper": self.paper.figures(),
        }
