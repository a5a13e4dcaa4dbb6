"""Do equal turns of the strength dial move equally far? Tested on samples that the curves were not measured on.

    python benchmarks/dial.py [MODEL...] [--n 48]

Measures, for each model, how far variants move at each turn of the calibrated dial, and of a dial that is the noise
level itself. Distances are shares of the distance between two unrelated samples. The figures are appended to
benchmarks/results/dial.jsonl, and the plot is DATE-dial.png.
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch

import noisekernel as nk
from lab.results import RESULTS, record_run, today
from noisekernel import models
from noisekernel.measuring.chains import renewal_curve
from noisekernel.measuring.dial import RENEWAL

TURNS = tuple(turn / 10 for turn in range(1, 11))
COLOURS = ("#3b5ba5", "#e87a5d")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", nargs="*", default=models.bundled())
    arguments.add_argument("--n", type=int, default=48)
    options = arguments.parse_args()
    torch.set_num_threads(1)
    found: dict[str, dict[str, list[float]]] = {"turns": {"": list(TURNS)}}
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.plot((0, 1), (0, 1), color="#999999", linestyle=":", linewidth=1, label="equal turns, equal ways")
    for name, colour in zip(options.models, COLOURS, strict=False):
        model = nk.load(name, "cpu")
        curve = RENEWAL.known(models.digest_of(name))
        assert curve is not None
        z = nk.synthesize(model, max(96, options.n), steps=20, seed=11, batch_size=32)
        found[name] = {}
        dials = {"as measured": [curve.turned(turn) for turn in TURNS], "the noise level itself": list(TURNS)}
        for (label, levels), style in zip(dials.items(), ("-o", "--x"), strict=True):
            reached = renewal_curve(model, z, betas=levels, n=options.n, seed=12)
            found[name][label] = [round(distance, 4) for distance in reached.distances]
            found[name][f"{label}, standard errors"] = [round(error, 4) for error in reached.errors]
            print(name, label, found[name][label], flush=True)
            axes.plot((0, *TURNS), (0, *reached.distances), style, color=colour, label=f"{name}, {label}", markersize=4)
    axes.set(xlabel="strength", ylabel="distance of a variant from its picture")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(RESULTS / f"{today()}-dial.png", dpi=110)
    record_run("dial", {"n": options.n, **found})


if __name__ == "__main__":
    main()
