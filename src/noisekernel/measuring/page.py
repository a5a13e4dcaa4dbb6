"""One HTML file with everything in it: examples of any kind, plots, settings."""

import html
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from noisekernel.files.data_urls import data_url
from noisekernel.files.formats import write_text
from noisekernel.kinds.exchanged import Shown

STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --paper: #fbfaf7; --soft: #6a7180; --line: #d9d6cd; --card: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e5df; --paper: #14171d; --soft: #9aa1af; --line: #2c323d; --card: #1b1f27; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.55 Georgia, 'Times New Roman', serif; }
main { max-width: 60rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
h1 { font-size: 2.3rem; line-height: 1.15; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 3.2rem 0 .4rem; }
p { max-width: 44rem; margin: .3rem 0 1rem; }
.lead, figcaption, dt { color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 1.4rem 0 0; }
dd { margin: 0; }
figure { margin: 0 0 1rem; display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure > img, figure > svg { max-width: 100%; height: auto; border-radius: 4px; background: var(--card); }
img { image-rendering: pixelated; }
img.smooth { image-rendering: auto; background: #fff; flex: 1 1 22rem; min-width: 0; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 1rem; overflow-x: auto;
      font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; }
table { border-collapse: collapse; font-size: .9rem; margin: 0 0 1rem; }
th, td { text-align: left; padding: .2rem 1.1rem .2rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: normal; }
details { border-top: 1px solid var(--line); padding-top: .8rem; margin-top: 3rem; }
summary { cursor: pointer; }
"""


COLOURS = ["#1d2330", "#7b3f98", "#3b5ba5", "#2a8c8c", "#4e9a3a", "#c98b1f", "#c2452d"]
#: The size of letters in drawings.
LETTER = 13
LEAD = (
    "A Markov chain that learned, from examples, to have them as its stationary distribution; and what it can be used "
    "for."
)


@dataclass
class Section:
    """A heading, a paragraph, and what is shown below it, as HTML."""

    title: str
    text: str
    shown: list[str] = field(default_factory=list)


def embedded(shown: Shown, alt: str = "") -> str:
    """Examples of any kind of data as HTML that needs no other file."""
    if shown.media.startswith("image/"):
        return f'<img src="{data_url(shown.content, shown.media)}" alt="{html.escape(alt)}">'
    return f"<pre>{html.escape(shown.text or shown.content.decode(errors='replace'))}</pre>"


def tree(root: Shown, children: Sequence[Shown], grand: Sequence[Sequence[Shown]]) -> str:
    """Three generations as a drawing, with a line from each example to each of its variants."""
    gap, step, sizes = 10, 130, (96, 72, 48)
    smallest = max(sizes[2], *(_wide(each, sizes[2]) for few in grand for each in few))
    widths = [(smallest + gap) * len(few) for few in grand]
    total = sum(widths) + gap * 2 * len(grand)
    parts: list[str] = []
    lines: list[str] = []

    def place(shown: Shown, centre: float, top: float, size: int) -> None:
        parts.append(_placed(shown, centre, top, size))

    def join(x1: float, y1: float, x2: float, y2: float) -> None:
        middle = (y1 + y2) / 2
        lines.append(f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {middle:.1f} {x2:.1f} {middle:.1f} {x2:.1f} {y2:.1f}"/>')

    left = float(gap)
    place(root, total / 2, 0.0, sizes[0])
    for child, few, width in zip(children, grand, widths, strict=True):
        centre = left + width / 2
        join(total / 2, sizes[0], centre, step)
        place(child, centre, step, sizes[1])
        for i, each in enumerate(few):
            middle = left + (i + 0.5) * (smallest + gap)
            join(centre, step + sizes[1], middle, 2 * step)
            place(each, middle, 2 * step, sizes[2])
        left += width + 2 * gap
    style = 'fill="none" stroke="currentColor" stroke-opacity=".35" stroke-width="1.5"'
    return (
        f'<svg viewBox="0 0 {total:.0f} {2 * step + sizes[2]}" width="{total:.0f}" role="img" aria-label="a tree of '
        f'variants"><g {style}>{"".join(lines)}</g>{"".join(parts)}</svg>'
    )


def _placed(shown: Shown, centre: float, top: float, size: int) -> str:
    """An example inside a drawing: an image as large as `size`, or a line of text in the middle of as much."""
    if shown.media.startswith("image/"):
        return (
            f'<image href="{data_url(shown.content, shown.media)}" x="{centre - size / 2:.1f}" y="{top:.1f}" '
            f'width="{size}" height="{size}" style="image-rendering: pixelated"/>'
        )
    return (
        f'<text x="{centre:.1f}" y="{top + size / 2:.1f}" text-anchor="middle" dominant-baseline="middle" '
        f'font-size="{LETTER}" font-family="monospace" fill="currentColor">{html.escape(shown.text)}</text>'
    )


def _wide(shown: Shown, size: int) -> int:
    return size if shown.media.startswith("image/") else round(0.65 * LETTER * len(shown.text))


def curves(
    name: str,
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    floor: tuple[str, float] | None = None,
) -> str:
    """A plot over images seen. The first line is drawn strongest; `floor` is a level for comparison."""
    axes = new_axes()
    for i, (label, (x, y)) in enumerate(lines.items()):
        marker = "o" if len(x) < 15 else None
        axes.plot(
            x, y, label=label, color=COLOURS[i % 7], linewidth=2.2 if i == 0 else 1.1, marker=marker, markersize=4
        )
    if floor is not None:
        axes.axhline(floor[1], color="#c2452d", linestyle="--", linewidth=1.2, label=floor[0])
    if all(value > 0 for _, values in lines.values() for value in values):
        axes.set_yscale("log")
    axes.set_xlabel("images seen")
    axes.set_ylabel(name)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k")
    if len(lines) + (floor is not None) > 1:
        axes.legend(frameon=False, fontsize=8, ncols=2)
    return plotted(axes, name)


def new_axes() -> Any:
    """Empty axes of matplotlib's, on a figure of their own that no window knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    return axes


def plotted(axes: Any, alt: str) -> str:
    """A plot as HTML that needs no other file."""
    buffer = io.BytesIO()
    axes.figure.savefig(buffer, format="svg")
    return f'<img class="smooth" src="{data_url(buffer.getvalue(), "image/svg+xml")}" alt="{html.escape(alt)}">'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as HTML."""

    def row(cells: Sequence[str], kind: str) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    return "<table>" + row(head, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"


def write_report(
    path: Path,
    title: str,
    facts: Mapping[str, str],
    sections: Sequence[Section],
    settings: Any,
    commands: str,
    lead: str = LEAD,
) -> None:
    """The file."""
    listed = "".join(f"<dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd>" for key, value in facts.items())
    shown = "".join(
        f"<h2>{html.escape(s.title)}</h2><p>{html.escape(s.text)}</p><figure>{''.join(s.shown)}</figure>"
        for s in sections
    )
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body><main>'
        f"<h1>{html.escape(title)}</h1><p class='lead'>{html.escape(lead)}</p><dl>{listed}</dl>{shown}"
        f"<h2>How to go on</h2><pre>{html.escape(commands)}</pre>"
        f"<details><summary>All settings</summary><pre>{html.escape(json.dumps(settings, indent=2))}</pre></details>"
        "</main></body></html>"
    )
    write_text(path, page)
