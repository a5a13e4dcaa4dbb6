"""Piano rolls: notes as bars over time, a colour per voice, one panel per example.

Time goes to the right, pitch upwards; all panels show the same pitches. Bar lines are darker than beats, rows of black
keys darker than those of white keys, and each C has its name at the left. A note begins after a small gap, so that
notes that are struck again are told apart. Where voices sing the same, each has its share of the height. Cells that are
open are grey dots, between the pitches that their voice sings before and after; a voice that is open throughout has
them a sixth from its neighbour.

Everything is drawn at `FINE` times the size and reduced, which makes round corners smooth.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from noisekernel.core.errors import InputError
from noisekernel.kinds.music.grid import OPEN, PITCHES, REST, notes_of, pitches_of

#: One colour per voice, from the highest; more voices begin again.
COLOURS = ("#d1495b", "#e09f3e", "#2a9d8f", "#33658a", "#7b5ea7", "#6b705c", "#bc6c25", "#457b9d")
PAPER, WHITE_KEYS, BLACK_KEYS = "#ffffff", "#fbfbfc", "#f1f2f5"
BEAT, BAR, EDGE, LETTERS, DOT = "#e4e6eb", "#b9bec9", "#c9cdd6", "#7a8190", "#a9aeb8"
#: How much larger is drawn, at first; pixels around panels and between them; room for the names of notes.
FINE, MARGIN, BETWEEN, NAMES, CAPTION = 3, 10, 14, 22, 16
#: Pitches shown above and below the notes, and how many are shown at least; pixels that a picture may have.
ROOM, LEAST, MOST_PIXELS = 2, 24, 60_000_000
#: How far apart, in semitones, voices are shown of which nothing is known.
SIXTH = 8
#: The keys of a piano that are black, as semitones above C.
BLACK = (1, 3, 6, 8, 10)


@dataclass(frozen=True)
class _Scale:
    """Where things are on a panel, in pixels of the drawing."""

    low: int
    high: int
    steps: int
    across: int
    up: int

    @property
    def width(self) -> int:
        return self.steps * self.across

    @property
    def height(self) -> int:
        return (self.high - self.low + 1) * self.up

    def top(self, pitch: float) -> float:
        """The upper edge of a pitch's row."""
        return (self.high - pitch) * self.up


def roll(
    codes: NDArray[np.integer],
    *,
    per_beat: int = 4,
    bar: int = 16,
    pickup: int = 0,
    hidden: NDArray[np.bool_] | None = None,
    columns: int | None = None,
    captions: Sequence[str] = (),
    across: int = 6,
    up: int = 4,
) -> Image.Image:
    """A picture of examples, row by row.

    Args:
        codes: Codes, (examples, voices, steps), or (voices, steps) for one example.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        pickup: Steps before the first bar line.
        hidden: Which cells are shown as open, of the shape of the codes; None for those that are.
        columns: How many examples stand side by side; None for about as many as make the picture square.
        captions: A line of text per example, above it; empty for none.
        across: Pixels per step.
        up: Pixels per pitch.
    """
    codes = np.asarray(codes if hidden is None else np.where(hidden, OPEN, codes))
    codes = codes[None] if codes.ndim == 2 else codes
    if codes.ndim != 3 or not codes.size:
        raise InputError(f"codes of shape {codes.shape}; a piano roll shows examples of voices of steps, one at least")
    if captions and len(captions) != len(codes):
        raise InputError(f"{len(captions)} captions for {len(codes)} examples; give one each, or none")
    scale = _scale(codes, across, up)
    above = CAPTION if captions else 0
    cell = (scale.width + BETWEEN, scale.height + above + BETWEEN)
    columns = columns or _columns(len(codes), cell)
    columns = min(columns, len(codes))
    rows = math.ceil(len(codes) / columns)
    size = (2 * MARGIN + NAMES + columns * cell[0] - BETWEEN, 2 * MARGIN + rows * cell[1] - BETWEEN)
    if size[0] * size[1] > MOST_PIXELS:
        raise InputError(
            f"{len(codes):,} examples of {scale.steps:,} steps make a picture of {size[0]:,} x {size[1]:,} pixels, "
            f"more than the {MOST_PIXELS:,} allowed; show fewer, or parts of them"
        )
    sheet = Image.new("RGB", size, PAPER)
    ink, font = ImageDraw.Draw(sheet), ImageFont.load_default(10)
    empty = _panel(scale, per_beat, bar, pickup)
    for i, example in enumerate(codes):
        row, column = divmod(i, columns)
        left, top = MARGIN + NAMES + column * cell[0], MARGIN + above + row * cell[1]
        sheet.paste(_drawn(example, empty, scale), (left, top))
        if captions:
            ink.text((left, top - 4), captions[i], LETTERS, font, anchor="ls")
        if column == 0:
            for pitch in range(scale.low, scale.high + 1):
                if pitch % 12 == 0:
                    middle = top + scale.top(pitch) + up / 2
                    ink.text((left - 5, middle), f"C{pitch // 12 - 1}", LETTERS, font, anchor="rm")
    return sheet


