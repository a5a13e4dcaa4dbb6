"""Rounds of variants: making one, and choosing which candidate to go on from."""

import runpy
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from noisekernel import tasks
from noisekernel.cli import common
from noisekernel.config import unknown
from noisekernel.errors import InputError
from noisekernel.models import Model

#: A picture, as numbers in [0, 1] of shape (height, width) or (height, width, channels), to how much it is liked.
Score = Callable[[NDArray[np.float64]], float]

SCORES: dict[str, Score] = {
    "bright": lambda picture: float(picture.mean()),
    "dark": lambda picture: -float(picture.mean()),
    "contrast": lambda picture: float(picture.std()),
}


def walk_round(
    model: Model, z: torch.Tensor, n: int, first: int, batch_size: int, options: dict[str, Any]
) -> torch.Tensor:
    """`tasks.vary` with a bar."""
    label = options.pop("label")
    many = z.repeat_interleave(n, dim=0)
    labels = None if label is None else label.repeat_interleave(n, dim=0)
    parts = [slice(at, min(at + batch_size, len(many))) for at in range(0, len(many), batch_size)]
    done = []
    with common.bar(len(parts) * (options["steps"] + options["readout"]), "walking") as advance:
        for rows in parts:
            own = None if labels is None else labels[rows]
            run = tasks.variation(model, many[rows], label=own, first=first + rows.start, **options)
            done.append(common.walk_to_the_end(run, advance).cpu())
    return torch.cat(done).unflatten(0, (-1, n))


@dataclass(frozen=True)
class Chooser:
    """Which candidate to go on from."""

    n: int
    beforehand: Sequence[int] | None
    score: Score | None

    @classmethod
    def of(cls, rounds: int, n: int, choose: str | None, score: str | None) -> "Chooser":
        """From the options, all of which are checked before any work is done."""
        if rounds == 1:
            if choose or score:
                raise InputError("--choose and --score say what the next round begins with; there is one round only")
            return cls(n, None, None)
        if choose and score:
            raise InputError("--choose and --score both say which candidate to go on from; give one of them")
        if score:
            return cls(n, None, _find(score))
        if choose is None:
            if not sys.stdin.isatty():
                raise InputError("several rounds need to know how to go on: --score NAME, or --choose 3,0,…")
            return cls(n, None, None)
        try:
            chosen = [int(part) for part in choose.split(",")]
        except ValueError:
            raise InputError(f"--choose is {choose!r}; give numbers with commas between them, such as 3,0,12") from None
        if len(chosen) != rounds - 1 or not all(0 <= number < n for number in chosen):
            raise InputError(
                f"--choose is {choose}; {rounds} rounds of {n} need {rounds - 1} numbers from 0 to {n - 1}"
            )
        return cls(n, chosen, None)

    def pick(self, number: int, which: int, images: Sequence[Image.Image], sheet: Path) -> int:
        """The candidate of this round, for this picture."""
        if self.score is not None:
            scores = [float(self.score(np.asarray(image, dtype=np.float64) / 255.0)) for image in images]
            if not all(np.isfinite(scores)):
                raise InputError(f"the score gave {scores}; it must give a number for every picture")
            return int(np.argmax(scores))
        if self.beforehand is not None:
            return self.beforehand[number]
        while True:
            answer = input(f"picture {which}: go on from which candidate of {sheet}, 0 to {self.n - 1}? ")
            if answer.strip().isdecimal() and int(answer) < self.n:
                return int(answer)


def _find(name: str) -> Score:
    if name in SCORES:
        return SCORES[name]
    path, colon, function = name.rpartition(":")
    if not colon:
        raise InputError(f"{unknown('score', name, SCORES)} Or give a function of your own: FILE.py:NAME.")
    if not Path(path).is_file():
        raise InputError(f"there is no file {path!r} to take the score {function!r} from")
    found = runpy.run_path(path).get(function)
    if not callable(found):
        raise InputError(f"{path} defines no function {function!r}")
    return found
