"""Rules of voice leading, and scores to steer by: pure functions of a grid of music.

Voices run from the highest to the lowest. A rest and an open cell have no pitch (-1), and nothing is said of them.
Intervals are in semitones, so an augmented fourth and a diminished fifth are the same. The definitions:

- Two voices move in parallel fifths (octaves) from one step to the next if both change their pitch and the interval
  between them is a perfect fifth (an octave or a unison) before and after, whatever whole octaves there are besides.
  That includes motion in opposite directions, from a fifth to a twelfth. Voices that repeat their pitches do not move.
- Two neighbouring voices cross where the upper one is below the lower one.
- The spacing of two neighbouring voices is too wide if they are more than an octave apart; the two lowest may be.
- A note is out of range if it lies beyond the pitches of its voice; a leap is one of a tritone, a seventh or more than
  an octave between two notes of a voice without a rest between them.

Crossings and spacing are counted in beats in which they occur, once per pair of voices, however long they last; the
others each time.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import pitches_of, struck_in

#: What choirs sing: the lowest and the highest pitch of soprano, alto, tenor and bass.
CHOIR = ((60, 81), (53, 76), (48, 69), (38, 64))
FIFTH, OCTAVE, TRITONE = 7, 12, 6
#: Intervals, less whole octaves, that are dissonant: seconds, the tritone, sevenths.
DISSONANT = (1, 2, 6, 10, 11)
#: Leaps that are awkward to sing, besides all beyond an octave.
AWKWARD = (6, 10, 11)

Pitches = NDArray[np.integer]
Marks = NDArray[np.bool_]


def parallels(pitches: Pitches, interval: int) -> Marks:
    """Where two voices move from an interval to the same one, (…, pairs, steps - 1); pairs are (0, 1), (0, 2), ….

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
        interval: In semitones; whole octaves do not matter.
    """
    pitches = np.asarray(pitches)
    upper, lower = _pairs(pitches.shape[-2])
    apart = np.abs(pitches[..., upper, :] - pitches[..., lower, :]) % OCTAVE == interval % OCTAVE
    both = (pitches[..., upper, :] >= 0) & (pitches[..., lower, :] >= 0)
    moved = pitches[..., 1:] != pitches[..., :-1]
    there = apart & both
    return there[..., 1:] & there[..., :-1] & moved[..., upper, :] & moved[..., lower, :]


def parallel_fifths(pitches: Pitches) -> Marks:
    """Where two voices move in parallel fifths, (…, pairs, steps - 1).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).

    >>> parallel_fifths(np.array([[67, 69, 69], [60, 62, 62]])).tolist()
    [[True, False]]
    """
    return parallels(pitches, FIFTH)


def parallel_octaves(pitches: Pitches) -> Marks:
    """Where two voices move in parallel octaves or unisons, (…, pairs, steps - 1).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
    """
    return parallels(pitches, OCTAVE)


def crossings(pitches: Pitches) -> Marks:
    """Where a voice is below the next lower one, (…, voices - 1, steps).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
    """
    upper, lower = np.asarray(pitches)[..., :-1, :], np.asarray(pitches)[..., 1:, :]
    return (upper >= 0) & (lower >= 0) & (upper < lower)


def wide(pitches: Pitches) -> Marks:
    """Where neighbouring voices, but for the two lowest, are more than an octave apart, (…, voices - 2, steps).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
    """
    upper, lower = np.asarray(pitches)[..., :-2, :], np.asarray(pitches)[..., 1:-1, :]
    return (upper >= 0) & (lower >= 0) & (upper - lower > OCTAVE)


def beyond(pitches: Pitches, ranges: Sequence[tuple[int, int]]) -> Marks:
    """Where a voice is beyond its range, (…, voices, steps).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
        ranges: The lowest and the highest pitch of each voice.
    """
    pitches = np.asarray(pitches)
    if len(ranges) != pitches.shape[-2]:
        raise InputError(f"{len(ranges)} ranges for {pitches.shape[-2]} voices; give the lowest and highest of each")
    low, high = np.asarray(ranges).T[..., None]
    return (pitches >= 0) & ((pitches < low) | (pitches > high))


def leaps(pitches: Pitches) -> Marks:
    """Where a voice leaps by what is awkward to sing, (…, voices, steps - 1).

    Args:
        pitches: MIDI pitches, -1 for none, (…, voices, steps).
    """
    size, both = _melodic(np.asarray(pitches))
    return both & (np.isin(size, AWKWARD) | (size > OCTAVE))


def ranges_of(pieces: Sequence[Pitches]) -> tuple[tuple[int, int], ...]:
    """The lowest and the highest pitch of each voice in some pieces.

    Args:
        pieces: MIDI pitches, -1 for none, (voices, steps) each; every voice sings in one of them at least.
    """
    joined = np.concatenate([np.asarray(pitches) for pitches in pieces], axis=1)
    if not (joined >= 0).any(axis=1).all():
        raise InputError("a voice sings in none of the pieces, so it has no range")
    return tuple((int(line[line >= 0].min()), int(line.max())) for line in joined)


def breaks(
    codes: NDArray[np.integer],
    per_beat: int = 4,
    bar: int = 16,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> dict[str, int]:
    """How often a piece breaks each rule.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
        bar: Steps per bar; counts do not depend on it, see `per_bar`.
        ranges: The lowest and the highest pitch of each voice; None for those of choirs, if there are four voices, and
            else for none, so that range is not judged.
    """
    pitches, struck = pitches_of(codes).astype(np.int64), struck_in(codes)
    ranges = CHOIR if ranges is None and len(codes) == len(CHOIR) else ranges
    found = {
        "parallel fifths": int(parallel_fifths(pitches).sum()),
        "parallel octaves": int(parallel_octaves(pitches).sum()),
        "crossings": _beats(crossings(pitches), per_beat),
        "spacing": _beats(wide(pitches), per_beat),
        "leaps": int(leaps(pitches).sum()),
    }
    return found if ranges is None else found | {"range": int((beyond(pitches, ranges) & struck).sum())}


def per_bar(
    codes: NDArray[np.integer],
    per_beat: int = 4,
    bar: int = 16,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> dict[str, float]:
    """How often a piece breaks each rule, per bar.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        ranges: The lowest and the highest pitch of each voice, as for `breaks`.
    """
    return {name: count * bar / codes.shape[1] for name, count in breaks(codes, per_beat, bar, ranges).items()}


# Scores ---------------------------------------------------------------------------------------------------------------


Score = Callable[[NDArray[np.integer], int], float]


def high(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The mean MIDI pitch of all that sounds, by duration; 0 for silence.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    pitches = pitches_of(codes)
    return float(pitches[pitches >= 0].mean()) if (pitches >= 0).any() else 0.0


def range_(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """From the lowest to the highest pitch of a voice, in semitones; the mean of the voices.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    sung = [line[line >= 0] for line in pitches_of(codes).astype(np.int64)]
    spans = [int(line.max() - line.min()) for line in sung if line.size]
    return float(np.mean(spans)) if spans else 0.0


