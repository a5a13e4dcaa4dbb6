"""Music as sound: a small additive synthesiser, and WAV files.

A note of frequency f is a sum of partials, a_1 sin(2 pi f t) + a_2 sin(4 pi f t) + …, with a soft attack and release;
the a_k fall off faster for higher voices, so that each voice has a timbre of its own. Partials come from the recursion
sin(k x) = 2 cos(x) sin((k - 1) x) - sin((k - 2) x), which costs two transcendental functions per note. The voices stand
from left to right in a room: their sum is convolved with noise that decays exponentially, another for each ear. The
whole is scaled to 0.89 of what 16 bits hold. The same codes give the same bytes on the same machine.

Cells that are open are silent, as rests are. Partials above half of the rate cannot be heard and are left out.
"""

import io
import math
import wave
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import fft

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.bars import TEMPI
from noisekernel.kinds.music.grid import notes_of
from noisekernel.kinds.music.voices import VOICES, WRITTEN

Samples = NDArray[np.float32]
#: How loud the partials of the highest voice are, and of the lowest; those between are mixed.
BRIGHT = np.array([1.0, 0.34, 0.16, 0.06, 0.03, 0.015])
DARK = np.array([1.0, 0.55, 0.36, 0.22, 0.14, 0.09])
#: Seconds: of attack and release, of the room's echo, and until it is 60 dB down; how much of it there is.
ATTACK, RELEASE, ROOM, DECAY, WET = 0.025, 0.09, 1.2, 1.3, 0.5
#: The peak, of what 16 bits hold; how long a piece may be, in seconds; what rates there may be.
PEAK, LONGEST, RATES = 0.89, 3600.0, (8000, 96_000)


def wav_of(
    codes: NDArray[np.integer],
    *,
    tempo: float = 80.0,
    per_beat: int = 4,
    rate: int = 22_050,
    names: Sequence[str] = (),
) -> bytes:
    """A piece as a WAV file: 16 bits, stereo.

    Args:
        codes: Codes, (voices, steps).
        tempo: Quarter notes per minute.
        per_beat: Steps per quarter note.
        rate: Samples per second.
        names: The names of the voices: an alto sounds like an alto, also by itself.
    """
    sound = np.clip(np.round(32_767 * samples_of(codes, tempo, per_beat, rate, names)), -32_768, 32_767).astype("<i2")
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(sound.T.tobytes())
    return content.getvalue()


def samples_of(
    codes: NDArray[np.integer], tempo: float, per_beat: int, rate: int, names: Sequence[str] = ()
) -> Samples:
    """A piece as samples between -1 and 1, (2, samples): left and right.

    Args:
        codes: Codes, (voices, steps).
        tempo: Quarter notes per minute.
        per_beat: Steps per quarter note.
        rate: Samples per second.
        names: The names of the voices; empty for none.
    """
    if codes.ndim != 2 or not codes.size:
        raise InputError(f"codes of shape {tuple(codes.shape)}; sound is made of a row of steps per voice")
    if not TEMPI[0] <= tempo <= TEMPI[1]:
        raise InputError(f"a tempo of {tempo:g} quarter notes per minute; {TEMPI[0]:g} to {TEMPI[1]:g} are allowed")
    if not RATES[0] <= rate <= RATES[1]:
        raise InputError(f"{rate} samples per second; {RATES[0]:,} to {RATES[1]:,} are allowed")
    step = 60 / tempo / per_beat
    seconds = codes.shape[1] * step
    if seconds > LONGEST:
        raise InputError(f"{seconds / 60:.0f} minutes of sound; {LONGEST / 60:.0f} are allowed; give fewer steps")
    dry = np.zeros((2, math.ceil((seconds + ROOM) * rate)), dtype=np.float32)
    places = [place_of(voice, len(codes), names) for voice in range(len(codes))]
    for note in notes_of(codes):
        place = places[note.voice]
        sound = tone(440 * 2 ** ((note.pitch - 69) / 12), note.length * step, (1 - place) * BRIGHT + place * DARK, rate)
        begin = round(note.start * step * rate)
        end = min(begin + len(sound), dry.shape[1])
        # Equal power: a voice is as loud on the left as on the right.
        angle = math.pi / 4 + (place - 0.5) * 0.7
        dry[0, begin:end] += math.cos(angle) * sound[: end - begin]
        dry[1, begin:end] += math.sin(angle) * sound[: end - begin]
    mixed = in_a_room(dry, rate)
    peak = float(np.abs(mixed).max())
    return mixed * np.float32(PEAK / peak) if peak > 0 else mixed


def place_of(voice: int, voices: int, names: Sequence[str] = ()) -> float:
    """Where a voice is between the highest (0) and the lowest (1), by its name if that is the name of a voice.

    Args:
        voice: Its number.
        voices: How many there are.
        names: The names of the voices; empty for none.

    >>> place_of(0, 1, ["Bass"]), place_of(1, 3)
    (1.0, 0.5)
    """
    known = WRITTEN.get(names[voice].strip().lower()) if voice < len(names) else None
    if known is not None:
        return known / (len(VOICES) - 1)
    return voice / (voices - 1) if voices > 1 else 0.5


def tone(frequency: float, seconds: float, partials: NDArray[np.float64], rate: int) -> Samples:
    """A note: it swells, falls a little while it is held, and dies away.

    Args:
        frequency: Of its first partial, in Hertz.
        seconds: How long it is held; it sounds on for `RELEASE`.
        partials: How loud each partial is.
        rate: Samples per second.
    """
    count = math.ceil((seconds + RELEASE) * rate)
    time = np.arange(count, dtype=np.float64) / rate
    angle = (2 * math.pi * frequency * time) % (2 * math.pi)
    before, now = np.zeros(count, np.float32), np.sin(angle).astype(np.float32)
    twice = (2 * np.cos(angle)).astype(np.float32)
    sound = np.zeros(count, dtype=np.float32)
    for k, loud in enumerate(partials, start=1):
        if k * frequency >= rate / 2:
            break
        sound += np.float32(loud) * now
        before, now = now, twice * now - before
    attack = np.minimum(1, time / min(ATTACK, seconds / 2))
    release = np.clip((seconds + RELEASE - time) / RELEASE, 0, 1)
    body = 0.72 + 0.28 * np.exp(-2.5 * time)
    # Higher notes sound louder to people, by about this much.
    loudness = (220 / max(frequency, 55)) ** 0.35
    return sound * (loudness * body * np.sin(attack * math.pi / 2) * release**2).astype(np.float32)


def in_a_room(dry: Samples, rate: int) -> Samples:
    """Sound and its echo.

    Args:
        dry: Samples, (2, samples).
        rate: Samples per second.
    """
    count = int(ROOM * rate)
    time = np.arange(count) / rate
    noise = np.random.default_rng(1750).standard_normal((2, count))
    # Walls swallow what is high, and a room has little of what is very low; the first echo comes after 18 ms.
    pitch = np.fft.rfftfreq(count, 1 / rate)
    echo = np.fft.irfft(np.fft.rfft(noise) * pitch / (pitch + 150) / np.sqrt(1 + (pitch / 2200) ** 2), count)
    echo *= 10 ** (-3 * time / DECAY) * (time > 0.018)
    echo /= np.sqrt((echo**2).sum(axis=1, keepdims=True))
    size = fft.next_fast_len(dry.shape[1] + count, real=True)
    wet = fft.irfft(fft.rfft(dry, size) * fft.rfft(echo.astype(np.float32), size), size)[:, : dry.shape[1]]
    return (dry + np.float32(WET) * wet).astype(np.float32)
