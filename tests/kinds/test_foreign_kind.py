"""A kind of data from someone else's package: found by its entry point, and used by every part like our own."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

KIND = '''
"""Rolls of three dice: each of three places is a number from 1 to 6."""
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from noisekernel.core.errors import BadExampleError
from noisekernel.kinds import Kind, Named, Shown, Stored
from noisekernel.kinds.blocks import blocks

class Dice(Kind):
    kind: Literal["dice"] = "dice"
    one: ClassVar[str] = "roll"
    many: ClassVar[str] = "rolls"
    suffix: ClassVar[str] = ".txt"
    gathered: ClassVar[bool] = True

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


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with an installed package in it, as pip leaves one."""
    site = tmp_path / "site"
    about = site / "dice_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "dice_kind.py").write_text(KIND)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dice-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[noisekernel.kinds]\ndice = dice_kind:Dice\nbroken = nowhere:Nothing\n")
    (tmp_path / "rolls.txt").write_text("".join(f"dice {i % 6 + 1} {(i + 1) % 6 + 1} 3\n" for i in range(48)))
    return site


def python(code, site, tmp_path):
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]) if site else None
    env = {**os.environ, "OMP_NUM_THREADS": "1", **({"PYTHONPATH": path} if path else {})}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, timeout=300)


@pytest.mark.training
def test_a_kind_of_another_package_goes_through_everything(elsewhere, tmp_path):
    done = python(
        """
        import json, torch, noisekernel as nk
        model = nk.fit("rolls.txt", "run", kind="dice", progress=False)
        z = model.read(["dice 1 2 3"])
        filled = nk.fill(model, z, model.kind.mask("__k", [])[0], 2, steps=4)
        again = nk.load("run")
        judged = nk.measure(again, "rolls.txt", n=20, steps=4)
        print(json.dumps({
            "kind": again.kind.kind, "new": again.draw(nk.synthesize(again, 2, steps=4)), "filled": again.draw(filled),
            "names": sorted(nk.kinds.kinds()), "judged": judged.how["kind"], "files": sorted(p.suffix for p in
            __import__("pathlib").Path("run/samples").iterdir()),
        }))
        """,
        elsewhere,
        tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["kind"] == "dice"
    assert told["names"] == ["dice", "pictures", "points", "tokens"]
    assert all(text.startswith("dice ") for text in told["new"])
    assert all(text.endswith(" 3") for text in told["filled"])  # what was kept
    assert told["judged"] == "rolls"
    assert set(told["files"]) == {".txt"}
    assert "the kind 'broken' (nowhere:Nothing) cannot be used" in done.stderr

    # The data may be either kind, so nobody guesses; and without the package the model is refused by its kind.
    both = python("import noisekernel as nk; nk.fit('rolls.txt', progress=False)", elsewhere, tmp_path)
    assert "may be tokens or dice; say which: --kind tokens" in both.stderr
    without = python("import noisekernel as nk; nk.load('run')", None, tmp_path)
    assert "is a model of data of the kind 'dice', which is not known here" in without.stderr
    assert "install the package that provides it" in " ".join(without.stderr.split())
