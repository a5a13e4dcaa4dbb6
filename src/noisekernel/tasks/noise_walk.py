"""A walk through what the model can draw, in the noise that its samples are made of."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.randomness import Purpose, Recorded, Streams, uniform
from noisekernel.core.stepwise import Stepwise, finished
from noisekernel.sampling import chain
from noisekernel.sampling.model import NoiseModel, noise_model
from noisekernel.sampling.renewal import fresh, glided, renewed, retracing, shares
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule
from noisekernel.tasks.run import Run
from noisekernel.tasks.variants import development


@dataclass
class NoiseWalk:
    """A walk of the noise, without end and without drift: `step` or `glide` move it, `clean` shows where it is.

    To move needs no network call, a look `schedule.steps` of them.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> walk = NoiseWalk.of(model, 3, seed=1)
    >>> for _ in range(100):
    ...     walk.glide(0.1)
    >>> walk.clean.shape
    torch.Size([3, 2])
    """

    model: NoiseModel
    schedule: Schedule
    noise: Recorded
    streams: Streams
    #: Where the noise is going; None at rest.
    motion: list[Tensor] | None = None
    #: Noise that was looked at, and what it showed.
    _seen: tuple[Recorded, Tensor] | None = None

    @classmethod
    def of(
        cls,
        model: NoiseModel,
        z: Tensor | int,
        *,
        steps: int = 20,
        label: Tensor | None = None,
        seed: int = 0,
        first: int = 0,
    ) -> "NoiseWalk":
        """From each z, or so many walks from new samples; each look at it takes `steps` network calls."""
        return finished(cls.starting(model, z, steps=steps, label=label, seed=seed, first=first))

    @classmethod
    def starting(
        cls, model: NoiseModel, z: Tensor | int, *, steps: int, label: Tensor | None, seed: int, first: int
    ) -> Stepwise["NoiseWalk"]:
        """`of`, a network call at a time."""
        schedule = annealing(noise_model(model).kernel, checks.count("steps", steps))
        n = z if isinstance(z, int) else len(checks.tensor("z", z))
        numbers = range(checks.count("first", first, 0), first + checks.count("n", n))
        purpose = Purpose.NEW if isinstance(z, int) else Purpose.FINDING
        streams = Streams.of(seed, numbers, model.device, purpose)
        model = model.labelled(label, n)
        if isinstance(z, int):
            return cls(model, schedule, fresh(model, n, schedule, streams), streams)
        noise = yield from retracing(model, model.entering(z), schedule, streams)
        return cls(model, schedule, noise, streams)

    def step(self, share: float, below: float = 0.5) -> None:
        """Draw a share of the noise anew that is quieter than `below`, and less of what is louder (`renewal.shares`).

        With below = 1 all noise moves at one pace, and pictures jump: what they are of hangs on little of it.
        """
        by = shares(self.schedule, len(self.noise.noise), below, share)
        self.noise, self.motion = renewed(self.noise, by, self.streams), None

    def glide(self, share: float, below: float = 0.5) -> None:
        """The same, but on in the direction of the last glide, more or less, so that a film of it does not tremble."""
        by = shares(self.schedule, len(self.noise.noise), below, share)
        self.noise, self.motion = glided(self.noise, self.motion, by, self.streams)

    def steer(self, f: Callable[[Tensor], Tensor], share: float, below: float = 0.5) -> Tensor:
        """One step towards high f, a function of a batch of clean data: which samples took it.

        A step is taken with probability min(1, exp(f(z') - f(z))). As the noise is in balance, exactly, so is this
        with p(z) exp(f(z)), p the distribution of new samples, for any f and whatever the denoiser's error. (In the
        noise, it is the preconditioned Crank-Nicolson walk of Cotter, Roberts, Stuart and White, 2013.)
        """
        z, by = self.clean, shares(self.schedule, len(self.noise.noise), below, share)
        noise = renewed(self.noise, by, self.streams)
        there = development(self.model, noise, self.schedule).result()
        u = uniform((len(z),), self.streams, device=z.device)
        accepted = torch.log(u) < chain.evaluate(f, there) - chain.evaluate(f, z)

        def chosen(new: Tensor, old: Tensor) -> Tensor:
            return torch.where(accepted.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        kept = tuple(chosen(new, old) for new, old in zip(noise.noise, self.noise.noise, strict=True))
        self.noise, self.motion = replace(noise, noise=kept), None
        self._seen = (self.noise, chosen(there, z))
        return accepted

    def look(self) -> Run:
        """The development of the present noise, to iterate over."""
        return development(self.model, self.noise, self.schedule)

    @property
    def clean(self) -> Tensor:
        """Clean data of where the walk is."""
        if self._seen is None or self._seen[0] is not self.noise:
            self._seen = (self.noise, self.look().result())
        return self._seen[1]
