"""The contract of an objective: what the trainer asks of it, and for most a noise level and a state per example."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.levels import Levels, UniformLevels
from noisekernel.core.randomness import Purpose, Randomness, drawing_for
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise
from noisekernel.sampling.model import Transition


@dataclass(frozen=True)
class Info:
    """What a log or a diagnostic wants to know of one training step: one number per sample, none with a gradient."""

    #: The loss of each sample.
    loss: Float[Tensor, " batch"]
    #: The terms that the loss is the sum of.
    parts: dict[str, Float[Tensor, " batch"]]
    #: What else was seen. `log_ratio` is log p(y | x) - log p(x | y), whose mean is 0 for a chain in balance.
    seen: dict[str, Float[Tensor, " batch"]]
    #: The noise level of each sample; None for a kernel without noise levels.
    beta: Float[Tensor, " batch"] | None = None

    def by_level(self, edges: tuple[float, ...] = (0.0, 0.01, 0.03, 0.1, 0.3, 0.6, 1.0)) -> dict[str, float]:
        """The mean loss between consecutive noise levels, for those bins that hold a sample.

        Args:
            edges: The noise levels that divide the bins.
        """
        if self.beta is None:
            return {}
        bins = {}
        for low, high in pairwise(edges):
            inside = (self.beta > low) & (self.beta <= high)
            if bool(inside.any()):
                bins[f"{low:g}-{high:g}"] = float(self.loss[inside].mean())
        return bins


Terms = tuple[dict[str, Tensor], dict[str, Tensor]]


@dataclass(frozen=True)
class Noised:
    """One batch of training examples at their noise levels."""

    #: Clean data, (batch, *event).
    z: Tensor
    #: States: the data with noise, of the same shape.
    x: Tensor
    #: The noise level of each state.
    beta: Float[Tensor, " batch"]

    @property
    def elements(self) -> int:
        return self.z[0].numel()


@dataclass(frozen=True)
class Passes:
    """What a training step asks of the network, per example: `plan` reckons its cost from this."""

    #: Passes forward alone.
    forward: int
    #: Passes forward whose gradient is taken.
    with_gradient: int


@dataclass(frozen=True)
class TrainerObjective(ABC):
    """What the trainer asks of an objective: a loss of a batch, and what it keeps from step to step, if anything.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
    """

    levels: Levels = field(default_factory=UniformLevels)

    @property
    @abstractmethod
    def passes(self) -> Passes:
        """How often a training step calls the denoiser, without and with a gradient."""

    @abstractmethod
    def __call__(self, kernel: NoiseKernel, denoiser: Denoise, z: Tensor, generator: Randomness) -> tuple[Tensor, Info]:
        """The mean loss of a batch of clean data, and what was seen.

        Args:
            kernel: The noise kernel, with a lag below 1.
            denoiser: Maps (x, beta) to r(z | x): a `Denoiser`, or a function.
            z: Clean data, (batch, *event).
            generator: A `torch.Generator`, or the streams of these examples. Number the examples on from step to step
                (`Streams.of(seed, range(step * batch, (step + 1) * batch))`), since the same numbers draw the same
                noise again. Streams draw for training here, and meet no random number that a task draws under the
                same seed.
        """

    def hiding_by(self, hiding: Callable[[int, Randomness], Tensor] | None) -> "TrainerObjective":
        """This objective for data of which people hide certain parts; most take no notice.

        Args:
            hiding: Draws for so many examples which elements are hidden, (n, *shape); None where nothing is known.
        """
        return self

    def begin(self, denoiser: nn.Module, average: nn.Module) -> None:  # noqa: B027 (most need not know)
        """Called by the trainer before the first step.

        Args:
            denoiser: What learns.
            average: The average of it.
        """

    def pack(self, own: Callable[[int], Tensor], gather: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
        """What a checkpoint has to keep of this objective; most keep nothing.

        Args:
            own: Which of so many things that are shared among processes are this one's: truth values, (number,).
            gather: Joins the tensors of all processes along their first dimension.
        """
        return {}

    def unpack(self, tensors: dict[str, Tensor], device: torch.device) -> None:  # noqa: B027 (most keep nothing)
        """Go on from what `pack` returned.

        Args:
            tensors: What a checkpoint kept.
            device: Where training computes.
        """

    def noised(self, kernel: NoiseKernel, z: Tensor, generator: Randomness) -> Noised:
        """A noise level and a state for each example: the first draws of a training step.

        Args:
            kernel: The noise kernel.
            z: Clean data, (batch, *event).
            generator: Draws levels and noise.
        """
        with drawing_for(Purpose.TRAINING, generator):
            beta = self.levels.sample(len(z), generator).to(z.device)
            return Noised(z, kernel.noise(z, beta).sample(generator), beta)


@dataclass(frozen=True)
class Objective(TrainerObjective):
    """An objective for denoisers: draws a noise level and a state for each example, and adds up its terms.

    Args:
        levels: How the noise level of each example is drawn, and how the loss there is weighted.
    """

    @abstractmethod
    def terms(self, kernel: NoiseKernel, denoiser: Denoise, example: Noised, generator: Randomness) -> Terms:
        """The terms of the loss, and what else was seen: one number per sample each, in nats per sample.

        Args:
            kernel: The noise kernel.
            denoiser: Maps (x, beta) to r(z | x).
            example: Clean data, states and noise levels.
            generator: Draws what the objective needs beyond the state.
        """

    def __call__(self, kernel: NoiseKernel, denoiser: Denoise, z: Tensor, generator: Randomness) -> tuple[Tensor, Info]:
        """The mean loss of a batch of clean data, in nats per element, and what was seen.

        Args:
            kernel: The noise kernel, with a lag below 1.
            denoiser: Maps (x, beta) to r(z | x): a `Denoiser`, or a function.
            z: Clean data, (batch, *event).
            generator: A `torch.Generator`, or the streams of these examples; see `TrainerObjective`.
        """
        z = kernel.check_data(z)
        if not isinstance(self.levels, Levels):
            raise InputError(
                f"levels is a {type(self.levels).__name__}; give what draws levels, such as UniformLevels()"
            )
        lag = torch.as_tensor(kernel.lag)
        if checks.readable(lag) and float(lag.max()) > 1.0 - 1e-6:
            raise InputError("the kernel's lag is 1, a chain that never moves; train with a lag below 1")
        example = self.noised(kernel, z, generator)
        with drawing_for(Purpose.TRAINING, generator):
            terms, seen = self.terms(kernel, denoiser, example, generator)
        weight = self.levels.weight(example.beta) / example.elements
        terms = {name: term * weight for name, term in terms.items()}
        loss = torch.stack(list(terms.values())).sum(dim=0)
        parts = {name: term.detach() for name, term in terms.items()}
        return loss.mean(), Info(loss.detach(), parts, seen, example.beta)


def equilibrium(kernel: NoiseKernel, denoiser: Denoise, beta: Tensor) -> Transition:
    """p_r(y | x) at a constant noise level (eq. 11)."""
    return lambda x: kernel.transition(denoiser(x, beta), x, beta, beta)
