"""The demo: a chain trained in minutes, everything one can do with it, and a report of it all in one file."""

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from rich.console import Console

from noisekernel import tasks
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.data.opening import open_source
from noisekernel.data.source import Source, load
from noisekernel.files.formats import read_json, write_json
from noisekernel.files.outputs import new_folder
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.pictures.drawing import contact_sheet, enlarged
from noisekernel.kinds.pictures.film import save_film
from noisekernel.kinds.pictures.masks import tile_masks
from noisekernel.measuring.page import Section, curves, embedded, tree, write_report
from noisekernel.measuring.samples.features import small_features
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

    def __init__(self, z: torch.Tensor, labels: torch.Tensor | None, samples: int = 400, steps: int = 15) -> None:
        self.described = small_features(z, labels)
        if len(z) < 8:
            raise InputError(f"the demo measures quality on pictures held against each other, and {len(z)} are too few")
        samples = min(samples, len(z) // 2)
        order = torch.randperm(len(z), generator=torch.Generator().manual_seed(0))
        own, rest = order[:samples], order[samples:]
        self.truth = self.described.features(z[rest])
        #: What as many real pictures score against the others: the best there is.
        self.best = frechet_distance(self.described.features(z[own]), self.truth)
        self.samples, self.steps = len(own), steps
        self.curve: list[tuple[int, float]] = []

    def drew(self, images: int, average: Denoiser) -> None:
        average.eval()
        z = tasks.synthesize(self.make(average, images), self.samples, steps=self.steps, batch_size=100, seed=1).cpu()
        self.curve.append((images, frechet_distance(self.described.features(z), self.truth)))


@dataclass
class Tour:
    """What was drawn, for the report."""

    sections: list[Section] = field(default_factory=list)

    def show(self, title: str, text: str, *pictures: Image.Image | str) -> None:
        shown = [picture if isinstance(picture, str) else embedded(picture) for picture in pictures]
        self.sections.append(Section(title, text, shown))


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
    with console.status("reading pictures"):
        kind, _ = chosen.data.fitted(source)
        if not isinstance(kind, Pictures):
            raise InputError(f"the demo is a tour of pictures, and {data} holds {kind.many}; train on it with nk train")
        pictures = load(source, kind, chosen.data.bad)
    z = kind.encode(pictures.values)
    some = torch.randperm(len(z), generator=torch.Generator().manual_seed(1))[:20_000]
    quality = Quality(z[some], None if pictures.labels is None else pictures.labels[some])
    if (out / MARK).exists():
        shutil.rmtree(out / "run", ignore_errors=True)
    write_json(out / MARK, {"data": data, "seed": seed})
    model = fit(data, out / "run", recipe=chosen, seed=seed, device=device, observers=[quality])
    trained = time.perf_counter() - began
    console.print("drawing, varying, filling in, walking …")
    tour = Tour()
    _samples(tour, model, seed)
    _annealing(tour, model, seed)
    _variants(tour, model, z, seed)
    _filling(tour, model, z, seed)
    _walk(tour, model, z, out, seed)
    log = read_log(out / "run" / "log.jsonl")
    _training(tour, log, quality)
    figures = {
        "out": str(out),
        "report": str(out / "report.html"),
        "parameters": model.parameters,
        "images": model.history["images"],
        "seconds_training": round(float(model.history["seconds"]), 1),
        "frechet": quality.curve[-1][1],
        "frechet_of_real_pictures": quality.best,
        "frechet_features": quality.described.name,
        "seconds": round(time.perf_counter() - began, 1),
    }
    facts = {
        "data": f"{data}: {len(pictures):,} pictures of {' x '.join(map(str, model.shape))}",
        "network": f"{model.parameters:,} parameters",
        "training": f"{model.history['images']:,} images in {trained / 60:.1f} minutes, its own measurements included",
        "seed": str(seed),
    }
    settings_text = read_json(out / "run" / "recipe.json")
    write_report(out / "report.html", f"A chain for {data}", facts, tour.sections, settings_text, next_commands(out))
    return figures


def next_commands(out: str | Path) -> str:
    """What to type next."""
    run = Path(out) / "run"
    return (
        f"open {Path(out) / 'report.html'}\n\n"
        "Next:\n"
        f"  nk sample {run} -n 64 --out samples          new pictures\n"
        f"  nk vary {run} samples/0000.png -n 16         variants of one\n"
        f"  nk fill {run} samples/0001.png --tiles 4     fill in what is hidden\n"
        "  nk sample fashion -n 64 --out clothes         a larger model that came with the package\n"
        "  nk train YOUR_FOLDER --out my-run             your own pictures"
    )


def _samples(tour: Tour, model: Model, seed: int) -> None:
    if model.classes:
        label = torch.arange(len(model.classes)).repeat(5)
        z = tasks.synthesize(model, len(label), label=label, seed=seed, batch_size=100)
        text = f"Drawn from pure noise in 50 steps, one column a class: {', '.join(model.classes)}."
        columns: int | None = len(model.classes)
    else:
        z, columns = tasks.synthesize(model, 50, seed=seed), 10
        text = "Drawn from pure noise in 50 steps."
    tour.show("New pictures", text, contact_sheet(model.draw(z), columns))


def _annealing(tour: Tour, model: Model, seed: int, rows: int = 4, columns: int = 12) -> None:
    run = tasks.synthesis(model, rows, steps=60, seed=seed + 1)
    states = [run.state, *(state for state, _ in run)]
    shown = [states[round(i * (len(states) - 1) / (columns - 1))] for i in range(columns)]
    cells: list[Image.Image] = []
    for row in range(rows):
        cells += [_state(model, state.x[row]) for state in shown]
        cells += [model.draw(tasks.best(state.view)[row : row + 1])[0] for state in shown]
    levels = ", ".join(f"{state.beta:.2g}" for state in shown)
    text = (
        "Each pair of rows is one sample on its way: above, the state x of the chain; below, what the denoiser makes "
        f"of it. The noise level beta falls from left to right: {levels}."
    )
    tour.show("From noise to a picture", text, contact_sheet(cells, columns, least=56))


def _state(model: Model, x: torch.Tensor) -> Image.Image:
    """A noisy state as a picture: scaled to its own range, or with masked elements in the middle of it."""
    if x.is_floating_point():
        x = x / max(1.0, float(x.abs().max()))
        return model.draw(x[None])[0]
    return model.draw(torch.where(x == torch.tensor(model.kind.classes), model.middle, x)[None])[0]


def _variants(tour: Tour, model: Model, z: torch.Tensor, seed: int) -> None:
    roots = z[:2]
    beta = RENEWAL.level(model, DEFAULT, None)
    first = tasks.variation(model, roots, 4, below=beta, seed=seed)
    flat = first.result()
    second = tasks.variation(model, flat, 3, below=beta, seed=seed + 1, noise=first.noise)
    children, grand = flat.unflatten(0, (-1, 4)), second.result().unflatten(0, (-1, 3))
    for i in range(len(roots)):
        below = grand[4 * i : 4 * (i + 1)]
        drawn = tree(
            enlarged(model.draw(roots[i : i + 1])[0], 96),
            [enlarged(image, 72) for image in model.draw(children[i])],
            [[enlarged(image, 48) for image in model.draw(below[k])] for k in range(4)],
        )
        if i == 0:
            text = (
                f"A real picture, four variants of it at strength {DEFAULT} (that share of the way to an unrelated "
                f"picture; for this model, with the noise below beta {beta:g} redrawn), and three of each of these. "
                "Their noise is carried on, so that quality does not wear off from generation to generation below that "
                "of new samples."
            )
            tour.show("A tree of variants", text, drawn)
        else:
            tour.sections[-1].pictures.append(drawn)


def _filling(tour: Tour, model: Model, z: torch.Tensor, seed: int) -> None:
    tile = max(2, model.size.height // 4)
    cells: list[Image.Image] = []
    pictures = z[10:14] if len(z) >= 14 else z[:4]
    for row, keep in enumerate(KEPT):
        mask = tile_masks(model.size, tile, keep, len(pictures), seed=seed, first=row * 4)
        filled = tasks.fill(model, pictures, mask, 2, seed=seed).cpu()
        seen = torch.where(mask, torch.full_like(pictures, model.middle), pictures)
        for i in range(len(pictures)):
            cells += [*model.draw(pictures[i : i + 1]), *model.draw(seen[i : i + 1]), *model.draw(filled[i])]
    text = (
        f"Kept of each picture, row by row: {', '.join(f'{keep:.0%}' for keep in KEPT)}, in tiles of {tile} x {tile}. "
        "In fours: the original, what the chain was shown, and two ways it filled in the rest. What was shown comes "
        "back bit by bit."
    )
    tour.show("Filling in", text, contact_sheet(cells, 4 * len(pictures), least=44))


def _walk(tour: Tour, model: Model, z: torch.Tensor, out: Path, seed: int) -> None:
    start = z[20:36] if len(z) >= 36 else z[:16]
    walk = tasks.walk(model, start, seed=seed)
    seen = [start, *(walk.clean for _ in islice(walk, FRAMES))]
    frames = [contact_sheet(model.draw(each), 8, least=56) for each in seen]
    save_film(frames, out / "walk.gif")
    text = (
        f"Sixteen chains of the noise that pictures are made of, {FRAMES} steps, each of which moves it "
        "on a little. They start at real pictures, and may walk for ever: none gets worse than new samples are."
    )
    tour.show("The chain walks", text, embedded((out / "walk.gif").read_bytes(), "gif"))


def _training(tour: Tour, log: Sequence[Mapping[str, Any]], quality: Quality) -> None:
    images = [entry["images"] for entry in log]
    levels = sorted({name for entry in log for name in entry["by_level"]}, key=lambda name: float(name.split("-")[0]))
    losses = {"all": (images, [entry["loss"] for entry in log])}
    for name in levels:
        known = [entry for entry in log if name in entry["by_level"]]
        losses[f"beta {name}"] = ([e["images"] for e in known], [e["by_level"][name] for e in known])
    drawn = curves("loss (nats an element)", losses)
    measured = {"samples": ([i for i, _ in quality.curve], [value for _, value in quality.curve])}
    distance = curves("Fréchet distance", measured, floor=("real pictures", quality.best))
    text = (
        f"Left: the loss, in all and by noise level. Right: the Fréchet distance of {quality.samples} samples to the "
        f"data, on {quality.described.name} (FID is the same distance on Inception's features, which say little about "
        f"such pictures). Last: {quality.curve[-1][1]:.2f}; as many real pictures score {quality.best:.2f}."
    )
    tour.show("How training went", text, drawn, distance)
