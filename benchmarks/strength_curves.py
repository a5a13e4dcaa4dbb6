"""Measures the strength curves and the familiarity of the bundled models, which ship beside their weights.

A strength curve is measured on `--n` of the model's own samples. It gives the distance of variants at each noise level,
as a share of the distance between two unrelated samples: by redrawing the noise below that level, and by a walk at it.

    python benchmarks/strength_curves.py [MODEL...] [--n 48]
"""

import argparse
import time
from datetime import UTC, datetime
from pathlib import Path

import torch

import noisekernel as nk
from noisekernel import models
from noisekernel.files.formats import write_json
from noisekernel.measuring.familiarity import Familiarity
from noisekernel.measuring.kept import SUFFIX
from noisekernel.tasks.strength import WAYS

BUNDLED = Path(models.__file__).parent / "bundled"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=models.bundled())
    parser.add_argument("--n", type=int, default=48)
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name in given.models:
        figures = {"familiarity": Familiarity.measure(nk.load(name, "cpu")).figures()}
        for way in WAYS.values():
            began = time.perf_counter()
            curve = way.measure(nk.load(name, "cpu"), n=given.n)
            figures[way.name] = curve.figures()
            print(f"{name}, {way.name}, in {time.perf_counter() - began:.0f} s", flush=True)
            for beta, distance, error in zip(curve.betas, curve.distances, curve.errors, strict=True):
                print(f"  beta {beta:6.4f}  distance {distance:.3f} ± {error:.3f}", flush=True)
        how = {"script": "benchmarks/strength_curves.py", "n": given.n, "date": datetime.now(UTC).date().isoformat()}
        told = {"weights": models.digest_of(name), "figures": figures, "measured": how}
        write_json(BUNDLED / f"{name}{SUFFIX}", told)


if __name__ == "__main__":
    main()
