"""
Points: rows of a table
=======================

Fisher's 150 irises: four lengths each, so a row is a point in four dimensions. This example learns the rows, draws new
ones, makes variants of one, and fills in columns that are missing. It takes about ten seconds.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from sklearn.datasets import load_iris

import noisekernel as nk

torch.set_num_threads(1)  # the network is tiny: a second thread would only get in the way

# %%
# Training
# --------
# An array of numbers, one row per example, is recognised as points. A CSV file or a DataFrame brings the names of its
# columns along; an array is given them. The defaults would train ten times as long.

flowers = load_iris().data.astype(np.float32)
columns = ["sepal length", "sepal width", "petal length", "petal width"]
model = nk.fit(
    flowers,
    settings={"data.columns": columns, "network.width": 64, "training.images": 100_000, "training.warmup": 5_000},
    progress=False,
)
print(model)


def rows(z: torch.Tensor) -> np.ndarray:
    """Clean data as rows in centimetres: the model itself sees standardised columns."""
    return np.array([list(row.values()) for row in model.draw(z)])


# %%
# New rows, and variants of one
# -----------------------------
# `strength` says how far variants go: 1 is as far as two unrelated flowers are apart.

new = rows(model.sample(150))
start = flowers[[100]]
near, far = (rows(model.vary(list(start), n=60, strength=strength)) for strength in (0.2, 0.5))


def scatter(axis: Axes, points: np.ndarray, colour: str, label: str) -> None:
    axis.scatter(points[:, 2], points[:, 3], s=12, alpha=0.7, color=colour, label=label)


figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True, layout="tight")
scatter(axes[0], flowers, "#3b5ba5", "real flowers")
scatter(axes[1], new, "#c2452d", "new flowers")
scatter(axes[2], far, "#c98b1f", "strength 0.5")
scatter(axes[2], near, "#4e9a3a", "strength 0.2")
scatter(axes[2], start, "black", "the original")
for axis in axes:
    axis.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    axis.legend(loc="upper left")
plt.show()

# %%
# Missing columns
# ---------------
# A mask names the columns to fill in. Of three flowers, one of each species, only the sepals are shown to the model.
# The petals that it fills in are those of flowers with such sepals. Where two species share them, it draws some of
# both.

some = flowers[[0, 70, 120]]
filled = rows(model.fill(list(some), "petal length,petal width", 40)).reshape(3, 40, 4)

figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True, layout="tight")
for axis, flower, ways in zip(axes, some, filled, strict=True):
    scatter(axis, flowers, "#d0d4dc", "all flowers")
    scatter(axis, ways, "#c2452d", "filled in")
    scatter(axis, flower[None], "black", "the real petal")
    axis.set(title=f"sepal {flower[0]:.1f} x {flower[1]:.1f} cm", xlabel="petal length (cm)", ylabel="petal width (cm)")
    axis.legend(loc="upper left")
plt.show()
