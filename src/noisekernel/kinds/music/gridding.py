"""Notes of a file on the grid: what begins and ends anywhere becomes what begins and ends at steps.

A `Sound` lasts from a time to a time, in steps but not at steps. Both go to the nearest step, with three exceptions:

- a gap of less than a step before the next note is no rest: players let go early, and programs write it so;
- an overlap of less than half a step with the next note is no chord: players let go late;
- a note lasts for one step at least.

In a line of one note at a time, of several notes that come to begin at one step the longest stays. What was moved by
more than a quarter of a step, made longer or left out is counted, so that it can be told.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

#: Two times closer than this are one.
CLOSE = 1e-6


class Sound(NamedTuple):
    """A pitch that sounds from a time to a time, in steps."""

    start: float
    end: float
    pitch: int


class Held(NamedTuple):
    """A pitch that sounds from a step until before a step."""

    start: int
    end: int
    pitch: int


@dataclass(frozen=True)
class Line:
    """The notes of a track, a channel or a staff.

    Args:
        name: What the file calls it; empty for nothing.
        sounds: Its notes.
        tacet: Whether it says that it is silent on purpose.
    """

    name: str
    sounds: tuple[Sound, ...]
    tacet: bool = False


@dataclass(frozen=True)
class Gridded:
    """A line on the grid.

    Args:
        name: What the file calls it.
        held: Its notes, in the order in which they begin.
        single: Whether one note sounds at a time.
        moved: How many notes were moved by more than a quarter of a step.
        closed: How many notes end later by more than that, for the next begins within a step.
        short: How many notes were shorter than half a step, and last for one.
        lost: How many notes were left out, since they are quicker than the grid or stand there twice.
        tacet: Whether it says that it is silent on purpose.
    """

    name: str
    held: tuple[Held, ...]
    single: bool
    moved: int = 0
    closed: int = 0
    short: int = 0
    lost: int = 0
    tacet: bool = False

    @property
    def mean(self) -> float:
        """The mean pitch, by duration."""
        length = sum(note.end - note.start for note in self.held)
        return sum(note.pitch * (note.end - note.start) for note in self.held) / max(1, length)


def gridded(line: Line) -> Gridded:
    """A line on the grid.

    Args:
        line: Its notes, in any order.
    """
    given = sorted(line.sounds)
    sounds, moved, closed, short = joined(given), 0, 0, 0
    single = all(a.end <= b.start + CLOSE for a, b in pairwise(sounds))
    placed: list[tuple[Held, float]] = []
    for sound, before in zip(sounds, given, strict=True):
        start, end = nearest(sound.start), nearest(sound.end)
        moved += abs(start - sound.start) > 0.25 + CLOSE or (end > start and abs(end - sound.end) > 0.25 + CLOSE)
        closed += sound.end > before.end + 0.25 + CLOSE
        short += before.end - before.start < 0.5 - CLOSE
        placed.append((Held(start, max(end, start + 1), sound.pitch), sound.end - sound.start))
    kept = _parted(placed, single)
    return Gridded(line.name, tuple(kept), single, moved, closed, short, len(placed) - len(kept), line.tacet)


def joined(sounds: Sequence[Sound]) -> list[Sound]:
    """The same notes without small gaps and overlaps: where another begins within a step of an end, it ends there.

    Args:
        sounds: Notes in the order in which they begin.
    """
    starts = sorted({sound.start for sound in sounds})

    def end_of(sound: Sound) -> float:
        after = bisect_left(starts, sound.end - CLOSE)
        if after < len(starts) and starts[after] < sound.end + 1 - CLOSE and starts[after] > sound.start:
            return starts[after]
        before = starts[after - 1] if after else -math.inf
        return before if before > max(sound.start, sound.end - 0.5) + CLOSE else sound.end

    return [sound._replace(end=end_of(sound)) for sound in sounds]


def _parted(placed: Iterable[tuple[Held, float]], single: bool) -> list[Held]:
    """One note per step (or per step and pitch), the longest; none sounds into the next of its line (of its pitch)."""
    longest: dict[tuple[int, int], tuple[Held, float]] = {}
    for held, length in placed:
        key = (held.start, -1 if single else held.pitch)
        if key not in longest or length > longest[key][1] + CLOSE:
            longest[key] = (held, length)
    kept = sorted(held for held, _ in longest.values())
    starts: dict[int, list[int]] = {}
    for held in kept:
        starts.setdefault(-1 if single else held.pitch, []).append(held.start)

    def cut(held: Held) -> Held:
        own = starts[-1 if single else held.pitch]
        after = bisect_right(own, held.start)
        return held._replace(end=min(held.end, own[after])) if after < len(own) else held

    return [cut(held) for held in kept]


def nearest(time: float) -> int:
    """The nearest step; the later one of two that are as near."""
    return math.floor(time + 0.5 + CLOSE)


def told_of(lines: Iterable[Gridded], per_beat: int) -> list[str]:
    """What the grid changed, in sentences.

    Args:
        lines: The lines.
        per_beat: Steps per quarter note.
    """
    lines = list(lines)
    total = sum(len(line.held) + line.lost for line in lines)
    moved, closed, short, lost = (
        sum(getattr(line, what) for line in lines) for what in ("moved", "closed", "short", "lost")
    )
    grid = grid_name(per_beat)
    of = f"of {total:,} notes"
    return [
        *([f"{moved:,} {of} moved by more than a quarter of a step, onto the grid of {grid}"] if moved else []),
        *([f"{closed:,} {of} are held until the next begins, which is less than a step later"] if closed else []),
        *([f"{short:,} {of} were shorter than half a step of the grid of {grid} and last for a step"] if short else []),
        *([f"{lost:,} {of} are left out, for others begin at the same step of the grid of {grid}"] if lost else []),
    ]


def grid_name(per_beat: int) -> str:
    """What musicians call the steps of a grid.

    Args:
        per_beat: Steps per quarter note.
    """
    names = {1: "quarter notes", 2: "eighths", 3: "eighth triplets", 4: "sixteenths", 6: "sixteenth triplets"}
    return names.get(per_beat, f"{per_beat} steps per quarter note")
