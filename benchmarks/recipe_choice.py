"""Why our recipes are what they are: one choice changed at a time, on digits, at equal arithmetic.

    python benchmarks/recipe_choice.py --out results.json [--seeds 2] [--images 60000]

Every arm may spend what the recipe `digits` spends on `--images` images; arms whose step costs more see fewer. Then
the Fréchet distance to the data (on a small classifier's features; see evaluate/features.py) of samples without a
label, of samples with one, and of variants after 60 steps of the chain at beta 0.2. Results are written as they
come.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import torch

import noisekernel as nk
from noisekernel import config
from noisekernel.data import ContinuousCodec, Size
from noisekernel.evaluate.features import small_features
from noisekernel.evaluate.frechet import frechet_distance
from noisekernel.plan import plan

ARMS: dict[str, dict[str, Any]] = {
    "recipe digits": {},
    "a fifth of the labels withheld": {"data.forget": 0.2},
    "uniform levels": {"objective.levels.kind": "uniform"},
    "plain head": {"head.kind": "plain"},
    "anchored": {"objective.kind": "anchored"},
    "contrastive adjustment alone": {"objective.kind": "contrastive"},
    "reconstruction": {"objective.kind": "reconstruction"},
    "lag 0.5": {"kernel.lag": 0.5},
    "constant rate": {"training.fall": "constant"},
}
SAMPLES = 400


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--images", type=int, default=60_000)
    options = arguments.parse_args()
    torch.set_num_threads(1)
    pictures = nk.data.load(nk.data.open_source("digits"))  # type: ignore[arg-type]
    z = ContinuousCodec().encode(pictures.pixels)
    features = small_features(z, pictures.labels).features
    order = torch.randperm(len(z), generator=torch.Generator().manual_seed(0))
    truth = features(z[order[SAMPLES:]])

    def distance(samples: torch.Tensor) -> float:
        return round(frechet_distance(features(samples), truth), 3)

    real = distance(z[order[:SAMPLES]])
    budget = plan(config.recipe("digits"), Size(1, 8, 8), 10).training * options.images
    results: list[dict[str, Any]] = []
    for seed in range(options.seeds):
        for name, changes in ARMS.items():
            images = int(budget / plan(config.recipe("digits", changes), Size(1, 8, 8), 10).training)
            settings = {**changes, "training.images": images, "training.draw_every": 10**9}
            model = nk.train("digits", settings=settings, seed=seed, progress=False)
            labels = torch.arange(SAMPLES) % 10
            results.append(
                {
                    "arm": name,
                    "seed": seed,
                    "images": images,
                    "samples": distance(nk.synthesize(model, SAMPLES, steps=30, seed=1)),
                    "labelled": distance(nk.synthesize(model, SAMPLES, steps=30, label=labels, seed=1)),
                    "variants": distance(nk.vary(model, z[:SAMPLES], 1, steps=60)[:, 0]),
                }
            )
            print(results[-1], flush=True)
            options.out.write_text(json.dumps({"real_pictures": real, "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
