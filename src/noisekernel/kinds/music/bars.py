"""Bars and time signatures, and what every file of music asks of a piece."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import OPEN

#: The tempi that a file can hold and a person can follow, in quarter notes per minute.
TEMPI = (4.0, 1000.0)


def bar_of(numerator: int, denominator: int, per_beat: int) -> int | None:
    """Steps per bar of a time signature; None if that is no whole number.

    Args:
        numerator: Its upper number.
        denominator: Its lower number.
        per_beat: Steps per quarter note.

    >>> bar_of(12, 8, per_beat=4), bar_of(3, 32, per_beat=4)
    (24, None)
    """
    steps, rest = divmod(4 * numerator * per_beat, denominator)
    return None if rest or not steps else steps


def signature_of(bar: int, per_beat: int) -> tuple[int, int] | None:
    """A time signature whose bar has so many steps, in quarters if it can be; None if there is none.

    Args:
        bar: Steps per bar.
        per_beat: Steps per quarter note.

    >>> signature_of(16, per_beat=4), signature_of(14, per_beat=4)
    ((4, 4), (7, 8))
    """
    for denominator in (4, 8, 16, 32, 64):
        numerator, rest = divmod(bar * denominator, 4 * per_beat)
        if not rest and 0 < numerator < 256:
            return numerator, denominator
    return None


def check_written(
    codes: NDArray[np.integer], names: Sequence[str], tempo: float, bar: int, pickup: int, what: str
) -> None:
    """`InputError` for what no file of music can hold.

    Args:
        codes: Codes, (voices, steps).
        names: The names of the voices.
        tempo: Quarter notes per minute.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
        what: What is to be written.
    """
    if codes.ndim != 2 or len(names) != len(codes) or not codes.shape[1]:
        raise InputError(f"codes of shape {tuple(codes.shape)} for {len(names)} names; give a row of steps per name")
    if hidden := int((codes == OPEN).sum()):
        raise InputError(f"{hidden:,} of {codes.size:,} cells are open; {what} cannot hold that: fill them in first")
    if not TEMPI[0] <= tempo <= TEMPI[1]:
        raise InputError(f"a tempo of {tempo:g} quarter notes per minute; {TEMPI[0]:g} to {TEMPI[1]:g} are allowed")
    if not 0 <= pickup < min(bar, codes.shape[1]):
        raise InputError(
            f"{pickup} steps before the first bar line, of {codes.shape[1]} in all; a pickup is shorter than a bar, "
            f"which has {bar}, and than the piece"
        )
