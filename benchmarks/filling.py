"""Filling holes of the census "Adult": ours beside chained equations by scikit-learn and by miceforest.

    python benchmarks/filling.py FOLDER MODEL [--rows 1000] [--arms ours linear miceforest] [--record]

FOLDER has the files adult.data and adult.test as published. MODEL was trained on adult.data (benchmarks/adult.py keeps
one). Of test rows, 30 % of the cells are removed at random, each by itself, and filled in 19 times. Rivals learn from
as many rows of adult.data as --learn says. Judged are, of the cells that were removed,

- coverage: how often the true number lies between the least and the largest of the 19, which it does in 90 % of the
  cells if the fills have the right distribution. Where a fill equals the true number, a random number decides which of
  the two counts as larger; otherwise frequent values, such as 40 hours, would be covered too often by good fills;
- width: of that interval, in standard deviations of the column;
- crps: the continuous ranked probability score of numbers, in standard deviations of the column (fewer are better);
- accuracy: how often the most frequent of the 19 is the true category.

`linear` is scikit-learn's IterativeImputer, drawing from the posterior of Bayesian ridge regression on columns of which
categories are in one-hot. `miceforest` needs pip install miceforest. What is missing in the file is never asked for.
Each arm is a line of benchmarks/results/filling.jsonl.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import torch
from numpy.typing import NDArray

import noisekernel as nk
from adult import NAMES, NUMBERS, published
from lab.made_rows import MISSING
from lab.results import record_run

REMOVED, FILLS = 0.3, 19
CATEGORIES = tuple(name for name in NAMES if name not in NUMBERS)
#: Draws of every cell, by the name of its column: (fills, rows).
Draws = dict[str, NDArray[Any]]


def removed(rows: pd.DataFrame, seed: int) -> NDArray[np.bool_]:
    """Which cells are taken away, (rows, columns); never one that is missing in the file."""
    drawn = np.random.default_rng(seed).random(rows.shape) < REMOVED
    return drawn & (rows != MISSING).to_numpy()


def ours(model: nk.Model, rows: pd.DataFrame, gone: NDArray[np.bool_], seed: int) -> Draws:
    open_ = rows.astype(object).where(~gone, None).replace(MISSING, None)
    z = model.read(open_.to_dict("records"))
    holes = model.kind.holes(z)
    assert holes is not None
    filled = model.fill(z, holes, FILLS, steps=30, seed=seed, batch_size=1024)
    drawn = pd.DataFrame(model.draw(filled.transpose(0, 1)))
    return {name: drawn[name].to_numpy().reshape(FILLS, len(rows)) for name in NAMES}


def linear(learn: pd.DataFrame, rows: pd.DataFrame, gone: NDArray[np.bool_], seed: int) -> Draws:
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    values = {name: sorted(set(learn[name]) | set(rows[name])) for name in CATEGORIES}

    def coded(table: pd.DataFrame, without: NDArray[np.bool_] | None) -> NDArray[np.float64]:
        parts = []
        for i, name in enumerate(NAMES):
            if name in NUMBERS:
                part = table[[name]].to_numpy(np.float64, copy=True)
            else:
                part = (table[name].to_numpy()[:, None] == np.array(values[name])[None]).astype(np.float64)
            if without is not None:
                part[without[:, i]] = np.nan
            parts.append(part)
        return np.concatenate(parts, axis=1)

    imputer = IterativeImputer(sample_posterior=True, max_iter=5, random_state=seed, skip_complete=False)
    imputer.fit(np.concatenate((coded(learn, None), coded(rows, gone))))
    found = []
    for k in range(FILLS):
        imputer.random_state_ = np.random.RandomState(seed + k)
        found.append(imputer.transform(coded(rows, gone)))
    draws: Draws = {}
    first = 0
    for name in NAMES:
        width = 1 if name in NUMBERS else len(values[name])
        part = np.stack([each[:, first : first + width] for each in found])
        draws[name] = part[..., 0] if name in NUMBERS else np.array(values[name])[part.argmax(axis=-1)]
        first += width
    return draws


def by_miceforest(learn: pd.DataFrame, rows: pd.DataFrame, gone: NDArray[np.bool_], seed: int) -> Draws:
    try:
        import miceforest
    except ImportError:
        raise SystemExit("the arm miceforest needs: pip install miceforest") from None
    values = {name: sorted(set(learn[name]) | set(rows[name])) for name in CATEGORIES}

    def typed(table: pd.DataFrame) -> pd.DataFrame:
        made = table.copy()
        for name in NAMES:
            made[name] = made[name].astype(float) if name in NUMBERS else pd.Categorical(made[name], values[name])
        return made.reset_index(drop=True)

    # It learns from rows with holes, so that it has seen all that may be missing.
    holes = np.random.default_rng(seed + 1).random(learn.shape) < REMOVED
    # Categories are drawn from the probabilities that its trees give ("fast"): matching goes by log odds, which are
    # infinite where a leaf is pure, as happens with rare categories.
    strategy = {name: "normal" if name in NUMBERS else "fast" for name in NAMES}
    kernel = miceforest.ImputationKernel(
        typed(learn).where(~holes),
        num_datasets=FILLS,
        mean_match_strategy=strategy,
        mean_match_candidates=5,
        random_state=seed,
    )
    kernel.mice(3, num_threads=1)
    made = kernel.impute_new_data(typed(rows).where(~gone), random_state=seed)
    tables = [made.complete_data(k) for k in range(FILLS)]
    return {name: np.stack([table[name].to_numpy() for table in tables]) for name in NAMES}


def judged(rows: pd.DataFrame, gone: NDArray[np.bool_], draws: Draws, seed: int) -> dict[str, Any]:
    """Means over the columns, and of each column."""
    generator = np.random.default_rng(seed)
    found: dict[str, dict[str, float]] = {}
    for i, name in enumerate(NAMES):
        true, made = rows[name].to_numpy()[gone[:, i]], draws[name][:, gone[:, i]]
        if name in NUMBERS:
            true, made, scale = true.astype(float), made.astype(float), float(rows[name].std())
            low, high = made.min(axis=0), made.max(axis=0)
            # How many fills count as smaller: a rank among 20 that is uniform if the fills are right.
            rank = (made < true).sum(axis=0) + generator.integers(0, (made == true).sum(axis=0) + 1)
            apart = np.abs(made[:, None] - made[None]).sum(axis=(0, 1)) / (FILLS * (FILLS - 1))
            found[name] = {
                "coverage": float(((rank > 0) & (rank < FILLS)).mean()),
                "width": float((high - low).mean() / scale),
                "crps": float((np.abs(made - true).mean(axis=0) - apart / 2).mean() / scale),
            }
        else:
            best = [pd.Series(made[:, k]).mode()[0] for k in range(len(true))]
            found[name] = {"accuracy": float((np.array(best) == true).mean())}
    means = {
        figure: round(float(np.mean([each[figure] for each in found.values() if figure in each])), 4)
        for figure in ("coverage", "width", "crps", "accuracy")
    }
    columns = {name: {figure: round(value, 4) for figure, value in each.items()} for name, each in found.items()}
    return {**means, "columns": columns}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("model")
    arguments.add_argument("--arms", nargs="+", choices=("ours", "linear", "miceforest"), default=["ours", "linear"])
    arguments.add_argument("--rows", type=int, default=1_000)
    arguments.add_argument("--learn", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--record", action="store_true")
    options = arguments.parse_args()
    torch.set_num_threads(1)
    train, test = published(options.folder / "adult.data"), published(options.folder / "adult.test")
    rows = test.sample(options.rows, random_state=options.seed).reset_index(drop=True)
    learn = train.sample(options.learn, random_state=options.seed).reset_index(drop=True)
    gone = removed(rows, options.seed)
    for arm in options.arms:
        began = time.perf_counter()
        if arm == "ours":
            draws = ours(nk.load(options.model), rows, gone, options.seed)
        else:
            draws = (linear if arm == "linear" else by_miceforest)(learn, rows, gone, options.seed)
        about = {"arm": arm, "rows": len(rows), "learn": None if arm == "ours" else len(learn), "seed": options.seed}
        figures = {**about, "seconds": round(time.perf_counter() - began), **judged(rows, gone, draws, options.seed)}
        print({name: value for name, value in figures.items() if name != "columns"}, flush=True)
        if options.record:
            record_run("filling", figures)


if __name__ == "__main__":
    main()
