"""The paper's chain: variants by steps at constant noise (section 3.3), where the chain is at equilibrium."""

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.levels import flat
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling import chain
from noisekernel.sampling.chain import Score
from noisekernel.sampling.model import Examples, Labels, NoiseModel, noise_model
from noisekernel.sampling.samplers import PAPER, annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.batching import rows_of_label, taken, times
from noisekernel.tasks.run import Run, streams_of
from noisekernel.tasks.task import Work, as_run, task


@dataclass(frozen=True)
class AtConstantNoise:
    """Noise each z to `beta`, make `steps` steps there, and read out by `readout` annealing steps."""

    beta: float
    steps: int
    lag: float
    readout: int
    #: What the steps are accepted by; None accepts all.
    score: Score | None = None
    #: Whether the model's correction has a say too: as a matter of course where it has one (None), never, or always.
    corrected: bool | None = None

    def begin(
        self, model: NoiseModel, z: Shaped[Tensor, "batch *event"], label: Tensor | None, seed: int, first: int
    ) -> Run:
        """The chains that start at these z."""
        z = noise_model(model).entering(z)
        beta = checks.number("beta", self.beta, 0.0, 1.0, open_low=True)
        schedule = Schedule.along(flat(beta), self.steps, self.lag)
        if checks.count("readout", self.readout, 0):
            schedule = schedule.then(annealing(model.kernel, self.readout, first=beta, churn=0.0))
        streams = streams_of(seed, first, len(z), z.device, Purpose.WALKING)
        x = model.kernel.noise(z, beta).sample(streams)
        labelled = model.labelled(label, len(z))
        score = with_correction(labelled, beta, self.lag, self.score, self.corrected)
        return Run(labelled, chain.start(labelled, x, beta, streams), schedule.check(model), score)

    def of_rows(
        self, model: NoiseModel, z: Tensor, labels: Tensor | None, seed: int, first: int
    ) -> Callable[[range], Run]:
        """The same for some rows of z, by their numbers."""

        def begin(rows: range) -> Run:
            own = z[rows.start : rows.stop]
            return self.begin(model, own, rows_of_label(labels, rows), seed, first + rows.start)

        return begin


def with_correction(
    model: NoiseModel, beta: float, lag: float, score: Score | None, corrected: bool | None = None
) -> Score | None:
    """The score, plus the correction of the model's chain at this level.

    Args:
        model: The model.
        beta: The noise level of the chain.
        lag: Its lag.
        score: What else its steps are accepted by.
        corrected: Whether there is to be a correction: None where the model has one, False never; True insists.
    """
    correction = model.correction(beta, lag) if corrected is not False else None
    if correction is None:
        if corrected:
            raise InputError(
                f"this model has no correction of its chain at beta {beta:g} and lag {lag:g} (with labels and "
                "guidance it has none anywhere); train one with nk train DATA --from MODEL --recipe correction, or "
                "leave out corrected"
            )
        return score
    if score is None:
        return lambda x, view: correction(x, view, beta)
    return lambda x, view: score(x, view) + correction(x, view, beta)


@task
def equilibrate(
    model: NoiseModel,
    z: Examples,
    n: int = 1,
    *,
    beta: float = 0.2,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 0,
    corrected: bool | None = None,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Run]:
    """Variants of each z by the chain at constant noise, as in the paper and with its numbers.

    z is noised to `beta`, makes `steps` steps there, and is read out. The error of the denoiser adds up along the
    chain, so that long ones leave the data, slowly if the model has a correction; `vary` makes variants that do not.
    For variants of these variants take another seed (or `first`), lest they meet their own noise again.

    Args:
        model: The model whose chain it is.
        z: Clean data of shape (batch, *shape), or examples that the model reads: files, strings, rows, objects.
        n: How many variants of each z.
        beta: The noise level, in (0, 1].
        steps: Steps at that level.
        lag: How much of the state a step carries over, in [0, 1): the paper's w, which is 0.5 for continuous data and
            0.95 for categories; or that of the model's correction, if it has one for this level. The bias of the chain
            vanishes as it goes to 1.
        readout: Annealing steps at the end. With 0 the result is the mean of r at the last state, as in the paper,
            which blurs; 10 read it out sharp.
        corrected: Whether steps are accepted by the model's correction (`objectives.PersistentContrast`): None where
            it has one for this level, False for the chain as it is, True to insist on one.
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
    >>> equilibrate(model, torch.ones(3, 2), n=4).shape
    torch.Size([3, 4, 2])
    """
    many, labels = times(model, n, *taken(model, z, label))
    carried = chain_lag(model, beta, corrected if labels is None else False) if lag is None else lag

    how = AtConstantNoise(beta, steps, carried, readout, corrected=corrected)
    return Work(len(many), how.of_rows(model, many, labels, seed, first), n, batch_size, advance)


equilibration = as_run(equilibrate, "equilibration", Run)


def chain_lag(model: NoiseModel, beta: float, corrected: bool | None = None) -> float:
    """The lag of the chain at a level unless another is given: that of its correction, or else the paper's.

    Args:
        model: The model.
        beta: The noise level.
        corrected: As for `equilibrate`.
    """
    correction = None if corrected is False else noise_model(model).correction(beta)
    return paper_lag(model) if correction is None else correction.lag


def paper_lag(model: NoiseModel) -> float:
    """The paper's w for data of this kind.

    >>> from noisekernel.kernels import CategoricalKernel
    >>> paper_lag(NoiseModel(CategoricalKernel(lag=0.7), lambda x, beta: None, shape=(1,)))
    0.95
    """
    *_, lag = PAPER[noise_model(model).kernel.flows]
    return lag
