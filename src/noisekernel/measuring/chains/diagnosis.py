"""The diagnosis of a model on data: every question of `measuring.chains`, asked with one seed and gathered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.measuring import chains
from noisekernel.measuring.chains import Mixing, Reversibility, Stationarity, StrengthCurve
from noisekernel.measuring.chains.mixing import need_arviz
from noisekernel.measuring.chains.reversible import FEWEST
from noisekernel.measuring.chains.strength import BETAS, RENEWED
from noisekernel.measuring.chains.walk import dispersed
from noisekernel.measuring.samples.features import Described, small_features
from noisekernel.sampling.model import NoiseModel

#: The probability of calling a chain irreversible, at any level or number of steps, that is not.
LEVEL = 0.01
#: The noise levels at which reversibility is tested, beside the one of the walk.
LEVELS = (0.05, 0.1, 0.2, 0.4, 0.8)
#: The numbers of steps between the two ends of a pair.
APART = (1, 10)
READOUT = 10
VARIANT_STEPS = 100
RENEWAL_STEPS = 20
#: More examples than this make no figure better.
MOST_EXAMPLES = 20_000

#: Total and name of a piece of work to a function that is called whenever some of it is done.
Bar = Callable[[int, str], AbstractContextManager[Callable[[], None]]]


@contextmanager
def no_bar(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Says nothing."""
    yield lambda: None


@dataclass(frozen=True)
class Diagnosis:
    """All that was measured."""

    examples: int
    seed: int
    reversible: tuple[Reversibility, ...]
    stationary: Stationarity
    mixing: tuple[Mixing, ...]
    #: Of variants by the walk, and of those whose noise is drawn anew.
    strength: StrengthCurve
    renewal: StrengthCurve
    #: The number of steps to the first few chains there, read out: to be looked at.
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
                f"strength: at beta {walk.beta:g} a variant by renewal goes {self.renewal.distance(walk.beta):.2f} of "
                f"the way to an unrelated example, one by the walk {self.strength.distance(walk.beta):.2f}",
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
            "examples": self.examples,
            "seed": self.seed,
            "summary": summary,
            "reversible": [asdict(r) for r in self.reversible],
            "stationary": asdict(self.stationary),
            "mixing": [asdict(m) for m in self.mixing],
            "strength": self.strength.figures(),
            "renewal": self.renewal.figures(),
        }


def diagnose(
    model: NoiseModel,
    z: Tensor,
    labels: Tensor | None = None,
    *,
    beta: float = 0.2,
    lag: float | None = None,
    steps: int = 10_000,
    n: int = 256,
    pairs: int = 4000,
    levels: Sequence[float] = LEVELS,
    features: Described | None = None,
    seed: int = 0,
    batch_size: int = 256,
    bar: Bar = no_bar,
) -> Diagnosis:
    """Measure a chain on clean data z.

    Chains walk at constant noise from some of the examples and are compared with the others.

    Args:
        model: The model.
        z: Clean data, (batch, *shape), best such as the model never saw.
        labels: The class of each example, (batch,), where there are classes.
        beta: The noise level of the walk.
        lag: The lag of the walk; None for the kernel's own.
        steps: The number of steps of the walk.
        n: The number of chains; at most half of the examples.
        pairs: The most examples on which reversibility is tested at each noise level.
        levels: The noise levels at which reversibility is tested, beside `beta`.
        features: What examples are compared by; None for features learned from the data.
        seed: Chooses the examples and draws all noise.
        batch_size: How many samples the network sees at a time.
        bar: Shows progress: takes the total and the name of a piece of work, and returns a context manager of a
            function that is called whenever some of it is done.

    Returns:
        A `Diagnosis`: `print` shows four lines of it, `figures()` everything.

    >>> from functools import partial
    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), shape=(2,))
    >>> z = torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    >>> found = diagnose(model, z, steps=10, n=16, levels=[])
    >>> [line.partition(":")[0] for line in str(found).splitlines()]
    ['reversible', 'stationary', 'mixing', 'strength']
    """
    need_arviz()
    beta = checks.number("beta", beta, 0.0, 1.0, open_low=True)
    steps, n = checks.count("steps", steps, 8), checks.count("n", n, 2)
    pairs, batch_size = checks.count("pairs", pairs, FEWEST), checks.count("batch_size", batch_size)
    z = model.check_batch(checks.tensor("z", z).detach().cpu())
    if len(z) < FEWEST:
        raise InputError(f"{len(z)} examples are too few for a diagnosis; give at least {FEWEST}")
    labels = None if labels is None else checks.labels(labels, len(z))
    order = torch.randperm(len(z), generator=torch.Generator().manual_seed(seed % 2**63))[:MOST_EXAMPLES]
    z, labels = z[order], None if labels is None else labels[order]
    n = min(n, len(z) // 2)
    directions = chains.Directions.of(z)
    described = features or small_features(z, labels)

    some = z[:pairs]
    tried = sorted({*(checks.number("each of levels", level, 0.0, 1.0, open_low=True) for level in levels), beta})
    with bar(len(tried) * _batches(some, batch_size) * max(APART), "reversible?") as advance:
        reversible = [
            found
            for level in tried
            for found in chains.reversibility(
                model,
                some,
                beta=level,
                lag=lag,
                steps=APART,
                seed=seed,
                batch_size=batch_size,
                advance=advance,
            )
        ]

    starts = z[:n]
    with bar(len(BETAS) * _batches(starts, batch_size) * (VARIANT_STEPS + READOUT), "how far?") as advance:
        strength = chains.strength_curve(
            model,
            z,
            n=n,
            steps=VARIANT_STEPS,
            lag=lag,
            readout=READOUT,
            seed=seed,
            batch_size=batch_size,
            advance=advance,
        )

    with bar(len(RENEWED) * _batches(starts, batch_size) * RENEWAL_STEPS, "how far, renewed?") as advance:
        renewal = chains.renewal_curve(
            model, z, n=n, steps=RENEWAL_STEPS, seed=seed, batch_size=batch_size, advance=advance
        )

    with bar(_batches(starts, batch_size) * steps, "stationary? mixing?") as advance:
        walked = chains.walk(
            model,
            starts,
            described.features,
            directions,
            beta=beta,
            lag=lag,
            steps=steps,
            traced=dispersed(labels, n),
            readout=READOUT,
            seed=seed,
            batch_size=batch_size,
            advance=advance,
        )
    stationary = chains.stationarity(
        walked.features,
        described.features(starts),
        described.features(z[n:]),
        beta=beta,
        lag=walked.lag,
        name=described.name,
        seed=seed % 2**32,
    )
    mixing = tuple(chains.mixing(name, trace.numpy(), walked.every) for name, trace in walked.traces.items())
    return Diagnosis(len(z), seed, tuple(reversible), stationary, mixing, strength, renewal, walked.shown)


def _batches(z: Tensor, batch_size: int) -> int:
    return -(-len(z) // batch_size)
