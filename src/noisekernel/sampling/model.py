"""Transition models: what a chain can be run with.

A chain asks two things of its model. `look(x, beta)` computes, once per state, what the next step from x needs and
costs a network call: the *view*. `step(view, x, …)` gives the distribution of the next state from it. Because the two
are separate, a state carries its own denoised view, and a rejected proposal costs no second network call.

`NoiseModel` is a noise kernel and a denoiser. Its view is r(z | x), its step eqs 11 and 13. `PlainModel` is any
kernel that offers `transition(x) -> Distribution`, learned or written by hand. Its view is that distribution, and its
step returns the view.
"""

from collections.abc import Callable, MutableMapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor, nn

from noisekernel.core import checks
from noisekernel.core.distributions import Distribution
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.clamped import Clamped
from noisekernel.networks.correction import Correction
from noisekernel.networks.denoiser import Denoise, Denoiser
from noisekernel.networks.guided import Guided, Turns
from noisekernel.networks.windowed import Windowed
from noisekernel.sampling.strength import StrengthCurve

Some = TypeVar("Some", bound="NoiseModel")

#: What a task is given to start from: clean data of shape (batch, *shape), or what the model reads as such.
Examples = Tensor | Any
#: The classes of samples: integers of shape (batch,), or names or numbers where the model has names for them.
Labels = Tensor | str | int | Sequence[str | int]
#: p(y | x) at a fixed noise level: what Algorithm 2 trains.
Transition = Callable[[Tensor], Distribution]


@runtime_checkable
class HasTransition(Protocol):
    def transition(self, x: Tensor) -> Distribution: ...


@runtime_checkable
class TransitionModel(Protocol):
    """The contract between a model and the chain."""

    def look(self, x: Tensor, beta: float) -> Distribution:
        """What the next step from x needs and costs a network call.

        Args:
            x: States, (batch, *event).
            beta: Their noise level.
        """
        ...

    def step(self, view: Any, x: Tensor, beta: float, beta_next: float, lag: float, point: bool) -> Distribution:
        """The distribution of the next state.

        Args:
            view: What `look` returned for x.
            x: States, (batch, *event).
            beta: Their noise level.
            beta_next: The noise level of the next states.
            lag: How much of the state the step carries over.
            point: Whether only the best guess of the view is used.
        """
        ...

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        """The largest lag that a step between two noise levels allows.

        Args:
            beta: Noise levels.
            beta_next: The levels that follow them, of the same shape.
        """
        ...


