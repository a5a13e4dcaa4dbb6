"""What do minutes of training on a folder of one's own give? New pictures to look at, and figures beside held-out ones.

    python benchmarks/own_folder.py FOLDER [HELD_OUT] [--arms "from nothing" "from emoji"] [--minutes 15 60] [--out DIR]
    python benchmarks/own_folder.py FOLDER HELD_OUT --model MODEL

The first form trains on the pictures of FOLDER for so many minutes, the second takes a model that was trained on them.
Without HELD_OUT every tenth picture of FOLDER, in the order of names, is kept apart.
Each line that is appended to benchmarks/results/own_folder.jsonl has

- precision and recall of 400 samples, on features learned from FOLDER, against the pictures of HELD_OUT;
- bits per element on HELD_OUT (`noisekernel.measuring.denoising`);
- `copied`, the share of samples that are nearer to a picture of FOLDER than 95 % of the pictures of HELD_OUT are, in
  root mean square of pixels: a network that draws nothing by heart has .05.

Samples are drawn in DATE-own_folder-ARM-MINUTES.png.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

import noisekernel as nk
from lab.results import RESULTS, record_run, today
from noisekernel import models
from noisekernel.kinds.pictures.drawing import contact_sheet
from noisekernel.measuring.denoising import curve_of
from noisekernel.models import Model

#: The ways to train that are compared: arguments of `nk.fit`.
ARMS: dict[str, dict[str, Any]] = {
    "one variance": {"settings": {"head.kind": "preconditioned"}},
    "from nothing": {},
    "from emoji": {"start": "emoji"},
}
SAMPLES = 400


def pixels(model: Model, folder: Path) -> Tensor:
    """All pictures of a folder as the model sees them."""
    loaded, _ = nk.data.load_data(folder, model.kind)
    return model.kind.encode(loaded.values)


def copied(samples: Tensor, train: Tensor, held_out: Tensor) -> float:
    """The share of samples that are nearer to a training picture than 95 % of the held-out ones are."""

    def nearest(z: Tensor) -> Tensor:
        return torch.cat([torch.cdist(some.flatten(1), train.flatten(1)).amin(dim=1) for some in z.split(100)])

    return float((nearest(samples) < nearest(held_out).quantile(0.05)).float().mean())


def judged(model: Model, folder: Path, held_out: Path, name: str) -> dict[str, Any]:
    samples = nk.synthesize(model, SAMPLES, seed=1)
    contact_sheet(model.draw(samples[:64]), columns=16, least=56).save(RESULTS / f"{today()}-own_folder-{name}.png")
    train, fresh = pixels(model, folder), pixels(model, held_out)
    judgement = nk.measure(model, held_out, n=SAMPLES, seed=1)
    figures = {of: round(judgement.figures[of].value, 3) for of in ("fid", "precision", "recall")}
    bits = curve_of(model.kernel, model.denoiser, fresh).bits
    return {
        **figures,
        "floor": round(judgement.floor["fid"].value, 3),
        "bits": round(bits.value, 4),
        "copied": round(copied(samples, train, fresh), 4),
    }


def split(folder: Path, work: Path) -> tuple[Path, Path]:
    """Two folders of links: to the pictures to train on, and to every tenth, which is kept apart."""
    parts = work / folder.name, work / f"{folder.name}-apart"
    for part in parts:
        part.mkdir(parents=True)
    for place, picture in enumerate(sorted(folder.iterdir())):
        (parts[place % 10 == 9] / picture.name).symlink_to(picture.resolve())
    return parts


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("held_out", type=Path, nargs="?")
    arguments.add_argument("--out", type=Path, help="a folder to keep the models in")
    arguments.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    arguments.add_argument("--minutes", type=float, nargs="+", default=[15.0, 60.0])
    arguments.add_argument("--size", type=int, nargs=3, default=[3, 32, 32])
    arguments.add_argument("--model", help="measure this model, and train none")
    options = arguments.parse_args()
    with TemporaryDirectory() as work:
        if options.held_out is None:
            options.folder, options.held_out = split(options.folder, Path(work))
        run(options)


def run(options: argparse.Namespace) -> None:
    if options.model is not None:
        model = nk.load(options.model)
        history = {name: model.history.get(name) for name in ("images", "seconds", "examples")}
        figures = judged(model, options.folder, options.held_out, Path(options.model).name)
        record_run("own_folder", {"model": Path(options.model).name, **history, **figures})
        return
    for minutes in options.minutes:
        for arm in options.arms:
            began = time.perf_counter()
            settings = {"data.size": options.size, **ARMS[arm].get("settings", {})}
            rest = {name: value for name, value in ARMS[arm].items() if name != "settings"}
            model = nk.fit(options.folder, minutes=minutes, settings=settings, progress=False, calibrate=False, **rest)
            seconds = round(time.perf_counter() - began)
            name = f"{arm.replace(' ', '-')}-{minutes:g}"
            if options.out is not None:
                options.out.mkdir(parents=True, exist_ok=True)
                models.save(model, options.out / f"{options.folder.name}-{name}.safetensors")
            figures = judged(model, options.folder, options.held_out, f"{options.folder.name}-{name}")
            told = {"arm": arm, "minutes": minutes, "seconds": seconds, "images": model.history["images"], **figures}
            print(told, flush=True)
            record_run("own_folder", {"folder": options.folder.name, **told})


if __name__ == "__main__":
    main()
