"""Persistent contrastive adjustment: a correction of the chain, learned from chains that are kept running.

Contrastive adjustment looks one step ahead. The error of one step is small; what a chain makes of it in hundreds of
steps is not, and is seen only by chains that made them. So *walkers* are kept from step to step of the training, and a
function C learns what tells them from data. Let q be the stationary distribution of the chain. With its steps accepted
by min(1, exp(C(y) - C(x))) it is q exp(C) / Z, whose log likelihood has the gradient

    d/dC  E_p[ log q exp(C) / Z ]  =  E_p[dC] - E_walkers[dC],

that of contrastive divergence with persistent chains (Tieleman 2008; Du and Mordatch 2019). It vanishes where walkers
and data agree: C = log p/q. As it stands it is unsteady: C runs ahead of the walkers, which never catch up. Here the
walkers follow a slow average A of C, and C learns how the data differ from *its* walkers, by logistic regression on

    C - A  =  log p / q_A,      loss = softplus(C(x) - A(x)) at walkers + softplus(A(x) - C(x)) at data,

so that A takes a step towards log p/q at the pace of the average, whose walkers have time to follow. A small penalty
on C^2 fixes the constant and keeps C from what only these walkers have. Walkers begin at data and begin again after
`age` steps on average, which leaves the fixed point as it is: at p, walkers of all ages have the distribution p.

Nothing here needs a gradient of C in x or a density of the chain, so that it is one and the same for numbers, for
categories, and for a kernel of one's own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from noisekernel.core import checks
from noisekernel.core.distributions import Distribution
from noisekernel.core.errors import InputError
from noisekernel.core.levels import Levels, UniformLevels
from noisekernel.core.randomness import Purpose, Randomness, Streams, drawing_for, uniform
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoise, Denoiser
from noisekernel.objectives.base import Info, Passes, TrainerObjective
from noisekernel.sampling.chain import accept
from noisekernel.sampling.model import NoiseModel, TransitionModel

#: Maps states, a model's view of them and their noise levels to one number per sample.
Correct = Callable[[Tensor, Any, Tensor], Tensor]


@dataclass
class Walkers:
    """Chains that are kept: all of them, of which each training step moves a few.

    Args:
        x: Their states, (walkers, *event).
        beta: Their noise levels, (walkers,).
        age: The steps that each has made since it began, (walkers,); -1 for one that has not begun.
    """

    x: Tensor
    beta: Tensor
    age: Tensor

    @classmethod
    def none(cls, number: int, like: Tensor) -> "Walkers":
        """So many that have not begun.

        Args:
            number: How many.
            like: States, (batch, *event), that theirs will be like.
        """
        x = torch.zeros((number, *like.shape[1:]), dtype=like.dtype, device=like.device)
        beta = torch.ones(number, dtype=torch.float64 if like.device.type != "mps" else torch.float32).to(like.device)
        return cls(x, beta, torch.full((number,), -1, device=like.device))


@torch.no_grad()
def walked(
    model: TransitionModel, follow: Correct, x: Tensor, beta: Tensor, steps: int, lag: float, generator: Randomness
) -> tuple[Tensor, Distribution, Tensor]:
    """States after `steps` steps that `follow` corrects, the model's view of them, and the share that was accepted.

    Args:
        model: What walks.
        follow: The correction that it walks by.
        x: States, (batch, *event).
        beta: Their noise levels, (batch,).
        steps: How many steps.
        lag: How much of the state a step carries over.
        generator: Draws the steps.
    """
    levels: Any = beta
    view = model.look(x, levels)
    here, moved = follow(x, view, beta), torch.zeros(len(x), device=x.device)
    for _ in range(steps):
        y = model.step(view, x, levels, levels, lag, point=False).sample(generator)
        seen = model.look(y, levels)
        accepted, x, view, here = accept((x, view, here), (y, seen, follow(y, seen, beta)), generator)
        moved += accepted
    return x, view, moved / max(steps, 1)


def persistent_contrast(
    model: TransitionModel,
    correction: Correct,
    follow: Correct,
    walkers: Walkers,
    x: Tensor,
    beta: Tensor,
    which: Tensor,
    generator: Randomness,
    *,
    steps: int = 4,
    age: int = 1000,
    lag: float = 0.9,
    penalty: float = 1e-3,
) -> tuple[Tensor, Info]:
    """The mean loss of a batch, and what was seen. Moves the walkers `which`, and writes them back.

    Args:
        model: What walks: a `NoiseModel`, or a `PlainModel` of any kernel.
        correction: C, which learns.
        follow: A, a slow average of C, by which the walkers walk.
        walkers: All walkers; they are changed.
        x: States of the data, (batch, *event).
        beta: Their noise levels, (batch,).
        which: The numbers of the walkers that move now, (batch,), each at most once.
        generator: Draws the steps, and which walkers begin again.
        steps: The steps that they make.
        age: After how many steps a walker begins again at the data, on average.
        lag: How much of the state a step carries over.
        penalty: The weight of C^2.
    """
    with torch.no_grad(), drawing_for(Purpose.TRAINING, generator):
        begun = walkers.age[which]
        again = uniform((len(which),), generator, device=x.device) < steps / age
        fresh = again | (begun < 0)
        start = torch.where(checks.spread(fresh, x), x, walkers.x[which])
        level = torch.where(fresh, beta.to(walkers.beta), walkers.beta[which])
        state, view, accepted = walked(model, follow, start, level, steps, lag, generator)
        walkers.x[which], walkers.beta[which] = state, level
        walkers.age[which] = torch.where(fresh, 0, begun) + steps
        levels: Any = beta
        real = model.look(x, levels)
        before, before_real = follow(state, view, level), follow(x, real, beta)
    here, there = correction(state, view, level), correction(x, real, beta)
    contrast = softplus(here - before) + softplus(before_real - there)
    held = penalty * (here.square() + there.square())
    loss = contrast + held
    parts = {"contrast": contrast.detach(), "penalty": held.detach()}
    seen = {
        # log p/q_A as C has it, at data less at walkers: 0 where they cannot be told apart.
        "apart": ((there - before_real) - (here - before)).detach(),
        "accepted": accepted,
        "age": walkers.age[which].float(),
    }
    return loss.mean(), Info(loss.detach(), parts, seen, beta)


@dataclass
class Kept:
    """What a run of this objective keeps from step to step."""

    walkers: Walkers | None = None
    follow: nn.Module | None = None


@dataclass(frozen=True)
class PersistentContrast(TrainerObjective):
    """Learns the correction of a denoiser (`networks.Correction`), whose other weights stay as they are.

    Args:
        levels: The noise levels that chains are to walk at. Each walker keeps its own.
        walkers: How many chains are kept.
        steps: The steps that a chain makes each time it is looked at.
        age: After how many steps a chain begins again at the data, on average.
        penalty: The weight of C^2.

    >>> from noisekernel.kernels import GaussianKernel
    >>> from noisekernel.networks import MLP, Correction, Denoiser, PlainGaussian
    >>> head = PlainGaussian(channels=2)
    >>> network = MLP(head.in_channels, head.out_channels, width=8)
    >>> denoiser = Denoiser(network, head, Correction((2,), channels=2))
    >>> objective = PersistentContrast(walkers=64)
    >>> objective.begin(denoiser, denoiser)
    >>> loss, info = objective(GaussianKernel(0.9), denoiser, torch.zeros(16, 2), torch.Generator().manual_seed(0))
    >>> round(loss.item(), 4)  # 2 log 2: nothing is known yet
    1.3863
    """

    levels: Levels = field(default_factory=lambda: UniformLevels(0.2, 0.2))
    walkers: int = 2048
    steps: int = 4
    age: int = 1000
    penalty: float = 1e-3
    kept: Kept = field(default_factory=Kept, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("walkers", "steps", "age"):
            checks.count(name, getattr(self, name))
        checks.number("penalty", self.penalty, 0.0, 1e3)
        if self.steps > self.age:
            raise InputError(f"walkers make {self.steps} steps at a time and begin again after {self.age}; give more")

    @property
    def passes(self) -> Passes:
        return Passes(self.steps + 2, 0)

    def begin(self, denoiser: nn.Module, average: nn.Module) -> None:
        """Take note of the average that the walkers are to follow.

        Args:
            denoiser: What learns.
            average: The average of it.
        """
        correction = getattr(average, "correction", None)
        if getattr(denoiser, "correction", None) is None or correction is None:
            raise InputError("this denoiser has no correction to learn; give it one: Denoiser(…, correction=…)")
        self.kept.follow = correction

    def pack(self, own: Callable[[int], Tensor], gather: Callable[[Tensor], Tensor]) -> dict[str, Tensor]:
        """The walkers, from all processes.

        Args:
            own: Which of so many walkers are this process's.
            gather: Joins the tensors of all processes.
        """
        walkers = self.kept.walkers
        if walkers is None:
            return {}
        mine = own(len(walkers.age)).int()
        return {
            name: _chosen(gather(mine[None]), gather(getattr(walkers, name)[None])) for name in ("x", "beta", "age")
        }

    def unpack(self, tensors: dict[str, Tensor], device: torch.device) -> None:
        """Put the walkers of a checkpoint back.

        Args:
            tensors: What `pack` returned.
            device: Where they walk.
        """
        if tensors:
            self.kept.walkers = Walkers(**{name: value.to(device) for name, value in tensors.items()})

    def __call__(self, kernel: NoiseKernel, denoiser: Denoise, z: Tensor, generator: Randomness) -> tuple[Tensor, Info]:
        """The mean loss of a batch, and what was seen; the walkers of the batch's numbers are moved.

        Args:
            kernel: The noise kernel, with the lag that chains are to walk with.
            denoiser: The `Denoiser`, or a partial of it; labels are not looked at.
            z: Clean data, (batch, *event).
            generator: The streams of these examples, whose numbers say which walkers move; with a `torch.Generator`
                they are drawn.
        """
        learned = denoiser.func if isinstance(denoiser, partial) else denoiser
        if self.kept.follow is None or not isinstance(learned, Denoiser) or learned.correction is None:
            raise InputError("call begin(denoiser, average) first, with a denoiser that has a correction")
        z = kernel.check_data(z)
        example = self.noised(kernel, z, generator)
        if self.kept.walkers is None:
            self.kept.walkers = Walkers.none(self.walkers, example.x)
        if len(z) > self.walkers or self.walkers % len(z):
            raise InputError(f"{self.walkers} walkers do not divide into batches of {len(z)}; make it a multiple")
        if isinstance(generator, Streams):
            which = generator.samples.to(z.device) % self.walkers
        else:
            which = torch.randperm(self.walkers, generator=generator, device=generator.device)[: len(z)].to(z.device)
        model = NoiseModel(kernel, learned, tuple(z.shape[1:]))
        return persistent_contrast(
            model,
            learned.correction,
            self.kept.follow,
            self.kept.walkers,
            example.x,
            example.beta,
            which,
            generator,
            steps=self.steps,
            age=self.age,
            lag=float(torch.as_tensor(kernel.lag)),
            penalty=self.penalty,
        )


def _chosen(owned: Tensor, values: Tensor) -> Tensor:
    """Each walker as the process has it whose it is: (processes, walkers, …) to (walkers, …)."""
    owner = owned.argmax(dim=0)
    return values[owner, torch.arange(len(owner), device=owner.device)].contiguous()
