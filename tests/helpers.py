"""What several tests share: the level of the statistical tests, a toy denoiser, a training loop of five lines."""

import torch
from torch import Tensor, nn

import noisekernel as nk

#: Statistical tests accept what is right with this probability and must reject their wrong twin at the same level.
#: Seeds are fixed, so the outcome is too; the level says how much a change of seed may be expected to matter.
LEVEL = 1e-3


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class LinearDenoiser(nn.Module):
    """mu = slope x, sigma2 = exp(log_variance): all that Gaussian data of mean 0 need at one noise level."""

    def __init__(self, slope: float = 0.0, log_variance: float = 0.0) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(slope))
        self.log_variance = nn.Parameter(torch.tensor(log_variance))

    def forward(self, x: Tensor, beta: object) -> nk.Normal:
        return nk.Normal(self.slope * x, self.log_variance.exp().expand_as(x))


def train(objective, kernel, denoiser, data: Tensor, steps: int, batch: int, rate: float, seed: int = 0) -> None:
    """Adam with a cosine decay; the randomness of step i depends on the seed and i alone."""
    optimiser = torch.optim.Adam(denoiser.parameters(), rate)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    pick = generator(seed)
    for i in range(steps):
        z = data[torch.randint(len(data), (batch,), generator=pick)]
        loss, _ = objective(kernel, denoiser, z, nk.Streams.of(seed, range(i * batch, (i + 1) * batch)))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        decay.step()


def refused(result, *said):
    code, _, err = result
    assert code == 2
    assert any(line.startswith("nk: ") for line in err.splitlines()) or "Error" in err
    for words in said:
        assert words in " ".join(err.split())