def roll_png(codes: NDArray[np.integer], per_beat: int = 4, bar: int = 16, columns: int | None = None) -> bytes:
    """A picture of examples as a PNG file.

    Args:
        codes: Codes, (examples, voices, steps), or (voices, steps) for one example.
        per_beat: Steps per quarter note.
        bar: Steps per bar.
        columns: How many examples stand side by side; None for about as many as make the picture square.
    """
    content = io.BytesIO()
    roll(codes, per_beat=per_beat, bar=bar, columns=columns).save(content, format="PNG")
    return content.getvalue()


def _columns(count: int, cell: tuple[int, int]) -> int:
    """How many side by side make a picture about half as wide again as it is high."""
    return max(1, round(math.sqrt(1.5 * count * cell[1] / cell[0])))


def _scale(codes: NDArray[np.integer], across: int, up: int) -> _Scale:
    """The pitches that all panels show."""
    if across < 2 or up < 2:
        raise InputError(f"{across} pixels per step and {up} per pitch; two of each are the least that can be seen")
    seen = np.concatenate([_places(example)[example != REST] for example in codes])
    low, high = (math.floor(seen.min()), math.ceil(seen.max())) if seen.size else (48, 72)
    low, high = low - ROOM, high + ROOM
    missing = max(0, LEAST - (high - low + 1))
    low, high = low - missing // 2, high + (missing + 1) // 2
    return _Scale(low, high, int(codes.shape[-1]), across, up)


def _panel(scale: _Scale, per_beat: int, bar: int, pickup: int) -> Image.Image:
    """A panel without notes, at its size."""
    panel = Image.new("RGB", (scale.width, scale.height), WHITE_KEYS)
    ink = ImageDraw.Draw(panel)
    for pitch in range(scale.low, scale.high + 1):
        top = int(scale.top(pitch))
        if pitch % 12 in BLACK:
            ink.rectangle((0, top, scale.width, top + scale.up - 1), BLACK_KEYS)
        if pitch % 12 == 0:
            ink.line((0, top + scale.up - 1, scale.width, top + scale.up - 1), BEAT)
    for step in range(scale.steps):
        if (step - pickup) % bar == 0:
            ink.line((step * scale.across, 0, step * scale.across, scale.height), BAR)
        elif (step - pickup) % bar % per_beat == 0 and scale.across * per_beat >= 8:
            ink.line((step * scale.across, 0, step * scale.across, scale.height), BEAT)
    ink.rectangle((0, 0, scale.width - 1, scale.height - 1), outline=EDGE)
    return panel


def _drawn(example: NDArray[np.integer], empty: Image.Image, scale: _Scale) -> Image.Image:
    """A panel with the notes of an example: drawn large, reduced, and laid over the lines."""
    notes = Image.new("RGBA", (scale.width * FINE, scale.height * FINE), (255, 255, 255, 0))
    ink = ImageDraw.Draw(notes)
    _draw_open(ink, example, scale)
    pitches, shared = pitches_of(example), []
    for note in notes_of(example):
        colour = COLOURS[note.voice % len(COLOURS)]
        top, left = scale.top(note.pitch) * FINE, note.start * scale.across + 1
        box = (left * FINE, top, (note.start + note.length) * scale.across * FINE - 1, top + scale.up * FINE - 1)
        ink.rounded_rectangle(box, min(0.42 * scale.up * FINE, (box[2] - box[0]) / 2), colour)
        for step in range(note.start, note.start + note.length):
            same = np.flatnonzero(pitches[:, step] == note.pitch).tolist()
            if len(same) > 1:
                share = scale.up * FINE / len(same)
                upper, begin = top + share * same.index(note.voice), step * scale.across + (step == note.start)
                ends = ((step + 1) * scale.across * FINE - 1, round(upper + share) - 1)
                shared.append(((begin * FINE, round(upper), *ends), colour))
    for part, colour in shared:
        ink.rectangle(part, colour)
    small = notes.resize(empty.size, Image.Resampling.BOX)
    panel = empty.copy()
    panel.paste(small, (0, 0), small)
    return panel


def _places(example: NDArray[np.integer]) -> NDArray[np.float64]:
    """Where each cell of each voice would be, as a pitch: between the notes before and after."""
    pitches = pitches_of(example)
    steps, found = np.arange(example.shape[1]), np.full(example.shape, np.nan)
    for voice, line in enumerate(pitches):
        if (line >= 0).any():
            found[voice] = np.interp(steps, steps[line >= 0], line[line >= 0])
    known = np.flatnonzero(~np.isnan(found[:, 0]))
    for voice in range(len(found)):
        if not len(known):
            found[voice] = 60 + SIXTH * ((len(found) - 1) / 2 - voice)
        elif voice not in known:
            nearest = known[np.abs(known - voice).argmin()]
            found[voice] = pitches[nearest][pitches[nearest] >= 0].mean() + SIXTH * (int(nearest) - voice)
    return found.clip(0, PITCHES - 1)


def _draw_open(ink: ImageDraw.ImageDraw, example: NDArray[np.integer], scale: _Scale) -> None:
    """A grey dot for each open cell."""
    places = _places(example)
    size = min(scale.up * 0.28, scale.across * 0.3) * FINE
    for voice, step in np.argwhere(example == OPEN):
        x = (step + 0.5) * scale.across * FINE
        y = (scale.top(places[voice, step]) + scale.up / 2) * FINE
        ink.ellipse((x - size, y - size, x + size, y + size), DOT)
