"""How good are made rows?

Can a classifier tell them from real ones, is a classifier that learns from them as good as one that learns from real
rows, and are they copies? Rows are DataFrames with the columns of the real table. Categories are given to XGBoost as
categories, numbers as numbers, and what is missing is a category of its own. XGBoost has its defaults, for every method
alike.
"""

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors
from xgboost import XGBClassifier

#: In the place of a missing category.
MISSING = "?"
FOLDS = 3


def alike(real: pd.DataFrame, *others: pd.DataFrame) -> list[pd.DataFrame]:
    """All tables with columns of the same types: numbers, or categories with the same values."""
    tables = [table[list(real.columns)].reset_index(drop=True).copy() for table in (real, *others)]
    for name in real.columns:
        if pd.api.types.is_numeric_dtype(real[name]):
            for table in tables:
                table[name] = pd.to_numeric(table[name]).astype(float)
        else:
            texts = [table[name].astype(object).where(table[name].notna(), MISSING).astype(str) for table in tables]
            values = sorted(set().union(*(set(text) for text in texts)))
            for table, text in zip(tables, texts, strict=True):
                table[name] = pd.Categorical(text, categories=values)
    return tables


def _classifier(seed: int) -> Any:
    return XGBClassifier(enable_categorical=True, n_jobs=1, random_state=seed)


def told_apart(real: pd.DataFrame, made: pd.DataFrame, seed: int = 0) -> dict[str, float]:
    """The two-sample score: 1 - (2 max(AUC, 1/2) - 1), where AUC is that of telling made rows from real ones.

    It is the mean over three folds, none of which has seen the rows that it judges. 1: they cannot be told apart.
    """
    real, made = alike(real, made)
    n = min(len(real), len(made))
    rows = pd.concat([real.sample(n, random_state=seed), made.sample(n, random_state=seed)], ignore_index=True)
    which = np.repeat([1, 0], n)
    areas = []
    for learn, judge in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows, which):
        model = _classifier(seed).fit(rows.iloc[learn], which[learn])
        areas.append(float(roc_auc_score(which[judge], model.predict_proba(rows.iloc[judge])[:, 1])))
    scores = [1.0 - (2.0 * max(area, 0.5) - 1.0) for area in areas]
    return {"c2st": round(float(np.mean(scores)), 4), "auc told apart": round(float(np.mean(areas)), 4)}


def learned_from(made: pd.DataFrame, test: pd.DataFrame, target: str, seed: int = 0) -> float:
    """The AUC on real test rows of a classifier of the column `target` that learned from made rows."""
    test, made = alike(test, made)
    positive = test[target].cat.categories[-1]
    model = _classifier(seed).fit(made.drop(columns=target), (made[target] == positive).astype(int))
    found = model.predict_proba(test.drop(columns=target))[:, 1]
    return round(float(roc_auc_score((test[target] == positive).astype(int), found)), 4)


def privacy(train: pd.DataFrame, held_out: pd.DataFrame, made: pd.DataFrame, seed: int = 0) -> dict[str, float]:
    """Which share of made rows is nearer to a row of `train` than to any of as many of `held_out`, and exact copies.

    A half is what rows have that know nothing of `train` in particular. Distance is the sum over columns of 1 where
    categories differ, and of the distance of numbers in units of their standard deviation.
    """
    train, held_out, made = alike(train, held_out, made)
    n = min(len(train), len(held_out))
    parts = [table.sample(min(n, len(table)), random_state=seed) for table in (train, held_out, made)]
    learned, others, some = (_coordinates(part, train) for part in parts)
    near, far = (_nearest(some, each) for each in (learned, others))
    shares = np.where(near < far, 1.0, np.where(near > far, 0.0, 0.5))
    whole = set(map(tuple, train.astype(str).to_numpy()))
    copies = {name: _copies(table, whole) for name, table in (("made", made), ("held out", held_out))}
    return {
        "nearer to train": round(float(shares.mean()), 4),
        "standard error": round(float(shares.std() / np.sqrt(len(shares))), 4),
        "copies": copies["made"],
        "copies among held out": copies["held out"],
    }


def _copies(table: pd.DataFrame, rows: set[tuple[str, ...]]) -> float:
    return round(float(np.mean([tuple(row) in rows for row in table.astype(str).to_numpy()])), 5)


def _coordinates(table: pd.DataFrame, like: pd.DataFrame) -> NDArray[np.float32]:
    """Numbers in units of their deviation, and categories as corners that are 1 apart in the sum of distances."""
    parts = []
    for name in table.columns:
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            parts.append(0.5 * np.eye(len(table[name].cat.categories), dtype=np.float32)[table[name].cat.codes])
        else:
            values, deviation = table[name].to_numpy(np.float64), max(float(like[name].std()), 1e-9)
            parts.append((np.nan_to_num(values, nan=-1.0) / deviation)[:, None].astype(np.float32))
    return np.concatenate(parts, axis=1)


def _nearest(some: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float64]:
    neighbours = NearestNeighbors(n_neighbors=1, metric="manhattan", n_jobs=1).fit(others)
    found: NDArray[np.float64] = neighbours.kneighbors(some)[0][:, 0]
    return found
