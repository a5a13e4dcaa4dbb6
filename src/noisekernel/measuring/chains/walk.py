"""A long walk at constant noise, watched: what stationarity and mixing are measured on.

Chains walk in batches, to the end of the walk each. What is kept does not grow with its length: the features of the
sharp read-out at a few marks, and a trace of scalar functions that is thinned to at most `MOST_POINTS` points.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.measuring.chains.functions import Directions
from noisekernel.measuring.samples.features import Features
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks.distances import flat

#: The points of a trace: a walk of up to so many steps is kept whole.
MOST_POINTS = 20_000
#: The principal components that are traced.
COMPONENTS = 4
#: The examples whose read-outs are kept, to be looked at.
SHOWN = 10


@dataclass(frozen=True)
class Walked:
    """What was seen of a walk."""

    beta: float
    #: Of the chain at constant noise; None for the walk of the noise.
    lag: float | None
    steps: int
    #: The number of steps made, to features of all chains read out there.
    features: Mapping[int, Float[Tensor, "chains features"]]
    #: The same to the first few chains themselves, read out.
    shown: Mapping[int, Shaped[Tensor, "few *event"]]
    #: A function's name to its values at every `every`-th step of the traced chains.
    traces: Mapping[str, Float[Tensor, "traced points"]]
    every: int


def marks_of(steps: int) -> list[int]:
    """0, 1, 10, 100 … and the last step.

    >>> marks_of(2000)
    [0, 1, 10, 100, 1000, 2000]
    """
    tens = [10**k for k in range(len(str(steps))) if 10**k < steps]
    return [0, *tens, steps]


def walk(
    model: NoiseModel,
    z: Shaped[Tensor, "chains *event"],
    features: Features,
    directions: Directions,
    *,
    beta: float = 0.2,
    lag: float | None = None,
    steps: int = 10_000,
    traced: Sequence[int] | None = None,
    readout: int = 10,
    seed: int = 0,
    batch_size: int = 256,
    advance: Callable[[], None] = lambda: None,
) -> Walked:
    """Walk from each z at constant noise, and watch. The lag is the paper's unless given.

    `traced` are the chains to trace (all); `advance` is called after every step.
    """
    steps, batch_size = checks.count("steps", steps), checks.count("batch_size", batch_size)
    followed = followed_of(traced, len(z))
    marks, every = marks_of(steps), -(-steps // MOST_POINTS)
    read: dict[int, list[Tensor]] = {mark: [] for mark in marks}
    shown: dict[int, Tensor] = {}
    traces: dict[int, Tensor] = {}
    origin = flat(z[followed[0]][None])
    for first in range(0, len(z), batch_size):
        rows = z[first : first + batch_size]
        own = [row for row in followed if first <= row < first + len(rows)]
        inside = torch.tensor([row - first for row in own], dtype=torch.int64, device=model.device)
        trace = torch.empty(len(own), steps // every, COMPONENTS + 2)
        run = tasks.equilibration(model, rows, beta=beta, steps=steps, lag=lag, readout=0, seed=seed, first=first)

        def look(mark: int, run: tasks.Run = run, first: int = first) -> None:
            sharp = (tasks.read_out(run.model, run.state, readout) if readout else run.clean).cpu()
            read[mark].append(features(sharp))
            if first == 0:
                shown[mark] = sharp[:SHOWN]

        look(0)
        for state, _ in run:
            if own and state.t % every == 0:
                trace[:, state.t // every - 1] = watch(tasks.best(state.view)[inside], directions, origin).cpu()
            if state.t in read:
                look(state.t)
            advance()
        traces.update(zip(own, trace, strict=True))
    return Walked(
        beta,
        tasks.chain_lag(model, beta) if lag is None else lag,
        steps,
        {mark: torch.cat(parts) for mark, parts in read.items()},
        shown,
        named([traces[row] for row in followed], directions),
        every,
    )


def followed_of(traced: Sequence[int] | None, n: int) -> list[int]:
    """The chains to trace, of n: all of them unless some are named."""
    followed = list(range(n) if traced is None else traced)
    if not followed or not all(0 <= row < n for row in followed):
        raise InputError(f"traced is {followed}; give numbers of chains, from 0 to {n - 1}")
    return followed


def named(traces: Sequence[Tensor], directions: Directions) -> dict[str, Tensor]:
    """The traces of chains, of shape (points, functions) each, by the name of the function."""
    names = [*(f"pc{i + 1}" for i in range(min(COMPONENTS, len(directions)))), "mean", "distance"]
    stacked = torch.stack(list(traces))
    return {name: stacked[:, :, i] for i, name in enumerate(names)}


def watch(guess: Tensor, directions: Directions, origin: Tensor) -> Tensor:
    """The scalar functions of clean data, or of denoised states, in the order of their names.

    The distance is from one and the same example, the start of the first chain: from each chain's own start it would
    be another function for every chain, and R-hat would compare what does not compare.
    """
    elements = flat(guess)
    distance = (elements - origin.to(elements.device)).square().mean(dim=1).sqrt()
    values = [*directions(guess)[:, :COMPONENTS].unbind(dim=1), elements.mean(dim=1), distance]
    filler = [torch.zeros_like(distance)] * (COMPONENTS + 2 - len(values))
    return torch.stack([*values, *filler], dim=1)


def dispersed(labels: Tensor | None, n: int, most: int = 16) -> list[int]:
    """The chains to trace, of n: from different classes by turns where there are classes, else the first ones.

    >>> dispersed(torch.tensor([0, 0, 1, 0, 2]), 5, most=3)
    [0, 2, 4]
    """
    if labels is None:
        return list(range(min(n, most)))
    own = labels[:n].tolist()
    turn = [own[:row].count(label) for row, label in enumerate(own)]
    return sorted(range(len(own)), key=lambda row: (turn[row], own[row]))[:most]
