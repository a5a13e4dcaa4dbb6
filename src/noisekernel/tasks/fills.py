"""Missing parts, filled in: the paper's inpainting (section 3.4)."""

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.networks.clamped import Clamped
from noisekernel.sampling.model import Examples, Labels, NoiseModel, noise_model
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import rows_of_label, taken, times
from noisekernel.tasks.run import Run, from_pure_noise, lag_of, one_of, streams_of
from noisekernel.tasks.task import Work, as_run, task


@task
def fill(
    model: NoiseModel,
    z: Examples,
    mask: Tensor | str | Path | None = None,
    n: int = 1,
    *,
    steps: int | None = None,
    churn: float | None = None,
    schedule: Schedule | None = None,
    equilibrium: int = 0,
    lag: float | None = None,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Run]:
    """Fill in z where `mask` is 1 (the paper calls it inpainting); where it is 0, z comes back bit by bit.

    Where noise is added to z, the chain sees what is observed only through it, so it needs time to take it in. Much
    `churn` gives it that, and `equilibrium` steps give it more (docs/theory.md has figures). A deterministic way down,
    churn=0, is the wrong one here. Where noise masks elements (categories), what is observed is visible all the time.

    Args:
        model: The model to fill in with.
        z: Clean data of shape (batch, *shape), or examples that the model reads: files, strings, rows, objects. Values
            under the mask are never read.
        mask: 1 where z is to be filled in, 0 where it is observed: one per sample, of the shape of z, or one for all
            of them, of the shape of a sample or a batch of one. Or what a model that knows its kind of data reads as
            one: the file of a black and white picture, a pattern, the names of columns. None for what the examples
            leave open themselves: the empty cells of a table.
        n: How many ways to fill in each z.
        steps: Annealing steps (100).
        churn: How much of the state is redrawn on the way (8).
        schedule: The noise levels and lags to go along, instead of `steps` and `churn`.
        equilibrium: How many steps at constant noise follow each annealing step.
        lag: The lag of these (the kernel's own).
        label: The class of each z: integers of shape (batch,), or names or numbers of classes, taken by turns.
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
    given = noise_model(model).as_mask(mask, z)
    one_each, one_label = taken(model, z, label)
    many, labels = times(model, n, one_each.detach(), one_label)
    hidden = checks.mask(given, one_each).repeat_interleave(n, dim=0)
    observed = model.entering(torch.where(hidden, torch.zeros_like(many), many))
    hidden, many = hidden.to(observed.device), many.to(observed.device)
    barred = noise_model(model).barred(many, hidden)
    down = _down(model, steps, churn, schedule, equilibrium, lag)

    def begin(rows: range) -> Run:
        own = slice(rows.start, rows.stop)
        labelled = model.labelled(rows_of_label(labels, rows), len(rows))
        impossible = None if barred is None else barred[own]
        told = Clamped(labelled.denoiser, observed[own], hidden[own], impossible, model.kernel)
        streams = streams_of(seed, first + rows.start, len(rows), observed.device, Purpose.FILLING)
        run = from_pure_noise(replace(labelled, denoiser=told), streams, down)
        run.observed = (many[own], hidden[own])
        return run

    return Work(len(many), begin, n, batch_size, advance)


filling = as_run(fill, "filling", Run)


def _down(
    model: NoiseModel,
    steps: int | None,
    churn: float | None,
    schedule: Schedule | None,
    equilibrium: int,
    lag: float | None,
) -> Schedule:
    """The way from noise to data, with equilibrium steps on it."""
    given = one_of(schedule, steps=steps, churn=churn)
    down = given or annealing(model.kernel, 100 if steps is None else steps, churn=8.0 if churn is None else churn)
    if equilibrium:
        if given is None and churn != 0.0:  # steps that draw anew and cannot look ahead are of all of r
            down = replace(down, point=torch.zeros_like(down.point))
        return down.with_correctors(equilibrium, lag_of(model, lag))
    if lag is not None:
        raise InputError("lag is that of the equilibrium steps, of which there are none; say how many: equilibrium=…")
    return down
