"""The demo: a chain trained in minutes, everything one can do with it, and a report of it all in one file."""

import shutil
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from torch import Tensor

from noisekernel import tasks
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.data.opening import open_source
from noisekernel.data.source import Source, load
from noisekernel.files.formats import read_json, write_json
from noisekernel.files.outputs import new_folder
from noisekernel.kinds.base import Kind
from noisekernel.kinds.exchanged import SUFFIXES, Shown
from noisekernel.measuring.page import Section, curves, embedded, tree, write_report
from noisekernel.measuring.samples.features import learned_features
from noisekernel.measuring.samples.frechet import frechet_distance
from noisekernel.models.model import Model
from noisekernel.networks.denoiser import Denoiser
from noisekernel.tasks.strength import DEFAULT, RENEWAL
from noisekernel.training.observers import Silent, read_log
from noisekernel.training.preparation import chosen_recipe
from noisekernel.training.run import fit

#: Tells the folder of a demo, whose run may make way for a new one, from a folder of the user's.
MARK = "demo.json"
KEPT = (0.2, 0.4, 0.6, 0.8)
#: Of the film of a walk.
FRAMES = 60


class Quality(Silent):
    """The Fréchet distance of a few hundred samples to the data, as training goes on."""

    def __init__(self, z: Tensor, labels: Tensor | None, kind: Kind, samples: int = 400, steps: int = 15) -> None:
        if len(z) < 8:
            raise InputError(
                f"the demo measures quality on {kind.many} held against each other, and {len(z)} are too few"
            )
        self.described = learned_features(z, labels, kind)
        samples = min(samples, len(z) // 2)
        order = torch.randperm(len(z), generator=torch.Generator().manual_seed(0))
        own, rest = order[:samples], order[samples:]
        self.truth = self.described.features(z[rest])
        #: What as many real examples score against the others: the best there is.
        self.best = frechet_distance(self.described.features(z[own]), self.truth)
        self.samples, self.steps = len(own), steps
        self.curve: list[tuple[int, float]] = []

    def drew(self, images: int, average: Denoiser) -> None:
        average.eval()
        z = tasks.synthesize(self.make(average, images), self.samples, steps=self.steps, batch_size=100, seed=1).cpu()
        self.curve.append((images, frechet_distance(self.described.features(z), self.truth)))


def run(
    out: str | Path,
    data: str,
    recipe: str | None,
    settings: Sequence[str],
    seed: int,
    device: str | None,
    *,
    force: bool = False,
) -> dict[str, Any]:
    """Train, use, report. With `force` a demo that is there makes way for the new one."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise NoiseKernelError("the demo draws its plots with matplotlib: pip install 'noisekernel[demo]'") from None
    began = time.perf_counter()
    console = Console(stderr=True)
    out = new_folder(out, force=force)
    source = open_source(data)
    if not isinstance(source, Source):
        raise InputError("the demo reads its data more than once; give it one that is on this disk")
    chosen = chosen_recipe(recipe, settings, data, device)
    with console.status("reading the data"):
        kind, _ = chosen.data.fitted(source)
        loaded = load(kind.excerpts(source), kind, chosen.data.bad)
    z = kind.encode(loaded.values)
    some = torch.randperm(len(z), generator=torch.Generator().manual_seed(1))[:20_000]
    quality = Quality(z[some], None if loaded.labels is None else loaded.labels[some], kind)
    if (out / MARK).exists():
        shutil.rmtree(out / "run", ignore_errors=True)
    write_json(out / MARK, {"data": data, "seed": seed})
    model = fit(data, out / "run", recipe=chosen, seed=seed, device=device, observers=[quality])
    trained = time.perf_counter() - began
    console.print("drawing, varying, filling in, walking …")
    sections = [
        _samples(model, seed),
        _annealing(model, seed),
        _variants(model, z, seed),
        _filling(model, z, seed),
        _walk(model, z, out, seed),
        _training(read_log(out / "run" / "log.jsonl"), quality),
    ]
    figures = {
        "out": str(out),
        "report": str(out / "report.html"),
        "parameters": model.parameters,
        "images": model.history["images"],
        "seconds_training": round(float(model.history["seconds"]), 1),
        "frechet": quality.curve[-1][1],
        "frechet_of_real_examples": quality.best,
        "frechet_features": quality.described.name,
        "seconds": round(time.perf_counter() - began, 1),
    }
    facts = {
        "data": f"{data}: {len(loaded):,} {kind.described()}",
        "network": f"{model.parameters:,} parameters",
        "training": f"{model.history['images']:,} images in {trained / 60:.1f} minutes, its own measurements included",
        "seed": str(seed),
    }
    settings_text = read_json(out / "run" / "recipe.json")
    write_report(out / "report.html", f"A chain for {data}", facts, sections, settings_text, next_commands(out, kind))
    return figures


def next_commands(out: str | Path, kind: Kind) -> str:
    """What to type next."""
    run = Path(out) / "run"
    one = "EXAMPLE" if kind.gathered else f"samples/0000{kind.suffix}"
    return (
        f"open {Path(out) / 'report.html'}\n\n"
        "Next:\n"
        f"  nk sample {run} -n 64 --out samples          new {kind.many}\n"
        f"  nk vary {run} {one} -n 16         variants of one\n"
        f"  nk fill {run} {one} --tiles 4     fill in what is hidden\n"
        "  nk sample emoji -n 64 --out new               a larger model that came with the package\n"
        "  nk train YOUR_DATA --out my-run               your own data"
    )


def _samples(model: Model, seed: int) -> Section:
    kind = model.kind
    if model.classes:
        label = torch.arange(len(model.classes)).repeat(5)
        z = tasks.synthesize(model, len(label), label=label, seed=seed, batch_size=100)
        text = f"Drawn from pure noise in 50 steps, one column per class: {', '.join(model.classes)}."
        columns = len(model.classes)
    else:
        z, columns = tasks.synthesize(model, 50, seed=seed), 10
        text = "Drawn from pure noise in 50 steps."
    return Section(f"New {kind.many}", text, [_page(model, z, columns)])


def _annealing(model: Model, seed: int, rows: int = 8, columns: int = 8) -> Section:
    run = tasks.synthesis(model, rows, steps=60, seed=seed + 1)
    states = [run.state, *(state for state, _ in run)]
    chosen = [states[round(i * (len(states) - 1) / (columns - 1))] for i in range(columns)]
    shown = []
    for state in chosen:
        x, masked = state.x, None
        if model.kind.classes is not None:
            masked = x >= model.kind.classes
            x = torch.where(masked, 0, x)
        both = torch.stack((x, tasks.best(state.view)), dim=1)
        hidden = None if masked is None else torch.stack((masked, torch.zeros_like(masked)), dim=1)
        shown.append(_page(model, both, 2, hidden))
    levels = ", ".join(f"{state.beta:.2g}" for state in chosen)
    text = (
        f"{rows} samples on their way: each page has on the left the states x of the chain and on the right what the "
        f"denoiser makes of them. The noise level beta falls from page to page: {levels}."
    )
    return Section(f"From noise to a {model.kind.one}", text, shown)


def _page(model: Model, z: Tensor, columns: int, hidden: Tensor | None = None) -> str:
    """Clean data on one page, as HTML."""
    return embedded(model.show(z, columns, hidden).page)


def _variants(model: Model, z: Tensor, seed: int) -> Section:
    kind, roots = model.kind, z[:2]
    beta = RENEWAL.level(model, DEFAULT, None)
    first = tasks.variation(model, roots, 4, below=beta, seed=seed)
    flat = first.result()
    second = tasks.variation(model, flat, 3, below=beta, seed=seed + 1, noise=first.noise)
    children, grand = flat.unflatten(0, (-1, 4)), second.result().unflatten(0, (-1, 3))

    def each(z: Tensor) -> list[Shown]:
        return kind.show(kind.decode(z.cpu()))

    trees = [
        tree(each(roots[i : i + 1])[0], each(children[i]), [each(grand[4 * i + k]) for k in range(4)])
        for i in range(len(roots))
    ]
    text = (
        f"A real {kind.one}, four variants of it at strength {DEFAULT} (that share of the way to an unrelated one; for "
        f"this model, with the noise below beta {beta:g} redrawn), and three of each of these. Their noise is carried "
        "on, so that quality does not wear off from generation to generation below that of new samples."
    )
    return Section("A tree of variants", text, trees)


def _filling(model: Model, z: Tensor, seed: int) -> Section:
    kind, tile = model.kind, max(1, model.shape[-1] // 4)
    examples = z[10:14] if len(z) >= 14 else z[:4]
    shown = []
    for row, keep in enumerate(KEPT):
        mask = kind.masks(tile, keep, len(examples), seed=seed, first=row * 4)
        filled = tasks.fill(model, examples, mask, 2, seed=seed).cpu()
        both = examples[:, None]
        hidden = torch.zeros(len(examples), 4, *model.shape, dtype=torch.bool)
        hidden[:, 1] = mask
        shown.append(_page(model, torch.cat((both, both, filled), dim=1), 4, hidden))
    text = (
        f"Kept of each {kind.one}, page by page: {', '.join(f'{keep:.0%}' for keep in KEPT)}, in parts of side {tile}. "
        "In fours: the original, what the chain was shown, and two ways it filled in the rest. What was shown comes "
        "back bit by bit."
    )
    return Section("Filling in", text, shown)


def _walk(model: Model, z: Tensor, out: Path, seed: int) -> Section:
    kind, start = model.kind, z[20:36] if len(z) >= 36 else z[:16]
    walk = tasks.walk(model, start, seed=seed)
    frames = [start, *(walk.clean.cpu() for _ in islice(walk, FRAMES))]
    path = out / f"walk{kind.reel}"
    kind.film([kind.decode(each) for each in frames], path, fps=12.0)
    media = next(media for media, suffix in SUFFIXES.items() if suffix == kind.reel)
    text = (
        f"{len(start)} chains of the noise that {kind.many} are made of, {FRAMES} steps, each of which moves it on a "
        "little. They start at real examples, and may walk for ever: none gets worse than new samples are."
    )
    return Section("The chain walks", text, [embedded(Shown(media, path.read_bytes()))])


def _training(log: Sequence[Mapping[str, Any]], quality: Quality) -> Section:
    images = [entry["images"] for entry in log]
    levels = sorted({name for entry in log for name in entry["by_level"]}, key=lambda name: float(name.split("-")[0]))
    losses = {"all": (images, [entry["loss"] for entry in log])}
    for name in levels:
        known = [entry for entry in log if name in entry["by_level"]]
        losses[f"beta {name}"] = ([e["images"] for e in known], [e["by_level"][name] for e in known])
    drawn = curves("loss (nats per element)", losses)
    measured = {"samples": ([i for i, _ in quality.curve], [value for _, value in quality.curve])}
    distance = curves("Fréchet distance", measured, floor=("real examples", quality.best))
    text = (
        f"Left: the loss, in all and by noise level. Right: the Fréchet distance of {quality.samples} samples to the "
        f"data, on {quality.described.name}. Last: {quality.curve[-1][1]:.2f}; as many real examples score "
        f"{quality.best:.2f}."
    )
    return Section("How training went", text, [drawn, distance])
