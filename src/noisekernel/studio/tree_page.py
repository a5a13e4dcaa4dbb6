"""The tree of a design as one page to take away."""

import html
import time
from collections.abc import Mapping, Sequence

from noisekernel.studio.rounds import TASKS
from noisekernel.studio.store import Row

#: Pictures have at least so many pixels a side.
THUMB = 96
STYLE = """
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 2rem; }
ul { list-style: none; margin: 0; padding-left: 1.5rem; border-left: 1px solid #8886; }
body > ul { padding-left: 0; border: 0; }
figure { display: inline-flex; gap: .8rem; align-items: center; margin: .4rem 0; }
img { image-rendering: pixelated; width: 96px; border-radius: 4px; }
figcaption small { opacity: .7; display: block; }
footer { opacity: .7; margin-top: 2rem; }
"""
#: A file of its own has no other place for its style; nothing else is allowed in it.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def tree_page(design: Row, nodes: Sequence[Row], pictures: Mapping[str, str]) -> str:
    """The tree as a page that needs nothing else: pictures (data URLs, by node) inside, no code."""
    shown = {node["id"] for node in nodes}
    below: dict[str | None, list[Row]] = {}
    for node in nodes:
        below.setdefault(node["parent"] if node["parent"] in shown else None, []).append(node)
    lines: list[str] = []
    # A line of a thousand variants is no rarity, so no recursion.
    stack: list[Row | str] = list(reversed(below.get(None, [])))
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        children = below.get(item["id"], [])
        lines.append(f"<li>{_figure(item, pictures[item['id']])}")
        lines.append("<ul>" if children else "")
        stack.append("</ul></li>" if children else "</li>")
        stack += reversed(children)
    title = html.escape(design["name"])
    made = time.strftime("%Y-%m-%d", time.localtime(design["updated"]))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<style>{STYLE}</style>\n<h1>{title}</h1>\n<ul>\n" + "\n".join(line for line in lines if line) + "\n</ul>\n"
        f"<footer>{len(nodes)} pictures by the model {html.escape(design['model'])}, {made}.</footer></html>\n"
    )


def _figure(node: Row, picture: str) -> str:
    settings = node["settings"]
    told = [node["task"]]
    numbers = TASKS[node["task"]].told if node["task"] in TASKS else ()  # an origin is of no task
    told += [f"{key} {settings[key]:.3g}" for key in numbers if settings.get(key)]
    told += [f"{settings['steps']} steps"] if settings.get("steps") else []
    told += [f"of class {settings['label']}"] if settings.get("label") else []
    told += [f"seed {node['seed']}"] if node["round"] else []
    name = ("★ " if node["starred"] else "") + (node["name"] or f"Node {node['id'][:6]}")
    return (
        f'<figure><img src="{picture}" alt="{html.escape(name)}">'
        f"<figcaption>{html.escape(name)}<small>{html.escape(', '.join(told))}</small></figcaption></figure>"
    )
