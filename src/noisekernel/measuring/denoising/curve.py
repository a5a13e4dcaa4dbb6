"""The denoising curve: the error of a denoiser by noise level and by example, and the bits that it amounts to.

Distances between sets of samples are noisy, depend on a sampler and forgive what features do not see. The error of the
denoiser has none of these faults. What the error is depends on the kernel (`gaussian`, `categorical`). For each of them
a weighted sum of the errors at a few noise levels is the number of bits per element that it takes to send the data with
the help of the denoiser, and fewer bits are better. Noise is a function of the seed and of the number of the example,
so two denoisers that are measured on the same data see the same noise, and their difference is far more certain than
either curve.

A curve says more than its sum: what a picture is of is decided at high noise, which weighs little in bits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.measuring.samples.intervals import Figure, around

#: The error of each example of z, per element, at a noise level, with noise from the streams.
Errors = Callable[[Tensor, float, Streams], Tensor]


@dataclass(frozen=True)
class DenoisingCurve:
    """The error of a denoiser per element, by noise level and by example."""

    #: The noise levels, from low to high.
    levels: tuple[float, ...]
    #: The error of each example at each level, per element.
    of_examples: Float[Tensor, "examples levels"]
    #: The bits per element that an error of 1 at each level amounts to.
    weights: tuple[float, ...]
    #: What the levels are: "sigma", the noise's standard deviation beside a signal of 1, or "beta".
    scale: str = "sigma"

    @property
    def errors(self) -> tuple[float, ...]:
        """The mean error per element at each level."""
        return tuple(self.of_examples.mean(dim=0).tolist())

    @property
    def bits_of_examples(self) -> Float[Tensor, " examples"]:
        """The bits per element that each example takes."""
        return self.of_examples.double() @ torch.tensor(self.weights, dtype=torch.float64)

    @property
    def bits(self) -> Figure:
        """The mean of the bits per element, with an interval for the draw of the examples and of their noise."""
        return mean_figure(self.bits_of_examples)

    def more_than(self, other: "DenoisingCurve") -> Figure:
        """How many bits per element more than another curve of the same examples, example by example.

        Args:
            other: The curve of another denoiser, or of the same at another time.
        """
        if other.levels != self.levels or other.of_examples.shape != self.of_examples.shape:
            raise InputError(
                f"a curve of {len(self.of_examples)} examples at {len(self.levels)} levels compares with one of the "
                f"same examples at the same levels, not with one of {len(other.of_examples)} at {len(other.levels)}"
            )
        return mean_figure(self.bits_of_examples - other.bits_of_examples)


def mean_figure(of_examples: Float[Tensor, " examples"]) -> Figure:
    """The mean over examples, with Student's interval; that of a single example is without bounds.

    Args:
        of_examples: One number per example.
    """
    n = len(of_examples)
    error = float(of_examples.std()) / math.sqrt(n) if n > 1 else math.inf
    return around(float(of_examples.mean()), error, max(1, n - 1))


@torch.no_grad()
def measured(
    errors: Errors,
    z: Tensor,
    levels: Sequence[float],
    weights: Sequence[float],
    scale: str,
    *,
    seed: int = 0,
    first: int = 0,
    batch_size: int = 250,
) -> DenoisingCurve:
    """The curve of what has errors.

    Args:
        errors: The error of each example at a level.
        z: Clean data, (batch, *event).
        levels: The noise levels, from low to high.
        weights: The bits per element that an error of 1 at each level amounts to.
        scale: What the levels are.
        seed: Draws the noise.
        first: The number of the first example: the noise is that of the examples from this number on.
        batch_size: How many examples are denoised at a time.
    """
    together = checks.count("batch_size", batch_size)
    found = torch.empty(len(z), len(levels), dtype=torch.float64)
    for start in range(0, len(z), together):
        some = z[start : start + together]
        numbers = range(first + start, first + start + len(some))
        streams = Streams.of(seed, numbers, some.device, Purpose.COMPARING)
        for place, level in enumerate(levels):
            found[start : start + len(some), place] = errors(some, level, streams).cpu().double()
    lost = found.isnan().any(dim=0)
    if bool(lost.any()):
        where = ", ".join(f"{level:g}" for level, bad in zip(levels, lost.tolist(), strict=True) if bad)
        raise InputError(f"the denoiser gives no numbers at {scale} {where}, so it has no denoising curve")
    return DenoisingCurve(tuple(levels), found, tuple(weights), scale)
