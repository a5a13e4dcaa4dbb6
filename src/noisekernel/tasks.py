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

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel import chain, checks
from noisekernel.chain import ChainState, Score, StepInfo
from noisekernel.denoisers import Clamped
from noisekernel.distributions import Distribution, Elementwise
from noisekernel.errors import InputError, ShapeError
from noisekernel.random import Purpose, Recorded, Streams
from noisekernel.renewal import check_record, from_noise, renewed, retrace, rows_of, shares
from noisekernel.schedules import Schedule, flat
from noisekernel.transitions import NoiseModel, noise_model


@dataclass
class Run:
    """A task under way. Iterating advances `state`; iterating again goes on from there."""

    model: NoiseModel
    state: ChainState
    schedule: Schedule
    score: Score | None = None
    #: What the result must agree with, bit by bit: observed values, and the mask (1 = to be filled in).
    observed: tuple[Tensor, Tensor] | None = None

    def __iter__(self) -> Iterator[tuple[ChainState, StepInfo]]:
        for state, info in chain.run(self.model, self.state, self.schedule, self.score):
            self.state = state
            yield state, info

    def __len__(self) -> int:
        return self.schedule.steps - self.state.t

    def result(self) -> Tensor:
        """Walk to the end and return clean data: the best guess of r at the last state."""
        for _ in self:
            pass
        return self.clean

    @property
    def noise(self) -> Recorded:
        """The noise that this is the development of."""
        if not isinstance(self.state.streams, Recorded):
            raise InputError("this run draws its noise as it goes; only that of a development or renewal is on record")
        return self.state.streams.from_the_first()

    @property
    def clean(self) -> Tensor:
        """The clean data of the present state."""
        clean = best(self.state.view)
        if self.observed is None:
            return clean
        values, mask = self.observed
        return torch.where(mask, clean, values)


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
    schedule = _either(schedule, steps=steps) or noise_model(model).kernel.annealing(50 if steps is None else steps)
    streams = _streams(seed, first, checks.count("n", n), model.device, Purpose.NEW)
    return _from_pure_noise(model.labelled(label, n), streams, schedule)


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
    of new samples (`noisekernel.renewal`). It counts what was drawn, so the seed may stay; without it, take another.
    """
    total = len(checks.tensor("z", z))
    labels = None if label is None else checks.labels(label, total)
    schedule = noise_model(model).kernel.annealing(checks.count("steps", steps))
    rows = range(total * checks.count("n", n)) if rows is None else rows
    examples = slice(rows.start // n, (rows.stop - 1) // n + 1)
    of = torch.arange(rows.start, rows.stop) // n
    z = model.entering(z)[examples]
    checks.count("first", first, 0)
    if noise is None:
        numbers = range(first + examples.start * n, first + examples.stop * n, n)
        streams = Streams.of(seed, numbers, z.device, Purpose.FINDING)
        noise = retrace(model.labelled(_rows(labels, examples), len(z)), z, schedule, streams)
    else:
        if len(noise.samples) != total:
            raise ShapeError(f"noise is on record for {len(noise.samples)} samples; there are {total}")
        noise = rows_of(noise, torch.arange(examples.start, examples.stop))
    streams = replace(_streams(seed, first + rows.start, len(rows), z.device, Purpose.RENEWING), draws=noise.spent)
    by = shares(schedule, len(noise.noise), below, share)
    variants = renewed(rows_of(noise, of - examples.start), by, streams)
    return development(model, variants, schedule, label=None if labels is None else labels[of])


def development(model: NoiseModel, noise: Recorded, schedule: Schedule, *, label: Tensor | None = None) -> Run:
    """What `schedule` makes of this noise, instead of drawing its own. See `noisekernel.renewal`."""
    check_record(model, noise, schedule)
    return _from_pure_noise(model.labelled(label, len(noise.samples)), noise.from_the_first(), schedule)


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
        schedule = schedule.then(model.kernel.annealing(readout, first=beta, churn=0.0))
    streams = _streams(seed, first, len(z), z.device, Purpose.WALKING)
    x = model.kernel.noise(z, beta).sample(streams)
    labelled = model.labelled(label, len(z))
    return Run(labelled, chain.start(labelled, x, beta, streams), schedule.check(model), score)


def steering(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    f: Callable[[Tensor], Tensor],
    *,
    on: str = "clean",
    **options: Any,
) -> Run:
    """Walk from z towards high f: the stationary distribution becomes p(x) exp(f), as exactly as the chain is balanced.

    f maps a batch to one number a sample: a batch of best guesses of the clean data (`on="clean"`, a function of x
    like any other) or of the states themselves (`on="state"`). Twice f is twice as insistent; a larger lag makes
    smaller proposals, of which more are accepted (`info.accepted`). The other options are those of `variation`.
    """
    return variation(model, z, score=_score(f, on), **options)


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
    given = _either(schedule, steps=steps, churn=churn)
    schedule = given or model.kernel.annealing(100 if steps is None else steps, churn=8.0 if churn is None else churn)
    if equilibrium:
        if given is None and churn != 0.0:  # steps that draw anew and cannot look ahead are of all of r
            schedule = replace(schedule, point=torch.zeros_like(schedule.point))
        schedule = schedule.with_correctors(equilibrium, lag_of(model, lag))
    elif lag is not None:
        raise InputError("lag is that of the equilibrium steps, of which there are none; say how many: equilibrium=…")
    labelled = model.labelled(label, len(z))
    clamped = replace(labelled, denoiser=Clamped(labelled.denoiser, observed, fill))
    run = _from_pure_noise(clamped, _streams(seed, first, len(z), observed.device, Purpose.FILLING), schedule)
    run.observed = (z.to(observed.device), fill)
    return run


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
    >>> from noisekernel.kernels.gaussian import GaussianKernel, exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> synthesize(model, 3, seed=1).shape
    torch.Size([3, 2])
    """
    label = None if label is None else checks.labels(label, checks.count("n", n))

    def part(rows: slice) -> Run:
        size = rows.stop - rows.start
        return synthesis(model, size, label=_rows(label, rows), first=first + rows.start, **options)

    return _in_batches(checks.count("n", n), batch_size, part)


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
    >>> from noisekernel.kernels.gaussian import GaussianKernel, exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> renew(model, torch.ones(3, 2), n=4, below=0.3).shape
    torch.Size([3, 4, 2])
    """
    total = len(checks.tensor("z", z)) * checks.count("n", n)

    def part(rows: slice) -> Run:
        return renewal(model, z, n, label=label, rows=range(rows.start, rows.stop), **options)

    return _in_batches(total, batch_size, part).unflatten(0, (-1, n))


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
    many, labels = _times(n, checks.tensor("z", z), label)

    def part(rows: slice) -> Run:
        return variation(model, many[rows], label=_rows(labels, rows), first=first + rows.start, **options)

    return _in_batches(len(many), batch_size, part).unflatten(0, (-1, n))


def steer(
    model: NoiseModel, z: Tensor, f: Callable[[Tensor], Tensor], n: int = 1, *, on: str = "clean", **options: Any
) -> Tensor:
    """`n` walks from each z towards high f, of shape (batch, n, *shape). Options: see `steering` and `vary`."""
    return vary(model, z, n, score=_score(f, on), **options)


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
    many, labels = _times(n, z, label)
    fills = fill.repeat_interleave(n, dim=0)

    def part(rows: slice) -> Run:
        return inpainting(
            model, many[rows], fills[rows], label=_rows(labels, rows), first=first + rows.start, **options
        )

    return _in_batches(len(many), batch_size, part).unflatten(0, (-1, n))


def read_out(model: NoiseModel, state: ChainState, steps: int) -> Tensor:
    """The clean data of a state on the way, sharp: by `steps` annealing steps down from its noise level."""
    schedule = model.kernel.annealing(checks.count("steps", steps), first=state.beta, churn=0.0)
    return Run(model, replace(state, t=0, streams=state.streams.fork()), schedule.check(model)).result()


def best(view: Distribution) -> Tensor:
    """The best guess of the clean data, from a noise model's view of a state."""
    if not isinstance(view, Elementwise):
        raise InputError(f"a {type(view).__name__} has no best guess of clean data; this task needs a NoiseModel")
    return view.best


