"""
Quickstart: points on a spiral
==============================

Learn a chain from points in the plane, draw new points, and walk 2,000 steps without leaving the data. The whole
example takes about half a minute.
"""

import math

import matplotlib.pyplot as plt
import torch

import noisekernel as nk

torch.set_num_threads(1)  # the network is tiny: a second thread would only get in the way

# %%
# The data
# --------
# A spiral with a little noise: 10,000 points, a tensor of shape (10000, 2).


def spiral(n: int, generator: torch.Generator) -> torch.Tensor:
    turn = torch.rand(n, generator=generator).sqrt() * 3 * math.pi
    points = torch.stack((turn * turn.cos(), turn * turn.sin()), dim=1) / 8
    return points + 0.03 * torch.randn(n, 2, generator=generator)


data = spiral(10_000, torch.Generator().manual_seed(0))

# %%
# Four parts
# ----------
# The *kernel* says how data becomes noisy and how a noisy state moves. The *denoiser* is the network, between the two
# halves of a *head* that suits the data. The *objective* is what training minimises.

torch.manual_seed(0)
kernel = nk.GaussianKernel(lag=0.9)
head = nk.PreconditionedGaussian.of(data, channels=2)
denoiser = nk.Denoiser(nk.networks.MLP(head.in_channels, head.out_channels, width=96), head)
objective = nk.KL(nk.LogNormalLevels())

# %%
# Training
# --------
# A plain PyTorch loop. Every example of the run has a number, and with it a stream of randomness of its own.

STEPS, BATCH = 1500, 256
optimiser = torch.optim.Adam(denoiser.parameters(), lr=3e-3)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
for step in range(STEPS):
    numbers = range(step * BATCH, (step + 1) * BATCH)
    z = data[torch.tensor(numbers) % len(data)]
    loss, info = objective(kernel, denoiser, z, nk.Streams.of(0, numbers))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    decay.step()
    if step % 500 == 0:
        levels = "  ".join(f"{level}: {value:.4f}" for level, value in info.by_level().items())
        print(f"step {step:5d}  loss {loss.item():.4f}   by noise level  {levels}")

# %%
# New points, and a long walk
# ---------------------------
# A kernel, a denoiser and the shape of one sample make a model. New samples are annealed from pure noise. The walk
# starts at real points and stays at a constant, low noise level, as in the paper; after 2,000 steps it is still on the
# spiral.

model = nk.NoiseModel(kernel, denoiser.eval(), shape=(2,))
new = nk.synthesize(model, 1000)
walked = nk.equilibrate(model, data[:300], beta=0.05, steps=2000, readout=10)[:, 0]

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), sharex=True, sharey=True)
for axis, points, title in zip(
    axes, (data[:1000], new, walked), ("data", "new samples", "after 2,000 steps"), strict=True
):
    axis.scatter(*points.T, s=3, alpha=0.6)
    axis.set(title=title, aspect="equal")
plt.show()
