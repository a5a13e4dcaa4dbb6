"""Drawings of columns and of pairs of columns, as pieces of SVG."""

import html
from collections.abc import Sequence

import numpy as np

from noisekernel.kinds.exchanged import Rows, Variable
from noisekernel.measuring.rows.classes import Floats

REAL, NEW, LESS = "#8a8f9a", "#5b82d8", "#dd6a50"
#: Bars of a column of numbers, and categories that have bars of their own, at most.
BARS, BARRED = 24, 10
WIDTH, HEIGHT = 280, 150
#: What the cells are called in which there is no number.
EMPTY = "(empty)"


def column(real: Rows, new: Rows, j: int) -> str:
    """A column of real and of new rows, beside each other.

    Args:
        real: Real rows.
        new: New rows.
        j: The number of the column.
    """
    variable = real.variables[j]
    cells = real.table[:, j], new.table[:, j]
    if variable.categories is None:
        labels, of_real, of_new = _numbers(variable, *cells)
        drawn = _upright(labels, of_real, of_new)
    else:
        labels, of_real, of_new = _categories(variable.categories, *cells)
        drawn = _lying(labels, of_real, of_new)
    told = f"{variable.name}: real rows grey, new rows blue"
    return f'<div class="column"><h3>{html.escape(variable.name)}</h3>{_svg(*drawn, told)}</div>'


def _svg(inner: str, height: float, told: str, width: float = WIDTH) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'aria-label="{html.escape(told)}" font-size="11" fill="currentColor" '
        f'font-family="ui-sans-serif, system-ui, sans-serif">{inner}</svg>'
    )


def _numbers(variable: Variable, real: Floats, new: Floats) -> tuple[list[str], Floats, Floats]:
    there = real[~np.isnan(real)]
    distinct = np.unique(there)
    if not len(there):
        edges = np.array([0.0, 1.0])
        starts = ["", ""]
    elif len(distinct) <= BARS:
        middles = (distinct[:-1] + distinct[1:]) / 2
        edges = np.concatenate(([-np.inf], middles, [np.inf]))
        starts = [variable.text(value) for value in distinct]
    else:
        low, high = np.quantile(there, [0.005, 0.995], method="nearest")
        inner = np.linspace(low, high, BARS + 1)
        edges = np.concatenate(([-np.inf], inner[1:-1], [np.inf]))
        starts = ["", *([""] * (BARS - 2)), ""]
        starts[0], starts[-1] = (variable.text(distinct[np.abs(distinct - end).argmin()]) for end in (low, high))
    shares = [np.histogram(cells[~np.isnan(cells)], edges)[0] / max(1, len(cells)) for cells in (real, new)]
    empty = [float(np.isnan(cells).mean()) for cells in (real, new)]
    if any(empty):
        starts = [*starts, EMPTY]
        shares = [np.append(own, share) for own, share in zip(shares, empty, strict=True)]
    return starts, shares[0], shares[1]


def _categories(names: Sequence[str], real: Floats, new: Floats) -> tuple[list[str], Floats, Floats]:
    counts = [np.bincount(cells.astype(np.int64), minlength=len(names)) / max(1, len(cells)) for cells in (real, new)]
    there = [i for i in range(len(names)) if counts[0][i] or counts[1][i]]
    if len(there) > BARRED:
        there = sorted(sorted(there, key=lambda i: -counts[0][i])[: BARRED - 1])
    rest = [i for i in range(len(names)) if i not in there and (counts[0][i] or counts[1][i])]
    labels = [names[i] for i in there] + ([f"{len(rest):,} others"] if rest else [])
    found = [np.append(own[there], own[rest].sum()) if rest else own[there] for own in counts]
    return labels, found[0], found[1]


