"""Rows of the census "Adult": ours beside a mixture of products, CTGAN and TVAE.

    python benchmarks/adult.py FOLDER [--arms real mixture ours product …] [--minutes 30] [--seeds 0 1 2] [--keep DIR]
    python benchmarks/adult.py FOLDER --arms ours --model MODEL     measures a model that was trained on the same rows

FOLDER has the files adult.data and adult.test as published. As many rows as there are in adult.data are made, and
judged (`lab/made_rows.py`) by

- c2st: can XGBoost tell them from the rows of adult.data? 1: no;
- tstr: the area under the curve on adult.test of XGBoost that learns the income from made rows;
- the share of them that is nearer to a row of adult.data than to one of adult.test, and how many are copies.

`real` has the rows of adult.test in the place of made ones, and for tstr those of adult.data: what can be had. Ours is
trained for so many minutes of the clock on as many threads as --threads says, and draws its rows by the model's own
sampler (`--steps`) and one element at a time (`--in-order`). The arm `product` is ours with numbers that are learned as
numbers (`data.numbers=continuous`); it draws by its sampler alone, in 100 steps unless --steps says otherwise.
CTGAN and TVAE need `pip install ctgan`, and have as many minutes as ours at most.
Each run is a line of benchmarks/results/adult.jsonl.
"""

import argparse
import time
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import torch
from torch import Tensor

import noisekernel as nk
from lab.made_rows import MISSING, learned_from, privacy, told_apart
from lab.results import record_run
from lab.rivals.mixed_products import Products, fitted
from noisekernel.core.randomness import Streams
from noisekernel.kernels.categorical import CategoricalKernel
from noisekernel.kinds.tables import Tables
from noisekernel.sampling.in_order import at_random, draw

NAMES = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)
NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
TARGET = "income"
ARMS = ("real", "mixture", "ours", "product", "CTGAN", "TVAE")
#: What makes each arm of ours another one.
SETTINGS: dict[str, dict[str, Any]] = {"ours": {}, "product": {"data.numbers": "continuous"}}
#: Numbers of components that are tried, and the share of rows that is held out to choose among them.
COMPONENTS, APART = (50, 100, 200), 0.1


