"""How long training takes per image: arms by turns in one process, so that other work on the machine slows all."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import torch

from lab.material import Material
from lab.own_arms import Ours
from noisekernel.training.log import Window
from noisekernel.training.trainer import Trainer

#: Rounds in which every arm is timed, after one that warms up, and images that an arm trains on per round.
ROUNDS, IMAGES = 60, 64


def pace(arms: Sequence[Ours], material: Material, seed: int, work: Path) -> dict[str, Any]:
    """Milliseconds per image (medians), and those of each later arm over those of the first, by round.

    With one thread, time is processor time, which other processes do not add to; with more it is wall-clock time.
    """
    endless = replace(material, images=10**6)
    turns = [_turns(arm.trainer(endless, seed, work)[1]) for arm in arms]
    times = [[next(turn) for turn in turns] for _ in range(ROUNDS + 1)][1:]
    by_arm = dict(zip((arm.name for arm in arms), zip(*times, strict=True), strict=True))
    first = by_arm[arms[0].name]
    ratios = {name: sorted(one / other for one, other in zip(own, first, strict=True)) for name, own in by_arm.items()}
    return {
        "threads": torch.get_num_threads(),
        "ms": {name: round(1_000.0 * median(own), 4) for name, own in by_arm.items()},
        "over_first": {
            name: {"median": round(median(all_of), 4), "low": round(all_of[0], 4), "high": round(all_of[-1], 4)}
            for name, all_of in ratios.items()
            if name != arms[0].name
        },
    }


def _turns(trainer: Trainer) -> Iterator[float]:
    """Seconds per image of the next few training steps, again and again."""
    now = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    stream, window, step = trainer.examples.stream(trainer.parts(), torch.device("cpu")), Window(since=0.0), 0
    steps = max(1, IMAGES // trainer.settings.batch)
    while True:
        began = now()
        for _ in range(steps):
            trainer.step(step, stream, window)
            step += 1
        window.clear(0.0)
        yield (now() - began) / (steps * trainer.settings.batch)
