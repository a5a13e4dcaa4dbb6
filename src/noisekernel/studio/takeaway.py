"""What is taken away for people: a contact sheet, the tree as one page, a film."""

import html
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from noisekernel.kinds.pictures.drawing import contact_sheet, enlarged, png_bytes
from noisekernel.kinds.pictures.film import check_film, save_film
from noisekernel.studio.pictures import data_url
from noisekernel.studio.store import Row

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


def sheet(images: Sequence[Image.Image], how: Mapping[str, Any]) -> bytes:
    """All pictures on one, as a PNG that says what it shows."""
    return png_bytes(contact_sheet(images), how)


def tree_page(design: Row, nodes: Sequence[Row], images: Mapping[str, Image.Image]) -> str:
    """The tree as a page that needs nothing else: pictures inside, no code."""
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
        lines.append(f"<li>{_figure(item, images[item['id']])}")
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


def _figure(node: Row, image: Image.Image) -> str:
    settings = node["settings"]
    told = [node["task"]]
    told += [f"{key} {settings[key]:.3g}" for key in ("strength", "beta", "taste", "feather") if settings.get(key)]
    told += [f"{settings['steps']} steps"] if settings.get("steps") else []
    told += [f"of class {settings['label']}"] if settings.get("label") else []
    told += [f"seed {node['seed']}"] if node["round"] else []
    name = ("★ " if node["starred"] else "") + (node["name"] or f"Node {node['id'][:6]}")
    return (
        f'<figure><img src="{data_url(enlarged(image, 96))}" alt="{html.escape(name)}">'
        f"<figcaption>{html.escape(name)}<small>{html.escape(', '.join(told))}</small></figcaption></figure>"
    )


def film(frames: Sequence[Image.Image], kind: str, fps: float = 10.0) -> bytes:
    """Frames as a .gif or .mp4, each large enough to see."""
    name = Path(f"film.{kind}")
    check_film(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        save_film([enlarged(frame, 256) for frame in frames], path, fps)
        return path.read_bytes()
