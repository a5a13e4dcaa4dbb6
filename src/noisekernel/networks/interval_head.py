"""A head for music: pitches are seen and predicted as intervals too, and not by their names alone.

Cells of a grid of voices x steps have 2 n + 1 classes: 0 is a rest, and 1 + 2 p + s is the pitch p, struck (s = 1) or
sounding on (s = 0). A network that is shown classes in one-hot has to learn of each pair of pitches how far apart they
are, and of each chord anew that a voice must not move along with another. Rules of music are rules of intervals, so:

    in    beside the classes: of each voice how far it has come from the last pitch that is visible in it, and how far
          it goes to the next; of each pair of voices the interval between them, less whole octaves, and if they cross
    out   beside a logit for each class: logits for intervals from what is visible,

        f(p, s) = a(p, s) + sum over m of b_m(p - m, s) + sum over q of c_q(p - q)

where m are the last and the next visible pitch of the voice, and q what the other voices sound in the same step. b is 0
beyond `WITHIN` semitones and c beyond `BETWEEN`, and both are where there is no such pitch. A piece that is moved up by
some semitones has the same intervals, in and out, so what is learned in one key holds in all.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot, pad

from noisekernel.core import checks
from noisekernel.core.categories import Categorical
from noisekernel.core.errors import InputError
from noisekernel.networks.head import Head, with_channel

#: Intervals up to an octave and a semitone within a voice, and up to two octaves between voices.
WITHIN, BETWEEN = 13, 24
OCTAVE = 12


def pitches(x: Tensor, classes: int) -> Tensor:
    """The pitch of each cell from 0 on; -1 where none sounds, or where the cell is masked.

    Args:
        x: Classes, `classes` for masked.
        classes: How many there are, 2 n + 1.
    """
    return torch.where((x > 0) & (x < classes), (x - 1) // 2, -1)


def nearest(pitch: Tensor) -> tuple[Tensor, Tensor]:
    """Of each cell the last pitch before it in its voice, and the first after it; -1 for none.

    Args:
        pitch: Pitches, (…, steps), -1 for none.

    >>> nearest(torch.tensor([[5, -1, 7]]))
    (tensor([[-1,  5,  5]]), tensor([[ 7,  7, -1]]))
    """
    return _last(pitch), _last(pitch.flip(-1)).flip(-1)


def _last(pitch: Tensor) -> Tensor:
    place = torch.arange(pitch.shape[-1], device=pitch.device).expand_as(pitch)
    last = torch.where(pitch >= 0, place, -1).cummax(dim=-1).values
    before = pad(last, (1, -1), value=-1)
    return torch.where(before >= 0, pitch.gather(-1, before.clamp(min=0)), -1)


@dataclass(frozen=True)
class IntervalHead(Head):
    """r = Cat(f) over rests and pitches, with intervals in and out.

    Args:
        classes: The number of classes, 2 n + 1 for n pitches.
        channels: The number of voices, which are dimension 1 of the data; dimension 2 is time.

    >>> head = IntervalHead(classes=21, channels=4)
    >>> x = torch.tensor([[[1, 21], [21, 2], [7, 7], [21, 21]]])
    >>> features = torch.zeros(1, head.out_channels, 2)
    >>> head.decode(features, x, torch.ones(1)).probs.shape
    torch.Size([1, 4, 2, 21])
    """

    classes: int
    channels: int

    def __post_init__(self) -> None:
        checks.count("classes", self.classes, 3)
        checks.count("channels", self.channels)
        if self.classes % 2 == 0:
            raise InputError(
                f"classes is {self.classes}; pieces have an odd number of them: a rest, and each pitch struck or "
                "sounding on"
            )

    @property
    def tables(self) -> tuple[tuple[int, int], ...]:
        """How far each of a voice's tables of intervals reaches, and how many rows it has: b_last, b_next, every c."""
        return ((WITHIN, 2), (WITHIN, 2), *((BETWEEN, 1) for _ in range(self.channels - 1)))

    @property
    def in_channels(self) -> int:
        pairs = self.channels * (self.channels - 1) // 2
        return self.channels * (self.classes + 1 + 2 * (2 * WITHIN + 2)) + pairs * (OCTAVE + 2)

    @property
    def out_channels(self) -> int:
        return self.channels * (self.classes + sum(rows * (2 * reach + 1) for reach, rows in self.tables))

    def encode(self, x: Tensor, beta: Tensor, known: Any = None) -> tuple[Tensor, Tensor]:
        x = with_channel(checks.classes("x", x, self.classes + 1), self.channels)
        pitch = pitches(x, self.classes)
        seen = [one_hot(x, self.classes + 1)]
        for other in nearest(pitch):
            there = (pitch >= 0) & (other >= 0)
            apart = (pitch - other).clamp(-WITHIN, WITHIN) + WITHIN
            seen.append(one_hot(torch.where(there, apart, 2 * WITHIN + 1), 2 * WITHIN + 2))
        parts = [each.movedim(-1, 2).flatten(1, 2) for each in seen]
        for upper, lower in combinations(range(self.channels), 2):
            there = (pitch[:, upper] >= 0) & (pitch[:, lower] >= 0)
            apart = pitch[:, upper] - pitch[:, lower]
            parts.append(one_hot(torch.where(there, apart % OCTAVE, OCTAVE), OCTAVE + 1).movedim(-1, 1))
            parts.append((there & (apart < 0)).long()[:, None])
        return torch.cat(parts, dim=1).float(), beta

    def decode(self, features: Tensor, x: Tensor, beta: Tensor, known: Any = None) -> Categorical:
        features = features.float().unflatten(1, (self.channels, -1)).movedim(2, -1)  # (batch, voices, steps, …)
        sizes = [self.classes, *(rows * (2 * reach + 1) for reach, rows in self.tables)]
        logits, *tables = features.split(sizes, dim=-1)
        pitch = pitches(x, self.classes)
        references = (*nearest(pitch), *(pitch.roll(by, dims=1) for by in range(1, self.channels)))
        sounding: Tensor | float = 0.0
        for table, (reach, rows), reference in zip(tables, self.tables, references, strict=True):
            sounding = sounding + self._from(reference, table.unflatten(-1, (rows, -1)), reach)
        # (batch, voices, steps, s, p) to classes, of which the first is the rest
        by_class = torch.as_tensor(sounding).transpose(-1, -2).flatten(-2)
        return Categorical.from_logits(logits + pad(by_class, (1, 0)))

    def _from(self, reference: Tensor, table: Tensor, reach: int) -> Tensor:
        """What a table says of every pitch: (batch, voices, steps, rows, pitches)."""
        number, wide = (self.classes - 1) // 2, 2 * reach + 1
        place = torch.arange(number, device=reference.device) - reference[..., None] + reach
        inside = (place >= 0) & (place < wide) & (reference[..., None] >= 0)
        place = torch.where(inside, place, wide)[..., None, :].expand(*table.shape[:-1], number)
        return pad(table, (0, 1)).gather(-1, place)
