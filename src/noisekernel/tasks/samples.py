"""New data, from pure noise."""

from dataclasses import replace

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling.chain import ChainState
from noisekernel.sampling.model import Labels, NoiseModel, noise_model
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import check_room, rows_of_label
from noisekernel.tasks.run import Run, from_pure_noise, one_of, streams_of
from noisekernel.tasks.task import Work, as_run, task


@task
def synthesize(
    model: NoiseModel,
    n: int,
    *,
    steps: int | None = None,
    schedule: Schedule | None = None,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Run]:
    """New samples, from pure noise.

    Args:
        model: The model to draw from.
        n: How many samples.
        steps: Annealing steps, each of which is a network call (50).
        schedule: The noise levels and lags to go along, instead of the kernel's annealing in `steps` steps.
        label: The class of each sample, for a model that learned classes: integers of shape (n,), or names or numbers
            of classes, taken by turns.
        seed: The same seed gives the same samples.
        first: The number of the first sample under this seed, so that workers which share the work number theirs on.
        batch_size: How many samples are made at a time (all of them).
        advance: Called after every step of every batch.

    Returns:
        Clean data of shape (n, *shape).

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> synthesize(model, 3, seed=1).shape
    torch.Size([3, 2])
    """
    labels = noise_model(model).as_labels(label, checks.count("n", n))
    chosen = one_of(schedule, steps=steps) or annealing(model.kernel, 50 if steps is None else steps)
    check_room(model, n)

    def begin(rows: range) -> Run:
        streams = streams_of(seed, first + rows.start, len(rows), model.device, Purpose.NEW)
        return from_pure_noise(model.labelled(rows_of_label(labels, rows), len(rows)), streams, chosen)

    return Work(n, begin, None, batch_size, advance)


synthesis = as_run(synthesize, "synthesis", Run)


def read_out(model: NoiseModel, state: ChainState, steps: int) -> Tensor:
    """The clean data of a state on the way, sharp: by `steps` annealing steps down from its noise level."""
    schedule = annealing(model.kernel, checks.count("steps", steps), first=state.beta, churn=0.0)
    return Run(model, replace(state, t=0, streams=state.streams.fork()), schedule.check(model)).result()
