"""Tables in Markdown, and the figures in their cells."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.findings import Findings
from noisekernel.measuring.denoising import SIGMAS


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def over_seeds(values: Iterable[float], digits: int = 3) -> str:
    """The mean and the range over seeds."""
    many = list(values)
    if not many:
        return "-"
    if len(many) == 1:
        return f"{many[0]:.{digits}f}"
    return f"{statistics.mean(many):.{digits}f} ({min(many):.{digits}f} to {max(many):.{digits}f})"


#: The levels of denoising curves that tables show, by their number.
SHOWN_LEVELS = (0, 4, 8, 12, 16)
#: The head of the columns that `curve_cells` fills.
CURVE_HEAD = ("bits", *(f"error x 1e3, sigma {SIGMAS[place]:.2g}" for place in SHOWN_LEVELS))


def curve_cells(curves: Iterable[Mapping[str, Any]]) -> list[str]:
    """Bits per element with their range over seeds, and means over seeds of the error at some levels."""
    many = list(curves)
    if not many:
        return ["-"] * len(CURVE_HEAD)
    errors = [statistics.mean(curve["errors"][place] for curve in many) for place in SHOWN_LEVELS]
    return [over_seeds((curve["bits"] for curve in many), 4), *(f"{1_000.0 * error:.3g}" for error in errors)]


def walks_table(found: Findings, material: str, names: Sequence[str], stops: Sequence[int]) -> str:
    """Walks by name, with the distances from the data and from the start at each stop."""
    rows = []
    for name in names:
        steps = found.walk(material, name)
        cells = {n: f"{over_seeds(fid)}; {statistics.mean(way):.2f}" for n, (fid, way) in steps.items()}
        rows.append([name, *(cells.get(n, "-") for n in stops)])
    return table(["", *(f"step {n:,}: distance; travelled" for n in stops)], rows)
