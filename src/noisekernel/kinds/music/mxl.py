"""The score in a MusicXML file: unpacked if it is zipped, and parsed as XML, before anything asks what it means.

Numbers of time are looked at first: what follows would take for ever to lay out a bar of a million beats.
"""

import io
import math
import zipfile
from collections.abc import Callable, Mapping
from xml.etree import ElementTree

from noisekernel.core.errors import BadExampleError

#: A score unpacked may have this many bytes: hundreds of pages.
MOST_BYTES = 100_000_000
#: What the numbers of time may be, by the name of their element.
NUMBERS: Mapping[str, Callable[[float], bool]] = {
    "divisions": lambda number: 0 < number < math.inf,
    "duration": lambda number: 0 <= number < math.inf,
    "beats": lambda number: number in range(1, 256),
    "beat-type": lambda number: number in (1, 2, 4, 8, 16, 32, 64, 128),
}


def root_of(content: bytes) -> ElementTree.Element:
    """The root of the score in a file, an element score-partwise; `BadExampleError` says why there is none.

    Args:
        content: The file's bytes, zipped or not.
    """
    if not content:
        raise BadExampleError("it is empty, so no MusicXML file")
    if content[:2] == b"PK":
        content = _unzipped(content)
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        told = "it begins like XML, but is cut short or damaged" if content.lstrip()[:1] == b"<" else "it is no XML"
        raise BadExampleError(f"{told}, so no MusicXML file; export it once more") from None
    if root.tag == "score-timewise":
        raise BadExampleError("it is a MusicXML file sorted by time; export it as score-partwise, which is usual")
    if root.tag != "score-partwise":
        raise BadExampleError(f"it is XML, but no MusicXML: that begins with score-partwise, this with {root.tag[:40]}")
    for element in root.iter():
        if element.tag in NUMBERS and not NUMBERS[element.tag](_number(element.text or "")):
            raise BadExampleError(
                f"it is a MusicXML file with {element.tag} of {(element.text or 'nothing')[:20]!r}, which cannot be; "
                "export it once more"
            )
    return root


def _number(text: str) -> float:
    """A number, or a sum such as 3+2; not a number for anything else."""
    try:
        return sum(float(part) for part in text.split("+"))
    except ValueError:
        return math.nan


def _unzipped(content: bytes) -> bytes:
    """The score in a zipped file: the one that its container names, else the first."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            there = [name for name in file.namelist() if not name.startswith("META-INF/")]
            scores = [name for name in there if name.lower().endswith((".xml", ".musicxml"))]
            if "META-INF/container.xml" in file.namelist() and len(scores) > 1:
                container = ElementTree.fromstring(file.read("META-INF/container.xml"))
                scores = [str(found.get("full-path")) for found in container.iter() if found.tag.endswith("rootfile")]
            if not scores:
                raise BadExampleError("it is a zip file without a score; a zipped MusicXML file (.mxl) has one")
            if file.getinfo(scores[0]).file_size > MOST_BYTES:
                raise BadExampleError(f"its score has more than the {MOST_BYTES:,} bytes allowed")
            return file.read(scores[0])
    except (zipfile.BadZipFile, KeyError, EOFError, RuntimeError, NotImplementedError, OSError, ElementTree.ParseError):
        raise BadExampleError("it begins like a zipped MusicXML file, but is cut short or damaged") from None
