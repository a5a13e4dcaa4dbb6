"""A piece as a file, in the form that its name says."""

from pathlib import Path
from typing import Any

import numpy as np

from noisekernel.core.errors import InputError
from noisekernel.files.formats import write_bytes
from noisekernel.kinds.music.grid import OPEN, REST, Piece
from noisekernel.kinds.music.voices import names_of


def save_piece(piece: Piece, path: Path) -> Path:
    """Write a piece; open cells are silent, and grey in a piano roll.

    Args:
        piece: The piece.
        path: Where to: .mid, .musicxml, .wav or .png.
    """
    names = names_of(piece.voices)
    heard = np.where(piece.codes == OPEN, REST, piece.codes)
    rhythm: dict[str, Any] = {"per_beat": piece.per_beat, "bar": piece.bar, "pickup": piece.pickup}
    match path.suffix.lower():
        case ".mid" | ".midi":
            from noisekernel.kinds.music.midi import write_midi

            content = write_midi(heard, names, tempo=piece.tempo, title=piece.name, **rhythm)
        case ".musicxml" | ".xml":
            from noisekernel.kinds.music.musicxml import write_musicxml

            content = write_musicxml(heard, names, tempo=piece.tempo, title=piece.name, **rhythm)
        case ".wav":
            from noisekernel.kinds.music.sound import wav_of

            content = wav_of(heard, tempo=piece.tempo, per_beat=piece.per_beat, names=names)
        case ".png":
            from noisekernel.kinds.music.roll import roll_png

            content = roll_png(piece.codes, piece.per_beat, piece.bar)
        case other:
            raise InputError(f"{path.name}: a piece is saved as .mid, .musicxml, .wav or .png, and not as {other!r}")
    write_bytes(path, content)
    return path
