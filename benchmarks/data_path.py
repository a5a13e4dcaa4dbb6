"""Does loading keep up with training? Images per second with real loading, as a share of those with a fixed batch.

    python benchmarks/data_path.py [--record]

Real and fixed steps take turns in one process, so that other work on the machine slows both. Two ways of reading are
measured: pictures in memory (28 x 28), and a folder of JPEG files that a worker process decodes as they are needed
(128 x 128 files to 32 x 32), both with the recipe `small`. With --record the figures are appended to
benchmarks/results/data_path.jsonl.
"""

import argparse
import itertools
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from rich.console import Console

from lab.results import record_run
from noisekernel import recipes
from noisekernel.training import beginning
from noisekernel.training.log import Window
from noisekernel.training.preparation import prepare
from noisekernel.training.trainer import Trainer


def trainer_for(data: str, settings: dict[str, Any]) -> Trainer:
    recipe = recipes.recipe("small", {**settings, "training.images": 10_000_000})
    ready = prepare(data, recipe, 0, Console(quiet=True))
    return beginning.trainer_for(ready, recipe, seed=0, cpu=True)


def compare(name: str, data: str, settings: dict[str, Any], rounds: int, steps: int) -> dict[str, Any]:
    """The ratio of speeds, over several rounds of `steps` steps each."""
    trainer = trainer_for(data, settings)
    device = torch.device("cpu")
    real = trainer.examples.stream(trainer.parts(), device)
    fixed = itertools.repeat(next(real))
    number = itertools.count()
    window = Window()

    def seconds(stream: Any) -> float:
        began = time.perf_counter()
        for _ in range(steps):
            trainer.step(next(number), stream, window)
            window.clear(0.0)
        return time.perf_counter() - began

    seconds(fixed), seconds(real)
    pairs = [(seconds(fixed), seconds(real)) for _ in range(rounds)]
    ratios = sorted(by_fixed / by_real for by_fixed, by_real in pairs)
    batch = trainer.settings.batch
    result = {
        "name": name,
        "ratio": round(statistics.median(ratios), 4),
        "ratios": [round(ratio, 4) for ratio in ratios],
        "images_per_second_fixed": round(batch * steps / statistics.median(pair[0] for pair in pairs), 1),
        "images_per_second_real": round(batch * steps / statistics.median(pair[1] for pair in pairs), 1),
    }
    print(f"{name}: {result['ratio']:.1%} of the fixed batch's speed (rounds: {ratios[0]:.3f} to {ratios[-1]:.3f})")
    return result


def make_folder(folder: Path, number: int) -> None:
    """JPEG files of smooth noise, which take as long to decode as photographs."""
    chance = np.random.default_rng(0)
    for i in range(number):
        small = chance.integers(0, 256, (16, 16, 3), dtype=np.uint8)
        Image.fromarray(small).resize((128, 128), Image.Resampling.BICUBIC).save(folder / f"{i:05d}.jpg", quality=90)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--record", action="store_true", help="append the figures to the results file")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--steps", type=int, default=6)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_folder(folder, 2_000)
        array = folder / "pictures.npy"
        np.save(array, np.random.default_rng(0).integers(0, 256, (20_000, 28, 28), dtype=np.uint8))
        jpeg = folder / "jpeg"
        jpeg.mkdir()
        for path in folder.glob("*.jpg"):
            path.rename(jpeg / path.name)
        needed = {"data.size": [3, 32, 32], "data.memory": 0}
        cases: list[tuple[str, str, dict[str, Any]]] = [
            ("in memory, 28 x 28", str(array), {}),
            ("JPEG files, 1 worker", str(jpeg), {**needed, "data.workers": 1}),
        ]
        results = [compare(*case, options.rounds, options.steps) for case in cases]
    if options.record:
        about = {"threads": torch.get_num_threads(), "torch": torch.__version__, "results": results}
        record_run("data_path", about)


if __name__ == "__main__":
    main()
