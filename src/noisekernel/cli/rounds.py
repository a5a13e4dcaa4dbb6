"""Rounds of variants: making them, and choosing which candidate to go on from."""

import math
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from noisekernel import tasks
from noisekernel.cli import common
from noisekernel.cli.cost import Cost
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Recorded
from noisekernel.core.suggestions import unknown
from noisekernel.kinds.base import Kind
from noisekernel.models.model import Model
from noisekernel.sampling.renewal import rows_of, together

#: An example, as its kind hands it to scores (`Kind.judged`), to how much it is liked.
Score = Callable[[Any], float]


@dataclass
class Variants:
    """How variants are made, round by round. The noise of each is known, and the next round goes on from it."""

    model: Model
    n: int
    batch_size: int
    below: float
    steps: int
    seed: int
    #: Whether there are rounds to come: only then is the noise of variants kept.
    more: bool = False
    #: Of the examples to vary, where it is known.
    noise: Recorded | None = None

    def of(self, z: torch.Tensor, first: int, label: torch.Tensor | None, cost: Cost, rounds: int) -> torch.Tensor:
        """Variants of each z, with a bar; sample numbers begin at `first`. `rounds` is how many there are in all."""

        steps = len(tasks.batches(len(z) * self.n, self.batch_size)) * self.steps
        done, noise = [], []
        with common.bar(steps, "varying") as bar:
            work = tasks.as_work(tasks.vary)(
                self.model,
                z,
                self.n,
                below=self.below,
                steps=self.steps,
                label=label,
                seed=self.seed,
                first=first,
                noise=self.noise,
                batch_size=self.batch_size,
                advance=cost.timed(bar, rounds * steps, self.steps),
            )
            for run in work.finished():
                done.append(run.clean.cpu())
                noise += [run.noise] * self.more
        self.noise = together(noise) if noise else None
        return torch.cat(done).unflatten(0, (-1, self.n))

    def go_on_from(self, picked: Sequence[int]) -> None:
        """The next round is of these variants, one of each example."""
        if self.noise is not None:
            self.noise = rows_of(self.noise, torch.tensor([i * self.n + k for i, k in enumerate(picked)]))


@dataclass(frozen=True)
class Choice:
    """What the options say about which candidate to go on from."""

    n: int
    beforehand: Sequence[int] | None
    score: str | None

    @classmethod
    def of(cls, rounds: int, n: int, choose: str | None, score: str | None) -> "Choice":
        """From the options; those that do not go together are refused before any work is done."""
        if rounds == 1 and (choose or score):
            raise InputError("--choose and --score say what the next round begins with; there is one round only")
        if choose and score:
            raise InputError("--choose and --score both say which candidate to go on from; give one of them")
        if rounds > 1 and not choose and not score and not sys.stdin.isatty():
            raise InputError("several rounds need to know how to go on: --score NAME, or --choose 3,0,…")
        return cls(n, _numbers(choose, rounds, n), score)

    def chooser(self, kind: Kind) -> "Chooser":
        """Who chooses among examples of this kind."""
        return Chooser(kind, self.n, self.beforehand, None if self.score is None else _find(self.score, kind))


@dataclass(frozen=True)
class Chooser:
    """Which candidate to go on from."""

    kind: Kind
    n: int
    beforehand: Sequence[int] | None
    score: Score | None

    def pick(self, number: int, which: int, drawn: Sequence[Any], sheet: Path) -> int:
        """The candidate of this round, for this example."""
        if self.score is not None:
            return int(np.argmax([_scored(self.score, self.kind.judged(each)) for each in drawn]))
        if self.beforehand is not None:
            return self.beforehand[number]
        while True:
            answer = input(f"{self.kind.one} {which}: go on from which candidate of {sheet}, 0 to {self.n - 1}? ")
            if answer.strip().isdecimal() and int(answer) < self.n:
                return int(answer)


def _numbers(choose: str | None, rounds: int, n: int) -> list[int] | None:
    """The candidates that are chosen beforehand."""
    if choose is None:
        return None
    try:
        chosen = [int(part) for part in choose.split(",")]
    except ValueError:
        raise InputError(f"--choose is {choose!r}; give numbers with commas between them, such as 3,0,12") from None
    if len(chosen) != rounds - 1 or not all(0 <= number < n for number in chosen):
        raise InputError(f"--choose is {choose}; {rounds} rounds of {n} need {rounds - 1} numbers from 0 to {n - 1}")
    return chosen


def score_of(name: str, kind: Kind, insist: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """The score of that name, or of a file, as a function of clean data.

    Args:
        name: A score of the kind, or FILE.py:FUNCTION.
        kind: The kind of the data.
        insist: What it is multiplied by.
    """
    score = _find(name, kind)

    def of(z: torch.Tensor) -> torch.Tensor:
        drawn = kind.drawn(kind.decode(z.cpu()))
        return torch.tensor([insist * _scored(score, kind.judged(each)) for each in drawn], device=z.device)

    return of


def _scored(score: Score, example: Any) -> float:
    """How much an example is liked, by a function that may be the user's."""
    try:
        given = score(example)
    except Exception as error:  # it is the user's code, which can fail in any way
        raise InputError(f"the score failed: {_told(error)}") from None
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise InputError(
            f"the score gave {given!r}; it must give one number for every example: finite, or minus infinity to forbid "
            "the example"
        )
    return value


def _find(name: str, kind: Kind) -> Score:
    if name in kind.scores:
        return kind.scores[name]
    path, colon, function = name.rpartition(":")
    if not colon:
        raise InputError(f"{unknown('score', name, kind.scores)} Or give a function of your own: FILE.py:NAME.")
    if not Path(path).is_file():
        raise InputError(f"there is no file {path!r} to take the score {function!r} from")
    try:
        found = runpy.run_path(path).get(function)
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:  # ValueError: null bytes
        raise InputError(
            f"{path} is not Python ({_told(error)}); a score is a function in a file: FILE.py:NAME"
        ) from None
    except (Exception, SystemExit) as error:  # as above
        raise InputError(f"{path} cannot be run to take the score {function!r} from it: {_told(error)}") from None
    if not callable(found):
        raise InputError(f"{path} defines no function {function!r}")
    return found


def _told(error: BaseException) -> str:
    """An error of the user's code in one line: where, what kind, what it says."""
    line = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)][-1:]
    if isinstance(error, SyntaxError):
        line = [error.lineno] if error.lineno else []
    said = str(error).splitlines()[0] if str(error) else ""
    return f"{f'line {line[0]}: ' if line else ''}{type(error).__name__}{f': {said}' if said else ''}"
