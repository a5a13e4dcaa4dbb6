"""Is an example like those that a model learned from?

A model varies what it knows. An example unlike all that it learned from is soon replaced by something that it does
know, and whoever brought it should hear of it before, not after. To tell, the example is noised to a few levels, and
the denoiser asked how likely it finds the example, given the noisy one: the less likely, the more surprising. The
model's own samples say what is usual at each level, so no data are needed:

    strangeness = mean over levels of (surprise - its mean over samples) / (its standard deviation over samples)

divided by the standard deviation of that mean over the samples. An example further than `UNLIKE` standard deviations
off is called unlike. By the models in the package that are 1 % of the digits, 3 % of the clothes held out of training,
and of parts of photographs all and over 90 %. Of points, a small model called 2 % of its data unlike and three quarters
of points whose columns were dealt out anew. Short strings tell less: of names, a model trained for three minutes called
1 % unlike that it had not seen, and of random letters a third.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.measuring import kept
from noisekernel.sampling.model import NoiseModel

#: The noise levels at which a model is asked, and how often at each.
LEVELS = (0.05, 0.2, 0.4)
DRAWS = 2
#: How many standard deviations more surprising than the model's own samples an example has to be.
UNLIKE = 3.0
#: What is said of an example that is.
WORDS = (
    "This is unlike all that the model learned from, so variants will soon have little of it; a lower strength keeps "
    "more."
)
#: The model's own samples that tell what is usual, and the steps by which they are drawn.
SAMPLES, DRAWN = 64, 20
#: Examples that the denoiser is asked about at a time.
AT_ONCE = 64
#: The least log-probability of an element, so that one impossible value is not the end of all comparison.
LEAST = -50.0


@dataclass(frozen=True)
class Familiarity:
    """What surprises a model: how much its own samples do. Plain data.

    >>> from noisekernel import load
    >>> model = load("digits", "cpu")
    >>> usual = Familiarity.measure(model, n=8)
    >>> upside_down = -tasks.synthesize(model, 2, steps=20, seed=3)
    >>> bool((usual.strangeness(model, upside_down) > UNLIKE).all())
    True
    """

    #: At each of `LEVELS`, the mean of the surprise over the samples.
    means: tuple[float, ...]
    #: At each of `LEVELS`, the standard deviation of the surprise over the samples.
    spreads: tuple[float, ...]
    #: The standard deviation of the mean over levels, each in its own standard deviations.
    spread: float

    def __post_init__(self) -> None:
        if not len(self.means) == len(self.spreads) == len(LEVELS) or min(*self.spreads, self.spread) <= 0.0:
            raise InputError(f"familiarity has a mean and a positive spread for each of the levels {LEVELS}")

    def strangeness(self, model: NoiseModel, z: Tensor) -> Tensor:
        """How much more surprising each z is than the model's own samples, in their standard deviations: (batch,).

        Args:
            model: The model that was measured.
            z: Clean data, (batch, *shape).
        """
        return self._standing(surprise(model, z)) / self.spread

    def _standing(self, surprises: Tensor) -> Tensor:
        return ((surprises - torch.tensor(self.means)) / torch.tensor(self.spreads)).mean(dim=1)

    @classmethod
    def measure(
        cls, model: NoiseModel, *, n: int = SAMPLES, advance: Callable[[], None] = lambda: None
    ) -> "Familiarity":
        """Measure how much a model's own samples surprise it.

        Args:
            model: The model.
            n: The number of its samples to measure on.
            advance: Is called after each of the `DRAWN` steps.
        """
        drawn = tasks.synthesize(model, checks.count("n", n, 2), steps=DRAWN, seed=1, advance=advance)
        surprises = surprise(model, drawn)
        means, spreads = surprises.mean(dim=0).tolist(), surprises.std(dim=0).clamp(min=1e-6).tolist()
        first = cls(tuple(means), tuple(spreads), spread=1.0)
        spread = float(first._standing(surprises).std().clamp(min=1e-6))
        return cls(first.means, first.spreads, spread)

    @classmethod
    def known(cls, weights: str) -> "Familiarity | None":
        """The familiarity of a model that was measured before; None if it was not.

        Args:
            weights: The digest of its weights: `models.digest_of`.
        """
        try:
            return cls.of(kept.find(weights, "familiarity"))
        except (KeyError, TypeError, ValueError, InputError):
            return None

    @classmethod
    def learn(cls, model: NoiseModel, weights: str, advance: Callable[[], None] = lambda: None) -> "Familiarity":
        """Measure it, and keep it.

        Args:
            model: The model.
            weights: The digest of its weights, under which the result is kept.
            advance: Is called after each of the `DRAWN` steps.
        """
        measured = cls.measure(model, advance=advance)
        kept.keep(weights, "familiarity", measured.figures())
        return measured

    def figures(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def of(cls, figures: dict[str, Any]) -> "Familiarity":
        """The familiarity that `figures` were taken from.

        Args:
            figures: What the method `figures` returned.
        """
        means, spreads = (tuple(map(float, figures[name])) for name in ("means", "spreads"))
        return cls(means, spreads, float(figures["spread"]))


@torch.no_grad()
def surprise(model: NoiseModel, z: Tensor) -> Tensor:
    """How unlikely the denoiser finds each z, given z with noise: nats per element, (batch, levels).

    All examples get the same noise, so that one is told apart from another by what it is and not by luck.
    """
    rows = []
    for some in model.entering(z).split(AT_ONCE):
        levels = []
        for beta in LEVELS:
            streams = Streams.of(0, [0] * len(some), model.device, Purpose.COMPARING)
            found = torch.zeros(len(some))
            for _ in range(DRAWS):
                view = model.look(model.kernel.noise(some, beta).sample(streams), beta)
                found += (-view.log_prob(some).cpu() / some[0].numel()).clamp(max=-LEAST).float()
            levels.append(found / DRAWS)
        rows.append(torch.stack(levels, dim=1))
    return torch.cat(rows)
