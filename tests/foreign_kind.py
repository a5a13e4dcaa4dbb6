"""A package of someone else's with a kind of data: rolls of dice, and the script by which the page shows them."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

KIND = '''
"""Rolls of three dice: each of three places is a number from 1 to 6."""
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from noisekernel.core.errors import BadExampleError
from noisekernel.kinds import Kind, Named, Shown, Stored, blocks

class Dice(Kind):
    kind: Literal["dice"] = "dice"
    one: ClassVar[str] = "roll"
    many: ClassVar[str] = "rolls"
    suffix: ClassVar[str] = ".txt"
    gathered: ClassVar[bool] = True
    viewer: ClassVar[str] = "dice"
    viewer_module: ClassVar[Path | None] = Path(__file__).with_name("dice_viewer.js")

    @classmethod
    def recognises(cls, items):
        return all(isinstance(items.item(i), str) and items.item(i).startswith("dice ") for i in range(len(items)))

    @classmethod
    def recipe(cls, items, on_cpu):
        return {
            "name": "dice", "data": {"kind": "dice"}, "kernel": {"kind": "categorical", "carry_visible": True},
            "head": {"kind": "categorical"}, "network": {"kind": "transformer", "width": 16, "depth": 1, "heads": 2},
            "objective": {"kind": "kl", "levels": {"kind": "uniform"}}, "training": {"images": 64, "batch": 16},
        }

    def fitted(self, items):
        return self, None

    shape = property(lambda self: (3,))
    channels = property(lambda self: None)
    classes = property(lambda self: 6)

    def store(self, item):
        numbers = item.removeprefix("dice ").split()
        if len(numbers) != 3 or not all(n in "123456" for n in numbers):
            raise BadExampleError(f"{item!r} is no roll of three dice")
        return Stored(np.array([int(n) - 1 for n in numbers], dtype=np.int64))

    def encode(self, values):
        return values.long()

    def decode(self, z):
        return z

    def drawn(self, values):
        return ["dice " + " ".join(str(n + 1) for n in row) for row in values.tolist()]

    def given(self, words):
        return [Named(word.replace(" ", "-"), word) for word in words]

    def show(self, values, hidden=None, how=None):
        return [Shown("text/plain", f"{text}\\n".encode(), text) for text in self.drawn(values)]

    def overview(self, values, columns=None, hidden=None, how=None):
        return self.together(self.show(values))

    def mask(self, word, items):
        return torch.tensor([letter == "_" for letter in word]), None

    def masks(self, tile, keep, n, *, seed=0, first=0):
        return blocks(3, tile, keep, n, seed=seed, first=first)
'''

VIEWER = """
import { h, text } from "/lib/dom.js";
import { Marks } from "/lib/marks.js";

const FACES = "⚀⚁⚂⚃⚄⚅";
const faces = (roll) => roll.replace("dice ", "").split(" ").map((number) => FACES[number - 1]).join("");
const sheet = new CSSStyleSheet();
sheet.replaceSync(".dice { font-size: 2rem; letter-spacing: 3px; }");
document.adoptedStyleSheets.push(sheet);

function display() {
  const element = h("span", { class: "dice" });
  return {
    element,
    async show({ id }) {
      element.dataset.node = id;
      const answer = await fetch(`/api/nodes/${id}/show`);
      if (element.dataset.node === id) text(element, faces((await answer.text()).trim()));
    },
    frame: (content, index) => text(element, faces(content[index])),
  };
}

function surface(_, { brush, changed }) {
  let marks = new Marks(3);
  const element = h("div", { class: "dice" });
  return {
    element, sliders: [], start: {},
    get marks() { return marks; },
    show() {
      marks = new Marks(3);
      element.replaceChildren(...[0, 1, 2].map((at) => {
        const onclick = () => (marks.begin(brush.kind), (marks.cells[at] = brush.kind === "anew" ? 1 : 0), changed());
        return h("button", { type: "button", onclick }, `die ${at + 1}`);
      }));
    },
    draw() {},
    request: async () => ({ mask: [...marks.cells].map((marked) => (marked ? "_" : "k")).join("") }),
  };
}

export const viewer = {
  size: () => "three dice",
  proportions: () => ({ ratio: 3, whole: null, least: 120, most: 240 }),
  thumbnail: display,
  large: display,
  live: display,
  read: async ({ clean }) => clean,
  example: (_, { shown }) => h("span", { class: "dice" }, faces(shown)),
  difference: null,
  differenceHint: "",
  surface,
  own: null,
  files: (_, { id }) => [{ label: "This roll", hint: "text", address: `/api/nodes/${id}/show`, suffix: ".txt" }],
  sheet: { label: "List of rolls" },
  films: [],
};
"""


def install(folder: Path) -> Path:
    """A folder with the package in it, as pip leaves one; beside it some data, rolls.txt."""
    site = folder / "site"
    about = site / "dice_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "dice_kind.py").write_text(KIND)
    (site / "dice_viewer.js").write_text(VIEWER)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dice-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[noisekernel.kinds]\ndice = dice_kind:Dice\nbroken = nowhere:Nothing\n")
    (folder / "rolls.txt").write_text("".join(f"dice {i % 6 + 1} {(i + 1) % 6 + 1} 3\n" for i in range(48)))
    return site


def with_site(site: Path | None) -> dict[str, str]:
    """The environment of a process in which the package is installed."""
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]) if site else None
    return {**os.environ, "OMP_NUM_THREADS": "1", **({"PYTHONPATH": path} if path else {})}


def python(code: str, site: Path | None, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run some code where the package is installed, or is not."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=with_site(site), timeout=300)