def dense(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """Notes that are struck per quarter note, in all voices.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    return float(struck_in(codes).sum() * per_beat / codes.shape[-1])


def dissonant(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The share of pairs of sounding pitches that are dissonant, over all steps; 0 where no two sound.

    Seconds, sevenths and the tritone are, with or without octaves between; the fourth is not.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    pitches = pitches_of(codes).astype(np.int64)
    upper, lower = (pitches[pair] for pair in _pairs(len(pitches)))
    both = (upper >= 0) & (lower >= 0)
    return float(np.isin(np.abs(upper - lower) % OCTAVE, DISSONANT)[both].mean()) if both.any() else 0.0


def smooth(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The negative of the mean melodic interval, in semitones, where voices change their pitch; 0 where none does.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    size, both = _melodic(pitches_of(codes).astype(np.int64))
    moved = size[both & (size > 0)]
    return -float(moved.mean()) if moved.size else 0.0


def low(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The negative of `high`."""
    return -high(codes, per_beat)


def calm(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The negative of `dense`."""
    return -dense(codes, per_beat)


def consonant(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """One less `dissonant`."""
    return 1.0 - dissonant(codes, per_beat)


def voice_leading(codes: NDArray[np.integer], per_beat: int = 4) -> float:
    """The negative of how often rules are broken per four quarter notes: parallels, crossings, spacing.

    Args:
        codes: Codes, (voices, steps).
        per_beat: Steps per quarter note.
    """
    found = breaks(codes, per_beat)
    broken = found["parallel fifths"] + found["parallel octaves"] + found["crossings"] + found["spacing"]
    return -broken * 4.0 * per_beat / codes.shape[-1]


#: What one can choose pieces by: functions of codes, (voices, steps), and of the steps per quarter note.
SCORES: Mapping[str, Score] = {
    "high": high,
    "low": low,
    "range": range_,
    "dense": dense,
    "calm": calm,
    "dissonant": dissonant,
    "consonant": consonant,
    "smooth": smooth,
    "voice-leading": voice_leading,
}


def _pairs(voices: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The upper and the lower voice of each pair."""
    pairs = np.array(list(combinations(range(voices), 2)), dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _melodic(pitches: Pitches) -> tuple[Pitches, Marks]:
    """How far each voice goes from one step to the next, and where it sounds in both."""
    before, after = pitches[..., :-1], pitches[..., 1:]
    return np.abs(after - before), (before >= 0) & (after >= 0)


def _beats(marks: Marks, per_beat: int) -> int:
    """In how many beats something occurs, over all pairs of voices."""
    short = -marks.shape[-1] % per_beat
    whole = np.pad(marks, [(0, 0)] * (marks.ndim - 1) + [(0, short)])
    beats = whole.reshape(*whole.shape[:-1], whole.shape[-1] // per_beat, per_beat)
    return int(beats.any(axis=-1).sum())