@dataclass(frozen=True, repr=False)
class NoiseModel(TransitionModel):
    """A noise kernel, a denoiser, and the shape of one sample.

    Args:
        kernel: The mathematics of noise and transition.
        denoiser: Maps (x, beta) to r(z | x): a `Denoiser`, or a function.
        shape: The shape of one sample, without the batch.

    >>> from functools import partial
    >>> from noisekernel.kernels.gaussian import GaussianKernel
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))
    >>> model.look(torch.zeros(1, 2), beta=0.5).mean
    tensor([[0.8889, 0.8889]])
    """

    kernel: NoiseKernel
    denoiser: Denoise
    shape: tuple[int, ...]
    #: How far variants go, by the name of a way to make them (`tasks.strength`). A curve that is missing is measured
    #: when it is first wanted, and put here; copies of a model with the same weights share it.
    curves: MutableMapping[str, StrengthCurve] = field(default_factory=dict, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, NoiseKernel) or not callable(self.denoiser):
            raise InputError(
                f"NoiseModel takes a noise kernel, a denoiser and a shape; given a {type(self.kernel).__name__} and a "
                f"{type(self.denoiser).__name__}"
            )
        if isinstance(self.shape, int):
            raise InputError(f"shape is {self.shape}; give the shape of one sample as a tuple, such as ({self.shape},)")
        object.__setattr__(self, "shape", tuple(checks.count("each size in shape", size) for size in self.shape))

    @property
    def device(self) -> torch.device:
        """Where the denoiser's weights are."""
        weights = self._weights()
        return weights[0].device if weights else torch.device("cpu")

    @property
    def parameters(self) -> int:
        """How many weights the denoiser has."""
        return sum(each.numel() for each in self._weights())

    def _innermost(self) -> Any:
        """The denoiser without the labels and the observations that it is called with."""
        inner: Any = self.denoiser
        while isinstance(inner, partial | Clamped | Guided | Turns | Windowed):
            inner = inner.func if isinstance(inner, partial) else inner.denoiser
        return inner

    @property
    def guidance(self) -> Guided | None:
        """How the denoiser is guided, if it is."""
        outer: Any = self.denoiser
        while isinstance(outer, partial | Clamped | Turns | Windowed):
            outer = outer.func if isinstance(outer, partial) else outer.denoiser
        return outer if isinstance(outer, Guided) else None

    def correction(self, beta: float, lag: float | None = None) -> Correction | None:
        """What the chain at this noise level is corrected by; None for nothing.

        A correction is learned for the denoiser as it is: with labels, guidance or observations there is none.

        Args:
            beta: The noise level.
            lag: The chain's lag; None for the one that the correction is for.
        """
        own = self.denoiser.correction if isinstance(self.denoiser, Denoiser) else None
        return own if own is not None and own.covers(beta, lag) else None

    def _weights(self) -> list[nn.Parameter]:
        """Those of the denoiser, and of the worse one that it is guided by."""
        worse = [] if self.guidance is None or self.guidance.free else [self.guidance.worse]
        modules = [part for part in (self._innermost(), *worse) if isinstance(part, nn.Module)]
        return [each for module in modules for each in module.parameters()]

    def to(self: Some, device: str | torch.device) -> Some:
        """This model with its weights on a device: this very model if they are there already, else a copy.

        Args:
            device: A device of torch, such as "cpu" or "cuda:1".
        """
        chosen = checks.pick_device(device)
        if torch.empty(0, device=chosen).device == self.device:
            return self
        return replace(self, denoiser=_moved(self.denoiser, chosen))

    def __repr__(self) -> str:
        inner, shape = self._innermost(), " x ".join(map(str, self.shape))
        name = getattr(inner, "__name__", type(inner).__name__)
        guided = "" if self.guidance is None else f", {self.guidance.described()}"
        return f"<{type(self).__name__} of {shape}: {self.kernel!r}, {name} of {self.parameters:,} parameters{guided}>"

    def check_batch(self, z: Any, name: str = "z") -> Tensor:
        """`z`, if it is a batch of this model's data.

        Args:
            z: What was given as data.
            name: What an error calls it.
        """
        z = self.kernel.check_data(z, name)
        if tuple(z.shape[1:]) != self.shape:
            raise ShapeError(
                f"{name} has shape {tuple(z.shape)}; this model was made for a batch of {self.shape}, "
                f"that is ({', '.join(('batch', *map(str, self.shape)))})"
            )
        return z

    def entering(self, z: Tensor) -> Tensor:
        """A user's data, checked to the last value, on the model's device.

        Args:
            z: Clean data, (batch, *shape).
        """
        return self.check_batch(checks.tensor("z", z).detach().cpu()).to(self.device)

    def as_batch(self, z: Examples) -> Tensor:
        """A batch of clean data from what was given to a task. This model takes clean data alone.

        Args:
            z: What was given.
        """
        return checks.tensor("z", z)

    def as_mask(self, mask: Any, z: Examples) -> Tensor:
        """The mask that was given to a task with these examples. This model takes tensors alone.

        Args:
            mask: What was given as a mask.
            z: What was given as data.
        """
        if mask is None:
            raise InputError(
                "say what to fill in: this model takes a mask, 1 where z is to be filled in and 0 elsewhere"
            )
        return checks.tensor("mask", mask)

    def barred(self, z: Tensor, hidden: Tensor) -> Tensor | None:
        """The classes that hidden elements cannot be of, given the others; this model knows nothing of that.

        Args:
            z: Clean data, (batch, *shape). What is hidden is not read.
            hidden: Which elements are to be filled in, of the shape of z.

        Returns:
            True for a class that is barred, (batch, *shape, classes); None where none is.
        """
        return None

    def as_labels(self, label: Labels | None, n: int) -> Tensor | None:
        """The class of each of n samples from what was given to a task. This model takes integers of shape (n,) alone.

        Args:
            label: What was given.
            n: The number of samples.
        """
        return None if label is None else checks.labels(label, n)

    def labelled(self, label: Tensor | None, n: int) -> "NoiseModel":
        """This model with the label of each sample filled in; this very model where none is given.

        Args:
            label: The number of each sample's class, (n,), or None.
            n: The number of samples in a batch.
        """
        if label is None:
            return self
        return replace(self, denoiser=partial(self.denoiser, label=checks.labels(label, n).to(self.device)))

    def guided(
        self: Some,
        strength: float,
        *,
        worse: "NoiseModel | None" = None,
        between: tuple[float, float] = (0.0, 1.0),
    ) -> Some:
        """This model with a denoiser that is pushed away from a worse one (`networks.Guided`): for every task.

        What is then drawn is *not* the distribution of the data: it has fewer odd samples, and less variety. Each state
        between the two noise levels takes two network calls. The model has strength curves of its own.

        Args:
            strength: How far the denoiser is pushed: 1 is not at all, 0 is the worse one.
            worse: A worse model of the same data, such as an early one of the same run (autoguidance). Without one it
                is this model without the label (classifier-free guidance), and tasks have to be given a label.
            between: The noise levels between which the denoiser is guided.

        >>> from functools import partial
        >>> from noisekernel.kernels.gaussian import GaussianKernel
        >>> from noisekernel.networks.exact import exact_denoiser
        >>> one, other = (
        ...     NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=mean, variance=0.25), shape=(2,))
        ...     for mean in (1.0, 0.0)
        ... )
        >>> one.guided(1.5, worse=other).look(torch.zeros(1, 2), beta=1.0).mean
        tensor([[1.5000, 1.5000]])
        """
        from noisekernel.sampling.guidance import guide

        return guide(self, strength, worse, between)

    def check_worse(self, worse: "NoiseModel") -> bool:
        """Refuse to be guided by a model of other data.

        Args:
            worse: The worse model.

        Returns:
            Whether it takes the labels that this model takes.
        """
        from noisekernel.sampling.guidance import check_worse

        return check_worse(self, worse)

    def look(self, x: Tensor, beta: float) -> Distribution:
        """r(z | x, beta), with what the kernel knows put in."""
        r = self.kernel.refine(self.denoiser(x, beta), x)
        if not all(bool(torch.isfinite(tensor).all()) for tensor in r.tensors()):
            raise InputError(f"the denoiser returned NaN or infinity at beta {beta:g}; its weights may be damaged")
        return r

    def step(self, view: Any, x: Tensor, beta: float, beta_next: float, lag: float, point: bool) -> Distribution:
        """Eq. 13, and at a constant level eq. 11; with `point`, r shrunk to its best guess."""
        r = view.point() if point else view
        return self.kernel.with_lag(lag).transition(r, x, beta, beta_next)

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        return self.kernel.largest_lag(beta, beta_next)


