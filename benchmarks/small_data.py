"""Does augmentation of which the network is told help where pictures are few?

    python benchmarks/small_data.py [--images 60000] [--each 40] [--seeds 0 1 2]

A network (16 channels, else the recipe `digits`, without labels) learns a few of the 8 x 8 digits of scikit-learn, as
many of each, without augmentation and with `data.augment=0.12`: in all ways, or in those that leave digits upright. It
is judged by the error of its denoiser on 300 digits that it did not see, in bits per pixel (`measuring.denoising`), and
on half of those that it learned: the gap says how much it knows by heart. Each run is appended to
benchmarks/results/small_data.jsonl as it ends; `--table` prints the means of those that are there.
"""

import argparse
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import noisekernel as nk
from lab import jsonlines
from lab.results import RESULTS, record_run
from noisekernel.measuring.denoising import denoising_curve, estimate_of

#: What is tried, by name.
ARMS: dict[str, dict[str, Any]] = {
    "none": {},
    "all ways": {"data.augment": 0.12},
    "shift, scale, light": {"data.augment": 0.12, "data.augmentations": ["shift", "scale", "light"]},
}


def bits(model: nk.Model, pixels: NDArray[np.uint8]) -> float:
    z = model.kind.encode(torch.from_numpy(pixels[:, None]))
    return round(denoising_curve(estimate_of(model.denoiser), z).bits.value, 4)


def run(arm: str, seed: int, images: int, each_of: int) -> dict[str, Any]:
    loaded, _ = nk.data.load_data("digits")
    assert loaded.labels is not None
    pixels, labels = loaded.values[:, 0].numpy(), loaded.labels.numpy()
    order = np.random.default_rng(seed).permutation(len(pixels))
    few = np.concatenate([order[labels[order] == each][:each_of] for each in range(10)])
    held = order[~np.isin(order, few)][:300]
    settings = {"data.labels": False, "network.channels": 16, "training.images": images, **ARMS[arm]}
    settings |= {"training.draw_every": 10**9, "training.save_every": 10**9}
    began = time.process_time()
    model = nk.fit(
        pixels[few], recipe="digits", settings=settings, seed=seed, device="cpu", progress=False, calibrate=False
    )
    seconds = round(time.process_time() - began)
    return {
        "arm": arm,
        "seed": seed,
        "images": images,
        "pictures": len(few),
        "held out": bits(model, pixels[held]),
        "learned": bits(model, pixels[few[::2]]),
        "processor seconds": seconds,
    }


def table() -> str:
    """The means over seeds of what was measured."""
    runs = jsonlines.read(RESULTS / "small_data.jsonl")
    lines = ["| pictures | images | augmentation | seeds | held out | learned |", "|---|---|---|---|---|---|"]
    for pictures, images in sorted({(each.get("pictures", 400), each["images"]) for each in runs}):
        for arm in ARMS:
            wanted = (arm, images, pictures)
            own = [each for each in runs if (each["arm"], each["images"], each.get("pictures", 400)) == wanted]
            if own:
                held, learned = (np.mean([each[name] for each in own]) for name in ("held out", "learned"))
                lines.append(f"| {pictures} | {images:,} | {arm} | {len(own)} | {held:.3f} | {learned:.3f} |")
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--images", type=int, default=60_000)
    arguments.add_argument("--each", type=int, default=40)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    arguments.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    arguments.add_argument("--table", action="store_true", help="Train nothing; print what is known.")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    if not options.table:
        for seed in options.seeds:
            for arm in options.arms:
                figures = run(arm, seed, options.images, options.each)
                print(figures, flush=True)
                record_run("small_data", figures)
    print(table())


if __name__ == "__main__":
    main()
