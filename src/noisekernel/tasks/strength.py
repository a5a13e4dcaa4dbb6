"""Strength: how far variants go, 0 to 1, with one meaning for every model.

A strength is the expected distance of a variant from its start, in units of the distance of two unrelated examples.
How far a noise level goes differs between models, and between ways to make variants, so a curve of each way says which
level a strength is (`sampling.strength`). A model carries its curves. A curve that it lacks is measured on the model's
own samples when it is first wanted, and kept on the model.

Each way is a `Way`. What people give is a strength, or in its place the noise level itself: `Way.level` is the one rule
for both, in Python, at the command line and in the studio.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Advance, nothing
from noisekernel.core.suggestions import unknown
from noisekernel.sampling.guidance import over_classes
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.strength import StrengthCurve
from noisekernel.tasks.distances import RENEWED, equilibrium_curve, renewal_curve
from noisekernel.tasks.samples import synthesis

Some = TypeVar("Some", bound=NoiseModel)

#: The strength that is taken unless another is asked for.
DEFAULT = 0.3
#: Where the chain at constant noise is measured: half of a strength's way lies at low levels, and above the last level
#: a variant is a new example.
WALKED = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)
#: New samples that tell how far apart two unrelated ones are, and their annealing steps; variants are made of the first
#: of them.
SAMPLES, DRAWN = 48, 20
#: The steps of `steer` at constant noise, and of reading out their end, unless others are asked for.
STEERED, READ_OUT = 100, 10


@dataclass(frozen=True)
class Way:
    """A way to make variants, as far as their strength is concerned."""

    name: str
    #: What its noise level is called.
    called: str
    #: The lowest level.
    least: float
    #: How many steps it takes to measure a batch.
    work: int
    measured_by: Callable[..., StrengthCurve]
    #: A curve that rises evenly, for who cannot wait until the model is measured.
    guess: StrengthCurve

    def level(
        self,
        model: NoiseModel,
        strength: float | None,
        level: float | None,
        *,
        advance: Advance = nothing,
    ) -> float:
        """The noise level of a strength, or the level that was given in its place; without either, that of `DEFAULT`.

        `advance` is called after every step of measuring, if the model has to be measured.
        """
        self.check(strength, level)
        if level is not None:
            return level
        strength = DEFAULT if strength is None else strength
        if strength == 0.0:  # known without a curve
            return self.least
        return self.curve(model, advance=advance).turned(strength, self.least)

    def check(self, strength: float | None, level: float | None) -> None:
        """Refuse what `level` would, before any work is done."""
        if strength is not None and level is not None:
            raise InputError(
                f"both strength and {self.called} were given; each says how far variants go, so leave one out"
            )
        if strength is not None:
            checks.number("strength", strength, 0.0, 1.0)
        if level is not None:
            checks.number(self.called, level, 0.0, 1.0, open_low=self.least > 0.0)

    def curve(self, model: NoiseModel, *, advance: Advance = nothing) -> StrengthCurve:
        """The curve of this model, which is measured if it was not before."""
        curve = noise_model(model).curves.get(self.name)
        if curve is None:
            curve = model.curves[self.name] = self.measure(model, advance=advance)
        return curve

    def measure(self, model: NoiseModel, *, n: int = 12, advance: Advance = nothing) -> StrengthCurve:
        """Measured on variants of `n` of the model's own samples. `advance` is called after every step."""
        model = over_classes(model)
        drawn = synthesis(model, SAMPLES, steps=DRAWN, seed=1).result(advance)
        if bool((drawn == drawn[:1]).all()):
            raise InputError(
                "all samples of this model are the same, so that no strength can be measured (is it untrained?); give "
                f"a noise level in its place: {self.called}"
            )
        return self.measured_by(model, drawn.cpu(), n=n, advance=advance)


#: `vary`, and the walk: noise below a level is renewed.
RENEWAL = Way(
    "renewal",
    "below",
    0.0,
    DRAWN + 20 * len(RENEWED),
    renewal_curve,
    StrengthCurve((0.01, 0.1, 0.3, 0.6, 0.9, 1.0), (0.15, 0.3, 0.45, 0.65, 0.9, 1.0), (0.0,) * 6, steps=20),
)
#: `steer`: 100 steps at constant noise with the kernel's lag, read out sharp.
EQUILIBRIUM = Way(
    "equilibrium",
    "beta",
    WALKED[0],
    DRAWN + (STEERED + READ_OUT) * len(WALKED),
    partial(equilibrium_curve, betas=WALKED),
    StrengthCurve((0.02, 0.1, 0.3, 0.8), (0.15, 0.35, 0.65, 1.0), (0.0,) * 4, steps=100, lag=0.9, readout=10),
)


def constant_noise(model: NoiseModel, steps: int, lag: float, readout: int) -> Way:
    """The way of `steer` by other steps: it goes another way at the same level, so it has a curve of its own."""
    own = model.kernel.lag
    if (steps, readout) == (STEERED, READ_OUT) and not isinstance(own, Tensor) and lag == own:
        return EQUILIBRIUM
    return replace(
        EQUILIBRIUM,
        name=f"{EQUILIBRIUM.name}-{steps}-{lag:g}-{readout}",
        work=DRAWN + (steps + readout) * len(WALKED),
        measured_by=partial(equilibrium_curve, betas=WALKED, steps=steps, lag=lag, readout=readout),
    )


WAYS = {way.name: way for way in (RENEWAL, EQUILIBRIUM)}


def calibrated(model: Some, ways: Sequence[str] = ("renewal",), *, advance: Advance = nothing) -> Some:
    """The model with its strength curves measured anew, so that none has to be when it is used.

    Args:
        model: The model to measure. It is left as it is.
        ways: The names of the ways to measure: "renewal" for `vary`, "equilibrium" for `steer`.
        advance: Called after every step: `sum(WAYS[name].work for name in ways)` times.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> list(calibrated(model).curves)
    ['renewal']
    """
    chosen = [_way(name) for name in ways]
    measured = {way.name: way.measure(noise_model(model), advance=advance) for way in chosen}
    return replace(model, curves={**model.curves, **measured})


def _way(name: str) -> Way:
    if name not in WAYS:
        raise InputError(unknown("way to make variants", name, WAYS))
    return WAYS[name]
