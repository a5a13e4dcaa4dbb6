"""How fast should a run learn that begins with the weights of another model?

    python benchmarks/starting.py [--images 8000] [--seeds 0 1 2]

A network learns the digits 0 to 4 of scikit-learn (8 x 8), without labels. From there, and from fresh weights, it learns
the digits 5 to 9 from 40 pictures of each, at several learning rates, with the usual warm-up (a tenth of the run) and
without. All are judged by the error of their denoisers on the other pictures of 5 to 9, in bits per pixel
(`noisekernel.measuring.denoising`). The figures are appended to benchmarks/results/starting.jsonl.
"""

import argparse
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import noisekernel as nk
from lab.results import record_run
from noisekernel.measuring.denoising import denoising_curve, estimate_of

#: The learning rate of the recipe `digits`, and the factors that are tried.
RATE, FACTORS = 2e-3, (0.1, 0.25, 0.5, 1.0, 2.0)


def digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    loaded, _ = nk.data.load_data("digits")
    assert loaded.labels is not None
    return loaded.values[:, 0].numpy(), loaded.labels.numpy()


def bits(model: nk.Model, held: NDArray[np.uint8]) -> float:
    z = model.kind.encode(torch.from_numpy(held[:, None]))
    return denoising_curve(estimate_of(model.denoiser), z).bits.value


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--images", type=int, default=8_000)
    arguments.add_argument("--first", type=int, default=40_000)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options = arguments.parse_args()
    torch.set_num_threads(1)
    pixels, labels = digits()
    settings: dict[str, Any] = {"data.labels": False, "training.draw_every": 10**9, "training.save_every": 10**9}
    how: dict[str, Any] = {"progress": False, "calibrate": False, "device": "cpu"}
    runs = []
    for seed in options.seeds:
        order = np.random.default_rng(seed).permutation(len(pixels))
        few = np.concatenate([order[labels[order] == each][:40] for each in range(5, 10)])
        held = np.setdiff1d(order[labels[order] > 4], few)
        first = nk.fit(
            pixels[labels < 5],
            recipe="digits",
            settings={**settings, "training.images": options.first},
            seed=seed,
            **how,
        )
        for factor in FACTORS:
            for begin in ("other digits", "other digits, no warm-up", "fresh"):
                own = {**settings, "training.images": options.images, "training.rate": factor * RATE}
                own |= {"training.warmup": 0} if "no warm-up" in begin else {}
                start = {"recipe": "digits"} if begin == "fresh" else {"start": first}
                began = time.perf_counter()
                model = nk.fit(pixels[few], settings=own, seed=seed, **start, **how)
                figures = {"begin": begin, "rate": factor * RATE, "seed": seed, "bits": round(bits(model, pixels[held]), 4)}
                figures["seconds"] = round(time.perf_counter() - began, 1)
                print(figures, flush=True)
                runs.append(figures)
        print({"untouched": round(bits(first, pixels[held]), 4)}, flush=True)
    record_run("starting", {"images": options.images, "first": options.first, "pictures": 200, "runs": runs})


if __name__ == "__main__":
    main()
