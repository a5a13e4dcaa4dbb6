"""What does a time budget give? Measures the table that `nk train --minutes` tells beforehand.

    python benchmarks/budgets.py --data FOLDER [--emoji FOLDER] [--work DIR] [--only CASE …]
    python benchmarks/budgets.py --table

`--data` holds fashion-mnist/ (idx files) and text/names.txt; `--emoji` is a folder of pictures. Each case is trained as
a time budget would have it trained (or is a bundled model, which was), judged against its data as by `nk evaluate`, and
appended to benchmarks/results/budgets.jsonl. A case that is on record is not measured again, and a training that was
stopped goes on, so the script may be stopped at any time. `--table` writes the table of the package
(src/noisekernel/training/budgets.json) from the results, and the sheets of `--work` on one page, docs/budgets.png.

Machines are shared, so a case is a number of images. Its minutes are those images over the speed on two idle cores
(`speed`, images a second, measured on 2026-11-18) and the share of a budget that is spent on training. U-Nets were
timed for three seconds with random data, on two threads of the idle machine; the bundled `fashion` has the speed of its
log, and `digits` the two minutes of its recipe. The small networks of names and moons were timed in processor seconds
of one thread, of which two cores are taken to give 1.6 per second.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from sklearn.datasets import make_moons

import noisekernel as nk
from lab import jsonlines
from lab.results import RESULTS, record_run, today
from noisekernel import recipes
from noisekernel.training.cost import plan
from noisekernel.training.experience import FILE, Row
from noisekernel.training.pacing import TRAINED

ROOT = Path(__file__).parents[1]
#: Samples that are judged, and their annealing steps.
SAMPLES, STEPS = 500, 20
#: Samples on a sheet.
SHOWN = 16


@dataclass(frozen=True)
class Case:
    """A budget on some data."""

    #: How the data are called, and where they are, below the folders that were given.
    data: str
    of: Callable[[argparse.Namespace], Any]
    images: int
    speed: float
    settings: dict[str, Any]
    #: What samples are judged against, where that is not what was trained on.
    judged_by: Callable[[argparse.Namespace], Any] | None = None
    #: A model that comes with the package and was trained so.
    bundled: str | None = None

    @property
    def minutes(self) -> float:
        return self.images / self.speed / 60.0 / TRAINED


def moons(_: argparse.Namespace) -> Any:
    """Two half moons, 4,000 points."""
    points, _classes = make_moons(4000, noise=0.06, random_state=0)
    return points.astype(np.float32)


def _unet(channels: int, batch: int, rate: float) -> dict[str, Any]:
    return {"network.channels": channels, "training.batch": batch, "training.rate": rate}


CASES = {
    "digits-2": Case("8x8 digits", lambda given: "digits", 75_000, 650.0, {}, bundled="digits"),
    "fashion-76": Case(
        "Fashion-MNIST",
        lambda given: given.data / "fashion-mnist",
        400_000,
        91.5,
        {},
        lambda given: given.data / "fashion-mnist" / "t10k-images-idx3-ubyte.gz",
        bundled="fashion",
    ),
    "fashion-2": Case(
        "Fashion-MNIST",
        lambda given: given.data / "fashion-mnist",
        34_560,
        300.0,
        _unet(16, 16, 2e-3),
        lambda given: given.data / "fashion-mnist" / "t10k-images-idx3-ubyte.gz",
    ),
    "fashion-15": Case(
        "Fashion-MNIST",
        lambda given: given.data / "fashion-mnist",
        168_000,
        195.0,
        _unet(24, 32, 1.5e-3),
        lambda given: given.data / "fashion-mnist" / "t10k-images-idx3-ubyte.gz",
    ),
    "emoji-6": Case(
        "emoji", lambda given: given.emoji, 84_672, 245.0, {"data.size": [3, 32, 32], **_unet(16, 32, 2e-3)}
    ),
    "names-0.3": Case(
        "names",
        lambda given: given.data / "text" / "names.txt",
        57_600,
        3000.0,
        {"network.width": 64, "network.depth": 3, "training.batch": 32},
    ),
    "moons-0.2": Case("two half moons", moons, 256_000, 22_000.0, {"network.width": 64, "training.batch": 64}),
}


def trained(name: str, case: Case, given: argparse.Namespace) -> nk.Model:
    """The model of a case, from as far as its training has come."""
    if case.bundled is not None:
        return nk.load(case.bundled, "cpu")
    few = {"training.images": case.images, "training.warmup": case.images // 20, "training.save_minutes": 1.0}
    average = {"training.average.images": 0.03 * case.images}
    settings = {**case.settings, **few, **average}
    if (given.work / name / "recipe.json").exists():
        settings = {}
    return nk.fit(case.of(given), given.work / name, settings=settings, device="cpu", resume=True)


def measured(name: str, case: Case, given: argparse.Namespace) -> dict[str, Any]:
    """A row of the table."""
    model = trained(name, case, given)
    data = (case.judged_by or case.of)(given)
    judged = nk.measure(model, data, n=SAMPLES, steps=STEPS)
    recipe = recipes.recorded(model.history["recipe"], name)
    cost = plan(recipe, model.kind, len(model.classes))
    sheet = given.work / f"{name}{model.kind.page}"
    values = model.kind.decode(model.sample(SHOWN if len(model.shape) > 1 else SAMPLES, steps=STEPS, seed=1).cpu())
    sheet.write_bytes(model.kind.overview(values, columns=SHOWN).content)
    row = Row(
        data=case.data,
        kind=model.kind.kind,
        shape=model.shape,
        examples=int(model.history["examples"]),
        images=int(model.history["images"]),
        minutes=round(case.minutes, 1) if case.minutes < 3 else round(case.minutes),
        network=" ".join(f"{key} {value}" for key, value in recipe.network.model_dump(exclude_none=True).items()),
        operations=float(f"{cost.training * model.history['images']:.4g}"),
        distance=round(judged.figures["fid"].value, 4),
        real=round(judged.floor["fid"].value, 4),
        precision=round(judged.figures["precision"].value, 3),
        recall=round(judged.figures["recall"].value, 3),
        date=today(),
    )
    print(row.told(), flush=True)
    return {"case": name, "speed": case.speed, "samples": SAMPLES, "steps": STEPS, "row": row.as_json()}


def from_further() -> dict[str, Any]:
    """A row that is on record already: the network of `fashion` after 10,000 images of MNIST (further.py)."""
    line = jsonlines.read(RESULTS / "further.jsonl")[-1]
    run = next(each for each in line["runs"] if (each["arm"], each["seed"]) == ("fresh", 0))
    recipe = recipes.recipe("fashion", ["data.labels=false", "data.class_names=null"])
    row = Row(
        data="MNIST digits",
        kind="pictures",
        shape=(1, 28, 28),
        examples=line["pictures"],
        images=line["images"],
        minutes=round(line["images"] / CASES["fashion-76"].speed / 60.0 / TRAINED, 1),
        network=" ".join(f"{key} {value}" for key, value in recipe.network.model_dump(exclude_none=True).items()),
        operations=float(f"{plan(recipe).training * line['images']:.4g}"),
        distance=run["fid"],
        real=run["floor"],
        precision=run["precision"],
        recall=run["recall"],
        date=line["date"],
    )
    return row.as_json()


def write_table(work: Path) -> None:
    """The table of the package, and the page of sheets."""
    known = {line["case"]: line["row"] for line in jsonlines.read(RESULTS / "budgets.jsonl")}
    known["mnist"] = from_further()
    rows = sorted(known.values(), key=lambda row: (row["kind"], np.prod(row["shape"]), row["minutes"]))
    target = ROOT / "src" / "noisekernel" / "training" / FILE
    write_markdown([Row(**{**row, "shape": tuple(row["shape"])}) for row in rows])
    target.write_text("[\n" + ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n")
    sheets = []
    for name, row in known.items():
        if (path := work / f"{name}.png").exists():
            title = f"{row['data']}, {' x '.join(map(str, row['shape']))}, {row['minutes']:g} minutes"
            sheets.append((title, Image.open(path).convert("RGB")))
    if sheets:
        page(sheets).save(ROOT / "docs" / "budgets.png", optimize=True)


def write_markdown(rows: Sequence[Row]) -> None:
    """The table of the docs, between its two marks."""
    lines = ["| data | shape | minutes | images seen | distance | precision | recall | looks |", "|" + "---|" * 8]
    for row in rows:
        cells = (
            f"{row.examples:,} {row.data}",
            " x ".join(map(str, row.shape)),
            f"{row.minutes:g}",
            f"{row.images:,}",
            f"{row.ratio:.1f}",
            f"{row.precision:.2f}",
            f"{row.recall:.2f}",
            row.word,
        )
        lines.append(f"| {' | '.join(cells)} |")
    path = ROOT / "docs" / "howto" / "train.md"
    text = path.read_text()
    first, last = text.index("<!-- budgets:"), text.index("<!-- end of budgets -->")
    mark = text[first : text.index("\n", first) + 1]
    path.write_text(text[:first] + mark + "\n".join(lines) + "\n" + text[last:])


def page(sheets: Sequence[tuple[str, Image.Image]], width: int = 840) -> Image.Image:
    """Sheets of one row of samples below each other, each under its title."""
    scaled = [(title, sheet.resize((width, round(sheet.height * width / sheet.width)))) for title, sheet in sheets]
    whole = Image.new("RGB", (width, sum(sheet.height + 22 for _, sheet in scaled)), "white")
    draw, top = ImageDraw.Draw(whole), 0
    for title, sheet in scaled:
        draw.text((4, top + 6), title, fill="black")
        whole.paste(sheet, (0, top + 20))
        top += sheet.height + 22
    return whole


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path)
    arguments.add_argument("--emoji", type=Path)
    arguments.add_argument("--work", type=Path, default=Path("/tmp/budgets"))
    arguments.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    arguments.add_argument("--table", action="store_true")
    given = arguments.parse_args()
    if given.table:
        return write_table(given.work)
    given.work.mkdir(parents=True, exist_ok=True)
    path = RESULTS / "budgets.jsonl"
    known = {line["case"] for line in jsonlines.read(path)} if path.exists() else set()
    for name in given.only:
        if name not in known:
            record_run("budgets", measured(name, CASES[name], given))
    return None


if __name__ == "__main__":
    main()
