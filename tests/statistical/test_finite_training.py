"""Fifty states, a skewed histogram: contrastive adjustment brings the exact stationary vector to the data."""

import pytest
import torch

import noisekernel as nk
from helpers import generator

pytestmark = [pytest.mark.statistical, pytest.mark.training]

N = 50
WEIGHTS = torch.arange(1, N + 1, dtype=torch.float64)[torch.randperm(N, generator=generator(0))] ** -1.2
DATA = torch.multinomial(WEIGHTS, 100_000, replacement=True, generator=generator(1))
HISTOGRAM = torch.bincount(DATA, minlength=N).double() / len(DATA)


def distance(kernel):
    """Total variation between the exact stationary vector and the data."""
    return float(0.5 * (kernel.stationary() - HISTOGRAM).abs().sum())


def fit(kernel, loss, steps, rate=0.1):
    optimiser = torch.optim.Adam(kernel.parameters(), rate)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()
        decay.step()
    return kernel


def test_the_start_is_far_from_the_data():
    kernel = nk.FiniteKernel(N)
    assert distance(kernel) > 0.5
    assert kernel.balance_gap(HISTOGRAM) > 0.5


def test_algorithm_2_with_its_expectations_taken_exactly():
    kernel = nk.FiniteKernel(N)
    fit(kernel, lambda: kernel.expected_loss(HISTOGRAM), steps=1500)
    assert distance(kernel) <= 1e-5
    assert kernel.balance_gap(HISTOGRAM) <= 1e-5  # the sum over all pairs


def test_algorithm_2_on_examples():
    """What is left is sampling noise: 8 million examples tell 2,500 pair probabilities apart no better."""
    kernel, g = nk.FiniteKernel(N), generator(2)

    def loss():
        x = DATA[torch.randint(len(DATA), (4096,), generator=g)]
        return nk.contrastive_adjustment(kernel.transition, x, g)[0]

    fit(kernel, loss, steps=2000)
    flow = kernel.flow(HISTOGRAM)
    assert distance(kernel) <= 0.01
    assert float((flow - flow.T).abs().max()) <= 1e-3  # the worst pair
    assert kernel.balance_gap(HISTOGRAM) <= 0.02


def test_algorithm_1_on_examples():
    kernel, g = nk.FiniteKernel(N), generator(2)
    for i in range(2000):
        x = DATA[torch.randint(len(DATA), (4096,), generator=g)]
        kernel.adjust(x, rate=200 * (1 - i / 2000), generator=g)
    assert distance(kernel) <= 0.01


def test_the_wrong_twin_making_the_step_forth_more_probable_goes_nowhere():
    kernel, g = nk.FiniteKernel(N), generator(2)

    def loss():
        x = DATA[torch.randint(len(DATA), (4096,), generator=g)]
        forth = kernel.transition(x)
        return -forth.log_prob(forth.sample(g)).mean()

    fit(kernel, loss, steps=300)
    assert distance(kernel) > 0.3
