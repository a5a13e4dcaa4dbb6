"""The mixture over the leading coefficients: its posterior against quadrature, its fit against a known law."""

import math

import pytest
import torch
from torch import nn

import noisekernel as nk
from helpers import generator
from noisekernel.measuring.denoising import denoising_curve, estimate_of
from noisekernel.networks.mixture import Mixture, best_components

WEIGHTS, MEANS, SPREAD = torch.tensor([0.2, 0.5, 0.3]), torch.tensor([-2.0, 0.3, 1.5]), 0.3

#: The deviations of the other coefficients.
OTHERS = torch.linspace(0.3, 0.05, 6, dtype=torch.float64)


def known():
    """Three components of unequal weight, of one coefficient."""
    mixture = Mixture(3, 1)
    mixture.log_weights.copy_(WEIGHTS.log())
    mixture.means.copy_(MEANS[:, None])
    mixture.variances.fill_(SPREAD**2)
    return mixture.double()


def clustered(n, seed=0):
    """Data of the three components along the first coefficient, Gaussian along the others."""
    draw = generator(seed)
    part = torch.multinomial(WEIGHTS, n, replacement=True, generator=draw)
    c = torch.randn(n, 6, generator=draw, dtype=torch.float64) * OTHERS
    c[:, 0] = MEANS[part] + SPREAD * torch.randn(n, generator=draw, dtype=torch.float64)
    return c


@pytest.mark.parametrize("beta", [0.001, 0.05, 0.3, 0.8, 1.0])
def test_the_posterior_is_that_of_quadrature(beta):
    alpha = 1.0 - beta
    c = torch.linspace(-8, 8, 400_001, dtype=torch.float64)
    prior = (WEIGHTS * torch.exp(-0.5 * ((c[:, None] - MEANS) / SPREAD) ** 2)).sum(dim=1)
    x = torch.linspace(-2, 2, 9, dtype=torch.float64)
    mean, variance = known().posterior(x[:, None], torch.full((9, 1), alpha), torch.full((9, 1), beta))
    for place, seen in enumerate(x):
        weight = prior * torch.exp(-0.5 * (seen - alpha * c) ** 2 / beta)
        weight = weight / weight.sum()
        first = float((weight * c).sum())
        second = float((weight * (c - first) ** 2).sum())
        assert float(mean[place]) == pytest.approx(first, rel=1e-6, abs=1e-6)
        assert float(variance[place]) == pytest.approx(second, rel=1e-5)


@pytest.mark.statistical
def test_the_number_of_components_is_that_of_the_data():
    """One for Gaussian data, more for clustered ones: at this sample size a wrong choice differs by many errors."""
    assert best_components(clustered(4000), sigma=0.1) > 1
    gaussian = torch.randn(4000, 6, generator=generator(), dtype=torch.float64) * OTHERS
    assert best_components(gaussian, sigma=0.1) == 1
    assert best_components(clustered(12), sigma=0.1) == 1  # too few to say


class Zeros(nn.Module):
    def __init__(self, head):
        super().__init__()
        self.out_channels = head.out_channels

    def forward(self, h, level, label=None):
        return torch.zeros(len(h), self.out_channels, *h.shape[2:])


@pytest.mark.statistical
def test_a_network_of_zeros_is_near_the_best_denoiser_of_clustered_data():
    """Its error is at most 3 % above that of the true posterior; one Gaussian, the twin, is 10 % above at sigma 0.5."""
    turn = torch.linalg.qr(torch.randn(6, 6, generator=generator(5), dtype=torch.float64))[0]
    train, held_out = clustered(5000) @ turn, clustered(2000, seed=1) @ turn
    truth = known()

    def best(noisy, sigma):
        c = noisy @ turn.T
        one = torch.ones(len(c), 1, dtype=torch.float64)
        spread = OTHERS**2
        guess = c * spread / (spread + sigma**2)
        guess[:, :1] = truth.posterior(c[:, :1], one, sigma**2 * one)[0]
        return guess @ turn

    sigmas = (0.5, 1.0, 3.0)
    least = torch.tensor(denoising_curve(best, held_out, sigmas=sigmas).errors)

    def above(components):
        head = nk.CovarianceGaussian.of(train, 6, crossover=0.0, components=components)
        return (
            torch.tensor(denoising_curve(estimate_of(nk.Denoiser(Zeros(head), head)), held_out, sigmas=sigmas).errors)
            / least
        )

    assert bool((above(None) < 1.03).all()), above(None)
    assert float(above(1)[0]) > 1.1, above(1)


def test_as_many_components_as_examples_do_not_collapse():
    c = torch.cat((torch.randn(20, 3, generator=generator()), torch.full((1, 3), 50.0)))
    mixture = Mixture(21, 3)
    mixture.fit(c, generator(1))
    mean, variance = mixture.posterior(c, torch.full((21, 1), 0.5), torch.full((21, 1), 0.5))
    assert bool((mixture.variances > 0).all())
    assert bool(torch.isfinite(mean).all())
    assert bool((variance > 0).all())
    assert math.isclose(float(mixture.log_weights.exp().sum()), 1.0, rel_tol=1e-5)
