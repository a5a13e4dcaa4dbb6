"""What does guidance do to samples? The bundled `fashion` with labels, without, and guided in three ways.

    python benchmarks/guidance.py --data FASHION_MNIST --work FOLDER [--n 500] [--strengths 1.25 1.5 2 3]

Draws `--n` samples in 20 steps for each way to guide and each strength, and measures their distance from the training
pictures (Fréchet, on the features of a small classifier), precision and recall, and the share of odd ones by the rule
of lab/oddness.py. The worse model of autoguidance is trained first: half the channels, a twentieth of the images.
The figures are appended to benchmarks/results/guidance.jsonl; DATE-guidance.png is the plot, DATE-guidance-odd.png
shows the oddest of 200 samples of some arms. What was drawn before is kept in --work and not drawn again.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import Tensor

import noisekernel as nk
from lab.oddness import Oddness, oddness
from lab.results import RESULTS, record_run, today
from noisekernel.kinds.pictures.drawing import contact_sheet
from noisekernel.measuring.samples.extractors import Extractor, small_extractor
from noisekernel.measuring.samples.frechet import frechet_distance, frechet_intervals
from noisekernel.measuring.samples.neighbours import shares
from noisekernel.models.model import Model
from noisekernel.sampling.guidance import network_calls

STEPS, SEED = 20, 0
STRENGTHS = (1.5, 2.0, 3.0, 1.25)
INTERVAL = (0.05, 0.8)
#: Of the training pictures, those that precision and recall compare with.
NEIGHBOURED = 5_000
#: The shares of real pictures that are not odd.
LIMITS = (0.95, 0.99)
#: How the worse model is trained.
WORSE = {"network.channels": 16, "training.images": 20_000}
SHOWN, LOOKED_AT = 20, 200


@dataclass(frozen=True)
class Arm:
    """A way to draw."""

    name: str
    strength: float = 1.0
    labelled: bool = True
    auto: bool = False
    between: tuple[float, float] = (0.0, 1.0)

    @property
    def file(self) -> str:
        return f"{self.name.replace(' ', '-')}-{self.strength:g}.safetensors"

    def model(self, plain: Model, worse: Model) -> Model:
        if self.strength == 1.0:
            return plain
        return plain.guided(self.strength, worse=worse if self.auto else None, between=self.between)


def arms(strengths: Sequence[float]) -> list[Arm]:
    """Without guidance, and every way at each strength."""
    found = [Arm("unlabelled", labelled=False), Arm("labelled")]
    for strength in strengths:
        found += [
            Arm("auto, unlabelled", strength, labelled=False, auto=True),
            Arm("classifier-free in an interval", strength, between=INTERVAL),
            Arm("auto, labelled", strength, auto=True),
            Arm("classifier-free", strength),
        ]
    return found


COLOURS = {
    "classifier-free": "#3b5ba5",
    "classifier-free in an interval": "#7fa6d8",
    "auto, labelled": "#e87a5d",
    "auto, unlabelled": "#b03a2e",
}
#: The arms whose oddest samples are shown, with a strength each.
SHEET = (("unlabelled", 1.0), ("labelled", 1.0), ("auto, unlabelled", 2.0), ("classifier-free in an interval", 2.0))


def drawn(arm: Arm, plain: Model, worse: Model, n: int, work: Path) -> Tensor:
    """The samples of an arm, as bytes."""
    path = work / arm.file
    if not path.exists() or len(load_file(path)["pixels"]) < n:
        model = arm.model(plain, worse)
        began = time.perf_counter()
        label = list(model.classes) if arm.labelled else None
        z = model.sample(n, label=label, steps=STEPS, seed=SEED, batch_size=100)
        print(f"{arm.name} {arm.strength:g}: {time.perf_counter() - began:.0f} s", flush=True)
        save_file({"pixels": model.kind.decode(z).contiguous()}, path)
    return load_file(path)["pixels"][:n]


def worse_model(data: Path, work: Path) -> Model:
    """The worse model, trained where that was not done before."""
    path = work / "worse.safetensors"
    if not path.exists():
        trained = nk.fit(data, recipe="fashion", settings=WORSE, seed=7, calibrate=False, progress=False, device="cpu")
        trained.save(path)
    return nk.load(path, "cpu")


def classifier(model: Model, pixels: Tensor, labels: Tensor | None, work: Path) -> Extractor:
    path = work / "classifier.safetensors"
    if not path.exists():
        made = model.kind.learn_features(pixels, labels)
        save_file({name: value.contiguous() for name, value in made.items()}, path)
    return small_extractor(model.kind, load_file(path), torch.device("cpu"))


def seen(extractor: Extractor, pixels: Tensor) -> tuple[Tensor, Tensor]:
    """The features of pictures, and the class that each looks most like."""
    parts = [extractor(rows) for rows in pixels.split(500)]
    classes = [part.logits.argmax(dim=1) for part in parts if part.logits is not None]
    return torch.cat([part.features for part in parts]).double(), torch.cat(classes)


def real_side(extractor: Extractor, train: Tensor, test: Tensor, work: Path) -> dict[str, Tensor]:
    """What samples are compared with: features of the training pictures, and the oddness of those held out."""
    path = work / "real.safetensors"
    if not path.exists():
        features, looks_like = seen(extractor, train)[0], seen(extractor, test)[1]
        save_file({"features": features, "looks_like": looks_like, "oddness": oddness(test, train)}, path)
    return load_file(path)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="the folder of Fashion-MNIST's four files")
    arguments.add_argument("--work", type=Path, required=True)
    arguments.add_argument("--n", type=int, default=500)
    arguments.add_argument("--strengths", type=float, nargs="+", default=STRENGTHS)
    arguments.add_argument("--drawn", action="store_true", help="draw no more: measure the arms that were drawn before")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    train, _ = nk.data.load_data(options.data / "train-images-idx3-ubyte.gz")
    test, _ = nk.data.load_data(options.data / "t10k-images-idx3-ubyte.gz")
    plain, worse = nk.load("fashion", "cpu"), worse_model(options.data / "train-images-idx3-ubyte.gz", options.work)
    wanted = [arm for arm in arms(options.strengths) if not options.drawn or (options.work / arm.file).exists()]
    samples = {arm: drawn(arm, plain, worse, options.n, options.work) for arm in wanted}
    extractor = classifier(plain, train.values, train.labels, options.work)
    real = real_side(extractor, train.values, test.values, options.work)
    rule = Oddness(train.values, real["oddness"], real["looks_like"])

    def figures(pixels: Tensor) -> dict[str, float]:
        features, looks_like = seen(extractor, pixels)
        distance, near = (
            frechet_intervals(real["features"], features)[0],
            shares(real["features"][:NEIGHBOURED], features),
        )
        found = {"distance": distance.value, "low": distance.low, "high": distance.high}
        for share in LIMITS:
            found[f"odd beyond {share:g}"] = float((rule.excess(pixels, looks_like, share) > 1).double().mean())
        found |= {"precision": near.precision, "recall": near.recall}
        return {name: round(value, 4) for name, value in found.items()}

    def looked_at(arm: Arm) -> dict[str, Any]:
        model = arm.model(plain, worse)
        calls = network_calls(model, model.schedule(None, STEPS)[1])
        return {"arm": arm.name, "strength": arm.strength, "calls": calls, **figures(samples[arm])}

    floor = {"arm": "held-out pictures", **figures(test.values[: options.n])}
    runs = [looked_at(arm) for arm in samples]
    for run in (floor, *runs):
        print(run, flush=True)
    told = {"n": options.n, "steps": STEPS, "seed": SEED, "interval": INTERVAL, "worse": WORSE, "floor": floor}
    alone = Arm("worse alone")
    if not options.drawn or (options.work / alone.file).exists():
        of_worse = drawn(alone, worse, worse, options.n, options.work)
        told["distance of the worse model"] = round(frechet_distance(seen(extractor, of_worse)[0], real["features"]), 4)
    assert test.labels is not None
    none = variances(plain, worse, plain.kind.encode(test.values[:50]), test.labels[:50])
    record_run("guidance", {**told, "no variance": none, "runs": runs})
    plot(runs, floor)
    sheet(samples, rule, extractor)


@torch.no_grad()
def variances(plain: Model, worse: Model, z: Tensor, label: Tensor, strength: float = 2.0) -> list[dict[str, Any]]:
    """How often other rules for the variance of the guided r would give none (`noisekernel.networks.guided`)."""
    found = []
    for beta in (0.01, 0.1, 0.3, 0.6, 0.9):
        x = plain.kernel.noise(z, beta).sample(nk.Streams.of(SEED, range(len(z))))
        good = plain.denoiser(x, beta, label=label)
        for way, other in (("free", plain.denoiser(x, beta)), ("auto", worse.denoiser(x, beta, label=label))):
            assert isinstance(good, nk.Normal) and isinstance(other, nk.Normal)  # noqa: PT018
            line = strength * good.variance - (strength - 1.0) * other.variance
            precision = strength / good.variance - (strength - 1.0) / other.variance
            shares = {"line": float((line <= 0).double().mean()), "product": float((precision <= 0).double().mean())}
            found.append({"way": way, "beta": beta, **{rule: round(share, 4) for rule, share in shares.items()}})
    return found


def plot(runs: list[dict[str, Any]], floor: dict[str, Any]) -> None:
    figure, all_axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    starts = {run["arm"]: run for run in runs if run["strength"] == 1.0}
    titles = ("distance", "precision", "recall", f"odd beyond {LIMITS[-1]:g}")
    for axes, name in zip(all_axes, titles, strict=True):
        axes.axhline(floor[name], color="#999999", linestyle=":", linewidth=1, label="held-out pictures")
        for arm, colour in COLOURS.items():
            first = starts["unlabelled" if "unlabelled" in arm else "labelled"]
            line = sorted([first, *(run for run in runs if run["arm"] == arm)], key=lambda run: run["strength"])
            axes.plot([run["strength"] for run in line], [run[name] for run in line], "-o", color=colour, label=arm)
        axes.set(xlabel="strength", title=name, ylim=(0, None))
    all_axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(RESULTS / f"{today()}-guidance.png", dpi=110)


def sheet(samples: dict[Arm, Tensor], rule: Oddness, extractor: Extractor) -> None:
    """The oddest of the first samples of some arms, a row each; those that are odd stand above a white line."""
    rows = []
    for pixels in (kept[:LOOKED_AT] for arm, kept in samples.items() if (arm.name, arm.strength) in SHEET):
        excess, order = rule.excess(pixels, seen(extractor, pixels)[1], LIMITS[-1]).sort(descending=True)
        cells = []
        for i, over in zip(order[:SHOWN].tolist(), excess.tolist(), strict=False):
            cell = Image.new("L", (28, 31), 0)
            cell.paste(Image.fromarray(pixels[i, 0].numpy()), (0, 0))
            cell.paste(255 if over > 1 else 0, (0, 29, 28, 31))
            cells.append(cell)
        rows += cells
    contact_sheet(rows, columns=SHOWN, least=56).save(RESULTS / f"{today()}-guidance-odd.png")


if __name__ == "__main__":
    main()
