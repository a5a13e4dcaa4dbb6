"""The chain at constant noise, steered towards high values of a score."""

from collections.abc import Callable

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling.chain import Score, best
from noisekernel.sampling.model import Examples, Labels, NoiseModel
from noisekernel.tasks.batching import taken, times
from noisekernel.tasks.equilibrium import AtConstantNoise
from noisekernel.tasks.run import Run, lag_of
from noisekernel.tasks.strength import READ_OUT, STEERED, constant_noise
from noisekernel.tasks.task import Work, as_run, task


@task
def steer(
    model: NoiseModel,
    z: Examples,
    score: Callable[[Tensor], Tensor],
    n: int = 1,
    *,
    strength: float | None = None,
    beta: float | None = None,
    steps: int = STEERED,
    lag: float | None = None,
    readout: int = READ_OUT,
    on: str = "clean",
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Run]:
    """Variants of each z with a high score.

    They are made by the chain at constant noise, whose steps are accepted with probability min(1, exp(score(y) -
    score(x))). The stationary distribution becomes p(x) exp(score(x)), as exactly as the chain is balanced. Twice the
    score is twice as insistent. A larger lag makes smaller proposals, of which more are accepted. (`nk.walk` takes a
    score too; its balance is exact, at more network calls per step.)

    Args:
        model: The model whose chain it is.
        z: Clean data of shape (batch, *shape), or examples that the model reads: files, strings, rows, objects.
        score: A function of a batch of shape (batch, *shape) to one number per sample, of shape (batch,): any finite
            number, or minus infinity to forbid a sample.
        n: How many variants of each z.
        strength: How far variants go without a score, 0 to 1 (0.3): their expected distance from z in units of the
            distance of two unrelated examples. A model is measured for that once, for each choice of steps, lag and
            readout.
        beta: The noise level, in (0, 1], in place of a strength.
        steps: Steps at that level.
        lag: How much of the state a step carries over, in [0, 1) (the kernel's own).
        readout: Annealing steps at the end; 0 for the mean of r at the last state.
        on: What the score sees: the best guess of the "clean" data, or the noisy "state" itself.
        label: The class of each z: integers of shape (batch,), or names or numbers of classes, taken by turns.
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
    many, labels = times(model, n, *taken(model, z, label))
    seen, carried = _score_of(score, on), lag_of(model, lag)
    way = constant_noise(model, checks.count("steps", steps, 0), carried, checks.count("readout", readout, 0))
    level = way.level(model, strength, beta, advance=advance)

    how = AtConstantNoise(level, steps, carried, readout, seen)
    return Work(len(many), how.of_rows(model, many, labels, seed, first), n, batch_size, advance)


steering = as_run(steer, "steering", Run)


def _score_of(score: Callable[[Tensor], Tensor], on: str) -> Score:
    if not callable(score):
        raise InputError(
            f"score is a {type(score).__name__}; give a function that maps a batch to one number per sample"
        )
    scores: dict[str, Score] = {"clean": lambda x, view: score(best(view)), "state": lambda x, view: score(x)}
    if on not in scores:
        raise InputError(f"on is {on!r}; a score looks at the 'clean' best guess or at the noisy 'state'")
    return scores[on]
