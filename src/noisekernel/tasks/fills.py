"""Missing parts, filled in (section 3.4)."""

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.networks.clamped import Clamped
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import in_batches, rows_of_label, times
from noisekernel.tasks.run import Run, from_pure_noise, lag_of, one_of, streams_of


def inpainting(
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
    """Fill in z where `mask` is 1; where it is 0, z comes back bit by bit. Values under the mask are never read.

    `mask` is one per sample, of the shape of z, or one for all of them: of the shape of a sample, or a batch of one.

    By the kernel's annealing in `steps` (100) steps, or by `schedule`. The chain sees what is observed only through its
    noise, so it takes time to take it in: much `churn` (8), noise drawn anew on the way, gives it that, and
    `equilibrium` steps with `lag` after each annealing step give it more (docs/theory.md has figures). A deterministic
    way down, churn=0, is the wrong one here.
    """
    fill = checks.mask(mask, checks.tensor("z", z))
    z = z.detach()
    observed = noise_model(model).entering(torch.where(fill, torch.zeros_like(z), z))
    fill = fill.to(observed.device)
    given = one_of(schedule, steps=steps, churn=churn)
    schedule = given or annealing(model.kernel, 100 if steps is None else steps, churn=8.0 if churn is None else churn)
    if equilibrium:
        if given is None and churn != 0.0:  # steps that draw anew and cannot look ahead are of all of r
            schedule = replace(schedule, point=torch.zeros_like(schedule.point))
        schedule = schedule.with_correctors(equilibrium, lag_of(model, lag))
    elif lag is not None:
        raise InputError("lag is that of the equilibrium steps, of which there are none; say how many: equilibrium=…")
    labelled = model.labelled(label, len(z))
    clamped = replace(labelled, denoiser=Clamped(labelled.denoiser, observed, fill))
    run = from_pure_noise(clamped, streams_of(seed, first, len(z), observed.device, Purpose.FILLING), schedule)
    run.observed = (z.to(observed.device), fill)
    return run


def inpaint(
    model: NoiseModel,
    z: Tensor,
    mask: Tensor,
    n: int = 1,
    *,
    label: Tensor | None = None,
    batch_size: int | None = None,
    first: int = 0,
    **options: Any,
) -> Tensor:
    """`n` ways to fill in each z where `mask` is 1, of shape (batch, n, *shape). Options: see `inpainting`.

    The results have the dimension of `n` even where it is 1: `model.draw` takes them as they are.
    """
    fill = checks.mask(mask, checks.tensor("z", z))
    many, labels = times(n, z, label)
    fills = fill.repeat_interleave(n, dim=0)

    def part(rows: slice) -> Run:
        return inpainting(
            model, many[rows], fills[rows], label=rows_of_label(labels, rows), first=first + rows.start, **options
        )

    return in_batches(len(many), batch_size, part).unflatten(0, (-1, n))
