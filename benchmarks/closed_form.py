"""How far do closed forms go? The error of a denoiser that has learned nothing, by what its head knows of the data.

    python benchmarks/closed_form.py --data FOLDER [--materials fashion28 cifar16]

FOLDER holds fashion-mnist/ with its idx files and cifar10.npz. Heads are measured on 10,000 training pictures and on
few, and their denoisers, without any network, on 500 held-out pictures. The squared errors at each noise level and the
bits per element are appended to benchmarks/results/closed_form.jsonl, and the table in docs/results.md is written anew.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import noisekernel as nk
from lab import jsonlines, material
from lab.results import RESULTS, record_run
from noisekernel.core.distributions import Elementwise
from noisekernel.measuring.denoising import denoising_curve, estimate_of
from noisekernel.networks.head import Head

SIGMAS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
#: What the head knows: one mean and variance (None), or settings of the covariance head.
HEADS: dict[str, dict[str, Any] | None] = {
    "one variance": None,
    "covariance": {"components": 1},
    "covariance, all coefficients dense": {"components": 1, "dense": 4096},
    "covariance, 128 dense": {"components": 1, "dense": 128},
    "mixture": {},
}
PICTURES = (10_000, 400, 50)
PAGE = Path(__file__).parents[1] / "docs" / "results.md"
BEGIN = "<!-- closed forms: fashion28 and cifar16, written by benchmarks/closed_form.py -->"
END = "<!-- end of closed forms -->"


def known_by(head: Head, x: Tensor, beta: float) -> Elementwise:
    """The denoiser of a head without a network."""
    known = head.known(x, torch.full((len(x),), beta, dtype=torch.float64))
    assert known is not None
    return known


def measured(z: Tensor, held_out: Tensor, name: str) -> dict[str, Any]:
    settings, channels = HEADS[name], z.shape[1]
    began = time.perf_counter()
    if settings is None:
        head: Any = nk.PreconditionedGaussian.of(z, channels)
        more: dict[str, Any] = {}
    else:
        head = nk.CovarianceGaussian.of(z, channels, **settings)
        more = {"shrunk": head.shrunk, "components": head.settings["components"], "bytes": head.basis.bytes}
    seconds = time.perf_counter() - began
    curve = denoising_curve(estimate_of(lambda x, beta: known_by(head, x, beta)), held_out, sigmas=SIGMAS)
    errors = [float(f"{error:.4g}") for error in curve.errors]
    bits = round(curve.bits.value, 4)
    return {"head": name, "pictures": len(z), "errors": errors, "bits": bits, "seconds": round(seconds, 1), **more}


def write_table(page: Path, results: Path) -> None:
    """Write the newest figures of each material between the two marks of the page."""
    newest = {record["material"]: record for record in jsonlines.read(results)}
    shown = [SIGMAS.index(sigma) for sigma in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)]
    shown_as = (f"{SIGMAS[place]:g}" for place in shown)
    rows = [f"| what the head knows | pictures | {' | '.join(shown_as)} | bits |", "|---" * (len(shown) + 3) + "|"]
    for name, record in newest.items():
        for arm in record["arms"]:
            errors = (f"{1e3 * arm['errors'][place]:.3g}" for place in shown)
            cells = (f"{name}: {arm['head']}", f"{arm['pictures']:,}", *errors, f"{arm['bits']:.2f}")
            rows.append(f"| {' | '.join(cells)} |")
    text = page.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(before + BEGIN + "\n" + "\n".join(rows) + "\n" + END + after)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--materials", nargs="*", default=["fashion28", "cifar16"], help="none: the table alone")
    options = arguments.parse_args()
    for name in options.materials:
        pictures = material.load(name, options.data)
        held_out = pictures.held_out_z[:500]
        arms = []
        for head in HEADS:
            for number in PICTURES if head in ("covariance", "mixture") else PICTURES[:1]:
                arms.append(measured(pictures.z[:number], held_out, head))
                print(name, arms[-1], flush=True)
        record_run("closed_form", {"material": name, "held_out": len(held_out), "sigmas": SIGMAS, "arms": arms})
    write_table(PAGE, RESULTS / "closed_form.jsonl")


if __name__ == "__main__":
    main()
