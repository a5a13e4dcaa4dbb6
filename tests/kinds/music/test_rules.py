"""Rules of voice leading: examples with known answers, and music21's own rules where its definitions are the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import OPEN, REST, from_pitches, pitches_of
from noisekernel.kinds.music.musicxml import quiet_music21
from noisekernel.kinds.music.rules import (
    SCORES,
    beyond,
    breaks,
    consonant,
    crossings,
    dense,
    dissonant,
    leaps,
    parallel_fifths,
    parallel_octaves,
    per_bar,
    range_,
    ranges_of,
    smooth,
    wide,
)

C4, D4, E4, F4, G4, A4, C5, D5 = 60, 62, 64, 65, 67, 69, 72, 74


def voices(*lines):
    return np.array(lines)


@pytest.mark.parametrize(
    ("upper", "lower", "fifths", "octaves"),
    [
        ((G4, A4), (C4, D4), 1, 0),
        ((G4 + 12, A4 + 12), (C4, D4), 1, 0),  # a twelfth
        ((G4, A4), (C4, D4 - 12), 1, 0),  # in opposite directions
        ((C5, D5), (C4, D4), 0, 1),
        ((C5 + 12, D5 + 12), (C4, D4), 0, 1),
        ((C4, D4), (C4, D4), 0, 1),  # unisons
        ((C5, C5), (C4, C4), 0, 0),  # nothing moves
        ((C5, C5), (C4, C4 - 12), 0, 0),  # one voice moves
        ((G4, A4 - 1), (C4, D4), 0, 0),  # to a diminished fifth
        ((E4, F4), (C4, D4), 0, 0),  # thirds
        ((G4, -1, A4), (C4, C4, D4), 0, 0),  # a rest between
        ((C4, D4), (G4, A4), 1, 0),  # crossed
    ],
)
def test_parallels(upper, lower, fifths, octaves):
    assert parallel_fifths(voices(upper, lower)).sum() == fifths
    assert parallel_octaves(voices(upper, lower)).sum() == octaves


def test_parallels_are_of_pairs_and_of_many_examples_at_once():
    pitches = voices((C5, D5), (G4, A4), (C4, D4))
    assert parallel_fifths(pitches).tolist() == [[False], [False], [True]]
    assert parallel_octaves(pitches).tolist() == [[False], [True], [False]]
    both = np.stack([pitches, pitches[::-1]])
    assert parallel_fifths(both).shape == (2, 3, 1)
    assert parallel_fifths(both).sum() == 2


@given(pitches=arrays(np.int64, (2, 2), elements=st.sampled_from([48, 50, 52, 53, 55, 57, 60, 62, 64, 65, 67, 69, 72])))
@settings(max_examples=300)
def test_music21_finds_the_same_parallels(pitches):
    """On the white keys without B, where seven semitones are a perfect fifth for it too.

    It tells unisons from octaves, and wants the upper voice above the lower one, so that is what it is asked.
    """
    if (pitches[0] <= pitches[1]).any():
        pitches = pitches[::-1]
    if (pitches[0] <= pitches[1]).any():
        return
    with quiet_music21() as music21:
        upper, lower = ([music21.note.Note(int(pitch)) for pitch in line] for line in pitches)
        quartet = music21.voiceLeading.VoiceLeadingQuartet(*upper, *lower)
        known = (quartet.parallelFifth(), quartet.parallelOctave())
    assert (bool(parallel_fifths(pitches).any()), bool(parallel_octaves(pitches).any())) == known


def test_crossings_are_of_neighbours():
    pitches = voices((C4, C4, -1), (E4, C4, E4), (D4, A4, F4))
    assert crossings(pitches).tolist() == [[True, False, False], [False, True, True]]


def test_spacing_leaves_out_the_lowest_pair():
    pitches = voices((C5 + 1, C5), (C4, C4), (C4 - 13, C4 - 12), (20, 20))
    assert wide(pitches).tolist() == [[True, False], [True, False]]
    assert wide(pitches[:2]).shape == (0, 2)
    assert wide(pitches[:1]).shape == (0, 2)


def test_ranges():
    assert beyond(voices((59, 60, 81, 82, -1)), [(60, 81)]).tolist() == [[True, False, False, True, False]]
    assert ranges_of([voices((60, -1), (50, 52)), voices((65,), (48,))]) == ((60, 65), (48, 52))
    with pytest.raises(InputError, match="2 ranges for 1 voices"):
        beyond(voices((60,)), [(60, 81), (50, 70)])
    with pytest.raises(InputError, match="a voice sings in none of the pieces"):
        ranges_of([voices((60,), (-1,))])


def test_leaps():
    line = voices((60, 66, 67, 57, 69, 82, -1, 60))
    assert leaps(line).tolist() == [[True, False, True, False, True, False, False]]


def test_breaks_are_counted_in_notes_and_beats():
    """Two beats of four steps; the soprano is out of range once, below the alto and far from nothing."""
    codes = from_pitches(np.repeat([[59, 64, 55, 48], [72, 58, 57, 50]], 4, axis=0))
    found = breaks(codes, per_beat=4)
    assert found == {
        "parallel fifths": 1,  # tenor and bass, G over C to A over D
        "parallel octaves": 0,
        "crossings": 1,
        "spacing": 1,
        "leaps": 2,  # of the soprano by more than an octave, of the alto by a tritone
        "range": 1,
    }
    assert per_bar(codes, per_beat=4, bar=16) == {name: 2 * count for name, count in found.items()}
    # Once per beat, however long: four beats of one step each.
    assert breaks(codes, per_beat=1)["crossings"] == 4


def test_range_is_judged_by_what_is_known_of_the_voices():
    codes = from_pitches([[60, 40]])
    assert "range" not in breaks(codes)
    assert breaks(codes, ranges=[(60, 70), (41, 50)])["range"] == 1
    # A note counts once, however long it is.
    assert breaks(from_pitches([[30]] * 5), ranges=[(60, 70)])["range"] == 1


def test_nothing_is_said_of_rests_and_open_cells():
    for code in (REST, OPEN):
        assert not any(breaks(np.full((4, 16), code)).values())


@given(
    codes=arrays(np.int64, st.tuples(st.integers(1, 5), st.integers(1, 20)), elements=st.integers(OPEN, 256)),
    per_beat=st.sampled_from([1, 3, 4]),
)
def test_rules_and_scores_take_whatever_there_is(codes, per_beat):
    assert all(count >= 0 for count in breaks(codes, per_beat).values())
    assert all(np.isfinite(score(codes, per_beat)) for score in SCORES.values())
    # Transposition changes nothing but range and height.
    sounding = pitches_of(codes)
    if (sounding < 115).all():
        higher = np.where(codes > REST, codes + 24, codes)
        kept = [name for name in breaks(codes) if name != "range"]
        assert {name: breaks(higher)[name] for name in kept} == {name: breaks(codes)[name] for name in kept}
        assert [SCORES[name](higher, 4) for name in ("dense", "dissonant", "smooth", "range", "voice-leading")] == [
            SCORES[name](codes, 4) for name in ("dense", "dissonant", "smooth", "range", "voice-leading")
        ]


def test_scores_of_what_is_known():
    codes = from_pitches([[60, 48], [60, 48], [61, 48], [64, 48]])
    assert SCORES["high"](codes, 4) == pytest.approx((60 + 60 + 61 + 64 + 4 * 48) / 8)
    assert SCORES["low"](codes, 4) == -SCORES["high"](codes, 4)
    assert range_(codes) == 2.0
    assert dense(codes, per_beat=4) == 4.0
    assert SCORES["calm"](codes, 4) == -4.0
    assert dissonant(codes) == 0.25
    assert consonant(codes) == 0.75
    assert smooth(codes) == -2.0
    # One step of parallel fifths, and a crossing in the second of two beats, over half a bar.
    fifths = from_pitches([[67, 60], [69, 62], [69, 62], [69, 62], [57, 60], [57, 60], [57, 60], [57, 60]])
    assert SCORES["voice-leading"](fifths, 4) == -(1 + 1) * 2.0
    assert SCORES["voice-leading"](codes, 4) == 0.0
    silence = np.zeros((2, 8), int)
    assert {score(silence, 4) for score in SCORES.values()} == {0.0, 1.0}
    assert consonant(silence) == 1.0
