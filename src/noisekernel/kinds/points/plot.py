"""Scatter plots as SVG, which every browser shows: one panel for each pair of columns, still or moving."""

from collections.abc import Sequence
from html import escape
from itertools import combinations

#: The side of a panel, what surrounds it, and how many columns are shown.
SIDE, EDGE, MOST = 240, 36, 4
COLOURS = ("#3b5ba5", "#c2452d", "#4e9a3a", "#7b3f98", "#c98b1f", "#2a8c8c")
Point = Sequence[float]


def pairs(width: int) -> list[tuple[int, int]]:
    """The pairs of columns that are shown; a single column is shown against itself."""
    return list(combinations(range(min(width, MOST)), 2)) or [(0, 0)]


def bounds(points: Sequence[Point], column: int) -> tuple[float, float]:
    """The range of a column, with a little room."""
    values = [point[column] for point in points]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def scatter(points: Sequence[Point], names: Sequence[str]) -> str:
    """All points, in a panel for each pair of the first columns."""
    dots = []
    for panel, (a, b) in enumerate(pairs(len(names))):
        across, down = _scale(points, a, panel), _scale(points, b, None)
        dots += [
            f'<circle cx="{across(point[a]):.1f}" cy="{down(point[b]):.1f}" r="2.2" fill="{COLOURS[0]}" opacity=".6"/>'
            for point in points
        ]
    return _page(points, names, "".join(dots))


def moving(steps: Sequence[Sequence[Point]], names: Sequence[str], fps: float) -> str:
    """Chains that move from step to step, for ever."""
    every = [point for points in steps for point in points]
    seconds = max(0.1, (len(steps) - 1) / fps)
    dots = []
    for panel, (a, b) in enumerate(pairs(len(names))):
        across, down = _scale(every, a, panel), _scale(every, b, None)
        for chain in range(len(steps[0])):
            ways = {
                "cx": ";".join(f"{across(points[chain][a]):.1f}" for points in steps),
                "cy": ";".join(f"{down(points[chain][b]):.1f}" for points in steps),
            }
            moves = "".join(
                f'<animate attributeName="{name}" values="{way}" dur="{seconds:g}s" repeatCount="indefinite"/>'
                for name, way in ways.items()
            )
            dots.append(f'<circle r="4" fill="{COLOURS[chain % len(COLOURS)]}" opacity=".8">{moves}</circle>')
    return _page(every, names, "".join(dots))


def _scale(points: Sequence[Point], column: int, panel: int | None):  # type: ignore[no-untyped-def]
    """From a value to a place: to the right within a panel, or (None) upwards."""
    low, high = bounds(points, column)
    if panel is None:
        return lambda value: EDGE + SIDE - SIDE * (value - low) / (high - low)
    left = EDGE + panel * (SIDE + 2 * EDGE)
    return lambda value: left + SIDE * (value - low) / (high - low)


def _page(points: Sequence[Point], names: Sequence[str], dots: str) -> str:
    shown = pairs(len(names))
    frames = []
    for panel, (a, b) in enumerate(shown):
        left = EDGE + panel * (SIDE + 2 * EDGE)
        low, high = bounds(points, a)
        under, over = bounds(points, b)
        frames.append(
            f'<rect x="{left}" y="{EDGE}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>'
            f'<text x="{left + SIDE / 2}" y="{EDGE + SIDE + 28}" text-anchor="middle">{escape(names[a])}</text>'
            f'<text x="{left - 8}" y="{EDGE - 8}">{escape(names[b])}</text>'
            f'<text x="{left}" y="{EDGE + SIDE + 14}" class="n">{low:.3g}</text>'
            f'<text x="{left + SIDE}" y="{EDGE + SIDE + 14}" text-anchor="end" class="n">{high:.3g}</text>'
            f'<text x="{left - 4}" y="{EDGE + SIDE}" text-anchor="end" class="n">{under:.3g}</text>'
            f'<text x="{left - 4}" y="{EDGE + 10}" text-anchor="end" class="n">{over:.3g}</text>'
        )
    width, height = len(shown) * (SIDE + 2 * EDGE), SIDE + 2 * EDGE + 4
    style = "text{font:12px sans-serif;fill:#444}.n{font-size:9px;fill:#888}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{"".join(frames)}{dots}</svg>\n'
    )
