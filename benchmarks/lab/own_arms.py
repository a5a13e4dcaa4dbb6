"""Our arms: recipes of the package with changes. Rivals are in `lab.rivals`.

Every arm is trained by the same `Trainer` with the same network, optimiser, average, batches and number of images.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from accelerate import PartialState
from rich.console import Console
from torch import Tensor

import noisekernel as nk
from lab.material import Material
from noisekernel import models, recipes
from noisekernel.kinds.pictures.codecs import ContinuousCodec
from noisekernel.measuring.denoising import estimate_of
from noisekernel.sampling import samplers
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.training.beginning import trainer_for
from noisekernel.training.preparation import Prepared, prepare
from noisekernel.training.trainer import Trainer

LEVELS = "objective.levels"
BATCH = 250
#: Our sampler for continuous data.
DEFAULT_SAMPLER = "stochastic"
#: Amounts of noise to redraw while sampling.
CHURNS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)

#: The paper's choices, with the network and the budget of all other arms.
PAPER = {
    "objective.kind": "contrastive",
    "objective.control": 0.0,
    LEVELS: {"kind": "uniform"},
    "head.kind": "plain",
    "kernel.lag": 0.5,
    "training.fall": "constant",
}
#: The default recipe as it was when the results on record were measured: before the head knew the covariance.
DEFAULT = {
    "objective.kind": "kl",
    "head.kind": "preconditioned",
    f"{LEVELS}.kind": "log-normal",
    f"{LEVELS}.mean": -0.4,
    f"{LEVELS}.std": 1.4,
    f"{LEVELS}.lift": 1.0,
}
#: The default recipe of today. It differs from that in the head alone.
TODAY = {**DEFAULT, "head.kind": "covariance"}
#: The materials on which "ours" was measured with `DEFAULT`. Everywhere else it is `TODAY`.
EARLIER = ("digits", "fashion14", "fashion28", "mnist28")


def recipe_of(material: str) -> dict[str, Any]:
    """The changes that the arm "ours" has on a material."""
    return DEFAULT if material in EARLIER else TODAY


def log_normal(mean: float, std: float, lift: float = 0.0) -> dict[str, Any]:
    """Settings that train at log sigma ~ N(mean, std^2)."""
    return {f"{LEVELS}.mean": mean, f"{LEVELS}.std": std, f"{LEVELS}.lift": lift}


def _churned(churn: float, kernel: nk.NoiseKernel, calls: int) -> Schedule:
    return annealing(kernel, calls, churn=churn)


#: The samplers of the package, and samplers named after their churn.
SCHEDULES: dict[str, Callable[[nk.NoiseKernel, int], Schedule]] = {
    **{name: partial(samplers.sampler, name) for name in samplers.SAMPLERS},
    **{f"churn {churn:g}": partial(_churned, churn) for churn in CHURNS},
}


class Arm(Protocol):
    """A method to train and to draw samples with."""

    name: str
    #: Arms that differ only in their sampler share the weights of this one.
    weights: str | None
    #: What is said beside each of its results.
    beside: dict[str, Any]

    def train(self, material: Material, seed: int, work: Path) -> None: ...

    def draw(self, n: int, calls: int, seed: int) -> Tensor: ...

    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        """The arm's estimate of z, given z + sigma n (`noisekernel.measuring.denoising`)."""
        ...


def weights_path(work: Path, material: Material, name: str, seed: int) -> Path:
    return work / f"{material.name}-{material.images}-{name}-{seed}.safetensors".replace(" ", "_")


@dataclass
class Ours:
    """A recipe of the package with changes, and the sampler that it is scored with."""

    name: str
    changes: dict[str, Any] = field(default_factory=dict)
    sampler: str = DEFAULT_SAMPLER
    recipe: str = "small"
    weights: str | None = None
    #: The number of training images, as a multiple of that of the other arms.
    budget: float = 1.0
    beside: dict[str, Any] = field(default_factory=dict)

    def train(self, material: Material, seed: int, work: Path) -> None:
        path = weights_path(work, material, self.weights or self.name, seed)
        if not path.exists():
            budget = replace(material, images=round(self.budget * material.images))
            settings = {**budget.settings(), **self.changes}
            data = material.write(work)
            model = nk.fit(data, recipe=self.recipe, settings=settings, seed=seed, calibrate=False, progress=False)
            models.save(model, path)
        self.model = nk.load(path)

    def trainer(self, material: Material, seed: int, work: Path) -> tuple[Prepared, Trainer]:
        """A trainer that has not begun, and what it was made of."""
        PartialState(cpu=True)
        recipe = recipes.recipe(self.recipe, {**material.settings(), **self.changes})
        ready = prepare(material.write(work), recipe, seed, Console(quiet=True))
        return ready, trainer_for(ready, recipe, seed, cpu=True)

    def draw(self, n: int, calls: int, seed: int) -> Tensor:
        schedule = SCHEDULES[self.sampler](self.model.kernel, calls)
        return self.as_continuous(nk.synthesize(self.model, n, schedule=schedule, seed=seed, batch_size=BATCH))

    def estimate(self, noisy: Tensor, sigma: float) -> Tensor:
        return estimate_of(self.model.denoiser)(noisy, sigma)

    def as_continuous(self, z: Tensor) -> Tensor:
        """Samples as the scorer expects them, as bytes in [-1, 1], whatever the model's own data are."""
        return ContinuousCodec().encode(self.model.kind.decode(z))


def ours(material: str) -> Ours:
    """Our recipe and sampler, as they are compared with rivals on a material."""
    return Ours("ours", recipe_of(material))


@dataclass
class Bundled(Ours):
    """A model that comes with the package. It is larger than those trained here, and was trained for longer."""

    bundled: str = "fashion"

    def train(self, material: Material, seed: int, work: Path) -> None:
        self.model = nk.load(self.bundled)
