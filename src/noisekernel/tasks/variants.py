"""Variants: the noise of an example is found, and part of it is renewed (`sampling.renewal`)."""

from dataclasses import replace

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import ShapeError
from noisekernel.core.randomness import Purpose, Recorded, Streams
from noisekernel.core.stepwise import Advance, finished, nothing
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.renewal import renewed, retracing, rows_of, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.tasks.batching import all_of, in_batches, rows_of_label
from noisekernel.tasks.run import Run, development, streams_of
from noisekernel.tasks.strength import RENEWAL


def variation(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    n: int = 1,
    *,
    strength: float | None = None,
    below: float | None = None,
    share: float = 1.0,
    steps: int = 20,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    rows: range | None = None,
    noise: Recorded | None = None,
    advance: Advance = nothing,
) -> Run:
    """Variants as a `Run` to iterate over. The arguments are those of `vary`, and one more.

    The run is over batch x n samples, variant k of example i at i n + k. The noise of the examples has been found, and
    the strength looked up, before it begins; `advance` is called after every network call of that. To go on from
    variants, pass their noise on: `variation(model, run.result(), noise=run.noise)`.

    Args:
        rows: Of which variants only (all of them).
    """
    below = RENEWAL.level(model, strength, below, advance=advance)
    total = len(checks.tensor("z", z))
    labels = None if label is None else checks.labels(label, total)
    schedule = annealing(noise_model(model).kernel, checks.count("steps", steps))
    rows = range(total * checks.count("n", n)) if rows is None else rows
    examples = slice(rows.start // n, (rows.stop - 1) // n + 1)
    of = torch.arange(rows.start, rows.stop) // n
    z = model.entering(z)[examples]
    checks.count("first", first, 0)
    if noise is None:
        numbers = range(first + examples.start * n, first + examples.stop * n, n)
        streams = Streams.of(seed, numbers, z.device, Purpose.FINDING)
        labelled = model.labelled(rows_of_label(labels, examples), len(z))
        noise = finished(retracing(labelled, z, schedule, streams), advance)
    else:
        if len(noise.samples) != total:
            raise ShapeError(f"noise is on record for {len(noise.samples)} samples; there are {total}")
        noise = rows_of(noise, torch.arange(examples.start, examples.stop))
    streams = replace(streams_of(seed, first + rows.start, len(rows), z.device, Purpose.RENEWING), draws=noise.spent)
    by = shares(model.kernel, schedule, len(noise.noise), below, share)
    variants = renewed(rows_of(noise, of - examples.start), by, streams)
    return development(model, variants, schedule, label=None if labels is None else labels[of])


def vary(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    n: int = 1,
    *,
    strength: float | None = None,
    below: float | None = None,
    share: float = 1.0,
    steps: int = 20,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    noise: Recorded | None = None,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Tensor:
    """Variants of each z.

    The noise that an example is made of is found once, in `steps` network calls, and shared by its variants. Each
    variant redraws the fine noise of it, below a noise level, and keeps the coarse noise. The level is that whose
    variants go `strength` of the way to an unrelated example, by a curve of this model. A model that has none yet is
    measured for it once, on its own samples, which takes about 280 network calls.

    For variants of variants, pass the noise of the variants on (`tasks.variation`): they then never leave the
    distribution of new samples. Without it give each round another seed; one seed would add the same random numbers
    in each round.

    Args:
        model: The model to vary with.
        z: Clean data of shape (batch, *shape).
        n: How many variants of each z.
        strength: How far variants go, 0 to 1 (0.3): their expected distance from z in units of the distance of two
            unrelated examples. 0 gives z again, but for what annealing leaves, and 1 new data.
        below: The noise level below which noise is redrawn, 0 to 1, in place of a strength.
        share: How much of that noise is redrawn; below 1 the rest of it is kept.
        steps: Annealing steps.
        label: The class of each z, integers of shape (batch,).
        seed: The same seed gives the same variants.
        first: The number of the first sample under this seed. Variant k of example i is sample first + i n + k.
        noise: The noise of each z, where it is known: `run.noise` of the variation that made them.
        batch_size: How many variants are made at a time (all of them).
        advance: Called after every step of every batch.

    Returns:
        Clean data of shape (batch, n, *shape).

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> vary(model, torch.ones(3, 2), n=4, strength=0.2).shape
    torch.Size([3, 4, 2])
    """
    total = len(checks.tensor("z", z)) * checks.count("n", n)
    level = RENEWAL.level(model, strength, below, advance=advance)

    def part(rows: range) -> Run:
        return variation(
            model,
            z,
            n,
            below=level,
            share=share,
            steps=steps,
            label=label,
            seed=seed,
            first=first,
            rows=rows,
            noise=noise,
            advance=advance,
        )

    return all_of(in_batches(total, batch_size, part, advance)).unflatten(0, (-1, n))
