"""What long work costs, said before it is done: memory and disk from what was asked for, time from the first steps.

Over an hour, or over 10 GB, a person at a terminal is asked; a script has to say --yes.
"""

import math
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import typer

from noisekernel.cli import common
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_bytes, told_seconds
from noisekernel.kinds.base import counted

if TYPE_CHECKING:
    from noisekernel.models.model import Model

#: What is done without asking.
MOST_SECONDS, MOST_BYTES = 3600.0, 10e9
#: So many steps tell how long all of them take.
TIMED = 5
#: A file takes whole blocks of the disk, beside its content some words of how it was made; and its line in the manifest
#: takes memory.
BLOCK, WORDS, LINE = 4096, 500, 2000
#: Tests have a clock of their own.
clock = perf_counter


class Cost:
    """The cost of one command. `yes` is what its user says beforehand."""

    def __init__(self, yes: bool) -> None:
        self.yes = yes
        self._steps, self._began, self._told = 0, 0.0, False

    def check(
        self,
        model: "Model",
        samples: int,
        batch: int,
        *,
        kept: float = 0.0,
        folder: Path | None = None,
        instead: str = "ask for fewer",
    ) -> None:
        """Say what samples take that are made by `batch` at a time, before any is.

        `kept` are the bytes held in memory beside those of a batch, `folder` is where each becomes a file, and
        `instead` says what would take less. What does not fit is refused, whatever the user says.
        """
        from noisekernel.core import machine
        from noisekernel.training.cost import bytes_of_a_look

        at_once = min(batch, samples) * bytes_of_a_look(model.design)
        memory, disk, free = kept + at_once, 0.0, math.inf
        if folder is not None:
            memory += samples * LINE
            disk = samples * BLOCK * -(-(model.kind.bytes_stored + WORDS) // BLOCK)
        there = machine.memory_of(model.device) or math.inf
        said = [f"{told_bytes(memory)} of memory"] if memory > MOST_BYTES else []
        if folder is not None and disk > MOST_BYTES:
            place = next(place for place in (folder.resolve(), *folder.resolve().parents) if place.exists())
            free = shutil.disk_usage(place).free
            said.append(f"{told_bytes(disk)} of disk")
        if not said:
            return
        instead += ", or for smaller batches" if batch > 1 and at_once > 0.5 * memory else ""
        sentence = f"{counted(samples, model.kind)} take about {' and '.join(said)}"
        if memory > there or disk > free:
            less = f"{told_bytes(there)} of memory" if memory > there else f"{told_bytes(free)} of disk"
            raise InputError(f"{sentence}, and there are {less}; {instead}")
        self._ask(sentence, instead)

    def timed(self, advance: common.Bar, steps: int, after: int) -> Callable[[], None]:
        """`advance`, which also says how long all `steps` take once some are done: a few, at most `after`.

        One command may have several bars; their steps are counted on.
        """
        after = min(after, TIMED)
        self._began = self._began or clock()

        def step() -> None:
            advance()
            self._steps += 1
            if self._told or self._steps not in (1, after):
                return
            now = clock()
            if self._steps < after:
                self._began = now  # the first step is slower than others
                return
            self._told = True
            seconds = (now - self._began) / max(1, after - 1) * (steps - after)
            if seconds > MOST_SECONDS:
                with advance.paused():
                    self._ask(f"this takes about {told_seconds(seconds)}", "ask for less")

        return step

    def _ask(self, sentence: str, instead: str) -> None:
        if self.yes:
            if common.process()[0] == 0:
                print(f"nk: {sentence}", file=sys.stderr)
        elif sys.stdin.isatty() and sys.stderr.isatty():
            typer.confirm(f"{sentence}. Go on?", abort=True, err=True)
        else:
            raise InputError(f"{sentence}; add --yes to go on all the same, or {instead}")