def _moved(part: Any, device: torch.device) -> Any:
    """A copy on the device of what a denoiser is made of; what has no place stays as it is."""
    if isinstance(part, nn.Module):
        return deepcopy(part).to(device)
    if isinstance(part, Tensor):
        return part.to(device)
    if isinstance(part, partial):
        options = {name: _moved(value, device) for name, value in part.keywords.items()}
        return partial(_moved(part.func, device), *(_moved(value, device) for value in part.args), **options)
    if isinstance(part, Clamped):
        parts = (part.denoiser, part.observed, part.mask, part.barred, part.kernel)
        return Clamped(*(_moved(each, device) for each in parts))
    if isinstance(part, Turns):
        return replace(part, denoiser=_moved(part.denoiser, device))
    if isinstance(part, Guided):
        good = _moved(part.denoiser, device)
        return replace(part, denoiser=good, worse=good if part.free else _moved(part.worse, device))
    return part


def noise_model(model: NoiseModel) -> NoiseModel:
    """`model`, if it is one."""
    if not isinstance(model, NoiseModel):
        raise InputError(f"model is a {type(model).__name__}; tasks need a NoiseModel(kernel, denoiser, shape)")
    return model


@dataclass(frozen=True)
class PlainModel(TransitionModel):
    """Any kernel with `transition(x) -> Distribution`; noise levels and lags mean nothing to it.

    Args:
        kernel: What has the method `transition`, such as a `FiniteKernel`.

    >>> from noisekernel.kernels import FiniteKernel
    >>> PlainModel(FiniteKernel(3)).look(torch.tensor([0, 2]), beta=1.0).probs.shape
    torch.Size([2, 3])
    """

    kernel: HasTransition

    def look(self, x: Tensor, beta: float) -> Distribution:
        return self.kernel.transition(x)

    def step(self, view: Any, x: Tensor, beta: float, beta_next: float, lag: float, point: bool) -> Distribution:
        return view

    def largest_lag(self, beta: Tensor, beta_next: Tensor) -> Tensor:
        return torch.ones_like(beta)
