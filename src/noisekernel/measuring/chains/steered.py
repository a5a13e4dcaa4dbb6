"""Is a steered chain where it should be? The truth is known without a chain, and stands beside it.

A chain that is steered by f is to be stationary for p(z) exp(f(z)), where p is the distribution of the model's own new
samples. New samples z_1 … z_n, each weighed by w_i = exp(f(z_i)), say what any property g has for a mean there,

    G = sum_i w_i g(z_i) / sum_i w_i,       with the standard error  sqrt(sum_i w_i^2 (g(z_i) - G)^2) / sum_i w_i

(self-normalised importance sampling). Of n samples as many as (sum w)^2 / sum w^2 are left, so to say. Where that is
few, f insists on what new samples hardly ever are: then they know no truth, and the chain can go where they cannot.

The chain begins at new samples. The first half of its steps is left out; walkers are independent, so the standard error
is that of the mean over walkers. If the chain is right, and has forgotten its beginning, then the difference of the two
means over their standard errors together is standard normal, about.

Two chains are exact, and can be asked: the walk of the noise, p being the distribution of new samples by annealing, and
redrawing, p being the likelihood of the model with its elements in sequence. The chain at constant noise (`nk.steer`)
tilts the distribution of noisy states by the score of their best guess, which is something else.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.core.suggestions import unknown
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.measuring.chains.mixing import Mixing, mixing
from noisekernel.sampling import redraws
from noisekernel.sampling.chain import evaluate
from noisekernel.sampling.in_order import draw, in_sequence
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.noise_walk import CleanScore

Array = NDArray[np.float64]
#: Fewer weighed samples than this, so to say, know no truth.
FEWEST = 50
#: So many standard errors apart are called different: one right chain in 370.
APART = 3.0
#: After so many integrated times a chain has forgotten its beginning, but for e^-5.
FORGOTTEN = 5.0
#: Above this walkers have hardly left their beginnings, and the integrated time is no estimate.
LARGEST_R_HAT = 1.2
#: Bars of the histogram.
BARS = 30


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Steered:
    """What a steered chain, new samples, and weighed new samples have for the score."""

    chain: str
    insist: float
    samples: int
    walkers: int
    #: Steps of every walker; the first half is left out.
    steps: int
    #: The score of new samples as they are.
    plain: Estimate
    #: Of the same samples, each weighed by exp(f).
    weighed: Estimate
    #: How many samples are left by the weights, so to say.
    left: float
    #: Along the chain.
    steered: Estimate
    #: The share of steps that were taken, and of those that were taken and led elsewhere.
    accepted: float
    different: float
    mixing: Mixing
    #: The edges of the bars, and the share of new samples, of weighed ones and of the chain in each.
    edges: tuple[float, ...]
    shares: dict[str, tuple[float, ...]]

    @property
    def away(self) -> float:
        """How far the chain is from the truth, in standard errors of the two together."""
        error = math.hypot(self.weighed.error, self.steered.error)
        return 0.0 if error == 0.0 else (self.steered.mean - self.weighed.mean) / error

    @property
    def verdict(self) -> str:
        """Whether the chain is where it should be, in a sentence."""
        if self.left < FEWEST:
            return (
                f"cannot be told: the weights leave {self.left:.0f} of {self.samples:,} new samples, and {FEWEST} are "
                "needed; insist less, or take more samples"
            )
        time, agreement = self.mixing.integrated_time, self.mixing.r_hat
        if time is None or agreement is None:
            return f"cannot be told: {self.mixing.remark}"
        if agreement > LARGEST_R_HAT:
            return (
                f"cannot be told: after {self.steps:,} steps walkers are still where they began (R-hat "
                f"{agreement:.2f}); take four times as many steps, or make them larger"
            )
        if self.steps // 2 < FORGOTTEN * time:
            return (
                f"cannot be told: a step in {time:.0f} is worth a draw, so that the {self.steps // 2:,} steps that are "
                f"left out do not forget the beginning; take {2 * math.ceil(FORGOTTEN * time):,} steps"
            )
        if abs(self.away) > APART:
            return f"no: {abs(self.away):.1f} standard errors away"
        return f"yes, as far as can be told: {abs(self.away):.1f} standard errors apart"

    def figures(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {**asdict(self), "away": self.away, "verdict": self.verdict}

    def __str__(self) -> str:
        rows = (("new samples", self.plain), ("weighed by exp(f)", self.weighed), ("the chain", self.steered))
        lines = [f"{name:<18} {one.mean:.4g} ± {one.error:.2g}" for name, one in rows]
        return "\n".join(
            [
                *lines,
                f"steps taken {self.accepted:.0%}, taken and different {self.different:.0%}",
                f"where it should be: {self.verdict}",
            ]
        )


def steered(
    model: NoiseModel,
    score: CleanScore,
    *,
    insist: float = 1.0,
    chain: str = "walk",
    samples: int = 1000,
    walkers: int = 32,
    steps: int = 200,
    pace: float = 0.5,
    look: int = 20,
    share: float = 0.3,
    seed: int = 0,
    batch_size: int = 256,
    advance: Advance = nothing,
) -> Steered:
    """Steer a chain by `insist` times the score, and compare it with new samples that are weighed.

    Args:
        model: The model.
        score: A function of a batch of clean data to one number per sample.
        insist: What the score is multiplied by: f is the product.
        chain: "walk", of the noise, or "redraw", for categories.
        samples: New samples that are weighed.
        walkers: How many chains there are.
        steps: Steps of each.
        pace: How much of the noise a step of the walk moves, 0 to 1; all of it moves at one pace.
        look: Annealing steps of new samples, and of each step of the walk.
        share: Which share of the elements a step of redrawing redraws.
        seed: The same seed gives the same figures.
        batch_size: How many new samples are made at a time.
        advance: Called after every batch of new samples and after every step of the chain.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), shape=(1,))
    >>> found = steered(model, lambda z: z[:, 0], samples=200, walkers=8, steps=16, look=5)
    >>> found.steered.mean > found.plain.mean
    True
    """
    if chain not in CHAINS:
        raise InputError(unknown("chain that is exact", chain, list(CHAINS)))
    checks.count("samples", samples, 2)
    checks.count("walkers", walkers, 2)
    checks.count("steps", steps, 16)
    arm = CHAINS[chain](model, pace, look, share)

    def f(z: Tensor) -> Tensor:
        return insist * score(z)

    parts = []
    for rows in tasks.batches(samples, checks.count("batch_size", batch_size)):
        parts.append(evaluate(score, arm.new(len(rows), seed, walkers + rows.start)).double().cpu())
        advance()
    found = torch.cat(parts).numpy()
    weights = weights_of(insist * found)
    scores, taken, moved = [], [], []
    here: Tensor | None = None
    value = torch.zeros(0)
    for z, accepted in arm.going(walkers, steps, seed, f):
        # Where nothing changed the score is what it was: it may be slow.
        other = torch.ones(len(z), dtype=torch.bool) if here is None else (z != here).flatten(1).any(dim=1).cpu()
        fresh = evaluate(score, z[other]).double().cpu() if bool(other.any()) else value[:0]
        value = fresh if here is None else value.masked_scatter(other, fresh)
        if here is not None:
            scores.append(value)
            taken.append(accepted.float().mean())
            moved.append((accepted.cpu() & other).float().mean())
            advance()
        here = z
    trace = torch.stack(scores, dim=1)[:, steps // 2 :].numpy()
    edges = np.linspace(min(found.min(), trace.min()), max(found.max(), trace.max()) + 1e-9, BARS + 1)
    shown = {"new": (found, np.ones_like(found)), "weighed": (found, weights), "chain": (trace.ravel(), None)}
    shares = {}
    for name, (values, weighed) in shown.items():
        counts = np.histogram(values, edges, weights=weighed)[0].astype(np.float64)
        shares[name] = tuple(float(count) for count in counts / counts.sum())
    return Steered(
        chain,
        insist,
        samples,
        walkers,
        steps,
        reweighed(found, np.ones_like(found)),
        reweighed(found, weights),
        float(weights.sum() ** 2 / (weights**2).sum()),
        over_walkers(trace),
        float(torch.stack(taken).mean()),
        float(torch.stack(moved).mean()),
        mixing("score", trace),
        tuple(float(edge) for edge in edges),
        shares,
    )


def weights_of(f: Array) -> Array:
    """exp(f), up to a factor.

    >>> weights_of(np.array([1000.0, 1000.0 + math.log(2.0), -math.inf])).round(3).tolist()
    [0.5, 1.0, 0.0]
    """
    largest = f.max()
    if largest == -math.inf:
        raise InputError("the score forbids every one of the new samples, so there is nothing to compare with")
    return np.asarray(np.exp(f - largest), dtype=np.float64)


def reweighed(values: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"]) -> Estimate:
    """The mean of weighed values, and its standard error.

    >>> reweighed(np.array([0.0, 1.0, 5.0]), np.array([1.0, 1.0, 0.0]))
    Estimate(mean=0.5, error=0.3535533905932738)
    """
    kept = weights > 0  # what is forbidden may have a score that is no number to reckon with
    values, weights = values[kept], weights[kept]
    mean = float((weights * values).sum() / weights.sum())
    error = float(np.sqrt((weights**2 * (values - mean) ** 2).sum()) / weights.sum())
    return Estimate(mean, error)


def over_walkers(trace: Float[np.ndarray, "walkers points"]) -> Estimate:
    """The mean along all walkers, and its standard error from how they differ.

    >>> over_walkers(np.array([[1.0, 3.0], [3.0, 5.0]]))
    Estimate(mean=3.0, error=1.0)
    """
    own = trace.mean(axis=1)
    return Estimate(float(own.mean()), float(own.std(ddof=1) / math.sqrt(len(own))))


@dataclass(frozen=True)
class Walking:
    """The walk of the noise, and new samples by the same annealing."""

    model: NoiseModel
    pace: float
    look: int
    share: float

    def new(self, n: int, seed: int, first: int) -> Tensor:
        """New samples, which are those numbered from `first` on under the seed."""
        return tasks.walk(self.model, n, steps=self.look, seed=seed, first=first).clean

    def going(self, walkers: int, steps: int, seed: int, f: CleanScore) -> Iterator[tuple[Tensor, Tensor]]:
        """The first states, and then each with which walkers took the step."""
        how = {"pace": self.pace, "below": 1.0, "glide": False, "steps": self.look}
        going = tasks.walk(self.model, walkers, score=f, seed=seed, **how)  # type: ignore[arg-type]
        yield going.clean, torch.ones(walkers, dtype=torch.bool)
        for _ in range(steps):
            _, info = going.step()
            yield going.clean, info.accepted


@dataclass(frozen=True)
class Redrawing:
    """Redrawing, and new samples with the first element first."""

    model: NoiseModel
    pace: float
    look: int
    share: float

    def new(self, n: int, seed: int, first: int) -> Tensor:
        """New samples, which are those numbered from `first` on under the seed."""
        if not isinstance(self.model.kernel, CategoricalKernel):
            raise InputError("redrawing is for data in categories; the other chain that is exact is 'walk'")
        z = torch.zeros(n, *self.model.shape, dtype=torch.int64, device=self.model.device)
        streams = Streams.of(seed, range(first, first + n), z.device, Purpose.NEW)
        return draw(
            self.model.kernel, self.model.denoiser, z, in_sequence(z), torch.ones_like(z, dtype=torch.bool), streams
        )[0]

    def going(self, walkers: int, steps: int, seed: int, f: CleanScore) -> Iterator[tuple[Tensor, Tensor]]:
        """The first states, and then each with which walkers took the step."""
        z = self.new(walkers, seed, 0)
        streams = Streams.of(seed, range(walkers), z.device, Purpose.WALKING)
        state = redraws.start(self.model, z, streams, f)
        yield state.z, torch.ones(walkers, dtype=torch.bool)
        for _ in range(steps):
            state, info = redraws.step(self.model, state, self.share, score=f)
            yield state.z, info.accepted


#: The chains that are exact, by name.
CHAINS: dict[str, Callable[[NoiseModel, float, int, float], Walking | Redrawing]] = {
    "walk": Walking,
    "redraw": Redrawing,
}
