"""Prints the tables of docs/theory.md as Markdown, in about a minute on one core.

python benchmarks/theory.py
"""

import math

import torch
from torch import Tensor, nn

import noisekernel as nk
from noisekernel.core.checks import Level

torch.set_num_threads(1)


class Linear(nn.Module):
    """mu = slope x, sigma2 = exp(log_variance): exact for Gaussian data of mean 0 at one noise level."""

    def __init__(self, log_variance: float) -> None:
        super().__init__()
        self.slope, self.log_variance = nn.Parameter(torch.zeros(())), nn.Parameter(torch.tensor(log_variance))

    def forward(self, x: Tensor, beta: Level) -> nk.Normal:
        return nk.Normal(self.slope * x, self.log_variance.exp().expand_as(x))


def learn(objective: nk.objectives.Objective, s2: float, lag: float, log_variance: float) -> Linear:
    denoiser, kernel, generator = Linear(log_variance), nk.GaussianKernel(lag), torch.Generator().manual_seed(0)
    optimiser = torch.optim.Adam(denoiser.parameters(), 0.02)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 1500)
    for _ in range(1500):
        z = s2**0.5 * torch.randn(1024, 1, generator=generator)
        loss, _ = objective(kernel, denoiser, z, generator)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        decay.step()
    return denoiser


def identification(s2: float = 0.25, lag: float = 0.5) -> None:
    """The solutions that each objective finds for Gaussian data, from two starts."""
    print(
        "| beta | objective | started at sigma2 | slope (truth) | stationary variance (truth) |\n|---|---|---|---|---|"
    )
    for beta in (0.5, 0.2, 0.1):
        alpha = 1 - beta
        variance = alpha**2 * s2 + beta
        levels = nk.UniformLevels(beta, beta)
        for name, objective in {
            "contrastive adjustment": nk.ContrastiveAdjustment(levels),
            "KL": nk.KL(levels),
            "anchored": nk.Anchored(levels),
        }.items():
            for start in (1.0, 0.1) if name == "contrastive adjustment" else (1.0,):
                found = learn(objective, s2, lag, math.log(start))
                slope, sigma2 = found.slope.item(), found.log_variance.exp().item()
                rho = lag + (1 - lag) * alpha * slope
                noise = (1 - lag**2) * beta + ((1 - lag) * alpha) ** 2 * sigma2
                print(
                    f"| {beta} | {name} | {start} | {slope:.3f} ({alpha * s2 / variance:.3f}) "
                    f"| {noise / (1 - rho**2):.3f} ({variance:.3f}) |"
                )


def settling(correlation: float = 0.8, observed: float = 1.5, n: int = 20_000) -> None:
    """How well a clamped chain finds the conditional mean of one of two correlated Gaussians, given the other."""
    covariance = torch.tensor([[1.0, correlation], [correlation, 1.0]], dtype=torch.float64)

    def denoiser(x: Tensor, beta: Level) -> nk.Normal:
        alpha = 1 - float(beta)
        gain = alpha * covariance @ torch.linalg.inv(alpha**2 * covariance + float(beta) * torch.eye(2))
        posterior = covariance - alpha * gain @ covariance
        return nk.Normal(x @ gain.T.float(), torch.diag(posterior).float().expand_as(x))

    model = nk.NoiseModel(nk.GaussianKernel(0.5), denoiser, (2,))
    z, mask = torch.full((n, 2), observed), torch.tensor([1, 0]).expand(n, 2)
    mean, deviation = correlation * observed, (1 - correlation**2) ** 0.5
    print(f"| annealing steps | churn | equilibrium steps each | mean ({mean:.2f}) | deviation ({deviation:.2f}) |")
    print("|---|---|---|---|---|")
    for steps, churn, equilibrium in [
        (100, 0, 0),
        (100, 2, 0),
        (50, 8, 0),
        (100, 8, 0),
        (100, 32, 0),
        (50, 8, 1),
        (100, 8, 5),
    ]:
        filled = nk.inpaint(model, z, mask, steps=steps, churn=churn, equilibrium=equilibrium)[:, 0, 0]
        print(f"| {steps} | {churn} | {equilibrium} | {filled.mean().item():.2f} | {filled.std().item():.2f} |")


def agreement(beta: float = 0.2) -> None:
    """Contrastive adjustment against KL where the denoiser is wrong: a skewed mixture of two Gaussians, by quadrature.

    The gradient is that of the size t of an error d, mu = E[z | x] + t d(x), at t = 1.
    """
    alpha, sigma2 = 1 - beta, 0.2
    weights, means, variances = (torch.tensor(v, dtype=torch.float64) for v in ((0.7, 0.3), (-1.0, 1.5), (0.1, 0.3)))
    x = torch.linspace(-4, 4, 801, dtype=torch.float64)
    total = alpha**2 * variances + beta
    parts = weights * torch.exp(-((x[:, None] - alpha * means) ** 2) / (2 * total)) / torch.sqrt(2 * math.pi * total)
    density = parts.sum(1)
    share, each = parts / density[:, None], means + alpha * variances / total * (x[:, None] - alpha * means)
    mean = (share * each).sum(1)
    spread = (share * (each**2 + variances * beta / total)).sum(1) - mean**2
    error = 0.1 + 0.2 * torch.sin(2 * x)
    mass = density * (x[1] - x[0])
    print("| lag | gradient over that of KL | angle between them | samples for the same accuracy, over those of KL |")
    print("|---|---|---|---|")
    for lag in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99):
        a, b = (1 - lag) * alpha, (1 - lag**2) * beta
        q = b + a**2 * sigma2
        step = lag * x + a * (mean + error)
        forth = torch.exp(-((x[None, :] - step[:, None]) ** 2) / (2 * q)) / math.sqrt(2 * math.pi * q)
        joint = mass[:, None] * forth * (x[1] - x[0])  # of x (row) and y (column)
        back = x[:, None] - step[None, :]
        adjusted, anchored = (joint * back).sum(0) * a / q, -mass * error * a**2 / q  # by mu, at every y
        slopes = [float((g * error).sum()) for g in (adjusted, anchored)]
        squares = [
            float((joint * back**2 * error**2).sum()) * (a / q) ** 2,
            float((mass * (spread + error**2) * error**2).sum()) * (a**2 / q) ** 2,
        ]
        needed = [square / slope**2 - 1 for square, slope in zip(squares, slopes, strict=True)]
        angle = math.degrees(math.acos(float(adjusted @ anchored / adjusted.norm() / anchored.norm())))
        print(f"| {lag} | {slopes[0] / slopes[1]:.2f} | {angle:.0f}° | {needed[0] / needed[1]:.0f} |")


if __name__ == "__main__":
    agreement()
    print()
    identification()
    print()
    settling()
