"""Measures the strength curves of the models in the package, which ship beside their weights for the studio's dial.

On each model's own samples: variants of `--n` of them at each noise level, against the distance of two unrelated ones.

    python benchmarks/strength_curves.py [MODEL...] [--n 24] [--steps 100]
"""

import argparse
import time
from pathlib import Path

import torch

import noisekernel as nk
from noisekernel import models
from noisekernel.diagnostics.strength import strength_curve
from noisekernel.storage import write_json
from noisekernel.studio.served import LEVELS, digest_of

WEIGHTS = Path(models.__file__).parent / "weights"
#: Samples that tell how far apart two unrelated ones are.
UNRELATED = 128


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=models.bundled())
    parser.add_argument("--n", type=int, default=24)
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name in given.models:
        began = time.perf_counter()
        model = nk.load(name, "cpu")
        z = nk.synthesize(model, UNRELATED, steps=20, seed=1, batch_size=32)
        curve = strength_curve(model, z, betas=LEVELS, n=given.n, steps=given.steps)
        how = {"script": "benchmarks/strength_curves.py", "n": given.n, "samples": UNRELATED, "seed": 1}
        write_json(
            WEIGHTS / f"{name}.strength.json", {"weights": digest_of(name), "curve": curve.figures(), "measured": how}
        )
        print(f"{name}, in {time.perf_counter() - began:.0f} s")
        for beta, distance, error in zip(curve.betas, curve.distances, curve.errors, strict=True):
            print(f"  beta {beta:5.3f}  distance {distance:.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