def _score(f: Callable[[Tensor], Tensor], on: str) -> Score:
    if not callable(f):
        raise InputError(f"f is a {type(f).__name__}; give a function that maps a batch to one number a sample")
    scores: dict[str, Score] = {"clean": lambda x, view: f(best(view)), "state": lambda x, view: f(x)}
    if on not in scores:
        raise InputError(f"on is {on!r}; f looks at the 'clean' best guess or at the noisy 'state'")
    return scores[on]


def _from_pure_noise(model: NoiseModel, streams: Streams, schedule: Schedule) -> Run:
    from_noise(schedule).check(model)
    x = model.kernel.prior((len(streams.samples), *model.shape), device=streams.samples.device).sample(streams)
    return Run(model, chain.start(model, x, 1.0, streams), schedule)


def _either(schedule: Schedule | None, **options: object) -> Schedule | None:
    """`schedule`, if it is one and nothing that it replaces was given too."""
    given = [name for name, value in options.items() if value is not None]
    if schedule is not None and given:
        raise InputError(
            f"both schedule and {' and '.join(given)} were given; the schedule says it all, so leave out the rest"
        )
    if schedule is not None and not isinstance(schedule, Schedule):
        raise InputError(
            f"schedule is {schedule!r}; give a Schedule, such as Schedule.along(linear(1, 0.01), 100, lag=0.5)"
        )
    return schedule


def _streams(seed: int, first: int, n: int, device: torch.device, purpose: Purpose) -> Streams:
    checks.count("first", first, 0)
    return Streams.of(seed, range(first, first + n), device, purpose)


def lag_of(model: NoiseModel, lag: float | None) -> float:
    """The lag given, or the kernel's own."""
    if lag is not None:
        return lag
    if isinstance(model.kernel.lag, Tensor):
        raise InputError("the kernel has a lag for each sample; say with lag=… which one the chain is to use")
    return model.kernel.lag


def _times(n: int, z: Tensor, label: Tensor | None) -> tuple[Tensor, Tensor | None]:
    checks.count("n", n)
    labels = None if label is None else checks.labels(label, len(z)).repeat_interleave(n, dim=0)
    return z.repeat_interleave(n, dim=0), labels


def _rows(label: Tensor | None, rows: slice) -> Tensor | None:
    return None if label is None else label[rows]


def _in_batches(total: int, batch_size: int | None, part: Callable[[slice], Run]) -> Tensor:
    size = total if batch_size is None else checks.count("batch_size", batch_size)
    return torch.cat([part(slice(at, min(at + size, total))).result() for at in range(0, total, size)])
