"""New data, from pure noise."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.randomness import Purpose
from noisekernel.sampling.chain import ChainState
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import in_batches, rows_of_label
from noisekernel.tasks.run import Run, from_pure_noise, one_of, streams_of


def synthesis(
    model: NoiseModel,
    n: int,
    *,
    steps: int | None = None,
    schedule: Schedule | None = None,
    label: Tensor | None = None,
    seed: int = 0,
    first: int = 0,
) -> Run:
    """New data, from pure noise: by the kernel's annealing in `steps` (50) steps, or by `schedule`."""
    schedule = one_of(schedule, steps=steps) or annealing(noise_model(model).kernel, 50 if steps is None else steps)
    streams = streams_of(seed, first, checks.count("n", n), model.device, Purpose.NEW)
    return from_pure_noise(model.labelled(label, n), streams, schedule)


def synthesize(
    model: NoiseModel,
    n: int,
    *,
    label: Tensor | None = None,
    batch_size: int | None = None,
    first: int = 0,
    **options: Any,
) -> Tensor:
    """`n` new samples, of shape (n, *shape), at most `batch_size` at a time. Options: see `synthesis`.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> synthesize(model, 3, seed=1).shape
    torch.Size([3, 2])
    """
    label = None if label is None else checks.labels(label, checks.count("n", n))

    def part(rows: slice) -> Run:
        size = rows.stop - rows.start
        return synthesis(model, size, label=rows_of_label(label, rows), first=first + rows.start, **options)

    return in_batches(checks.count("n", n), batch_size, part)


def read_out(model: NoiseModel, state: ChainState, steps: int) -> Tensor:
    """The clean data of a state on the way, sharp: by `steps` annealing steps down from its noise level."""
    schedule = annealing(model.kernel, checks.count("steps", steps), first=state.beta, churn=0.0)
    return Run(model, replace(state, t=0, streams=state.streams.fork()), schedule.check(model)).result()
