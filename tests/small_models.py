"""Small models of other kinds than pictures, trained in seconds: rows of three numbers, palindromes, tables, music.

The rows lie on two islands along a line, so their columns depend on each other: `right` is near 2 `left` + 100.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

import noisekernel as nk

WORDS = ("anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba", "elle", "aviva")
SETTINGS = {"training.batch": 128, "training.warmup": 1000, "training.rate": 3e-3, "network.width": 32}


class Small(NamedTuple):
    """A model's file, and that of its data."""

    model: Path
    data: Path


def rows(folder: Path) -> Small:
    """A model of points."""
    draw = np.random.default_rng(0)
    left = 3.0 * draw.choice([-1.0, 1.0], 600) + 0.5 * draw.normal(size=600)
    right = 2.0 * left + 100.0 + 0.3 * draw.normal(size=600)
    tiny = 0.01 * draw.normal(size=600)
    table = "".join(f"{a:.5f},{b:.5f},{c:.6f}\n" for a, b, c in zip(left, right, tiny, strict=True))
    (folder / "rows.csv").write_text(f"left,right,tiny\n{table}")
    return _trained(folder, "rows", "rows.csv", {"training.images": 20_000, "network.depth": 2})


def words(folder: Path) -> Small:
    """A model of strings."""
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in WORDS * 40))
    settings = {"training.images": 10_000, "network.depth": 2, "network.heads": 2}
    return _trained(folder, "words", "words.txt", settings)


def table(folder: Path) -> Small:
    """A model of rows of a table: with empty cells, a comma in a cell, and pay that depends on the town."""
    draw = np.random.default_rng(0)
    lines = ["age,married,town,pay,since"]
    for i in range(600):
        town = draw.choice(["Bonn", '"Ulm, south"', "Wien"])
        pay = "" if draw.random() < 0.1 else f"{1000 * len(town) + 50 * int(draw.integers(0, 20))}.50"
        lines.append(f"{20 + i % 50},{'yes' if i % 3 else 'no'},{town},{pay},20{10 + i % 9}-03-1{i % 10}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return _trained(folder, "people", "people.csv", {"training.images": 10_000, "network.depth": 2})


def music(folder: Path) -> Small:
    """A model of short pieces of four voices, which move in parallel through a scale."""
    pieces = []
    scale = (0, 2, 4, 5, 7, 9, 11, 12)
    for i in range(12):
        tops = [72 + scale[(i + (step // 4) * (1 + i % 3)) % 8] for step in range(48)]
        pieces.append([[top, top - 5, top - 9, top - 24 + step % 2] for step, top in enumerate(tops)])
    (folder / "pieces.json").write_text(json.dumps(pieces))
    settings = {"training.images": 6_000, "training.batch": 32, "network.depth": 2, "data.steps": 32}
    return _trained(folder, "music", "pieces.json", settings)


def _trained(folder: Path, name: str, data: str, settings: dict[str, object]) -> Small:
    model = nk.fit(folder / data, settings={**SETTINGS, **settings}, calibrate=False, progress=False)
    nk.save(model, folder / f"{name}.safetensors")
    return Small(folder / f"{name}.safetensors", folder / data)
