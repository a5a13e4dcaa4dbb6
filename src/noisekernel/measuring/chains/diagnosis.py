"""The diagnosis of a model on data: every question of `measuring.chains`, asked of both chains with one seed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Advance
from noisekernel.kinds.model import KindModel
from noisekernel.measuring import chains
from noisekernel.measuring.chains.found import Diagnosis, Found
from noisekernel.measuring.chains.mixing import need_arviz
from noisekernel.measuring.chains.noise import BELOW
from noisekernel.measuring.chains.reversible import FEWEST
from noisekernel.measuring.chains.walk import Walked, dispersed
from noisekernel.measuring.samples.features import Described, learned_features
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.distances import BETAS, RENEWED

#: The noise levels at which the paper's chain is tested for reversibility, beside the one of its walk.
LEVELS = (0.05, 0.1, 0.2, 0.4, 0.8)
#: The numbers of steps between the two ends of a pair.
APART = (1, 10)
READOUT = 10
VARIANT_STEPS = 100
RENEWAL_STEPS = 20
#: The walk of the noise: how much of it moves at a step, and the level below which it does.
PACE, WALKED_BELOW = 0.08, BELOW[1]
#: More examples than this make no figure better.
MOST_EXAMPLES = 20_000

#: Total and name of a piece of work to a function that is called whenever some of it is done.
Bar = Callable[[int, str], AbstractContextManager[Advance]]


@contextmanager
def no_bar(total: int, what: str) -> Iterator[Advance]:
    """Says nothing."""
    yield lambda: None


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
    """Measure two chains of a model: the walk of the noise, which people run by default, and the paper's beside it.

    Each is asked whether it is reversible and stationary, how fast it mixes, and how far its variants go.

    Args:
        model: The model to measure.
        z: Clean data of shape (examples, *shape), better ones that the model never saw.
        labels: Their classes, integers of shape (examples,), where there are any.
        beta: The constant noise level of the paper's chain.
        lag: Its lag (the paper's, as in `equilibrate`).
        steps: The steps of the long walks.
        n: The chains of the long walks, at most half of the examples. They are compared with the other examples.
        pairs: How many pairs test reversibility, at most; of the paper's chain at most as many as there are examples.
        levels: The noise levels at which the paper's chain is tested for reversibility, beside `beta`.
        features: What chains are compared by; features learned from the data, as for `nk evaluate`, unless given.
        seed: The same seed gives the same figures.
        batch_size: How many samples are made at a time.
        bar: Total and name of a piece of work to a context whose function is called whenever some of it is done.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), shape=(2,))
    >>> found = diagnose(model, torch.randn(60, 2, generator=torch.Generator().manual_seed(0)), steps=8, n=8)
    >>> found.walk.irreversible, round(found.walk.strength.distance(1.0))
    ([], 1)
    """
    need_arviz()
    beta = checks.number("beta", beta, 0.0, 1.0, open_low=True)
    steps, n = checks.count("steps", steps, 8), checks.count("n", n, 2)
    pairs, batch_size = checks.count("pairs", pairs, FEWEST), checks.count("batch_size", batch_size)
    levels = sorted({*(checks.number("each of levels", level, 0.0, 1.0, open_low=True) for level in levels), beta})
    z = model.check_batch(checks.tensor("z", z).detach().cpu())
    if len(z) < FEWEST:
        raise InputError(f"{len(z)} examples are too few for a diagnosis; give at least {FEWEST}")
    labels = None if labels is None else checks.labels(labels, len(z))
    order = torch.randperm(len(z), generator=torch.Generator().manual_seed(seed % 2**63))[:MOST_EXAMPLES]
    z, labels = z[order], None if labels is None else labels[order]
    n = min(n, len(z) // 2)
    kind = model.kind if isinstance(model, KindModel) else None
    described = features or learned_features(z, labels, kind)
    directions, traced = chains.Directions.of(z), dispersed(labels, n)
    how = _How(z, n, described, directions, traced, steps, min(pairs, len(z)), seed, batch_size, bar)
    return Diagnosis(len(z), seed, _walk(model, how), _paper(model, how, levels, beta, lag))


@dataclass(frozen=True)
class _How:
    """What both chains are measured on."""

    z: Tensor
    n: int
    described: Described
    directions: chains.Directions
    traced: Sequence[int]
    steps: int
    pairs: int
    seed: int
    batch_size: int
    bar: Bar

    @property
    def starts(self) -> Tensor:
        """The examples that chains start at."""
        return self.z[: self.n]

    def batches(self, samples: int) -> int:
        return -(-samples // self.batch_size)

    def found(
        self, reversible: Sequence[chains.Reversibility], strength: chains.StrengthCurve, walked: Walked
    ) -> Found:
        """All of one chain, with what the long walk says."""
        stationary = chains.stationarity(
            walked.features,
            self.described.features(self.starts),
            self.described.features(self.z[self.n :]),
            beta=walked.beta,
            lag=walked.lag,
            name=self.described.name,
            seed=self.seed % 2**32,
        )
        mixing = tuple(chains.mixing(name, trace.numpy(), walked.every) for name, trace in walked.traces.items())
        return Found(tuple(reversible), stationary, mixing, strength, walked.shown)


def _walk(model: NoiseModel, how: _How) -> Found:
    """The walk of the noise."""
    common: dict[str, Any] = {"seed": how.seed, "batch_size": how.batch_size}
    with how.bar(how.batches(how.pairs) * (1 + len(BELOW) * len(APART)), "the walk: reversible?") as advance:
        reversible = chains.renewal_reversibility(
            model, how.directions, how.pairs, steps=APART, advance=advance, **common
        )
    with how.bar(len(RENEWED) * how.batches(how.n) * RENEWAL_STEPS, "how far?") as advance:
        strength = chains.renewal_curve(model, how.z, n=how.n, steps=RENEWAL_STEPS, advance=advance, **common)
    with how.bar(how.batches(how.n) * how.steps, "stationary? mixing?") as advance:
        walked = chains.walk_noise(
            model,
            how.starts,
            how.described.features,
            how.directions,
            pace=PACE,
            below=WALKED_BELOW,
            steps=how.steps,
            traced=how.traced,
            advance=advance,
            **common,
        )
    return how.found(reversible, strength, walked)


def _paper(model: NoiseModel, how: _How, levels: Sequence[float], beta: float, lag: float | None) -> Found:
    """The chain at constant noise."""
    common: dict[str, Any] = {"seed": how.seed, "batch_size": how.batch_size}
    lag = chains.chain_lag(model, beta) if lag is None else lag
    some = how.z[: how.pairs]
    with how.bar(len(levels) * how.batches(len(some)) * max(APART), "the paper's chain: reversible?") as advance:
        reversible = [
            found
            for level in levels
            for found in chains.reversibility(model, some, beta=level, lag=lag, steps=APART, advance=advance, **common)
        ]
    with how.bar(len(BETAS) * how.batches(how.n) * (VARIANT_STEPS + READOUT), "how far?") as advance:
        strength = chains.equilibrium_curve(
            model, how.z, n=how.n, steps=VARIANT_STEPS, lag=lag, readout=READOUT, advance=advance, **common
        )
    with how.bar(how.batches(how.n) * how.steps, "stationary? mixing?") as advance:
        walked = chains.walk(
            model,
            how.starts,
            how.described.features,
            how.directions,
            beta=beta,
            lag=lag,
            steps=how.steps,
            traced=how.traced,
            readout=READOUT,
            advance=advance,
            **common,
        )
    return how.found(reversible, strength, walked)