def _upright(labels: Sequence[str], real: Floats, new: Floats) -> tuple[str, float]:
    """Bars that stand, for numbers, with the first and the last of them named."""
    step, top = WIDTH / len(real), max(1e-9, float(real.max()), float(new.max()))
    parts = []
    for i, (label, one, other) in enumerate(zip(labels, real, new, strict=True)):
        told = f"<title>{html.escape(label)} real {one:.1%}, new {other:.1%}</title>"
        for k, (share, colour) in enumerate(((one, REAL), (other, NEW))):
            high = HEIGHT * float(share) / top
            x, wide = i * step + (0.06 + 0.44 * k) * step, 0.44 * step
            parts.append(
                f'<rect x="{x:.1f}" y="{HEIGHT - high:.1f}" width="{wide:.1f}" height="{high:.1f}" '
                f'fill="{colour}">{told}</rect>'
            )
    last = len(labels) - 1 - (labels[-1] == EMPTY)
    parts.append(_under(labels[0], 0.0, "start"))
    parts.append(_under(labels[last], (last + 1) * step, "end") if last else "")
    if last < len(labels) - 1:
        parts.append(_under(EMPTY, WIDTH, "end", 28))
    return "".join(parts), HEIGHT + 20 + 14 * (last < len(labels) - 1)


def _under(text: str, x: float, anchor: str, below: int = 14) -> str:
    return f'<text x="{x:.1f}" y="{HEIGHT + below}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _lying(labels: Sequence[str], real: Floats, new: Floats) -> tuple[str, float]:
    """Bars that lie, for categories, each with its name."""
    top, parts, left = max(1e-9, float(real.max()), float(new.max())), [], 104
    for i, (label, one, other) in enumerate(zip(labels, real, new, strict=True)):
        short = label if len(label) <= 16 else f"{label[:15]}…"
        told = f"<title>{html.escape(label)}: real {one:.1%}, new {other:.1%}</title>"
        parts.append(f'<text x="{left - 6}" y="{22 * i + 13}" text-anchor="end">{html.escape(short)}{told}</text>')
        for k, (share, colour) in enumerate(((one, REAL), (other, NEW))):
            wide = (WIDTH - left) * float(share) / top
            parts.append(
                f'<rect x="{left}" y="{22 * i + 1 + 9 * k}" width="{wide:.1f}" height="8" fill="{colour}">{told}</rect>'
            )
    return "".join(parts), 22 * len(labels) + 6


def matrix(values: Floats, names: Sequence[str], title: str, *, signed: bool = False) -> str:
    """A number of each pair of columns as the strength of a colour: blue, and red below 0.

    Args:
        values: The numbers, between -1 and 1.
        names: The names of the columns.
        title: What stands above it.
        signed: Whether numbers may be below 0.
    """
    width = len(values)
    size = max(7.0, min(24.0, 230 / width))
    left = 8 + min(110, 6.4 * max(len(_short(name)) for name in names[:width]))
    parts = []
    for i in range(width):
        y = 6 + i * size
        if size > 9:
            parts.append(
                f'<text x="{left - 5:.0f}" y="{y + size / 2 + 4:.1f}" text-anchor="end">'
                f"{html.escape(_short(names[i]))}</text>"
            )
        for j in range(width):
            value = float(values[i, j])
            if i == j:
                continue
            colour = LESS if value < 0 else NEW
            told = f"{names[i]} and {names[j]}: {value:{'+' if signed else ''}.2f}"
            parts.append(
                f'<rect x="{left + j * size:.1f}" y="{y:.1f}" width="{size - 1:.1f}" height="{size - 1:.1f}" '
                f'fill="{colour}" fill-opacity="{min(1.0, 0.04 + abs(value)):.3f}">'
                f"<title>{html.escape(told)}</title></rect>"
            )
    drawn = _svg("".join(parts), 12 + width * size, title, left + width * size + 6)
    return f'<div class="column"><h3>{html.escape(title)}</h3>{drawn}</div>'


def _short(name: str) -> str:
    return name if len(name) <= 16 else f"{name[:15]}…"
