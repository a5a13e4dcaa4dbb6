"""Watching a run on examples that it is not trained on: when does it begin to learn its examples by heart?

The held-out part is measured by its bits per element (`measuring.denoising`) at every look, with the same noise each
time, and so are as many training examples. While a model learns the distribution, the bits of both fall. Once it learns
single examples, those of training examples go on falling and those of the held-out part rise. The rise since the best
look is a mean over examples, measured at the same noise, so it has a standard error of its own (Student's interval of
the paired differences) that is far smaller than that of the bits. It counts as a rise where that interval is above 0.

What was seen at the best look is part of the run's state, so a run that is resumed looks on as if it had not stopped.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from noisekernel.data.held_out import HeldOut
from noisekernel.kernels.base import NoiseKernel
from noisekernel.kinds.base import Kind
from noisekernel.measuring.denoising.curve import DenoisingCurve, mean_figure
from noisekernel.measuring.denoising.kernels import curve_of
from noisekernel.networks.denoiser import Denoiser

#: After so many looks in a row at which the held-out bits had risen, a run that may stop early stops.
PATIENCE = 3
#: How many examples are encoded and denoised at a time.
TOGETHER = 128


@dataclass(frozen=True)
class Look:
    """What the held-out part says after so many images."""

    images: int
    #: Bits per element of held-out examples, their interval, and the bits of training examples.
    bits: float
    interval: tuple[float, float]
    trained: float
    #: The curves: noise levels, errors of held-out and of training examples.
    scale: str
    levels: tuple[float, ...]
    errors: tuple[float, ...]
    errors_trained: tuple[float, ...]
    #: After how many images the held-out bits were the fewest, and how much they have risen since.
    best: int
    risen: float
    #: In words, where the rise is more than chance allows.
    warning: str | None
    #: The time this look took.
    seconds: float = 0.0
    #: The share that it has of the time since the look before.
    share: float = 0.0


@dataclass(frozen=True)
class Processes:
    """Which process this is, of how many, and how one object of each becomes a list that all have."""

    index: int = 0
    count: int = 1
    gather: Callable[[list[Any]], list[Any]] = lambda own: own


@dataclass
class Watch:
    """The held-out part of a run, and what it has said so far."""

    kernel: NoiseKernel
    kind: Kind
    part: HeldOut
    #: Whether the denoiser of the best look is kept, and the run ends when the held-out bits keep rising.
    stops: bool = False

    #: After how many images the last look and the best one were.
    last: int | None = field(default=None, init=False)
    best: int | None = field(default=None, init=False)
    #: The bits of each held-out example at the best look, those of training examples, and the denoiser of that moment,
    #: if it is kept.
    best_bits: Tensor | None = field(default=None, init=False)
    best_trained: float | None = field(default=None, init=False)
    kept: Denoiser | None = field(default=None, init=False)
    #: At how many looks in a row, up to the last one, the bits had risen.
    risen: int = field(default=0, init=False)

    @property
    def over(self) -> bool:
        """Whether the run is to end."""
        return self.stops and self.risen >= PATIENCE

    def look(self, denoiser: Denoiser, images: int, device: torch.device, processes: Processes = Processes()) -> Look:
        """Measure the denoiser; the processes share the work, and all of them learn the same.

        Args:
            denoiser: The one to use after so many images.
            images: How many images the run has seen.
            device: Where to compute.
            processes: This process among the others.
        """
        denoiser.eval()
        both = self._curve(denoiser, device, processes)
        n = len(self.part.values)
        held, trained = (
            replace(both, of_examples=each) for each in both.of_examples.split([n, len(both.of_examples) - n])
        )
        bits = held.bits_of_examples
        if self.best_bits is None or float(bits.mean()) < float(self.best_bits.mean()):
            self.best, self.best_bits, self.best_trained = images, bits, trained.bits.value
            if self.stops:
                self.kept = deepcopy(denoiser)
        assert self.best is not None
        rise = mean_figure(bits - self.best_bits)
        self.risen = self.risen + 1 if rise.low > 0.0 else 0
        self.last = images
        warning = self._warning(float(bits.mean()), trained.bits.value) if self.risen else None
        figure = held.bits
        return Look(
            images=images,
            bits=figure.value,
            interval=(figure.low, figure.high),
            trained=trained.bits.value,
            scale=held.scale,
            levels=held.levels,
            errors=held.errors,
            errors_trained=trained.errors,
            best=self.best,
            risen=rise.value,
            warning=warning,
        )

    def _curve(self, denoiser: Denoiser, device: torch.device, processes: Processes) -> DenoisingCurve:
        """Of the held-out examples, and behind them of those that are trained on."""
        values = torch.cat((self.part.values, self.part.trained))
        n = len(values)
        own = range(n * processes.index // processes.count, n * (processes.index + 1) // processes.count)
        curves = []
        for first in range(own.start, own.stop, TOGETHER):
            z = self.kind.encode(values[first : min(first + TOGETHER, own.stop)].to(device))
            curves.append(curve_of(self.kernel, denoiser, z, few=True, first=first))
        pieces = processes.gather([(processes.index, curves)])
        found = [curve for _, of_process in sorted(pieces, key=lambda piece: piece[0]) for curve in of_process]
        return replace(found[0], of_examples=torch.cat([curve.of_examples for curve in found]))

    def _warning(self, bits: float, trained: float) -> str:
        assert self.best_bits is not None
        assert self.best_trained is not None
        if trained > self.best_trained:
            what, advice = "the model gets worse", "those are worse too, so a lower training.rate may help"
        else:
            what = f"the model begins to learn its {self.kind.many} by heart"
            advice = "--set training.stop=held-out would keep the model of that moment and stop"
        return (
            f"{what}: held-out {self.kind.many} took {float(self.best_bits.mean()):.4g} bits per element after "
            f"{self.best:,} images and take {bits:.4g} now, {bits - trained:.2g} more than those trained on; "
            f"{'the model of that moment is kept' if self.stops else advice}"
        )

    # State ------------------------------------------------------------------------------------------------------------

    def pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """What a checkpoint keeps: tensors, and what is said in words."""
        tensors = {} if self.best_bits is None else {"held_out.best": self.best_bits}
        if self.kept is not None:
            tensors |= {f"best.{name}": value for name, value in self.kept.state_dict().items()}
        told = {"last": self.last, "best": self.best, "best_trained": self.best_trained, "risen": self.risen}
        return tensors, told

    def unpack(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any] | None, denoiser: Denoiser) -> None:
        """Go on from what a checkpoint kept.

        Args:
            tensors: Those of the checkpoint.
            told: What it says in words; None where it says nothing.
            denoiser: One of the same design.
        """
        if told is None:
            return
        self.last, self.best, self.risen = told["last"], told["best"], told["risen"]
        self.best_trained = told["best_trained"]
        self.best_bits = tensors.get("held_out.best")
        kept = {name.removeprefix("best."): value for name, value in tensors.items() if name.startswith("best.")}
        if kept:
            self.kept = deepcopy(denoiser)
            self.kept.load_state_dict(kept)
