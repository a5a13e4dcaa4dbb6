"""Why our recipes are what they are: one choice changed at a time, on digits, at equal arithmetic.

    python benchmarks/recipe_choice.py --out results.json [--seeds 2] [--images 40000] [--arms NAME …]

Models are trained on 1,297 of the 1,797 digits. Every arm may spend what the recipe `digits` spends on `--images`
images; arms whose step costs more see fewer. Told are Fréchet distances (on a small classifier's features; see
evaluate/features.py) to the 500 digits held out: of samples without a label, of samples with one, and of variants of
the held-out digits after 60 steps of the chain at beta 0.2; and the share of labelled samples which that classifier
takes for what they should be. Results are written as they come, and arms that are there already are not run again.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.neural_network import MLPClassifier

import noisekernel as nk
from noisekernel import config
from noisekernel.data import ContinuousCodec, Size
from noisekernel.evaluate.features import small_features
from noisekernel.evaluate.frechet import frechet_distance
from noisekernel.plan import plan

LEVELS = "objective.levels"
ARMS: dict[str, dict[str, Any]] = {
    "recipe digits": {},
    "no lift": {f"{LEVELS}.lift": 0.0},
    "no lift, lower levels": {f"{LEVELS}.lift": 0.0, f"{LEVELS}.mean": -1.2},
    "lower levels": {f"{LEVELS}.mean": -1.2},
    "higher levels": {f"{LEVELS}.mean": 0.0},
    "wider levels": {f"{LEVELS}.std": 1.6},
    "uniform levels": {LEVELS: {"kind": "uniform"}},
    "a fifth of the labels withheld": {"data.forget": 0.2},
    "plain head": {"head.kind": "plain"},
    "anchored": {"objective.kind": "anchored"},
    "contrastive adjustment alone": {"objective.kind": "contrastive"},
    "reconstruction": {"objective.kind": "reconstruction"},
    "lag 0.5": {"kernel.lag": 0.5},
    "constant rate": {"training.fall": "constant"},
}
HELD_OUT, SAMPLES = 500, 500


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, required=True)
    arguments.add_argument("--seeds", type=int, default=2)
    arguments.add_argument("--images", type=int, default=40_000)
    arguments.add_argument("--arms", nargs="*", choices=list(ARMS), default=list(ARMS))
    options = arguments.parse_args()
    torch.set_num_threads(1)
    pictures = nk.data.load(nk.data.open_source("digits"))  # type: ignore[arg-type]
    labels = pictures.labels
    assert labels is not None
    z = ContinuousCodec().encode(pictures.pixels)
    features = small_features(z, labels).features
    judge = MLPClassifier((64, 32), max_iter=200, random_state=0).fit(z.flatten(1).numpy(), labels.numpy())
    order = torch.randperm(len(z), generator=torch.Generator().manual_seed(0))
    held_out, own = order[:HELD_OUT], order[HELD_OUT:]
    truth = features(z[held_out])

    def distance(samples: torch.Tensor) -> float:
        return round(frechet_distance(features(samples), truth), 3)

    def run(name: str, seed: int, data: Path) -> dict[str, Any]:
        images = int(budget / plan(config.recipe("digits", ARMS[name]), Size(1, 8, 8), 10).training)
        settings = {**ARMS[name], "training.images": images, "training.draw_every": 10**9}
        model = nk.train(data, recipe="digits", settings=settings, seed=seed, progress=False)
        asked = torch.arange(SAMPLES) % 10
        labelled = nk.synthesize(model, SAMPLES, steps=30, label=asked, seed=1)
        return {
            "arm": name,
            "seed": seed,
            "images": images,
            "samples": distance(nk.synthesize(model, SAMPLES, steps=30, seed=1)),
            "labelled": distance(labelled),
            "label_followed": round(float(np.mean(judge.predict(labelled.flatten(1).numpy()) == asked.numpy())), 3),
            "variants": distance(nk.vary(model, z[held_out], 1, steps=60)[:, 0]),
        }

    budget = plan(config.recipe("digits"), Size(1, 8, 8), 10).training * options.images
    results = json.loads(options.out.read_text())["results"] if options.out.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "digits.npz"
        np.savez(data, pixels=pictures.pixels[own, 0].numpy(), labels=labels[own].numpy())
        for seed in range(options.seeds):
            for name in options.arms:
                if any(result["arm"] == name and result["seed"] == seed for result in results):
                    continue
                results.append(run(name, seed, data))
                print(results[-1], flush=True)
                real = distance(z[own[:SAMPLES]])
                told = {"images": options.images, "real_pictures": real, "results": results}
                options.out.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
