"""Does it help to start from the weights of a model that was trained on something else?

    python benchmarks/further.py IDX_FILE [--pictures 1000] [--images 10000] [--seeds 0 1]

Trains the network of the bundled `fashion` for a short time on a few pictures of another kind (28 x 28: the digits of
MNIST), from `fashion` and from fresh weights. Both are evaluated against the pictures as by `nk evaluate`. The figures
are appended to benchmarks/results/further.jsonl. Samples of the first seed are drawn in DATE-further.png, those from
fresh weights above.
"""

import argparse
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

import noisekernel as nk
from lab.results import RESULTS, record_run, today
from noisekernel.kinds.pictures.drawing import contact_sheet

ARMS: dict[str, dict[str, Any]] = {"fresh": {"recipe": "fashion"}, "from fashion": {"start": "fashion"}}


def run(arm: str, seed: int, pixels: NDArray[np.uint8], images: int) -> tuple[dict[str, Any], Image.Image]:
    torch.set_num_threads(1)
    settings = {"training.images": images, "data.labels": False}
    began = time.perf_counter()
    model = nk.fit(pixels, settings=settings, seed=seed, progress=False, **ARMS[arm])
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "pictures.npy", pixels)
        judged = nk.measure(model, Path(folder) / "pictures.npy", n=500, steps=20)
    metrics = {name: round(figure.value, 3) for name, figure in judged.figures.items()}
    figures = {
        "arm": arm,
        "seed": seed,
        "seconds": round(seconds),
        "floor": round(judged.floor["fid"].value, 3),
        **metrics,
    }
    print(figures, flush=True)
    return figures, contact_sheet(model.draw(nk.synthesize(model, 32, steps=20, seed=1)), columns=16, least=56)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--pictures", type=int, default=1000)
    arguments.add_argument("--images", type=int, default=10_000)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    arguments.add_argument("--jobs", type=int, default=2)
    options = arguments.parse_args()
    loaded, _ = nk.data.load_data(options.data)
    pixels = loaded.values[: options.pictures, 0].numpy()
    with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
        jobs = [pool.submit(run, arm, seed, pixels, options.images) for seed in options.seeds for arm in ARMS]
        found = [job.result() for job in jobs]
    runs = [figures for figures, _ in found]
    record_run("further", {"pictures": options.pictures, "images": options.images, "runs": runs})
    sheets = [sheet for _, sheet in found[:2]]
    both = Image.new("L", (sheets[0].width, sum(sheet.height for sheet in sheets) + 14), 255)
    both.paste(sheets[0], (0, 0))
    both.paste(sheets[1], (0, sheets[0].height + 14))
    both.save(RESULTS / f"{today()}-further.png")


if __name__ == "__main__":
    main()
