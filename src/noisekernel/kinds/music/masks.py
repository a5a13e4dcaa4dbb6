"""Masks of music in words: voices, bars, voices in bars.

alto                   all of the alto
alto,tenor,bass        these voices: a soprano is harmonised
bars 5-8               these bars of all voices, counted from 1; a pickup is bar 0
alto 5-8; bass 7       the alto in these bars, and the bass in that one
"""

import re
from collections.abc import Sequence

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.suggestions import unknown

#: What stands for all voices.
ALL = ("bars", "bar", "all")
RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def mask_of_words(text: str, voices: Sequence[str], steps: int, bar: int, pickup: int = 0) -> Tensor:
    """The mask that the words mean, (voices, steps): true where to fill in.

    Args:
        text: The words.
        voices: The names of the voices; the first letters of one may do for it.
        steps: How many steps there are.
        bar: Steps per bar.
        pickup: Steps before the first whole bar.

    >>> mask_of_words("bass 2", ("alto", "bass"), 8, 4).int()
    tensor([[0, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1, 1, 1, 1]], dtype=torch.int32)
    """
    mask = torch.zeros(len(voices), steps, dtype=torch.bool)
    for part in filter(None, (each.strip() for each in text.split(";"))):
        word, _, bars = part.partition(" ")
        if RANGE.fullmatch(part):
            word, bars = ALL[0], part
        chosen = range(len(voices)) if word.lower() in ALL else [_voice(each, voices) for each in word.split(",")]
        first, last = _steps(bars.strip(), steps, bar, pickup)
        mask[list(chosen), first:last] = True
    if not bool(mask.any()):
        raise InputError(f"the mask {text!r} hides nothing; say what to fill in, such as {voices[-1]!r} or 'bars 2-3'")
    return mask


def _voice(word: str, voices: Sequence[str]) -> int:
    wanted = word.strip().lower()
    found = [i for i, name in enumerate(voices) if wanted and name.lower().startswith(wanted)]
    if len(found) != 1:
        raise InputError(unknown("voice", word.strip(), voices, "Give one of"))
    return found[0]


def _steps(bars: str, steps: int, bar: int, pickup: int) -> tuple[int, int]:
    """The first step of these bars and the one behind them; all steps where nothing is said."""
    if not bars:
        return 0, steps
    found = RANGE.fullmatch(bars)
    if found is None:
        raise InputError(f"{bars!r} are no bars; give a number, or two with a dash between them: 5-8")
    low, high = int(found[1]), int(found[2] or found[1])
    before = pickup % bar
    last = -(-(steps - before) // bar)
    if low > high or high > last or low < (0 if before else 1):
        raise InputError(f"bars {bars}: this piece has bars {0 if before else 1} to {last}")
    begin = 0 if low == 0 else before + (low - 1) * bar
    return begin, min(steps, before + high * bar)
