"""
Steering by a score
===================

A chain in balance can be steered by any function of the data: a step from x to y is accepted with probability
min(1, exp(score(y) - score(x))), and the chain then favours high scores. The score needs no gradient and the model no
further training. This example steers digits towards little ink, and towards mirror symmetry. It takes a few seconds.
"""

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch import Tensor
from torch.nn.functional import pad

import noisekernel as nk

model = nk.load("digits", device="cpu")
real = torch.tensor(load_digits().images, dtype=torch.float32)[:12, None] / 8 - 1

# %%
# A score maps a batch of clean data, here (batch, 1, 8, 8), to one number per sample. The factor says how insistent
# it is: twice the score, twice the insistence.


def little_ink(z: Tensor) -> Tensor:
    return -60 * z.mean(dim=(1, 2, 3))


def symmetry(z: Tensor) -> Tensor:
    return -30 * (z - z.flip(3)).square().mean(dim=(1, 2, 3))


# %%
# Each chain begins at a real digit and makes 100 steps at a constant noise level, beta. Then it is read out. Compare
# the steered rows with the one that made the same steps without a score.

rows = {
    "real digits": real,
    "without a score": nk.equilibrate(model, real, beta=0.4, lag=0.9, readout=10)[:, 0],
    "steered to little ink": nk.steer(model, real, little_ink, beta=0.4, lag=0.9)[:, 0],
    "steered to symmetry": nk.steer(model, real, symmetry, beta=0.4, lag=0.9)[:, 0],
}
for name, z in rows.items():
    print(f"{name:24} mean {z.mean():+.3f}   asymmetry {(z - z.flip(3)).square().mean():.3f}")

figure, axes = plt.subplots(len(rows), 1, figsize=(8, 3.8), layout="tight")
for axis, (name, z) in zip(axes, rows.items(), strict=True):
    strip = pad(z[:, 0], (0, 1, 0, 1), value=-0.2).transpose(0, 1).flatten(1)
    axis.imshow(strip.numpy(), cmap="gray", vmin=-1, vmax=1, interpolation="nearest")
    axis.set_title(name, loc="left", fontsize=9)
    axis.axis("off")
plt.show()
