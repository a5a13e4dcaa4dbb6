"""Variants of examples in categories by the exact chain: some elements redrawn, and accepted by Metropolis' rule."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling import redraws
from noisekernel.sampling.model import Examples, Labels, NoiseModel
from noisekernel.sampling.redraws import CleanScore, RedrawInfo, RedrawState
from noisekernel.tasks.batching import rows_of_label, taken, times
from noisekernel.tasks.run import Underway, streams_of
from noisekernel.tasks.task import Work, as_run, task


@dataclass
class Redraws(Underway):
    """Redrawing under way. Iterating advances `state`; iterating again goes on from there."""

    model: NoiseModel
    state: RedrawState
    steps: int
    share: float
    #: Which elements may change; None for all.
    hidden: Tensor | None = None
    score: CleanScore | None = None

    def __iter__(self) -> Iterator[tuple[RedrawState, RedrawInfo]]:
        while self.state.t < self.steps:
            self.state, info = redraws.step(self.model, self.state, self.share, hidden=self.hidden, score=self.score)
            yield self.state, info

    def __len__(self) -> int:
        return self.steps - self.state.t

    @property
    def clean(self) -> Tensor:
        """The clean data of the present state."""
        return self.state.z


@task
def redraw(
    model: NoiseModel,
    z: Examples,
    n: int = 1,
    *,
    share: float = 0.3,
    steps: int = 20,
    mask: Tensor | str | Path | None = None,
    score: Callable[[Tensor], Tensor] | None = None,
    label: Labels | None = None,
    seed: int = 0,
    first: int = 0,
    batch_size: int | None = None,
    advance: Advance = nothing,
) -> Work[Redraws]:
    """Variants of each z in categories (rows, strings) by a chain that is exact for the model's own distribution.

    A step hides a share of the elements, draws them anew, one at a time, and takes the result by Metropolis' rule. So
    the chain is stationary for the likelihood of the model, the first element first, and with a score for that times
    exp(score), whatever the error of the network (docs/theory.md). It is for short data: a step of L elements costs
    about share x L network calls, the last with L inputs for each sample.

    Args:
        model: A model of categories.
        z: Clean data of shape (batch, *shape), or examples that the model reads: strings, rows.
        n: How many variants of each z.
        share: Which share of the elements is redrawn by a step, in (0, 1]. Small shares make small steps, of which more
            are accepted.
        steps: How many steps.
        mask: 1 where z may change, 0 where it stays, as for `fill`: a tensor, a pattern, the names of columns. None for
            all.
        score: A function of a batch of clean data, (batch, *shape), to one number per sample: any finite number, or
            minus infinity to forbid a sample.
        label: The class of each z: integers of shape (batch,), or names or numbers of classes, taken by turns.
        seed: The same seed gives the same variants.
        first: The number of the first sample under this seed.
        batch_size: How many samples are made at a time (all of them).
        advance: Called after every step of every batch.

    Returns:
        Clean data of shape (batch, n, *shape).

    >>> from noisekernel.core.categories import Categorical
    >>> from noisekernel.kernels import CategoricalKernel
    >>> import torch
    >>> even = lambda x, beta: Categorical.from_logits(torch.zeros(*x.shape, 3))
    >>> model = NoiseModel(CategoricalKernel(classes=3), even, shape=(4,))
    >>> z = torch.tensor([[0, 1, 2, 2]])
    >>> found = redraw(model, z, 5, mask=torch.tensor([1, 1, 0, 0]))
    >>> found.shape, bool((found[..., 2:] == 2).all())
    (torch.Size([1, 5, 4]), True)
    """
    checks.count("steps", steps, 0)
    if score is not None and not callable(score):
        raise InputError(
            f"score is a {type(score).__name__}; give a function that maps a batch to one number per sample"
        )
    one_each, one_label = taken(model, z, label)
    hidden = None if mask is None else checks.mask(model.as_mask(mask, z), one_each).repeat_interleave(n, dim=0)
    if hidden is not None and not bool(hidden.flatten(1).any(dim=1).all()):
        raise InputError("the mask is 0 everywhere, so nothing may change; it is 1 where z may change")
    many, labels = times(model, n, one_each, one_label)

    def begin(rows: range) -> Redraws:
        own = slice(rows.start, rows.stop)
        labelled = model.labelled(rows_of_label(labels, rows), len(rows))
        start = model.entering(many[own])
        may = None if hidden is None else hidden[own].to(start.device)
        streams = streams_of(seed, first + rows.start, len(rows), start.device, Purpose.REDRAWING)
        return Redraws(labelled, redraws.start(labelled, start, streams, score), steps, share, may, score)

    return Work(len(many), begin, n, batch_size, advance)


redrawing = as_run(redraw, "redrawing", Redraws)
