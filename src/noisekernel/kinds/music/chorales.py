"""Chorales of J. S. Bach in four voices, from the corpus that comes with music21; nothing is downloaded.

What may be done with them: music21's `corpus/license.txt` says that the corpus is "distributed with the permission of
the encoders", that "each piece of music in the corpus is either out of copyright in the United States or is licensed
for use, though there may be restrictions on commercial use", and to see "the licenses embedded in individual
compositions or directories". The music is in the public domain. Most files of the folder `bach` bear the line "PDF ©
2004 Margaret Greentree" (www.jsbchorales.net), a few the words "used by permission" as well; none states a licence, so
none permits commercial use in so many words. Three files in Humdrum's format are of the Center for Computer Assisted
Research in the Humanities, "Rights to all derivative electronic formats reserved"; they are left out here. noisekernel
contains none of these files.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from noisekernel.core.errors import BadExampleError, NoiseKernelError
from noisekernel.kinds.music.assembling import piece_of
from noisekernel.kinds.music.grid import Piece
from noisekernel.kinds.music.gridding import grid_name, gridded
from noisekernel.kinds.music.musicxml import quiet_music21, read_score
from noisekernel.kinds.music.voices import VOICES


def chorales(
    progress: Callable[[int, int], None] | None = None, tell: Callable[[str], None] | None = None, per_beat: int = 4
) -> Iterator[Piece]:
    """The chorales with four parts of single notes that fit the grid exactly, in the order of their names.

    Args:
        progress: Is called with how many files were read and how many there are, after each.
        tell: Is called with a sentence on what was left out, at the end.
        per_beat: Steps per quarter note.
    """
    files = _files()
    left: Counter[str] = Counter()
    for count, path in enumerate(files, start=1):
        found = _chorale(path, per_beat)
        if progress is not None:
            progress(count, len(files))
        if isinstance(found, Piece):
            yield found
        else:
            left[found] += 1
    if tell is not None and left:
        reasons = ", ".join(f"{number} {reason}" for reason, number in left.most_common())
        tell(f"{left.total()} of {len(files)} scores of the corpus are left out: {reasons}")


def _files() -> list[Path]:
    """The scores of Bach in the corpus."""
    with quiet_music21() as music21:
        folder = Path(music21.__file__).parent / "corpus" / "bach"
    files = sorted(path for path in folder.glob("*.*") if path.suffix in (".mxl", ".xml", ".krn"))
    if not files:
        raise NoiseKernelError(
            "music21 was installed without its corpus, so without the chorales: pip install --force-reinstall music21"
        )
    return files


def _chorale(path: Path, per_beat: int) -> Piece | str:
    """The chorale in a file, or why it is left out."""
    if path.suffix == ".krn":
        return "with rights reserved"
    try:
        score = read_score(path.read_bytes(), per_beat)
        lines = [line for part in score.parts for line in part]
        placed = [gridded(line) for line in lines]
        if len(score.parts) != len(VOICES) or len(lines) != len(VOICES) or not all(line.single for line in placed):
            return "without four parts of single notes"
        if any(line.moved or line.closed or line.short or line.lost for line in placed):
            return f"with notes between those of the grid of {grid_name(per_beat)}"
        return piece_of(lines, VOICES, score.frame(path.stem, per_beat))
    except BadExampleError:
        return "that cannot be read"
