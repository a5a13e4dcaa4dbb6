"""Sound: as long, as high and as loud as the notes say, the same each time, and never clipped."""

import io
import wave

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import OPEN, REST, Note, codes_of
from noisekernel.kinds.music.sound import BRIGHT, DARK, PEAK, ROOM, place_of, tone, wav_of
from noisekernel.kinds.music.voices import VOICES

RATE = 22_050


def heard(content):
    """Samples between -1 and 1, (samples, channels), and the rate."""
    with wave.open(io.BytesIO(content)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (2, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32_768, file.getframerate()


def loudest(samples, rate):
    """The frequency with the most power."""
    return np.fft.rfftfreq(len(samples), 1 / rate)[np.abs(np.fft.rfft(samples)).argmax()]


@pytest.mark.parametrize("pitch", [45, 57, 69, 81])
@pytest.mark.parametrize("rate", [16_000, 22_050, 44_100])
def test_a_note_has_its_pitch(pitch, rate):
    samples, found = heard(wav_of(codes_of([Note(0, pitch, 0, 16)], 1, 16), tempo=60, rate=rate))
    assert found == rate
    assert loudest(samples[: 4 * rate, 0], rate) == pytest.approx(440 * 2 ** ((pitch - 69) / 12), rel=2e-3)


def test_it_is_as_long_as_the_piece_and_its_echo():
    samples, rate = heard(wav_of(codes_of([Note(0, 69, 0, 4)], 2, 32), tempo=120, per_beat=4))
    assert len(samples) / rate == pytest.approx(32 / 4 / 2 + ROOM, abs=1e-3)


def test_a_note_is_heard_where_it_is_and_dies_away():
    codes = codes_of([Note(0, 69, 8, 8)], 1, 32)
    samples, rate = heard(wav_of(codes, tempo=60))
    loud = [float(np.sqrt((part**2).mean())) for part in np.array_split(samples[: 8 * rate], 8)]
    assert loud[0] == 0
    assert loud[1] == 0
    assert min(loud[2:4]) > 20 * max(loud[5:])


def test_notes_that_are_struck_again_are_heard_apart():
    long, rate = heard(wav_of(codes_of([Note(0, 69, 0, 8)], 1, 8), tempo=60))
    again, _ = heard(wav_of(codes_of([Note(0, 69, 0, 4), Note(0, 69, 4, 4)], 1, 8), tempo=60))
    louder = [
        np.sqrt((again[part] ** 2).mean() / (long[part] ** 2).mean()) for part in (slice(rate), slice(rate, None))
    ]
    assert np.corrcoef(long[:rate, 0], again[:rate, 0])[0, 1] > 0.999
    assert louder[1] > 1.1 * louder[0]


def test_voices_have_timbres_and_places_of_their_own():
    def partials(sound):
        power = np.abs(np.fft.rfft(sound[:RATE]))
        return np.array([power[220 * k] for k in (1, 2, 3, 4)]) / power[220]

    bright, dark = partials(tone(220, 2, BRIGHT, RATE)), partials(tone(220, 2, DARK, RATE))
    assert (bright[1:] < dark[1:]).all()
    balance = []
    for voice in range(4):
        samples, _ = heard(wav_of(codes_of([Note(voice, 60, 0, 16)], 4, 16), tempo=120))
        left, right = (samples**2).sum(axis=0)
        balance.append(left / right)
    assert balance == sorted(balance, reverse=True)
    assert balance[0] > 1 > balance[3]


def test_an_alto_sounds_like_an_alto_by_itself():
    note = codes_of([Note(0, 60, 0, 8)], 1, 8)
    assert wav_of(note, names=["Alto"]) == wav_of(note, names=[" a "]) != wav_of(note, names=["Bass"])
    assert [place_of(voice, 4, VOICES) for voice in range(4)] == [place_of(voice, 4) for voice in range(4)]


def test_partials_that_cannot_be_heard_are_left_out():
    assert np.abs(np.fft.rfft(tone(4000, 1, np.array([0.0, 0.0, 1.0]), 16_000))).max() == 0
    assert np.abs(tone(4000, 1, np.array([1.0, 1.0, 1.0]), 16_000)).max() > 0


@given(seed=st.integers(0, 1000), voices=st.integers(1, 6))
@settings(max_examples=20)
def test_whatever_is_played_is_loud_and_not_clipped(seed, voices):
    codes = np.random.default_rng(seed).integers(OPEN, 256, (voices, 12))
    codes[0, 0] = 140
    samples, _ = heard(wav_of(codes, tempo=240))
    assert np.abs(samples).max() == pytest.approx(PEAK, abs=1e-3)


def test_silence_is_silent_and_so_is_what_is_open():
    for code in (REST, OPEN):
        samples, _ = heard(wav_of(np.full((4, 8), code)))
        assert not samples.any()


@pytest.mark.same_call
def test_the_same_codes_sound_the_same():
    codes = codes_of([Note(0, 69, 0, 4), Note(1, 64, 2, 6)], 2, 8)
    assert wav_of(codes) == wav_of(codes)


@pytest.mark.parametrize(
    ("codes", "given_", "said"),
    [
        (np.zeros((4, 8), int), {"tempo": 0.0}, "a tempo of 0 quarter notes per minute; 4 to 1000 are allowed"),
        (np.zeros((4, 8), int), {"rate": 100}, "100 samples per second; 8,000 to 96,000 are allowed"),
        (np.zeros((4, 60_000), int), {}, "188 minutes of sound; 60 are allowed; give fewer steps"),
        (np.zeros(8, int), {}, r"codes of shape \(8,\); sound is made of a row of steps per voice"),
        (np.zeros((4, 0), int), {}, "sound is made of a row of steps per voice"),
    ],
)
def test_what_makes_no_sound_is_refused(codes, given_, said):
    with pytest.raises(InputError, match=said):
        wav_of(codes, **given_)
