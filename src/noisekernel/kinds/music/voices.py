"""Which notes of a file are which voice.

Lines are the tracks, channels or staves of a file, on the grid; voices are numbered from the highest to the lowest.

1. A line of single notes whose name is the name of a voice is that voice.
2. If the others have single notes too, they are the remaining voices in the order of their mean pitch, the highest
   first. Voices that are left over are open, to be filled in.
3. If some have chords, all of them together are distributed over the remaining voices. A note keeps its voice while it
   sounds. Notes that begin together go to free voices in the order of their pitch; among the ways to do so is taken the
   one with the fewest crossings of voices and, after that, the smallest leaps. If at most k notes sound at once, these
   are the k highest of the remaining voices, and the lower ones are open.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from noisekernel.core.errors import BadExampleError
from noisekernel.kinds.music.grid import OPENED
from noisekernel.kinds.music.gridding import Gridded, Held

#: What the four voices are called, and how else they are written.
VOICES = ("Soprano", "Alto", "Tenor", "Bass")
WRITTEN: Mapping[str, int] = {
    **{name.lower(): voice for voice, name in enumerate(VOICES)},
    **{name[0].lower(): voice for voice, name in enumerate(VOICES)},
}
#: What a crossing of two voices costs, in semitones of leaps.
CROSSING = 1000.0
#: Lines are named in a sentence up to this many.
FEW = 6


def names_of(voices: int) -> tuple[str, ...]:
    """What voices are called that were given no names.

    Args:
        voices: How many there are.

    >>> names_of(2)
    ('Voice 1', 'Voice 2')
    """
    return VOICES if voices == len(VOICES) else tuple(f"Voice {voice + 1}" for voice in range(voices))


def distributed(
    lines: Sequence[Gridded], names: Sequence[str], bar: int, pickup: int
) -> tuple[list[tuple[Held, ...] | None], list[str]]:
    """The notes of each voice, None for a voice that is open; and what a user should know of how they were found.

    Args:
        lines: The lines, those without notes too.
        names: The names of the voices, from the highest to the lowest.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
    """
    found: dict[int, tuple[Held, ...]] = {}
    told: list[str] = []
    named, others = _by_name(lines, names)
    found |= {voice: line.held for voice, line in named.items()}
    free = [voice for voice in range(len(names)) if voice not in found]
    if len(others) > len(free):
        raise BadExampleError(_too_many(lines, len(names)))
    if all(line.single for line in others):
        ordered = sorted(others, key=lambda line: -line.mean)
        found |= {voice: line.held for voice, line in zip(free, ordered, strict=False)}
        if ordered != others:
            told.append(f"the tracks are voices in the order of their mean pitch: {_listed(ordered)}")
    else:
        notes = sorted(note for line in others for note in line.held)
        found |= shared_out(notes, free, bar, pickup)
        told.append(
            f"chords were distributed over {len(found) - len(named)} voices by their pitches, as far as they go"
        )
    still = [names[voice] for voice in range(len(names)) if voice not in found]
    if still:
        told.append(f"the file has no notes for {' and '.join(still)}: {OPENED}")
    return [found.get(voice) for voice in range(len(names))], told


def shared_out(notes: Sequence[Held], free: Sequence[int], bar: int, pickup: int) -> dict[int, tuple[Held, ...]]:
    """Notes of chords, in the order in which they begin, as voices.

    Args:
        notes: The notes.
        free: The voices that may sing them, from the highest to the lowest.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
    """
    starts: dict[int, list[Held]] = {}
    for note in notes:
        starts.setdefault(note.start, []).append(note)
    most, sounding = 0, list[Held]()
    for step, new in starts.items():
        sounding = [note for note in sounding if note.end > step] + new
        most = max(most, len(sounding))
        if len(sounding) > len(free):
            raise BadExampleError(
                f"bar {(step - pickup) // bar + 1} has {len(sounding)} notes at once where {len(free)} voices are; "
                "leave some out, or give each voice a track of its own with one note at a time"
            )
    return _voiced(starts, list(free)[:most])


def _voiced(starts: Mapping[int, Sequence[Held]], voices: Sequence[int]) -> dict[int, tuple[Held, ...]]:
    """Notes by the step where they begin, as so many voices as sound at once at most."""
    pitches = sorted(note.pitch for notes in starts.values() for note in notes)
    high, low = pitches[-1 - len(pitches) // 10], pitches[len(pitches) // 10]
    # Where a voice is that has not sung yet: evenly between what is high and low in this piece.
    last = [high - (high - low) * (i + 0.5) / len(voices) for i in range(len(voices))]
    found: list[list[Held]] = [[] for _ in voices]
    for step, notes in starts.items():
        held = {i: sung[-1].pitch for i, sung in enumerate(found) if sung and sung[-1].end > step}
        new = sorted(notes, key=lambda note: -note.pitch)
        free = [i for i in range(len(voices)) if i not in held]

        costs = [[_cost(i, note.pitch, held, last[i]) for i in free] for note in new]
        for place, note in zip(cheapest(costs), new, strict=True):
            i = free[place]
            found[i].append(note)
            last[i] = note.pitch
    return {voice: tuple(sung) for voice, sung in zip(voices, found, strict=True)}


def _cost(voice: int, pitch: int, held: Mapping[int, int], last: float) -> float:
    """What it costs that a voice begins a note while others hold theirs: crossings, and the leap from where it was."""
    crossed = sum((voice - other) * (pitch - sounding) > 0 for other, sounding in held.items())
    return CROSSING * crossed + abs(pitch - last)


def cheapest(costs: Sequence[Sequence[float]]) -> list[int]:
    """The columns, from left to right, one for each row, whose costs have the least sum.

    The least sum of the first n rows that ends in column c is the cost there and the least sum of the first n - 1 rows
    that ends left of c.

    Args:
        costs: A row per note, a column per voice; at least as many columns as rows.

    >>> cheapest([[0.0, 5.0, 1.0], [0.0, 0.0, 5.0]])
    [0, 1]
    """
    columns = range(len(costs[0]))
    best: list[tuple[float, list[int]]] = [(cost, [c]) for c, cost in enumerate(costs[0])]
    for row in costs[1:]:
        before = [min((best[b] for b in range(c)), default=(math.inf, list[int]())) for c in columns]
        best = [(before[c][0] + row[c], [*before[c][1], c]) for c in columns]
    return min(best)[1]


def _by_name(lines: Iterable[Gridded], names: Sequence[str]) -> tuple[dict[int, Gridded], list[Gridded]]:
    """Lines that are a voice by their name, and the others that have notes."""
    known = {name.strip().lower(): voice for voice, name in enumerate(names)}
    if tuple(name.strip().lower() for name in names) == tuple(name.lower() for name in VOICES):
        known |= WRITTEN
    named: dict[int, Gridded] = {}
    others = []
    for line in lines:
        voice = known.get(line.name.strip().lower())
        if voice is not None and voice not in named and line.single and (line.held or line.tacet):
            named[voice] = line
        elif line.held:
            others.append(line)
    return named, others


def _too_many(lines: Sequence[Gridded], voices: int) -> str:
    """The sentence for more lines than voices."""
    there = [line for line in lines if line.held]
    return (
        f"it has {len(there)} tracks with notes where {voices} voice{'s' * (voices != 1)} can be: {_listed(there)}; "
        "leave some out, or put them together on one or two tracks"
    )


def _listed(lines: Sequence[Gridded]) -> str:
    """Their names, or numbers for those that have none."""
    called = [line.name.strip() or f"track {i + 1}" for i, line in enumerate(lines[:FEW])]
    return ", ".join(called) + (f" and {len(lines) - FEW} more" if len(lines) > FEW else "")
