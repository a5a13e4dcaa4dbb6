"""The chain at constant noise, steered towards high values of a score."""

from collections.abc import Callable

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling.chain import Score, best
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.batching import all_of, in_batches, rows_of_label, times
from noisekernel.tasks.equilibrium import at_constant_noise
from noisekernel.tasks.run import Run, lag_of
from noisekernel.tasks.strength import EQUILIBRIUM


def steering(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    score: Callable[[Tensor], Tensor],
    *,
    strength: float | None = None,
    beta: float | None = None,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 10,
    on: str = "clean",
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    advance: Advance = nothing,
) -> Run:
    """One steered variant of each z, as a `Run` to iterate over. The arguments are those of `steer`.

    The strength has been looked up before the run begins; `advance` is called after every network call of that.
    `info.accepted` says which samples took a step.
    """
    return at_constant_noise(
        model,
        z,
        score=_score_of(score, on),
        beta=EQUILIBRIUM.level(model, strength, beta, advance=advance),
        steps=steps,
        lag=lag_of(model, lag),
        readout=readout,
        label=label,
        seed=seed,
        first=first,
    )


def steer(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    score: Callable[[Tensor], Tensor],
    n: int = 1,
    *,
    strength: float | None = None,
    beta: float | None = None,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 10,
    on: str = "clean",
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Tensor:
    """Variants of each z with a high score.

    They are made by the chain at constant noise, whose steps are accepted with probability min(1, exp(score(y) -
    score(x))). The stationary distribution becomes p(x) exp(score(x)), as exactly as the chain is balanced. Twice the
    score is twice as insistent. A larger lag makes smaller proposals, of which more are accepted. (`nk.walk` takes a
    score too; its balance is exact, at more network calls per step.)

    Args:
        model: The model whose chain it is.
        z: Clean data of shape (batch, *shape).
        score: A function of a batch of shape (batch, *shape) to one number per sample, of shape (batch,): any finite
            number, or minus infinity to forbid a sample.
        n: How many variants of each z.
        strength: How far variants go without a score, 0 to 1 (0.3): their expected distance from z in units of the
            distance of two unrelated examples. It is measured for 100 steps at the kernel's lag.
        beta: The noise level, in (0, 1], in place of a strength.
        steps: Steps at that level.
        lag: How much of the state a step carries over, in [0, 1) (the kernel's own).
        readout: Annealing steps at the end; 0 for the mean of r at the last state.
        on: What the score sees: the best guess of the "clean" data, or the noisy "state" itself.
        label: The class of each z, integers of shape (batch,).
        seed: The same seed gives the same variants.
        first: The number of the first sample under this seed.
        batch_size: How many samples are made at a time (all of them).
        advance: Called after every step of every batch.

    Returns:
        Clean data of shape (batch, n, *shape).

    >>> from functools import partial
    >>> import torch
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> brighter = steer(model, torch.ones(3, 2), lambda z: z.mean(dim=1), n=4, beta=0.3)
    >>> brighter.shape
    torch.Size([3, 4, 2])
    """
    many, labels = times(n, checks.tensor("z", z), label)
    level = EQUILIBRIUM.level(model, strength, beta, advance=advance)

    def part(rows: range) -> Run:
        return steering(
            model,
            many[rows.start : rows.stop],
            score,
            beta=level,
            steps=steps,
            lag=lag,
            readout=readout,
            on=on,
            label=rows_of_label(labels, rows),
            seed=seed,
            first=first + rows.start,
        )

    return all_of(in_batches(len(many), batch_size, part, advance)).unflatten(0, (-1, n))


def _score_of(score: Callable[[Tensor], Tensor], on: str) -> Score:
    if not callable(score):
        raise InputError(
            f"score is a {type(score).__name__}; give a function that maps a batch to one number per sample"
        )
    scores: dict[str, Score] = {"clean": lambda x, view: score(best(view)), "state": lambda x, view: score(x)}
    if on not in scores:
        raise InputError(f"on is {on!r}; a score looks at the 'clean' best guess or at the noisy 'state'")
    return scores[on]
