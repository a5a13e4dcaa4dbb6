"""Missing parts, filled in: the paper's inpainting (section 3.4)."""

from dataclasses import replace

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.networks.clamped import Clamped
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import all_of, in_batches, rows_of_label, times
from noisekernel.tasks.run import Run, from_pure_noise, lag_of, one_of, streams_of


def filling(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    mask: Tensor,
    *,
    steps: int | None = None,
    churn: float | None = None,
    schedule: Schedule | None = None,
    equilibrium: int = 0,
    lag: float | None = None,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
) -> Run:
    """One way to fill in each z, as a `Run` to iterate over. The arguments are those of `fill`."""
    hidden = checks.mask(mask, checks.tensor("z", z))
    z = z.detach()
    observed = noise_model(model).entering(torch.where(hidden, torch.zeros_like(z), z))
    hidden = hidden.to(observed.device)
    given = one_of(schedule, steps=steps, churn=churn)
    schedule = given or annealing(model.kernel, 100 if steps is None else steps, churn=8.0 if churn is None else churn)
    if equilibrium:
        if given is None and churn != 0.0:  # steps that draw anew and cannot look ahead are of all of r
            schedule = replace(schedule, point=torch.zeros_like(schedule.point))
        schedule = schedule.with_correctors(equilibrium, lag_of(model, lag))
    elif lag is not None:
        raise InputError("lag is that of the equilibrium steps, of which there are none; say how many: equilibrium=…")
    labelled = model.labelled(label, len(z))
    clamped = replace(labelled, denoiser=Clamped(labelled.denoiser, observed, hidden))
    run = from_pure_noise(clamped, streams_of(seed, first, len(z), observed.device, Purpose.FILLING), schedule)
    run.observed = (z.to(observed.device), hidden)
    return run


def fill(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    mask: Tensor,
    n: int = 1,
    *,
    steps: int | None = None,
    churn: float | None = None,
    schedule: Schedule | None = None,
    equilibrium: int = 0,
    lag: float | None = None,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Tensor:
    """Fill in z where `mask` is 1 (the paper calls it inpainting); where it is 0, z comes back bit by bit.

    The chain sees what is observed only through its noise, so it needs time to take it in. Much `churn` gives it that,
    and `equilibrium` steps give it more (docs/theory.md has figures). A deterministic way down, churn=0, is the wrong
    one here.

    Args:
        model: The model to fill in with.
        z: Clean data of shape (batch, *shape). Values under the mask are never read.
        mask: 1 where z is to be filled in, 0 where it is observed: one per sample, of the shape of z, or one for all
            of them, of the shape of a sample or a batch of one.
        n: How many ways to fill in each z.
        steps: Annealing steps (100).
        churn: How much of the state is redrawn on the way (8).
        schedule: The noise levels and lags to go along, instead of `steps` and `churn`.
        equilibrium: How many steps at constant noise follow each annealing step.
        lag: The lag of these (the kernel's own).
        label: The class of each z, integers of shape (batch,).
        seed: The same seed gives the same results.
        first: The number of the first sample under this seed.
        batch_size: How many samples are made at a time (all of them).
        advance: Called after every step of every batch.

    Returns:
        Clean data of shape (batch, n, *shape), even where n is 1. `model.draw` takes them as they are.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> filled = fill(model, torch.tensor([[0.5, 2.0]]), torch.tensor([1, 0]), n=3)
    >>> filled.shape, filled[0, :, 1]
    (torch.Size([1, 3, 2]), tensor([2., 2., 2.]))
    """
    hidden = checks.mask(mask, checks.tensor("z", z))
    many, labels = times(n, z, label)
    hidden = hidden.repeat_interleave(n, dim=0)

    def part(rows: range) -> Run:
        return filling(
            model,
            many[rows.start : rows.stop],
            hidden[rows.start : rows.stop],
            steps=steps,
            churn=churn,
            schedule=schedule,
            equilibrium=equilibrium,
            lag=lag,
            label=rows_of_label(labels, rows),
            seed=seed,
            first=first + rows.start,
        )

    return all_of(in_batches(len(many), batch_size, part, advance)).unflatten(0, (-1, n))