def published(path: Path) -> pd.DataFrame:
    """The rows of a file as published."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.count(",") == len(NAMES) - 1]
    cells = [[cell.strip().rstrip(".") for cell in line.split(",")] for line in lines]
    table = pd.DataFrame(cells, columns=list(NAMES))
    return table.astype(dict.fromkeys(NUMBERS, int))


def rows_of(kind: Any, z: Tensor) -> pd.DataFrame:
    return pd.DataFrame(kind.drawn(kind.decode(z)))[list(NAMES)]


def learned_by(table: pd.DataFrame) -> tuple[Tables, Tensor]:
    """The kind of these rows, and them as clean data."""
    missing = table.replace(MISSING, None)
    loaded, kind = nk.data.load_data(missing, Tables())
    return cast(Tables, kind), kind.encode(loaded.values)


def mixture(train: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    """As many rows from the mixture of products whose number of components suits held-out rows best."""
    kind, z = learned_by(train)
    columns = len(kind.names)
    counts = [int(z[:, i].max()) + 1 for i in range(columns)]
    began = time.perf_counter()
    order = torch.randperm(len(z), generator=torch.Generator().manual_seed(seed))
    apart, rest = order[: int(APART * len(z))], order[int(APART * len(z)) :]
    found: dict[int, tuple[float, Products]] = {}
    for number in COMPONENTS:
        model = fitted(z[rest, :columns], counts, number, seed)
        found[number] = (float(model.log_prob(z[apart, :columns]).mean()), model)
    best = max(found, key=lambda number: found[number][0])
    model = fitted(z[:, :columns], counts, best, seed)
    generator = torch.Generator().manual_seed(seed)
    classes = model.sample(len(z), generator)
    places = torch.randint(0, 64, (len(z), z.shape[1] - columns), generator=generator)
    seconds = round(time.perf_counter() - began)
    told = {"components": best, "held-out nats": round(-found[best][0], 3), "training seconds": seconds}
    return rows_of(kind, torch.cat((classes, places), dim=1)), told


def trained(train: pd.DataFrame, minutes: float, seed: int, settings: dict[str, Any]) -> nk.Model:
    return nk.fit(
        train.replace(MISSING, None), minutes=minutes, seed=seed, settings=settings, progress=False, calibrate=False
    )


def drawn(model: nk.Model, n: int, steps: int | None, seed: int, in_order: bool) -> tuple[pd.DataFrame, dict[str, Any]]:
    began = time.perf_counter()
    if in_order:
        parts = []
        for first in range(0, n, 1024):
            streams = Streams.of(seed, range(first, min(n, first + 1024)))
            z = torch.zeros(len(streams.samples), *model.shape, dtype=torch.int64)
            order = at_random(z, streams)
            hidden = torch.ones_like(z, dtype=torch.bool)
            parts.append(draw(cast(CategoricalKernel, model.kernel), model.denoiser, z, order, hidden, streams)[0])
        z = torch.cat(parts)
    else:
        z = model.sample(n, steps=steps, seed=seed, batch_size=1024)
    return rows_of(model.kind, z), {"drawing seconds": round(time.perf_counter() - began)}


def judged(made: pd.DataFrame, train: pd.DataFrame, test: pd.DataFrame, seed: int) -> dict[str, Any]:
    return {
        **told_apart(train, made, seed),
        "tstr": learned_from(made, test, TARGET, seed),
        **privacy(train, test, made, seed),
    }


def of_real(train: pd.DataFrame, test: pd.DataFrame, seed: int) -> dict[str, Any]:
    return {**told_apart(train, test, seed), "tstr": learned_from(train, test, TARGET, seed)}


def by_ctgan(arm: str, train: pd.DataFrame, seed: int, minutes: float) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The rival of that name, in its default settings, in as many of its 300 epochs as fit into the time."""
    try:
        import ctgan
    except ImportError:
        raise SystemExit(f"{arm} needs: pip install ctgan") from None
    discrete = [name for name in NAMES if name not in NUMBERS]
    np.random.seed(seed)  # noqa: NPY002 - the rival draws from it
    torch.manual_seed(seed)
    rival = getattr(ctgan, arm)
    began = time.perf_counter()
    rival(epochs=1, enable_gpu=False).fit(train, discrete)
    epochs = max(1, min(300, int(60 * minutes / (time.perf_counter() - began)) - 1))
    model = rival(epochs=epochs, enable_gpu=False)
    began = time.perf_counter()
    model.fit(train, discrete)
    told = {"epochs": epochs, "training seconds": round(time.perf_counter() - began)}
    return model.sample(len(train)), told


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS[:3]))
    arguments.add_argument("--minutes", type=float, default=30.0)
    arguments.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    arguments.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments.add_argument("--model", help="measure this model of ours, and train none")
    arguments.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the recipe")
    arguments.add_argument("--steps", type=int, nargs="*", default=[], help="numbers of steps of the model's sampler")
    arguments.add_argument("--in-order", action=argparse.BooleanOptionalAction, default=True)
    arguments.add_argument("--keep", type=Path, help="a folder for models and made rows")
    arguments.add_argument("--record", action=argparse.BooleanOptionalAction, default=True)
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)
    train, test = published(options.folder / "adult.data"), published(options.folder / "adult.test")
    settings: dict[str, Any] = dict(each.split("=", 1) for each in options.set)
    for seed in options.seeds:
        for arm in options.arms:
            made: list[tuple[pd.DataFrame, dict[str, Any]]] = []
            if arm == "real":
                report({"arm": arm, "seed": seed, **of_real(train, test, seed)}, options.record)
            elif arm == "mixture":
                made.append(mixture(train, seed))
            elif arm in SETTINGS:
                own = SETTINGS[arm] | settings
                model = nk.load(options.model) if options.model else trained(train, options.minutes, seed, own)
                if options.keep is not None and not options.model:
                    name = "adult" if arm == "ours" else f"adult-{arm}"
                    model.save(options.keep / f"{name}-{seed}.safetensors", force=True)
                told = {"images": model.history.get("images"), "training seconds": model.history.get("seconds")}
                told |= {"settings": own, "threads": options.threads}
                in_order = options.in_order and arm == "ours"
                for steps in options.steps or ([] if in_order else [100]):
                    rows, seconds = drawn(model, len(train), steps, seed, in_order=False)
                    made.append((rows, {**told, "steps": steps, **seconds}))
                if in_order:
                    rows, seconds = drawn(model, len(train), None, seed, in_order=True)
                    made.append((rows, {**told, "steps": "in order", **seconds}))
            else:
                made.append(by_ctgan(arm, train, seed, options.minutes))
            for rows, told in made:
                report({"arm": arm, "seed": seed, **told, **judged(rows, train, test, seed)}, options.record)


def report(figures: dict[str, Any], record: bool) -> None:
    print(figures, flush=True)
    if record:
        record_run("adult", figures)


if __name__ == "__main__":
    main()
