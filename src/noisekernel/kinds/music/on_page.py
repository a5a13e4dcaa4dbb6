"""Music on the studio's page: notes and open stretches as JSON, files of MIDI, sound and rolls."""

import html
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.files.data_urls import data_url
from noisekernel.kinds.exchanged import Shown
from noisekernel.kinds.music.grid import OPEN, REST, Note, codes_of, notes_of
from noisekernel.kinds.on_page import OnPage

if TYPE_CHECKING:
    from noisekernel.kinds.music.kind import Music


class MusicOnPage(OnPage):
    """Pieces on the page."""

    most_bytes: ClassVar[int] = 4_000_000
    films: ClassVar[tuple[str, ...]] = (".mid",)
    kind: "Music"

    def facts(self) -> dict[str, Any]:
        kind, (low, high) = self.kind, self.kind.range
        return {
            "voices": list(kind.names),
            "steps": kind.steps,
            "per_beat": kind.per_beat,
            "bar": kind.bar,
            "tempo": kind.tempo,
            "low": low,
            "high": high,
            "feather": self.feathers,
        }

    # What goes out ----------------------------------------------------------------------------------------------------

    def inline(self, z: Tensor) -> list[Any]:
        """The notes of each piece, and what is open."""
        return [self._told(codes) for codes in self.values(z).numpy()]

    def noisy(self, x: Tensor) -> list[Any]:
        """The same; what is masked is open."""
        masked = (x >= (self.kind.classes or 0)).cpu()
        values = self.kind.decode(x.cpu().where(~masked, 0))
        return [self._told(codes) for codes in torch.where(masked, OPEN, values).numpy()]

    def _told(self, codes: Any) -> dict[str, Any]:
        notes = [[note.voice, note.pitch, note.start, note.length] for note in notes_of(codes)]
        return {"notes": notes, "open": _stretches(codes == OPEN), "steps": codes.shape[1]}

    def shown_as(self, form: str, z: Tensor, how: Mapping[str, Any]) -> Shown:
        """Also as sound (wav), as a piano roll (png), and for notation programs (musicxml)."""
        kind, (codes,) = self.kind, self.values(z).numpy()
        if form == "png":
            return Shown("image/png", kind.roll(codes[None]))
        heard = np.where(codes == OPEN, REST, codes)
        if form == "wav":
            from noisekernel.kinds.music.sound import wav_of

            return Shown("audio/wav", wav_of(heard, tempo=kind.tempo, per_beat=kind.per_beat, names=kind.names))
        if form == "musicxml":
            from noisekernel.kinds.music.musicxml import write_musicxml

            written = write_musicxml(heard, kind.names, tempo=kind.tempo, per_beat=kind.per_beat, bar=kind.bar, how=how)
            return Shown("application/vnd.recordare.musicxml+xml", written)
        return super().shown_as(form, z, how)

    def markup(self, z: Tensor, names: Sequence[str]) -> list[str]:
        """A piano roll as a picture."""
        rolls = [data_url(self.kind.roll(codes[None]), "image/png") for codes in self.values(z).numpy()]
        return [
            f'<img src="{roll}" alt="{html.escape(name)}" style="width: 320px">'
            for roll, name in zip(rolls, names, strict=True)
        ]

    # What comes in ----------------------------------------------------------------------------------------------------

    def item(self, content: bytes) -> Any:
        """A file of MIDI or MusicXML; or notes and open stretches, as JSON."""
        if not content.lstrip().startswith(b"{"):
            return content
        try:
            told = json.loads(content)
            notes = [Note(*map(int, note)) for note in told["notes"]]
            empty = [tuple(map(int, stretch)) for stretch in told.get("open", [])]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(
                'the piece is no JSON of {"notes": [[voice, pitch, start, length], …], "open": [[voice, start, '
                "length], …]}"
            ) from None
        voices, steps = len(self.kind.names), self.kind.steps
        if any(note.start + note.length > steps for note in notes):
            raise InputError(f"a note ends after step {steps}, the last there is")
        codes = codes_of(notes, voices, steps)
        for voice, start, length in empty:
            if not (0 <= voice < voices and start >= 0 and 0 < length <= steps - start):
                raise InputError(
                    f"the open stretch {[voice, start, length]} lies outside {voices} voices, {steps} steps"
                )
            stretch = codes[voice, start : start + length]
            stretch[stretch == REST] = OPEN
        return codes

    def stored(self, item: Any) -> Tensor:
        """A piece may leave cells open, which a round of filling in then fills in, whatever else is marked."""
        try:
            return self.kind.encode(torch.from_numpy(self.kind.store(item).values)[None])
        except BadExampleError as error:
            raise InputError(f"the piece cannot be used: {error}") from None

    def read_mask(self, text: str) -> Tensor:
        """A 0 or 1 for each cell, voice by voice; or words, as at the command line."""
        voices, steps = len(self.kind.names), self.kind.steps
        if text and not set(text) - {"0", "1"}:
            if len(text) != voices * steps:
                raise InputError(
                    f"the mask has {len(text)} cells; {voices} voices of {steps} steps have {voices * steps}"
                )
            cells = np.frombuffer(text.encode(), dtype=np.uint8) == ord("1")
            return self.checked_mask(torch.from_numpy(cells.reshape(voices, steps)))
        return self.checked_mask(self.kind.mask(text[:10_000], [])[0])


def _stretches(cells: Any) -> list[list[int]]:
    """Voice, start and length of each run of true cells, (voices, steps)."""
    found = []
    for voice, line in enumerate(cells):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], line.astype(np.int8), [0]))))
        found += [[voice, int(start), int(end - start)] for start, end in edges.reshape(-1, 2)]
    return found
