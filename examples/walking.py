"""
A walk as a strip of frames
===========================

A new sample is a function of the noise that annealing draws. A walk of that noise never leaves the distribution of new
samples, however long it goes on. This example glides from three real digits and shows every sixth frame. It takes a
few seconds.
"""

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch.nn.functional import pad

import noisekernel as nk

model = nk.load("digits", device="cpu")
real = torch.tensor(load_digits().images, dtype=torch.float32)[[3, 8, 25], None] / 8 - 1

# %%
# To start, the walk finds noise that each digit is made of. Each step moves the noise on, without a network call, in
# nearly the direction of the last one. Looking at a frame takes 20 network calls.

walk = nk.walk(model, real, pace=0.05)
frames = [real]
for _ in range(15):
    for _ in range(6):
        walk.step()
    frames.append(walk.clean)

# %%
# Neighbouring frames resemble each other; the ends of a strip need not.

strip = pad(torch.stack(frames, dim=1).squeeze(2), (0, 1, 0, 1), value=-0.2)
figure, axis = plt.subplots(figsize=(9, 2.2), layout="tight")
axis.imshow(
    strip.transpose(1, 2).flatten(2).flatten(0, 1).numpy(), cmap="gray", vmin=-1, vmax=1, interpolation="nearest"
)
axis.set_title("three walks from real digits: time runs to the right")
axis.axis("off")
plt.show()
