"""`nk diagnose --score`: is a steered chain where it should be?"""

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from noisekernel import models, tasks
from noisekernel.cli import common
from noisekernel.cli.rounds import score_of
from noisekernel.files.formats import write_json
from noisekernel.measuring.chains.steered import steered
from noisekernel.measuring.chains.steered_page import write_page


@dataclass(frozen=True)
class Steering:
    """What is asked for."""

    score: str
    insist: float
    chain: str
    samples: int
    walkers: int
    steps: int
    seed: int
    batch_size: int


def steering(model: str, asked: Steering, folder: Path, device: str | None, json: bool) -> None:
    """Steer a chain, and compare it with new samples that are weighed: figures and a page.

    Args:
        model: The model, by name, file or folder.
        asked: The score, and how the chain goes.
        folder: Where page and figures are written.
        device: Where the model computes.
        json: Whether figures are printed as JSON.
    """
    began = perf_counter()
    loaded = models.load(model, device)
    total = len(tasks.batches(asked.samples, asked.batch_size)) + asked.steps
    with common.bar(total, "steering") as advance:
        found = steered(
            loaded,
            score_of(asked.score, loaded.kind, 1.0),
            insist=asked.insist,
            chain=asked.chain,
            samples=asked.samples,
            walkers=asked.walkers,
            steps=asked.steps,
            seed=asked.seed,
            batch_size=asked.batch_size,
            advance=advance,
        )
    figures = {
        "task": "diagnose",
        "model": common.model_name(model),
        "score": asked.score,
        "seed": asked.seed,
        **found.figures(),
        "out": str(folder),
        "seconds": round(perf_counter() - began, 1),
    }
    write_json(folder / "steered.json", figures)
    write_page(folder / "steered.html", found, asked.score, figures)
    common.say(figures, json, f"{found}\n{folder / 'steered.html'} has the plot, steered.json every figure")
