"""The strength dial: equal turns go equally far, with every model.

How far a variant goes rises with the noise level, steeply at first, and for every model otherwise. So a strength is a
share of the way from the picture itself (0) to one that has nothing to do with it (1), and the model's own curve
(`measuring.chains.strength`) tells which level goes that far. There is a curve for each way to make variants:
by drawing noise anew below a level, and by a walk at constant noise.

The curve of a model is measured on its own samples when it is first wanted, and kept (`measurements`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from noisekernel import tasks
from noisekernel.measuring.chains.strength import RENEWED, StrengthCurve, renewal_curve, strength_curve
from noisekernel.models import measurements
from noisekernel.models.model import Model

#: The strength that is taken unless another is asked for.
DEFAULT = 0.3
#: Where a walk is measured: half of the dial's way lies at low levels, and above the last a variant is a new picture.
WALKED = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)
#: New samples that tell how far apart two unrelated ones are; variants are made of the first of them.
SAMPLES, DRAWN = 48, 20


@dataclass(frozen=True)
class Dial:
    """The dial of one way to make variants."""

    name: str
    #: How many steps it is to measure a batch, and that of drawing it.
    work: int
    measured_by: Callable[..., StrengthCurve]
    #: Until it is measured: a guess that rises evenly.
    guess: StrengthCurve

    def known(self, weights: str) -> StrengthCurve | None:
        """The curve of the model with these weights (`models.digest_of`), if it was measured before."""
        try:
            return StrengthCurve.of(measurements.find(weights, self.name))
        except (KeyError, TypeError, ValueError):
            return None

    def measure(self, model: Model, *, n: int = 12, advance: Callable[[], None] = lambda: None) -> StrengthCurve:
        """On `n` of the model's own samples. `advance` is called after every step."""
        run = tasks.synthesis(model, SAMPLES, steps=DRAWN, seed=1)
        for _ in run:
            advance()
        return self.measured_by(model, run.clean.cpu(), n=n, advance=advance)

    def learn(self, model: Model, weights: str, advance: Callable[[], None]) -> StrengthCurve:
        """Measure the curve of a model, and keep it."""
        curve = self.measure(model, advance=advance)
        self.keep(weights, curve)
        return curve

    def keep(self, weights: str, curve: StrengthCurve) -> None:
        """For the next time (`measurements`)."""
        measurements.keep(weights, self.name, curve.figures())


RENEWAL = Dial(
    "renewal",
    DRAWN + 20 * len(RENEWED),
    renewal_curve,
    StrengthCurve((0.01, 0.1, 0.3, 0.6, 0.9, 1.0), (0.15, 0.3, 0.45, 0.65, 0.9, 1.0), (0.0,) * 6, steps=20),
)
WALK = Dial(
    "walk",
    DRAWN + 110 * len(WALKED),
    partial(strength_curve, betas=WALKED),
    StrengthCurve((0.02, 0.1, 0.3, 0.8), (0.15, 0.35, 0.65, 1.0), (0.0,) * 4, steps=100, lag=0.9, readout=10),
)
