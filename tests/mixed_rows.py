"""Rows of a number, a class that goes with it, and a class that does not: the truth in closed form.

The class k in column 1 has the share WEIGHTS[k], and given it the number in column 0 is normal with the mean MEANS[k]
and the variance VARIANCES[k]. Column 2 is a coin of its own.
"""

import torch
from torch import Tensor

import noisekernel as nk
from helpers import generator
from noisekernel.core.categories import Categorical
from noisekernel.core.distributions import Normal
from noisekernel.core.products import Product
from noisekernel.kernels.product import number_level

COUNTS = (0, 3, 2)
WEIGHTS = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
MEANS = torch.tensor([-1.0, 0.5, 1.8], dtype=torch.float64)
VARIANCES = torch.tensor([0.1, 0.3, 0.05], dtype=torch.float64)
COIN = torch.tensor([0.7, 0.3], dtype=torch.float64)
MASKED = 3


def rows(n: int, seed: int = 0) -> Tensor:
    """So many rows."""
    g = generator(seed)
    k = torch.multinomial(WEIGHTS, n, replacement=True, generator=g)
    number = MEANS[k] + VARIANCES[k].sqrt() * torch.randn(n, generator=g, dtype=torch.float64)
    coin = torch.rand(n, generator=g) < COIN[1]
    return torch.stack((number.float(), k.float(), coin.float()), dim=1)


def posterior(x: Tensor, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """p(k | x) of a noisy number and a class, and the mean and variance of the number for each k."""
    number, seen, alpha = x[:, :1].double(), x[:, 1].long(), 1.0 - g[:, None]
    total = alpha**2 * VARIANCES + g[:, None]
    log_of = WEIGHTS.log() - 0.5 * ((number - alpha * MEANS) ** 2 / total + total.log())
    masked = (seen == MASKED)[:, None]
    log_of = torch.where(masked | (torch.arange(3) == seen[:, None]), log_of, -torch.inf)
    share = torch.softmax(log_of, dim=1)
    gain = alpha * VARIANCES / total
    return share, MEANS + gain * (number - alpha * MEANS), VARIANCES * g[:, None] / total


def truth(x: Tensor, beta: object) -> Product:
    """The product of what is true of each column of z given x: the best r there is."""
    level = torch.as_tensor(beta, dtype=torch.float64).expand(len(x))
    share, mean, variance = posterior(x, number_level(level))
    middle = (share * mean).sum(dim=1)
    spread = (share * (variance + mean**2)).sum(dim=1) - middle**2
    coin = torch.where((x[:, 2] == MASKED)[:, None], COIN, torch.nn.functional.one_hot(x[:, 2].long(), 4)[:, :2])
    probs = torch.stack((share, torch.nn.functional.pad(coin, (0, 1))), dim=1)
    return Product(
        Normal(middle[:, None].to(x), spread.clamp(min=1e-9)[:, None].to(x)),
        Categorical.from_probs(probs.to(x)),
        COUNTS,
    )


def apart(x: Tensor, beta: object) -> Product:
    """The wrong twin: what is true of each column given its own state alone."""
    alone = torch.full_like(x, float(MASKED))
    alone[:, 0] = x[:, 0]
    number = truth(alone, beta).normal
    seen = x.clone()
    seen[:, 0] = 0.0
    classes = truth(seen, torch.ones(len(x), dtype=torch.float64)).categories
    return Product(number, classes, COUNTS)


def model(denoiser: object = truth, lag: float = 0.9) -> nk.NoiseModel:
    return nk.NoiseModel(nk.ProductKernel(lag, counts=COUNTS), denoiser, (3,))
