"""How fast should a run learn that begins with the weights of another model?

    python benchmarks/starting.py [--images 4000] [--seeds 0 1 2]

A network (16 channels, else the recipe `digits`, without labels) learns the digits 0 to 4 of scikit-learn, 8 x 8. From
there it learns the digits 5 to 9 from 40 pictures of each: at several learning rates, with the usual warm-up (a tenth
of the run) and without; and the same from fresh weights. All are judged by the error of their denoisers on 300 other
pictures of 5 to 9, in bits per pixel (`noisekernel.measuring.denoising`). Each run is appended to
benchmarks/results/starting.jsonl as it ends; `--table` prints the means of those that are there.
"""

import argparse
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import noisekernel as nk
from lab import jsonlines
from lab.results import RESULTS, record_run
from noisekernel.measuring.denoising import denoising_curve, estimate_of

#: The learning rate of the recipe `digits`.
RATE = 2e-3
#: How runs begin, and the shares of that rate at which they do.
ARMS = {
    "other digits": (0.25, 0.5, 1.0, 2.0),
    "other digits, no warm-up": (1.0,),
    "fresh": (0.5, 1.0, 2.0),
}
SETTINGS: dict[str, Any] = {"data.labels": False, "training.draw_every": 10**9, "training.save_every": 10**9}
HOW: dict[str, Any] = {"progress": False, "calibrate": False, "device": "cpu"}


def bits(model: nk.Model, held: NDArray[np.uint8]) -> float:
    z = model.kind.encode(torch.from_numpy(held[:, None]))
    return round(denoising_curve(estimate_of(model.denoiser), z).bits.value, 4)


def of_seed(seed: int, first: int, images: int) -> None:
    """All runs of a seed."""
    loaded, _ = nk.data.load_data("digits")
    assert loaded.labels is not None
    pixels, labels = loaded.values[:, 0].numpy(), loaded.labels.numpy()
    order = np.random.default_rng(seed).permutation(len(pixels))
    few = np.concatenate([order[labels[order] == each][:40] for each in range(5, 10)])
    held = order[(labels[order] > 4) & ~np.isin(order, few)][:300]
    fresh = {**SETTINGS, "network.channels": 16}
    start = nk.fit(pixels[labels < 5], recipe="digits", settings={**fresh, "training.images": first}, seed=seed, **HOW)
    for begin, factors in ARMS.items():
        for factor in factors:
            own = {"training.images": images, "training.rate": factor * RATE}
            own |= {"training.warmup": 0} if "no warm-up" in begin else {}
            if begin == "fresh":
                model = nk.fit(pixels[few], recipe="digits", settings={**fresh, **own}, seed=seed, **HOW)
            else:
                model = nk.fit(pixels[few], start=start, settings={**SETTINGS, **own}, seed=seed, **HOW)
            figures = {"begin": begin, "factor": factor, "seed": seed, "images": images, "first": first}
            record_run("starting", {**figures, "held out": bits(model, pixels[held])})


def table() -> str:
    """The means over seeds of what was measured."""
    runs = jsonlines.read(RESULTS / "starting.jsonl")
    lines = ["| images | begun with | rate | seeds | held out |", "|---|---|---|---|---|"]
    for images in sorted({each["images"] for each in runs}):
        for begin, factors in ARMS.items():
            for factor in factors:
                wanted = (images, begin, factor)
                own = [each["held out"] for each in runs if (each["images"], each["begin"], each["factor"]) == wanted]
                if own:
                    lines.append(f"| {images:,} | {begin} | {factor * RATE:.1e} | {len(own)} | {np.mean(own):.3f} |")
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--images", type=int, default=4_000)
    arguments.add_argument("--first", type=int, default=20_000)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    arguments.add_argument("--table", action="store_true", help="Train nothing; print what is known.")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    if not options.table:
        for seed in options.seeds:
            of_seed(seed, options.first, options.images)
    print(table())


if __name__ == "__main__":
    main()
