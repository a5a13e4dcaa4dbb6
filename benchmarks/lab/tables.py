"""Tables in Markdown, and the figures in their cells."""

import statistics
from collections.abc import Iterable, Sequence

from lab.findings import Findings


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def over_seeds(values: Iterable[float]) -> str:
    """The mean and the range over seeds."""
    many = list(values)
    if not many:
        return "-"
    if len(many) == 1:
        return f"{many[0]:.3f}"
    return f"{statistics.mean(many):.3f} ({min(many):.3f} to {max(many):.3f})"


def walks_table(found: Findings, material: str, names: Sequence[str], stops: Sequence[int]) -> str:
    """Walks by name, with the distances from the data and from the start at each stop."""
    rows = []
    for name in names:
        steps = found.walk(material, name)
        cells = {n: f"{over_seeds(fid)}; {statistics.mean(way):.2f}" for n, (fid, way) in steps.items()}
        rows.append([name, *(cells.get(n, "-") for n in stops)])
    return table(["", *(f"step {n:,}: distance; travelled" for n in stops)], rows)
