"""Chorales as the benchmark takes them: pieces as pitches, likelihoods by the chain rule in time, and a bigram."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import noisekernel as nk
from noisekernel.core.categories import Categories
from noisekernel.core.randomness import Streams, uniform
from noisekernel.data.readers.pieces import read_pieces
from noisekernel.kinds.music.grid import REST, Piece, pitches_of
from noisekernel.kinds.music.kind import Music

#: Steps per beat.
BEAT = 4


def pieces_of(path: Path, part: str) -> list[Piece]:
    """The pieces of a part of the file."""
    return list(read_pieces(path, part).pieces)


def framed(pieces: Sequence[Piece], window: int, number: int | None, seed: int) -> list[tuple[NDArray[np.int16], int]]:
    """Steps of pieces at random, or all of them: the window that ends in the beat of the step, and where in it that is.

    What is before a piece, or after it, is silence.
    """
    padded = [np.pad(piece.codes, ((0, 0), (window, BEAT)), constant_values=REST) for piece in pieces]
    steps = [(i, t) for i, piece in enumerate(pieces) for t in range(piece.steps)]
    chosen = range(len(steps)) if number is None else np.random.default_rng(seed).permutation(len(steps))[:number]
    found = []
    for i, t in (steps[k] for k in chosen):
        first = t + window - t % BEAT - (window - BEAT)
        found.append((padded[i][:, first : first + window], t + window - first))
    return found


@torch.no_grad()
def chronological(model: nk.Model, pieces: Sequence[Piece], number: int | None, seed: int = 0) -> Tensor:
    """Minus the log probability of the pitch of each voice at steps of pieces, (steps, voices), in nats.

    What is before the step is seen, and nothing after it; the voices of a step come in an order drawn for it. Whether a
    pitch is struck or sounds on follows from the pitches, so that the two are added up.
    """
    kind, masked = model.kind, model.kernel.absorbing
    assert isinstance(kind, Music) and masked is not None  # noqa: PT018
    voices, window = kind.shape
    parts = framed(pieces, window, number, seed)
    found = []
    for first in range(0, len(parts), 64):
        some = parts[first : first + 64]
        z = kind.encode(torch.from_numpy(np.stack([codes for codes, _ in some])))
        at, rows = torch.tensor([place for _, place in some]), torch.arange(len(some))
        order = uniform((len(some), voices), Streams.of(seed, range(first, first + len(some)))).argsort(dim=1)
        hidden = (torch.arange(window) > at[:, None])[:, None].expand(-1, voices, -1).clone()
        hidden[rows, :, at] = True
        nats = torch.zeros(len(some), voices)
        for turn in range(voices):
            voice = order[:, turn]
            share = hidden.flatten(1).float().mean(dim=1)
            r = cast(Categories, model.denoiser(torch.where(hidden, masked, z), share))
            table = r.table()[rows, voice, at]
            true = z[rows, voice, at]
            other = torch.where(true == 0, 0, torch.where(true % 2 == 1, true + 1, true - 1))
            both = torch.logaddexp(table[rows, true], table[rows, other])
            nats[rows, voice] = -torch.where(true == 0, table[rows, true], both)
            hidden[rows, voice, at] = False
        found.append(nats)
    return torch.cat(found)


def bigram(train: Sequence[Piece], test: Sequence[Piece]) -> float:
    """Nats per step of pitches that depend on the pitch of the voice before and on the place in the beat."""
    pairs: dict[tuple[int, int, int], Counter[int]] = defaultdict(Counter)
    single: dict[int, Counter[int]] = defaultdict(Counter)
    for piece in train:
        for voice, line in enumerate(pitches_of(piece.codes).tolist()):
            single[voice].update(line)
            for t, (before, now) in enumerate(zip([-2, *line], line, strict=False)):
                pairs[voice, before, t % BEAT][now] += 1
    total, steps = 0.0, 0
    for piece in test:
        for voice, line in enumerate(pitches_of(piece.codes).tolist()):
            alone = single[voice]
            for t, (before, now) in enumerate(zip([-2, *line], line, strict=False)):
                seen = pairs[voice, before, t % BEAT]
                unigram = (alone[now] + 0.5) / (alone.total() + 64)
                total -= np.log((seen[now] + 2.0 * unigram) / (seen.total() + 2.0))
        steps += piece.steps
    return float(total / steps)
