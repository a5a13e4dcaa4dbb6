"""The walk of the noise, watched: pairs that test whether it is reversible, and a long walk.

Pairs (z, z') are of the chain's own stationary distribution: z is a new sample, and z' what its noise develops into
after some of it was renewed, once or several times. (Steps that are renewed are reversible. Gliding ones are only if
the motion is turned round too, which nobody sees; but they keep the same distribution.)

The long walk glides, as `nk walk` does, from examples. A step needs no network call, a look 20. So all chains are
looked at only at a few marks, and those that are traced at `MOST_LOOKS` steps, evenly spread.
"""

from collections.abc import Callable, Sequence
from itertools import islice

import torch
from jaxtyping import Shaped
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.measuring.chains.functions import Directions
from noisekernel.measuring.chains.pairs import Pairs, Seen, join, seen
from noisekernel.measuring.chains.reversible import FEWEST, Reversibility, halves, statistics, tell_apart
from noisekernel.measuring.chains.walk import COMPONENTS, SHOWN, Walked, followed_of, marks_of, named, watch
from noisekernel.measuring.samples.features import Features
from noisekernel.sampling.model import NoiseModel
from noisekernel.sampling.renewal import fresh, renewed, rows_of, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.tasks.distances import flat
from noisekernel.tasks.run import streams_of

#: Annealing steps of a look, as in `vary` and `walk`.
LOOK = 20
#: So many looks at the chains that are traced, at most.
MOST_LOOKS = 500
#: The levels below which noise is renewed where reversibility is tested; the walk moves that below the second.
BELOW = (0.1, 0.5, 0.9)


def renewal_reversibility(
    model: NoiseModel,
    directions: Directions,
    n: int,
    *,
    below: Sequence[float] = BELOW,
    steps: Sequence[int] = (1, 10),
    seed: int = 0,
    batch_size: int = 256,
    advance: Advance = nothing,
) -> list[Reversibility]:
    """Of `n` pairs of new samples whose noise is renewed; one result for each level and each of `steps`.

    `directions` are of data that are no part of the pairs. `advance` is called after every look at a batch:
    1 + levels x steps looks each.

    >>> import noisekernel as nk
    >>> from functools import partial
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=0.0, variance=1.0), (2,))
    >>> directions = Directions.of(torch.randn(200, 2, generator=torch.Generator().manual_seed(0)))
    >>> (found,) = renewal_reversibility(model, directions, 200, below=[0.5], steps=[1])
    >>> found.test.p_value > 0.01
    True
    """
    if checks.count("n", n) < FEWEST:
        raise InputError(f"{n} pairs are too few; the test of reversibility needs at least {FEWEST}")
    counts = sorted({checks.count("each of steps", count) for count in steps})
    levels = sorted({checks.number("each of below", level, 0.0, 1.0, open_low=True) for level in below})
    parts = _pairs(model, directions, n, levels, counts, seed, batch_size, advance)
    taught, rest = halves(n, seed)
    return [
        Reversibility(level, None, count, n, tell_apart(pairs, taught, rest, seed), tuple(statistics(pairs, rest)))
        for (level, count), pairs in parts.items()
    ]


def _pairs(
    model: NoiseModel,
    directions: Directions,
    n: int,
    levels: Sequence[float],
    counts: Sequence[int],
    seed: int,
    batch_size: int,
    advance: Advance,
) -> dict[tuple[float, int], Pairs]:
    """For each level and number of steps, a pair of each of `n` new samples."""
    schedule = annealing(model.kernel, LOOK)
    parts: dict[tuple[float, int], list[tuple[Seen, Seen, Tensor | None]]] = {
        (level, count): [] for level in levels for count in counts
    }
    for rows in tasks.batches(n, batch_size):
        size = len(rows)
        new = streams_of(seed, rows.start, size, model.device, Purpose.NEW)
        noise = fresh(model, size, schedule, new)
        at_x = _see(tasks.development(model, noise, schedule).result(), directions)
        advance()
        for level in levels:
            by = shares(model.kernel, schedule, len(noise.noise), level)
            streams, moved = streams_of(seed, rows.start, size, model.device, Purpose.RENEWING), noise
            for count in range(1, counts[-1] + 1):
                moved = renewed(moved, by, streams)
                if count in counts:
                    at_y = _see(tasks.development(model, moved, schedule).result(), directions)
                    parts[level, count].append((at_x, at_y, None))
                    advance()
    return {which: join(some) for which, some in parts.items()}


def _see(z: Tensor, directions: Directions) -> Seen:
    elements, along = flat(z), directions(z)
    columns = {f"pc{i + 1}": along[:, i] for i in range(len(directions))}
    columns |= {"mean": elements.mean(dim=1), "energy": elements.square().mean(dim=1)}
    return seen([elements], columns)


def walk_noise(
    model: NoiseModel,
    z: Shaped[Tensor, "chains *event"],
    features: Features,
    directions: Directions,
    *,
    pace: float = 0.08,
    below: float = 0.5,
    steps: int = 10_000,
    traced: Sequence[int] | None = None,
    seed: int = 0,
    batch_size: int = 256,
    advance: Callable[[], None] = nothing,
) -> Walked:
    """Walk from each z in the noise, and watch. `traced` are the chains to trace (all); `advance` is called after
    every step."""
    steps = checks.count("steps", steps)
    followed = followed_of(traced, len(z))
    marks, every = marks_of(steps), -(-steps // MOST_LOOKS)
    read: dict[int, list[Tensor]] = {mark: [] for mark in marks}
    shown: dict[int, Tensor] = {}
    traces: dict[int, Tensor] = {}
    origin = flat(z[followed[0]][None])
    for rows in tasks.batches(len(z), batch_size):
        going = tasks.walk(
            model, z[rows.start : rows.stop], pace=pace, below=below, steps=LOOK, seed=seed, first=rows.start
        )
        own = [row for row in followed if row in rows]
        inside = torch.tensor([row - rows.start for row in own], dtype=torch.int64)
        trace = torch.empty(len(own), steps // every, COMPONENTS + 2)

        def look(mark: int, going: tasks.Walk = going, first: int = rows.start) -> None:
            clean = going.clean.cpu()
            read[mark].append(features(clean))
            if first == 0:
                shown[mark] = clean[:SHOWN]

        look(0)
        for state, _ in islice(going, steps):
            if state.t in read:
                look(state.t)
            if own and state.t % every == 0:
                few = tasks.development(going.model, rows_of(state.noise, inside), going.schedule).result()
                trace[:, state.t // every - 1] = watch(few, directions, origin).cpu()
            advance()
        traces.update(zip(own, trace, strict=True))
    return Walked(
        below,
        None,
        steps,
        {mark: torch.cat(parts) for mark, parts in read.items()},
        shown,
        named([traces[row] for row in followed], directions),
        every,
    )
