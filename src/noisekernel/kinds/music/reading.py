"""What stands for a piece of music, and reading it: a file, its bytes, a piece, a grid of codes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from noisekernel.core.errors import BadExampleError
from noisekernel.kinds.music.grid import OPEN, PITCHES, REST, Piece, tidied

#: How files of music end, and how they begin.
ENDINGS = (".mid", ".midi", ".musicxml", ".mxl", ".xml")
MIDI, ZIP, XML = b"MThd", b"PK\x03\x04", b"<?xml"
#: Bytes that tell what a file is.
BEGINNING = 512


def is_music(item: Any) -> bool:
    """Whether an item looks like a piece of music.

    Args:
        item: Whatever a source gave.
    """
    if isinstance(item, Piece):
        return True
    if isinstance(item, Path):
        if item.suffix.lower() not in ENDINGS or not item.is_file():
            return False
        with item.open("rb") as file:
            return called(file.read(BEGINNING)) is not None
    return isinstance(item, bytes) and called(item[:BEGINNING]) is not None


def called(beginning: bytes) -> str | None:
    """What to call a file of music that begins like this; None for any other file."""
    if beginning.startswith(MIDI):
        return "a MIDI file"
    if b"<score-partwise" in beginning or b"score-partwise" in beginning:
        return "a MusicXML file"
    return "a zipped MusicXML file" if beginning.startswith(ZIP) and b"META-INF/container.xml" in beginning else None


def piece_of_item(item: Any, voices: int, per_beat: int, names: tuple[str, ...] | None = None) -> Piece:
    """The piece that an item is; `BadExampleError` says why it is none.

    Args:
        item: A piece, codes of a grid (voices, steps), a path, or the bytes of a file.
        voices: How many voices pieces have.
        per_beat: Steps per quarter note.
        names: What the voices are called.
    """
    return on_beats(_read(item, voices, per_beat, names))


def on_beats(piece: Piece) -> Piece:
    """The piece with a rest before a pickup that is no whole beat, so that beats begin where windows do.

    Args:
        piece: The piece.
    """
    short = -piece.pickup % piece.per_beat
    if not short:
        return piece
    codes = np.pad(piece.codes, ((0, 0), (short, 0)), constant_values=REST)
    codes[:, :short][piece.codes[:, :1].repeat(short, axis=1) == OPEN] = OPEN
    told = (*piece.told, f"the pickup is filled up to a whole beat by a rest of {short} steps")
    return replace(piece, codes=codes, pickup=piece.pickup + short, told=told)


def _read(item: Any, voices: int, per_beat: int, names: tuple[str, ...] | None) -> Piece:
    if isinstance(item, np.ndarray):
        item = Piece(_checked(item), per_beat=per_beat)
    if isinstance(item, Piece):
        if item.voices != voices or item.per_beat != per_beat:
            raise BadExampleError(
                f"it has {item.voices} voices on {item.per_beat} steps per quarter note; {voices} on {per_beat} are "
                "wanted"
            )
        return item
    name = ""
    if isinstance(item, Path):
        try:
            name, item = item.stem, item.read_bytes()
        except OSError as error:
            raise BadExampleError(f"it cannot be opened: {error.strerror}") from None
    if not isinstance(item, bytes):
        raise BadExampleError(f"a {type(item).__name__} is no piece of music")
    if item.startswith(MIDI):
        from noisekernel.kinds.music.midi import read_midi

        return read_midi(item, voices, name, per_beat, names)
    if item.startswith(ZIP) or item.lstrip(b"\xef\xbb\xbf \n\r\t").startswith(b"<"):
        from noisekernel.kinds.music.musicxml import read_musicxml

        return read_musicxml(item, voices, name, per_beat, names)
    raise BadExampleError("it is neither MIDI nor MusicXML; export it from your program as one of these")


def _checked(codes: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.int16]]:
    if codes.ndim != 2 or codes.dtype.kind not in "iu" or codes.size == 0:
        raise BadExampleError(
            f"an array of shape {codes.shape} and {codes.dtype} is no grid; give whole numbers, (voices, steps)"
        )
    if codes.min() < OPEN or codes.max() > 2 * PITCHES:
        raise BadExampleError(f"codes run from {codes.min()} to {codes.max()}; they lie between {OPEN} and 256")
    return tidied(codes)
