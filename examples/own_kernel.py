"""
A kernel of your own
====================

Contrastive adjustment (Algorithm 2 of the paper) asks one thing of a kernel: a method `transition(x)` that returns a
distribution. It needs no noise levels and no denoiser. In this example a network proposes a mixture of Gaussian jumps
from each point of the plane. Adjusted on data, it becomes a chain that stays on the data. It takes about half a minute.
"""

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
import torch
from torch import Tensor, nn

import noisekernel as nk
from noisekernel.core.randomness import Randomness, normal

torch.set_num_threads(1)  # the network is tiny: a second thread would only get in the way

# %%
# A distribution of your own
# --------------------------
# A distribution is a frozen dataclass of tensors, batch first, with `log_prob`, `sample` and `mode`.


@dataclass(frozen=True)
class Mixture(nk.Distribution):
    """A mixture of isotropic Gaussians, one mixture per sample."""

    log_weight: Tensor  # (batch, jumps)
    mean: Tensor  # (batch, jumps, 2)
    log_scale: Tensor  # (batch, jumps)

    def log_prob(self, value: Tensor) -> Tensor:
        squared = (value[:, None] - self.mean).square().sum(-1) * torch.exp(-2 * self.log_scale)
        return torch.logsumexp(self.log_weight - 0.5 * squared - 2 * self.log_scale - math.log(2 * math.pi), dim=1)

    @torch.no_grad()
    def sample(self, generator: Randomness) -> Tensor:
        pick = nk.Categorical(self.log_weight).sample(generator)
        rows = torch.arange(len(pick))
        return self.mean[rows, pick] + self.log_scale[rows, pick, None].exp() * normal((len(pick), 2), generator)

    @property
    def mode(self) -> Tensor:
        return self.mean[torch.arange(len(self.mean)), self.log_weight.argmax(1)]


# %%
# The kernel
# ----------
# It is an ordinary module with a method `transition`.


class Jumps(nn.Module):
    """From each point, a mixture of `jumps` jumps to learned places."""

    def __init__(self, jumps: int = 16) -> None:
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(2, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU(), nn.Linear(128, 4 * jumps)
        )
        self.places = nn.Parameter(torch.randn(jumps, 2))

    def transition(self, x: Tensor) -> Mixture:
        logits, log_scale, shift = self.network(x).split(
            (len(self.places), len(self.places), 2 * len(self.places)), dim=1
        )
        mean = self.places + shift.unflatten(1, (-1, 2))
        return Mixture(torch.log_softmax(logits, dim=1), mean, -1.0 + log_scale.clamp(-3.0, 1.0))


# %%
# Data, training, and a walk
# --------------------------
# `nk.contrastive_adjustment` returns the loss and what was seen on the way. The mean of the log ratio
# log p(y given x) - log p(x given y) is zero for a chain in balance.


def moons(n: int, generator: torch.Generator) -> Tensor:
    angle, side = math.pi * torch.rand(n, generator=generator), torch.rand(n, generator=generator) < 0.3
    upper = torch.stack((angle.cos(), angle.sin()), dim=1)
    points = torch.where(side[:, None], torch.tensor([1.0, 0.5]) - upper, upper)
    return points + 0.08 * torch.randn(n, 2, generator=generator)


def train(kernel: Jumps, data: Tensor, steps: int = 3000, batch: int = 512) -> None:
    generator = torch.Generator().manual_seed(1)
    optimiser = torch.optim.Adam(kernel.parameters(), lr=2e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for step in range(steps):
        x = data[torch.randint(len(data), (batch,), generator=generator)]
        loss, info = nk.contrastive_adjustment(kernel.transition, x, generator)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        decay.step()
        if step % 1000 == 0:
            ratio = info.seen["log_ratio"]
            print(f"step {step:5d}  loss {loss.item():7.3f}  log ratio, 0 in balance: {ratio.mean():+.3f}")


def walk(kernel: Jumps, x: Tensor, steps: int) -> Tensor:
    model = nk.PlainModel(kernel)
    state = nk.chain.start(model, x, 1.0, nk.Streams.of(0, range(len(x))))
    *_, (last, _) = nk.chain.run(model, state, nk.Schedule.along(nk.levels.flat(1.0), steps, lag=0.0))
    return last.x


# %%
# Before and after
# ----------------
# 1,000 walkers start on the data. After 200 steps of the untrained kernel they are anywhere; after 200 steps of the
# trained one they are where the data are.


def main() -> None:
    data = moons(20_000, torch.Generator().manual_seed(0))
    torch.manual_seed(0)
    kernel = Jumps()
    before = walk(kernel, data[:1000], 200)
    train(kernel, data)
    after = walk(kernel, data[:1000], 200)
    _, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharex=True, sharey=True)
    titles = ("data", "200 steps, untrained", "200 steps, trained")
    for axis, points, title in zip(axes, (data[:1000], before, after), titles, strict=True):
        axis.scatter(*points.T, s=3, alpha=0.6)
        axis.set(title=title, aspect="equal", xlim=(-2, 3), ylim=(-1.5, 2))
    plt.show()


if __name__ == "__main__":
    main()
