"""Variants: the noise of an example is found, and part of it is renewed (`sampling.renewal`)."""

from dataclasses import replace

import torch

from noisekernel.core import checks
from noisekernel.core.errors import ShapeError
from noisekernel.core.randomness import Purpose, Recorded, Streams
from noisekernel.core.stepwise import Advance, finished, nothing
from noisekernel.sampling.model import Examples, Labels, NoiseModel
from noisekernel.sampling.renewal import renewed, retracing, rows_of, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.tasks.batching import check_room, rows_of_label, taken
from noisekernel.tasks.run import Run, development, streams_of
from noisekernel.tasks.strength import RENEWAL
from noisekernel.tasks.task import Work, as_run, task


@task
def vary(
    model: NoiseModel,
    z: Examples,
    n: int = 1,
    *,
    strength: float | None = None,
    below: float | None = None,
    share: float = 1.0,
    steps: int = 20,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    noise: Recorded | None = None,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Run]:
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
        z: Clean data of shape (batch, *shape), or examples that the model reads: files, strings, rows, objects.
        n: How many variants of each z.
        strength: How far variants go, 0 to 1 (0.3): their expected distance from z in units of the distance of two
            unrelated examples. 0 gives z again, but for what annealing leaves, and 1 new data.
        below: The noise level below which noise is redrawn, 0 to 1, in place of a strength.
        share: How much of that noise is redrawn; below 1 the rest of it is kept.
        steps: Annealing steps.
        label: The class of each z: integers of shape (batch,), or names or numbers of classes, taken by turns.
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
    examples, labels = taken(model, z, label)
    total = len(examples) * checks.count("n", n)
    check_room(model, total)
    level = RENEWAL.level(model, strength, below, advance=advance)
    schedule = annealing(model.kernel, checks.count("steps", steps))
    entered = model.entering(examples)
    checks.count("first", first, 0)
    if noise is not None and len(noise.samples) != len(entered):
        raise ShapeError(f"noise is on record for {len(noise.samples)} samples; there are {len(entered)}")

    def noise_of(some: slice) -> Recorded:
        """The noise of some examples: that on record, or found now."""
        if noise is not None:
            return rows_of(noise, torch.arange(some.start, some.stop))
        own = entered[some]
        streams = Streams.of(seed, range(first + some.start * n, first + some.stop * n, n), own.device, Purpose.FINDING)
        labelled = model.labelled(rows_of_label(labels, some), len(own))
        return finished(retracing(labelled, own, schedule, streams), advance)

    def begin(rows: range) -> Run:
        of = torch.arange(rows.start, rows.stop) // n
        some = slice(rows.start // n, (rows.stop - 1) // n + 1)
        found = noise_of(some)
        streams = streams_of(seed, first + rows.start, len(rows), entered.device, Purpose.RENEWING)
        by = shares(model.kernel, schedule, len(found.noise), level, share)
        variants = renewed(rows_of(found, of - some.start), by, replace(streams, draws=found.spent))
        return development(model, variants, schedule, label=None if labels is None else labels[of])

    return Work(total, begin, n, batch_size, advance)


variation = as_run(vary, "variation", Run)
