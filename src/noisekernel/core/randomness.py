"""Randomness, passed in and never ambient.

Whatever draws in noisekernel takes a `generator`, which is one of three things:

- a `torch.Generator`: one stream for the whole batch, drawn with torch's own routines;
- `Streams`: **one stream per sample**. Sample number i of seed s gets the same numbers whatever the batch it
  happens to sit in, the number of workers, the device, and however often the run was stopped and resumed;
- `Recorded`: streams whose numbers were drawn before, or found (`sampling.renewal`), and are given out again.

`Streams` is a counter-based generator (Philox4x32-10: Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as
easy as 1, 2, 3*, SC 2011). The number at (seed, purpose, sample, draw, element) is a hash of those five, so there is no
state to carry but the count of draws made so far: to resume, count on. Training uses it too, with the position in the
run as the sample's number, which makes a run independent of how its batches are split over processes.

Random words and uniform numbers are equal to the bit in any batch size and on any device. Normal numbers go through a
logarithm, a sine and a cosine, which processors round differently, and so may differ in their last bits.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import IntEnum
from numbers import Integral
from operator import index

import torch
from torch import Tensor

from noisekernel.core import checks
from noisekernel.core.errors import InputError, ShapeError

#: The version of the random numbers. It is raised whenever a seed draws other numbers than before. A result of another
#: version cannot be reproduced from its seed, and a checkpoint of another version cannot be resumed.
STREAMS = 3

_WORD = 0xFFFFFFFF
_MULTIPLY = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_TO_UNIT = 2.0**-32


def philox(counter: Sequence[Tensor], key: tuple[int, int]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Philox4x32-10: four words of counter and two of key to four random words (int64 holding 32 bits each).

    >>> words = philox([torch.zeros(1, dtype=torch.int64)] * 4, (0, 0))
    >>> [hex(int(word)) for word in words]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        # int64 wraps modulo 2**64, so the low and the high word of the product are right although it may overflow.
        p0, p1 = c0 * _MULTIPLY[0], c2 * _MULTIPLY[1]
        c0, c1, c2, c3 = (
            ((p1 >> 32) & _WORD) ^ c1 ^ k0,
            p1 & _WORD,
            ((p0 >> 32) & _WORD) ^ c3 ^ k1,
            p0 & _WORD,
        )
        k0, k1 = (k0 + _WEYL[0]) & _WORD, (k1 + _WEYL[1]) & _WORD
    return c0, c1, c2, c3


class Purpose(IntEnum):
    """The purpose of a draw: under one seed, two purposes never draw the same numbers.

    One task is often given the result of another under the same seed. Without purposes, the noise that varies a
    picture would be the noise that the picture was made of. (A task that is given its own result back needs another
    seed, or the noise of that result, which counts its draws.)

    The tasks, the objectives (`drawing_for`), masks and training data set the purpose of their draws. A user who writes
    `Streams.of(seed, numbers)` need not know of purposes."""

    #: New samples, and all that has no purpose of its own.
    NEW = 0
    #: The way from an example to noise that it is made of.
    FINDING = 1
    #: The noise that replaces redrawn noise.
    RENEWING = 2
    #: A walk at constant noise.
    WALKING = 3
    #: The hidden part of an example.
    FILLING = 4
    #: Which parts of an example are hidden.
    MASKING = 5
    #: Noise levels and noise of training examples.
    TRAINING = 6
    #: The order in which training takes the data; the number of a stream is that of the pass.
    ORDERING = 7
    #: Which training examples are mirrored, and which labels are withheld.
    AUGMENTING = 8
    #: The noise under which examples are compared with what a model knows.
    COMPARING = 9
    #: Which examples training never sees.
    HOLDING_OUT = 10
    #: Which elements of an example are redrawn, and what they become.
    REDRAWING = 11


@dataclass
class Streams:
    """One stream of random numbers for each sample of a batch.

    The four fields are the whole state, so a stream can be resumed from them.

    Args:
        seed: Names the experiment: a whole number from 0 to 2**64 - 1.
        samples: The numbers of the samples, 0, 1, 2 … of the whole run, not of the batch: int64, (batch,).
        draws: How many times something was drawn.
        purpose: What is drawn for. Under one seed, two purposes never draw the same numbers.

    >>> both = uniform((2, 3), Streams.of(0, range(2)))
    >>> second_alone = uniform((1, 3), Streams.of(0, [1]))
    >>> torch.equal(both[1:], second_alone)
    True
    """

    seed: int
    samples: Tensor
    draws: int = 0
    purpose: Purpose = Purpose.NEW

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, Integral) or not 0 <= self.seed < 2**64:
            raise InputError(f"seed is {self.seed!r}; give a whole number from 0 to 2**64 - 1")
        self.seed = int(self.seed)
        if not isinstance(self.samples, Tensor):
            raise ShapeError(f"samples is a {type(self.samples).__name__}; use Streams.of(seed, range(n))")
        if self.samples.ndim != 1 or self.samples.dtype != torch.int64:
            raise ShapeError(
                f"samples is {self.samples.dtype} of shape {tuple(self.samples.shape)}; "
                "give an int64 vector of sample numbers, or use Streams.of(seed, range(n))"
            )
        if self.draws < 0:
            raise InputError(f"draws is {self.draws}; it counts the draws made so far, so it is at least 0")

    @classmethod
    def of(
        cls,
        seed: int,
        samples: Iterable[int],
        device: torch.device | str | None = None,
        purpose: Purpose = Purpose.NEW,
    ) -> "Streams":
        """The streams of the numbered samples of a seed, before anything was drawn.

        Args:
            seed: Names the experiment: a whole number from 0 to 2**64 - 1.
            samples: The number of each sample of the batch, such as `range(16)`.
            device: Where numbers are drawn.
            purpose: What is drawn for.
        """
        if isinstance(samples, range):
            numbers = torch.arange(samples.start, samples.stop, samples.step, device=device)
        else:
            try:
                numbers = torch.tensor([index(sample) for sample in samples], device=device)
            except TypeError:
                raise InputError(f"samples is {samples!r}; give whole numbers, such as range(n)") from None
        return cls(seed, numbers, purpose=purpose)

    def words(self, elements: int) -> Tensor:
        """The next random 32-bit words of every stream, as int64 of shape (batch, elements).

        Args:
            elements: How many words to draw per sample.
        """
        device = self.samples.device
        block = torch.arange(-(-elements // 4), device=device)[None, :]
        draw = torch.tensor(self.draws, device=device)
        low, high = self.samples[:, None] & _WORD, ((self.samples[:, None] >> 32) ^ (self.purpose << 24)) & _WORD
        words = philox((block, draw, low, high), (self.seed & _WORD, self.seed >> 32))
        self.draws += 1
        return torch.stack(words, dim=-1).flatten(1)[:, :elements]

    def fork(self) -> "Streams":
        """A copy that draws the same numbers from here on."""
        return replace(self)


@dataclass
class Recorded(Streams):
    """Streams that give out numbers known beforehand: standard normal numbers, one tensor per draw, in order.

    A request for a uniform number returns Phi(noise), the place of the normal number in its distribution.

    >>> again = Recorded(0, torch.arange(2), noise=(torch.zeros(2, 3), torch.ones(2, 3)))
    >>> float(uniform((2, 3), again)[0, 0]), float(normal((2, 3), again)[0, 0])
    (0.5, 1.0)
    """

    noise: tuple[Tensor, ...] = ()
    #: How many draws have been spent on renewing this noise. Renewing it again under the same seed continues there.
    spent: int = 0

    def given_out(self, shape: Sequence[int]) -> Tensor:
        """The noise of the next draw, which is of this shape."""
        if self.draws >= len(self.noise):
            raise InputError(f"{len(self.noise)} draws are recorded, and one more was asked for")
        noise = self.noise[self.draws]
        if noise.shape != tuple(shape):
            raise ShapeError(
                f"draw {self.draws} is recorded with shape {tuple(noise.shape)}; asked for {tuple(shape)}: "
                "the record is of another schedule or model"
            )
        self.draws += 1
        return noise

    def words(self, elements: int) -> Tensor:
        raise InputError("recorded noise is given out as normal or uniform numbers, not as words")

    def from_the_first(self) -> "Recorded":
        """The same record, from its first draw on."""
        return replace(self, draws=0)


Randomness = torch.Generator | Streams


@contextmanager
def drawing_for(purpose: Purpose, generator: Randomness) -> Iterator[None]:
    """A context in which `generator` draws for `purpose`. Its draws count as usual. A torch.Generator has no purposes.

    >>> streams = Streams.of(0, range(1))
    >>> with drawing_for(Purpose.MASKING, streams):
    ...     mask = uniform((1, 1), streams)
    >>> streams.purpose, streams.draws
    (<Purpose.NEW: 0>, 1)
    """
    if not isinstance(generator, Streams):
        yield
        return
    before, generator.purpose = generator.purpose, purpose
    try:
        yield
    finally:
        generator.purpose = before


def _check_batch(shape: Sequence[int], streams: Streams) -> int:
    if len(shape) == 0 or shape[0] != len(streams.samples):
        raise ShapeError(
            f"a draw of shape {tuple(shape)} from {len(streams.samples)} streams: the first dimension is the batch, "
            "and every sample needs a stream of its own"
        )
    return math.prod(shape[1:])


def uniform(
    shape: Sequence[int],
    generator: Randomness,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Tensor:
    """Numbers uniform on the open interval (0, 1); the first dimension of `shape` is the batch."""
    if isinstance(generator, Recorded):
        noise = generator.given_out(shape)
        place = torch.special.ndtr(noise.to(checks.wide(noise))).clamp(2.0**-24, 1.0 - 2.0**-24)
        return _below_one(place.to(device=device, dtype=dtype))
    if isinstance(generator, torch.Generator):
        words = torch.randint(0, 2**32, tuple(shape), generator=generator, device=generator.device)
    else:
        words = generator.words(_check_batch(shape, generator)).reshape(tuple(shape))
    # 23 bits, centred in their cells: exact in float32, and never 0 or 1.
    unit = ((words >> 9).to(torch.float32) + 0.5) * 2.0**-23
    return _below_one(unit.to(device=device, dtype=dtype))


def _below_one(unit: Tensor) -> Tensor:
    """Uniform numbers below 1: half precision would round some of them to 1."""
    return unit if unit.dtype.itemsize >= 4 else unit.clamp(max=1.0 - torch.finfo(unit.dtype).eps)


def normal(
    shape: Sequence[int],
    generator: Randomness,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str | None = None,
) -> Tensor:
    """Standard normal numbers; the first dimension of `shape` is the batch."""
    if isinstance(generator, Recorded):
        return generator.given_out(shape).to(device=device, dtype=dtype)
    if isinstance(generator, torch.Generator):
        wide = dtype if dtype == torch.float64 else torch.float32
        noise = torch.randn(tuple(shape), generator=generator, dtype=wide, device=generator.device)
        return noise.to(device=device, dtype=dtype)
    elements = _check_batch(shape, generator)
    wide = dtype if dtype == torch.float64 else torch.float32
    words = generator.words(2 * (-(-elements // 2))).unflatten(1, (-1, 2)).to(wide)
    # Box and Muller: two words give two normals. The first word + 1 lies in (0, 2**32], so the log is finite.
    radius = torch.sqrt(-2.0 * torch.log((words[..., 0] + 1.0) * _TO_UNIT))
    angle = words[..., 1] * (2.0 * math.pi * _TO_UNIT)
    noise = torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), dim=-1)
    return noise.flatten(1)[:, :elements].reshape(tuple(shape)).to(device=device, dtype=dtype)
