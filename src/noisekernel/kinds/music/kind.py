"""Music: pieces of several voices on a grid of time steps, each cell a pitch that begins or sounds on, or a rest.

All examples have a number of steps, the window. Longer pieces are cut into overlapping windows to learn from, one from
each beat on, with a bar of silence before and after the piece, so that beginnings and endings are learned too. A piece
that is varied or filled in may be longer than the window (`spanned`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.core.randomness import Randomness
from noisekernel.core.settings import Count, Positive
from noisekernel.files.formats import write_bytes
from noisekernel.kinds.base import Kind
from noisekernel.kinds.excerpts import Excerpts
from noisekernel.kinds.exchanged import Hidden, How, Items, Named, Shown, Stored
from noisekernel.kinds.masking import blocks
from noisekernel.kinds.music.features import music_features
from noisekernel.kinds.music.grid import OPEN, OPENED, PITCHES, REST, Piece, notes_of, pitches_of, tidied
from noisekernel.kinds.music.hiding import hidden_parts
from noisekernel.kinds.music.masks import mask_of_words
from noisekernel.kinds.music.on_page import MusicOnPage
from noisekernel.kinds.music.reading import called, is_music, piece_of_item
from noisekernel.kinds.music.transposing import Transposition
from noisekernel.kinds.music.voices import names_of

#: Items that are looked at to tell the kind, and pieces to tell their range.
LOOKED_AT, MEASURED = 20, 2_000
#: The voices of pieces from files, which do not say how many they should have.
USUAL = 4
#: The share of training examples that is transposed.
TRANSPOSED = 0.75
#: The longest piece that is made, in steps.
LONGEST = 8192
#: The names of pitch classes.
PITCH_CLASSES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


class Music(Kind):
    """Pieces of music."""

    kind: Literal["music"] = "music"
    #: The names of the voices, the highest first; by default those of the data.
    voices: Annotated[tuple[str, ...], Field(min_length=1, max_length=15)] | None = None
    #: How many steps a window has.
    steps: Annotated[int, Field(ge=8, le=LONGEST, strict=True)] = 64
    #: Steps per quarter note.
    per_beat: Annotated[int, Field(ge=1, le=24, strict=True)] = 4
    #: Steps per bar, and quarter notes per minute, of what is written.
    bar: Count = 16
    tempo: Positive = 80.0
    #: The lowest and the highest MIDI pitch; by default those of the data, and as far beyond as they are transposed.
    low: Annotated[int, Field(ge=0, lt=PITCHES, strict=True)] | None = None
    high: Annotated[int, Field(ge=0, lt=PITCHES, strict=True)] | None = None
    #: Learn from transposed pieces too, up or down by up to so many semitones. The network is told.
    transpose: Annotated[int, Field(ge=0, le=12, strict=True)] = 4

    one: ClassVar[str] = "piece"
    many: ClassVar[str] = "pieces"
    fixed: ClassVar[frozenset[str]] = frozenset({"voices", "steps", "per_beat", "bar", "tempo", "low", "high"})
    suffix: ClassVar[str] = ".mid"
    page: ClassVar[str] = ".png"
    reel: ClassVar[str] = ".mid"
    viewer: ClassVar[str] = "music"

    # What the data are ------------------------------------------------------------------------------------------------

    @classmethod
    def recognises(cls, items: Items) -> bool:
        """Files of MIDI or MusicXML, and pieces."""
        return all(is_music(items.item(i)) for i in range(min(len(items), LOOKED_AT)))

    @classmethod
    def called(cls, beginning: bytes) -> str | None:
        return called(beginning)

    @classmethod
    def recipe(cls, items: Items | None, on_cpu: bool) -> str:
        return "music"

    def fitted(self, items: Items | None) -> tuple["Music", str | None]:
        if self.voices is not None and self.low is not None and self.high is not None:
            return self, None
        if items is None:
            raise InputError("the voices of a stream are not known beforehand; give pieces that are on this disk")
        first = items.item(0)
        count = first.voices if isinstance(first, Piece) else USUAL
        names = self.voices or names_of(count)
        low, high, bars, tempi = PITCHES, -1, Counter[int](), []
        for i in range(min(len(items), MEASURED)):
            try:
                piece = piece_of_item(items.item(i), len(names), self.per_beat, names)
            except BadExampleError:
                continue  # whoever reads it says so
            sounding = pitches_of(piece.codes)
            if not (sounding >= 0).any():
                continue
            low = min(low, int(sounding[sounding >= 0].min()))
            high = max(high, int(sounding.max()))
            bars[piece.bar] += 1
            tempi.append(piece.tempo)
        if high < 0:
            item = f"{items.name(0)}: {self._fault(first, names)}"
            raise InputError(f"there is no piece of {len(names)} voices to be had there. {item}")
        fitted = {
            "voices": names,
            "low": max(0, low - self.transpose) if self.low is None else self.low,
            "high": min(PITCHES - 1, high + self.transpose) if self.high is None else self.high,
            "bar": bars.most_common(1)[0][0] if "bar" not in self.model_fields_set else self.bar,
            "tempo": float(np.median(tempi)) if "tempo" not in self.model_fields_set else self.tempo,
        }
        found = self.model_copy(update=fitted)
        far = f", transposed by up to {self.transpose} semitones" if self.transpose else ""
        return found, (
            f"pieces of {len(names)} voices ({', '.join(names)}), pitches {name_of(low)} to {name_of(high)}{far}, in "
            f"windows of {self.steps} steps, {self.per_beat} to a quarter note"
        )

    def _fault(self, item: Any, names: tuple[str, ...]) -> str:
        try:
            piece_of_item(item, len(names), self.per_beat, names)
        except BadExampleError as error:
            return str(error)
        return "nothing sounds in it"

    def excerpts(self, items: Any) -> Excerpts:
        """Windows from each beat on, with a bar of silence before and after each piece."""
        parts, works, names, labels = [], [], [], []
        for i in range(len(items)):
            try:
                piece = piece_of_item(items.item(i), len(self.names), self.per_beat, self.voices)
                self._check(piece)
            except BadExampleError as error:
                if self.bad == "skip":
                    parts.append(error)
                    works.append(i)
                else:
                    raise InputError(
                        f"{items.name(i)}: {error}. Remove it, or have such files left out: bad='skip' (nk train: "
                        "--set data.bad=skip)"
                    ) from None
            else:
                own = self.windows(piece)
                parts += own
                works += [i] * len(own)
            names.append(items.name(i))
            labels.append(items.label(i))
        labelled = any(label is not None for label in labels)
        return Excerpts(parts, works, names, labels if labelled else (), tuple(items.classes))

    def windows(self, piece: Piece) -> list[Any]:
        """The grids that a piece is cut into."""
        silence = self.bar
        codes = np.pad(piece.codes, ((0, 0), (silence, silence)), constant_values=REST)
        short = self.steps - codes.shape[1]
        if short > 0:
            codes = np.pad(codes, ((0, 0), (0, short)), constant_values=REST)
        first = (silence + piece.pickup) % self.per_beat
        starts = range(first, codes.shape[1] - self.steps + 1, self.per_beat)
        return [tidied(codes[:, at : at + self.steps]) for at in starts]

    def _check(self, piece: Piece) -> None:
        pitches = pitches_of(piece.codes)
        low, high = self.range
        odd = pitches[(pitches >= 0) & ((pitches < low) | (pitches > high))]
        if odd.size:
            raise BadExampleError(
                f"it has the pitch {name_of(int(odd[0]))}; pitches run from {name_of(low)} to {name_of(high)}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the voices."""
        if self.voices is None:
            raise InputError("the voices of these pieces are not known yet; they are taken from the data")
        return self.voices

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest MIDI pitch."""
        if self.low is None or self.high is None:
            raise InputError("the range of these pieces is not known yet; it is taken from the data")
        return self.low, self.high

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self.names), self.steps)

    @property
    def channels(self) -> int:
        return len(self.names)

    @property
    def classes(self) -> int | None:
        return None if self.low is None or self.high is None else 2 * (self.high - self.low + 1) + 1

    @property
    def categorical(self) -> bool:
        return True

    @property
    def window(self) -> int | None:
        """The last dimension of z is time, of which models of this kind may be given more than they were trained on."""
        return self.steps

    @property
    def hop(self) -> int:
        """A quarter of a window, in whole beats: windows begin on a beat, as in training."""
        return max(1, self.steps // (4 * self.per_beat)) * self.per_beat

    def of_length(self, length: int) -> "Music":
        """Of so many bars, at least those of the window."""
        if length * self.bar < self.steps:
            raise InputError(
                f"pieces of {length} bars are shorter than the window, which has {self.steps / self.bar:g}; ask for "
                "more, or leave out the length"
            )
        return self.spanned(length * self.bar)

    def spanned(self, steps: int) -> "Music":
        """This kind with so many steps, up to the next beat."""
        whole = -(-steps // self.per_beat) * self.per_beat
        if whole > LONGEST:
            raise InputError(f"the longest piece has {steps:,} steps; at most {LONGEST:,} are allowed")
        return self.model_copy(update={"steps": max(whole, self.steps)})

    def spanning(self, items: Sequence[Any]) -> "Music":
        """This kind with as many steps as the longest of these pieces has, if that is more than the window."""
        longest = 0
        for item in items:
            try:
                longest = max(longest, piece_of_item(item, len(self.names), self.per_beat, self.voices).steps)
            except BadExampleError:
                continue  # whoever reads it says so
        return self.spanned(longest) if longest > self.steps else self

    def categories_from(self, other: "Music") -> Tensor:
        """Rests are rests, and pitches are the same by their number."""
        own, theirs = (
            [(-1, 0), *((p, s) for p in range(kind.range[0], kind.range[1] + 1) for s in (0, 1))]
            for kind in (self, other)
        )
        return torch.tensor([[float(mine == yours) for yours in theirs] for mine in own])

    def described(self) -> str:
        return f"pieces of {len(self.names)} voices and {self.steps} steps"

    # Codec ------------------------------------------------------------------------------------------------------------

    def store(self, item: Any) -> Stored:
        """A piece, its file, or codes of a grid; a shorter piece is followed by silence."""
        if isinstance(item, BadExampleError):
            raise item
        piece = piece_of_item(item, len(self.names), self.per_beat, self.voices)
        self._check(piece)
        if piece.steps > self.steps:
            raise BadExampleError(
                f"it has {piece.steps} steps ({piece.steps / piece.bar:g} bars); here there are {self.steps}"
            )
        codes = np.pad(piece.codes, ((0, 0), (0, self.steps - piece.steps)), constant_values=REST)
        return Stored(codes.astype(np.int16), "; ".join(piece.told) or None)

    def encode(self, values: Tensor) -> Tensor:
        return torch.where(values > REST, values - 2 * self.range[0], values).long()

    def decode(self, z: Tensor) -> Tensor:
        """Where a pitch sounds on that did not sound before, it is struck."""
        codes = torch.where(z > REST, z + 2 * self.range[0], z)
        return torch.from_numpy(tidied(codes.cpu().numpy()))

    def drawn(self, values: Tensor) -> list[Piece]:
        return [self._piece(codes) for codes in values.numpy()]

    def _piece(self, codes: Any) -> Piece:
        return Piece(codes, per_beat=self.per_beat, bar=self.bar, tempo=self.tempo)

    @property
    def augmentation(self) -> Transposition | None:
        return Transposition(self.transpose, TRANSPOSED) if self.transpose else None

    def augmented(self, values: Tensor, chance: Tensor) -> Tensor:
        """As they are, and whole: what is open can be filled in and not learned from."""
        self.check_whole(values)
        return values

    @property
    def bytes_stored(self) -> int:
        return 2 * len(self.names) * self.steps

    def differs(self, item: Any) -> str | None:
        """What was changed to fit the grid, and silence that follows."""
        try:
            piece = piece_of_item(item, len(self.names), self.per_beat, self.voices)
        except BadExampleError:
            return None  # whoever reads it says so
        told = [each for each in piece.told if not each.endswith(OPENED)]  # whoever fills them in sees to them
        if piece.steps < self.steps:
            told.append(f"it has {piece.steps} steps, and silence follows up to {self.steps}")
        return "; ".join(told) or None

    def check_whole(self, z: Tensor) -> None:
        open_ = (z.reshape(-1, *z.shape[-2:]) == OPEN).nonzero()
        if len(open_):
            i, voice, step = open_[0].tolist()
            raise InputError(
                f"piece {i + 1}: {self.names[voice]} is open from step {step + 1} on; fill it in first (nk fill, "
                "model.fill)"
            )

    def check_range(self, z: Tensor, what: str) -> None:
        self.check_whole(z)

    # For people -------------------------------------------------------------------------------------------------------

    def given(self, words: Sequence[str]) -> list[Named]:
        """Paths of files."""
        found = []
        for word in words:
            path = Path(word)
            if path.is_dir():
                raise InputError(f"{path} is a folder; give pieces, such as {path / '*.mid'}")
            try:
                found.append(Named(path.stem, path.read_bytes()))
            except OSError as error:
                raise InputError(f"{path} cannot be opened: {error.strerror}") from None
        return found

    def show(self, values: Tensor, hidden: Hidden = None, how: How = None) -> list[Shown]:
        """MIDI, in which what is hidden is silent; and the notes of the first voice in a line."""
        return [
            Shown("audio/midi", self.midi(codes, how), self._line(codes))
            for codes in self._seen(values, hidden).numpy()
        ]

    def midi(self, codes: Any, how: How = None) -> bytes:
        """A grid as a MIDI file; open cells are silent."""
        from noisekernel.kinds.music.midi import write_midi

        heard = np.where(codes == OPEN, REST, codes)
        return write_midi(heard, self.names, tempo=self.tempo, per_beat=self.per_beat, bar=self.bar, how=how)

    def _line(self, codes: Any) -> str:
        first = [note for note in notes_of(codes) if note.voice == 0]
        return " ".join(name_of(note.pitch) for note in first[:16]) + (" …" if len(first) > 16 else "")

    def _seen(self, values: Tensor, hidden: Hidden) -> Tensor:
        return values if hidden is None else torch.where(hidden.cpu(), torch.full_like(values, OPEN), values)

    def overview(self, values: Tensor, columns: int | None = None, hidden: Hidden = None, how: How = None) -> Shown:
        """Piano rolls on one picture."""
        return Shown("image/png", self.roll(self._seen(values, hidden).numpy(), columns))

    def roll(self, codes: Any, columns: int | None = None) -> bytes:
        """Piano rolls of several grids, (n, voices, steps), as PNG."""
        from noisekernel.kinds.music.roll import roll_png

        return roll_png(codes, self.per_beat, self.bar, columns)

    def board(self, writer: Any, name: str, page: Shown, step: int) -> None:
        from io import BytesIO

        from PIL import Image

        with Image.open(BytesIO(page.content)) as sheet:
            writer.add_image(name, np.asarray(sheet.convert("RGB")), step, dataformats="HWC")

    def check_film(self, path: Path) -> None:
        if path.suffix != ".mid":
            raise InputError(f"{path.name}: walks of pieces are written as .mid, one frame after the other")

    def film(self, frames: Iterable[Tensor], path: Path, fps: float) -> None:
        """The pieces of all frames, one after the other, with a bar of silence between them."""
        pause = np.zeros((len(self.names), self.bar), dtype=np.int16)
        parts = [part for values in frames for codes in values.numpy() for part in (codes, pause)]
        write_bytes(path, self.midi(np.concatenate(parts[:-1], axis=1)))

    @property
    def bytes_shown(self) -> int:
        return 40 * len(self.names) * self.steps * 8

    @property
    def on_page(self) -> MusicOnPage:
        return MusicOnPage(self)

    # Masks ------------------------------------------------------------------------------------------------------------

    def mask(self, word: str, items: Sequence[Any]) -> tuple[Tensor, str | None]:
        """Voices, bars, or voices in bars: "alto,tenor,bass", "bars 5-8", "alto 5-8; bass 7"."""
        pickup = 0
        if items:
            pickup = piece_of_item(items[0], len(self.names), self.per_beat, self.voices).pickup
        return mask_of_words(word, self.names, self.steps, self.bar, pickup), None

    def masks(self, tile: int, keep: float, n: int, *, seed: int = 0, first: int = 0) -> Tensor:
        """Beats of single voices: parts of so many beats."""
        voices, beats = len(self.names), -(-self.steps // (tile * self.per_beat))
        hidden = blocks(voices * beats, 1, keep, n, seed=seed, first=first).unflatten(1, (voices, beats))
        return hidden.repeat_interleave(tile * self.per_beat, dim=2)[:, :, : self.steps]

    def holes(self, z: Tensor) -> Tensor:
        """The cells of which nothing is said."""
        return z == OPEN

    @property
    def hiding(self) -> Callable[[int, Randomness], Tensor]:
        return partial(_hidden, voices=len(self.names), steps=self.steps)

    # Judging ----------------------------------------------------------------------------------------------------------

    def flat(self, values: Tensor) -> Tensor:
        return music_features(values, *self.range, self.per_beat)

    @property
    def scores(self) -> Mapping[str, Callable[[Any], float]]:
        from noisekernel.kinds.music.rules import SCORES

        return {name: partial(_scored, score, self.per_beat) for name, score in SCORES.items()}

    def judged(self, drawn: Any) -> Any:
        """The codes of the grid, (voices, steps)."""
        return drawn.codes


def _hidden(n: int, generator: Randomness, *, voices: int, steps: int) -> Tensor:
    return hidden_parts(n, voices, steps, generator)


def _scored(score: Callable[..., float], per_beat: int, codes: Any) -> float:
    return float(score(codes, per_beat))


def name_of(pitch: int) -> str:
    """A MIDI pitch in letters; 60 is C4.

    >>> name_of(60), name_of(70)
    ('C4', 'A#4')
    """
    return f"{PITCH_CLASSES[pitch % 12]}{pitch // 12 - 1}"
