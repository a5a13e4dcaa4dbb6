"""The tree of a design as one page to take away."""

import html
import time
from collections.abc import Mapping, Sequence

from noisekernel.studio.rounds import TASKS
from noisekernel.studio.store import Row

STYLE = """
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif; }
body { margin: 2rem; }
ul { list-style: none; margin: 0; padding-left: 1.5rem; border-left: 1px solid #8886; }
body > ul { padding-left: 0; border: 0; }
figure { display: inline-flex; gap: .8rem; align-items: center; margin: .4rem 0; }
pre { font-size: 1.1rem; margin: 0; }
th { text-align: left; font-weight: normal; opacity: .7; padding-right: .6rem; }
figcaption small { opacity: .7; display: block; }
footer { opacity: .7; margin-top: 2rem; }
"""
#: A file of its own has no other place for its style; nothing else is allowed in it.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def tree_page(design: Row, nodes: Sequence[Row], shown: Mapping[str, str], many: str = "examples") -> str:
    """The tree as a page that needs nothing else.

    Args:
        design: The design.
        nodes: Its nodes, parents first.
        shown: Each node by its id, as a piece of HTML without code.
        many: What its nodes are called.
    """
    known = {node["id"] for node in nodes}
    below: dict[str | None, list[Row]] = {}
    for node in nodes:
        below.setdefault(node["parent"] if node["parent"] in known else None, []).append(node)
    lines: list[str] = []
    # A line of a thousand variants is no rarity, so no recursion.
    stack: list[Row | str] = list(reversed(below.get(None, [])))
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        children = below.get(item["id"], [])
        lines.append(f"<li>{_figure(item, shown[item['id']])}")
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
        f"<footer>{len(nodes)} {html.escape(many)} by the model {html.escape(design['model'])}, {made}.</footer>"
        "</html>\n"
    )


def name_of(node: Row) -> str:
    """What a node is called."""
    return node["name"] or f"Node {node['id'][:6]}"


def _figure(node: Row, shown: str) -> str:
    settings = node["settings"]
    told = [node["task"]]
    numbers = TASKS[node["task"]].told if node["task"] in TASKS else ()  # an origin is of no task
    told += [f"{key} {settings[key]:.3g}" for key in numbers if settings.get(key)]
    told += [f"{settings['steps']} steps"] if settings.get("steps") else []
    told += [f"of class {settings['label']}"] if settings.get("label") else []
    told += [f"seed {node['seed']}"] if node["round"] else []
    name = ("★ " if node["starred"] else "") + name_of(node)
    caption = f"{html.escape(name)}<small>{html.escape(', '.join(told))}</small>"
    return f"<figure>{shown}<figcaption>{caption}</figcaption></figure>"
