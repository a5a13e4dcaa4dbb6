"""How far do variants go? Measured at noise levels, for each way to make variants.

At each level: the root mean square distance of variants from their starts, over that of two unrelated examples.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Shaped
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Recorded
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.renewal import renewed, retrace, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.strength import StrengthCurve
from noisekernel.tasks.equilibrium import AtConstantNoise
from noisekernel.tasks.run import Run, development, lag_of, streams_of

#: Where the chain at constant noise is measured.
BETAS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
#: Where renewing is measured: up to a new sample; the curve is steep at either end.
RENEWED = (0.0005, 0.002, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 1.0)


def renewal_curve(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    *,
    betas: Sequence[float] = RENEWED,
    n: int = 64,
    steps: int = 20,
    seed: int = 0,
    batch_size: int = 256,
    advance: Advance = nothing,
) -> StrengthCurve:
    """How far variants go whose noise below each level was renewed (`tasks.variation`).

    Args:
        model: The model to vary with.
        z: Clean data of shape (batch, *shape). All of them tell how far apart two unrelated examples are.
        betas: The levels.
        n: A variant is made of each of so many examples, the first ones.
        steps: Annealing steps.
        seed: The same at every level: what differs between levels is then the level and not the luck.
        batch_size: How many variants are made at a time.
        advance: Called after every step of every batch.
    """
    schedule = annealing(noise_model(model).kernel, checks.count("steps", steps))
    noises: dict[int, Recorded] = {}

    def vary(rows: Tensor, first: int, beta: float) -> Run:
        rows = model.entering(rows)
        if first not in noises:  # the noise of an example is found once for all levels
            finding = streams_of(seed, n + first, len(rows), model.device, Purpose.FINDING)
            noises[first] = retrace(model, rows, schedule, finding)
        noise = noises[first]
        streams = streams_of(seed, first, len(rows), model.device, Purpose.RENEWING)
        by = shares(model.kernel, schedule, len(noise.noise), beta)
        return development(model, renewed(noise, by, streams), schedule)

    return StrengthCurve(*_measured(vary, z, betas, n, batch_size, advance), steps=steps)


def equilibrium_curve(
    model: NoiseModel,
    z: Shaped[Tensor, "batch *event"],
    *,
    betas: Sequence[float] = BETAS,
    n: int = 64,
    steps: int = 100,
    lag: float | None = None,
    readout: int = 10,
    seed: int = 0,
    batch_size: int = 256,
    advance: Advance = nothing,
) -> StrengthCurve:
    """How far variants go by the chain at constant noise. The arguments are those of `renewal_curve`, but for these.

    Args:
        steps: Steps at the level.
        lag: Of these steps (the kernel's own).
        readout: Annealing steps at the end.
    """
    carried = lag_of(model, lag)

    def vary(rows: Tensor, first: int, beta: float) -> Run:
        return AtConstantNoise(beta, steps, carried, readout).begin(model, rows, None, seed, first)

    measured = _measured(vary, z, betas, n, batch_size, advance)
    return StrengthCurve(*measured, steps=steps, lag=carried, readout=readout)


Curve = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]


def _measured(
    vary: Callable[[Tensor, int, float], Run],
    z: Tensor,
    betas: Sequence[float],
    n: int,
    batch_size: int,
    advance: Advance,
) -> Curve:
    """Levels, distances and their standard errors; `vary` takes a batch of starts, the number of the first, a level."""
    levels = sorted({checks.number("each of betas", beta, 0.0, 1.0, open_low=True) for beta in betas})
    starts = z[: checks.count("n", n, 2)]
    if len(starts) < 2 or not levels:
        raise InputError("how far apart two examples are takes at least two of them, and one noise level")
    # E|z - z'|^2 for independent z, z' is twice the variance.
    unrelated = 2.0 * float(flat(z).double().var(dim=0).sum())
    if unrelated == 0.0:
        raise InputError("all examples are the same; how far a variant goes is told by how far apart examples are")
    distances, errors = [], []
    for beta in levels:
        squared: list[float] = []
        for first in range(0, len(starts), checks.count("batch_size", batch_size)):
            rows = starts[first : first + batch_size]
            clean = vary(rows, first, beta).result(advance)
            squared += (flat(clean).cpu() - flat(rows).cpu()).double().square().sum(dim=1).tolist()
        share = np.array(squared) / unrelated
        distances.append(math.sqrt(float(share.mean())))
        spread = float(share.std(ddof=1)) / math.sqrt(len(share))
        errors.append(spread / (2.0 * distances[-1]) if distances[-1] else 0.0)
    return tuple(levels), tuple(distances), tuple(errors)


def flat(z: Tensor) -> Tensor:
    """(batch, elements), as floating-point numbers; classes are their numbers."""
    return z.detach().reshape(len(z), -1).float()
