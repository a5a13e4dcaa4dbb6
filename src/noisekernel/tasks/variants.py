"""What people want of a chain: new data, variants, missing parts, a direction. Each is a start, a schedule and an end.

Each task comes twice. The verb does it: `synthesize`, `renew`, `vary`, `inpaint`, `steer` return clean data z. The noun
is the doing itself, a `Run` to iterate over: `synthesis`, `renewal`, `variation`, `inpainting`, `steering` give every
state as it comes, can be left at any moment, and end in the same z.

    for state, info in (run := synthesis(model, 4)):
        show(state.view.best)
    z = run.result()

Sample number i of a seed is the same whatever else is in its batch, up to rounding: `first` numbers the first sample,
so that workers which share the work number theirs on. Variant k of n of example i is sample i n + k. (The random words
are equal to the bit; the arithmetic of a network, and of normal numbers, may differ in the last bits between batch
sizes and between processors.)
"""

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import ShapeError
from noisekernel.core.levels import flat
from noisekernel.core.randomness import Purpose, Recorded, Streams
from noisekernel.sampling import chain
from noisekernel.sampling.chain import Score
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.renewal import check_record, renewed, retrace, rows_of, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import in_batches, rows_of_label, times
from noisekernel.tasks.run import Run, from_pure_noise, lag_of, streams_of


def renewal(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    n: int = 1,
    *,
    below: float = 0.4,
    share: float = 1.0,
    steps: int = 20,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    rows: range | None = None,
    noise: Recorded | None = None,
) -> Run:
    """`n` variants of each z: find noise it is made of, draw what is quieter than the level `below` anew, and anneal.

    The larger `below`, the further a variant goes: 0 gives z again (but for what annealing leaves), 1 new data, which
    have nothing of z. With a `share` below 1, only so much is drawn anew. With `rows`, only those variants.

    The noise of an example is found once for all its variants, in `steps` network calls, or given: that of a variant,
    to go on from it, is `run.noise`. Gone on from like that, variants of variants never leave the distribution
    of new samples (`sampling.renewal`). It counts what was drawn, so the seed may stay; without it, take another.
    """
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
        noise = retrace(model.labelled(rows_of_label(labels, examples), len(z)), z, schedule, streams)
    else:
        if len(noise.samples) != total:
            raise ShapeError(f"noise is on record for {len(noise.samples)} samples; there are {total}")
        noise = rows_of(noise, torch.arange(examples.start, examples.stop))
    streams = replace(streams_of(seed, first + rows.start, len(rows), z.device, Purpose.RENEWING), draws=noise.spent)
    by = shares(schedule, len(noise.noise), below, share)
    variants = renewed(rows_of(noise, of - examples.start), by, streams)
    return development(model, variants, schedule, label=None if labels is None else labels[of])


def development(model: NoiseModel, noise: Recorded, schedule: Schedule, *, label: Tensor | None = None) -> Run:
    """What `schedule` makes of this noise, instead of drawing its own. See `sampling.renewal`."""
    check_record(model, noise, schedule)
    return from_pure_noise(model.labelled(label, len(noise.samples)), noise.from_the_first(), schedule)


def variation(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    *,
    beta: float = 0.2,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 10,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
    score: Score | None = None,
) -> Run:
    """A variant of each z: noise it to `beta`, walk `steps` steps there, then read out by `readout` annealing steps.

    With `readout=0` the last state is read out as in the paper, by the best guess of r at `beta`, which blurs. `lag` is
    the kernel's own unless given. To go on from variants, take another seed (or `first`), lest they meet their own
    noise again.
    """
    z = noise_model(model).entering(z)
    beta = checks.number("beta", beta, 0.0, 1.0, open_low=True)
    schedule = Schedule.along(flat(beta), steps, lag_of(model, lag))
    if checks.count("readout", readout, 0):
        schedule = schedule.then(annealing(model.kernel, readout, first=beta, churn=0.0))
    streams = streams_of(seed, first, len(z), z.device, Purpose.WALKING)
    x = model.kernel.noise(z, beta).sample(streams)
    labelled = model.labelled(label, len(z))
    return Run(labelled, chain.start(labelled, x, beta, streams), schedule.check(model), score)


def renew(
    model: NoiseModel,
    z: Tensor,
    n: int = 1,
    *,
    label: Tensor | None = None,
    batch_size: int | None = None,
    **options: Any,
) -> Tensor:
    """`n` variants of each z, of shape (batch, n, *shape); the larger `below`, the further. Options: see `renewal`.

    For variants of variants, give each round another seed (or carry the noise on, as `renewal` does): one seed would
    add the same random numbers again in each round, and the results drift away from the data.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> renew(model, torch.ones(3, 2), n=4, below=0.3).shape
    torch.Size([3, 4, 2])
    """
    total = len(checks.tensor("z", z)) * checks.count("n", n)

    def part(rows: slice) -> Run:
        return renewal(model, z, n, label=label, rows=range(rows.start, rows.stop), **options)

    return in_batches(total, batch_size, part).unflatten(0, (-1, n))


def vary(
    model: NoiseModel,
    z: Tensor,
    n: int = 1,
    *,
    label: Tensor | None = None,
    batch_size: int | None = None,
    first: int = 0,
    **options: Any,
) -> Tensor:
    """`n` variants of each z by a walk at constant noise, of shape (batch, n, *shape). Options: see `variation`."""
    many, labels = times(n, checks.tensor("z", z), label)

    def part(rows: slice) -> Run:
        return variation(model, many[rows], label=rows_of_label(labels, rows), first=first + rows.start, **options)

    return in_batches(len(many), batch_size, part).unflatten(0, (-1, n))
