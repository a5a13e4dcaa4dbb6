"""The skeletons of docs/extending do what the page says."""

from functools import partial

import numpy as np
import pytest
import torch

import noisekernel as nk
from helpers import generator, train
from noisekernel.networks.exact import exact_denoiser
from skeletons import skeleton

MEAN, VARIANCE = 0.7, 0.25


def posterior(x, beta):
    """The exact r of the skeleton's kernel, for Gaussian data."""
    level = torch.as_tensor(beta).expand(len(x))[:, None].to(x)
    scale = (1.0 - level).sqrt()
    share = scale * VARIANCE / (scale**2 * VARIANCE + level)
    loc = MEAN + share * (x - scale * MEAN)
    return nk.Normal(loc, (VARIANCE * (1.0 - share * scale)).expand_as(x))


def moments(kernel):
    z = nk.synthesize(nk.NoiseModel(kernel, posterior, (4,)), 5000, steps=30)
    return float(z.mean()), float(z.var())


@pytest.mark.statistical
def test_the_kernel_draws_the_data_from_its_exact_denoiser():
    """20,000 numbers: the standard error of the mean is .0035, that of the variance .0025; five of them are allowed."""
    mean, variance = moments(skeleton("my_kernel").VariancePreserving(lag=0.5))
    assert mean == pytest.approx(MEAN, abs=0.018)
    assert variance == pytest.approx(VARIANCE, abs=0.013)


@pytest.mark.statistical
def test_a_kernel_with_the_wrong_coefficient_does_not():
    class Wrong(skeleton("my_kernel").VariancePreserving):
        def _coefficients(self, x, beta, beta_next):
            w, _, b = super()._coefficients(x, beta, beta_next)
            return w, torch.as_tensor(1.0 - beta_next) - w * (1.0 - beta), b  # without the roots

    mean, variance = moments(Wrong(lag=0.5))
    assert abs(mean - MEAN) > 0.018 or abs(variance - VARIANCE) > 0.013


def test_the_kernel_balances():
    kernel = skeleton("my_kernel").VariancePreserving(lag=0.6)
    z, x, y = (torch.randn(5, 3, generator=generator(seed)) for seed in range(3))

    def flow(x, y):
        return kernel.noise(z, 0.3).log_prob(x) + kernel.conditional(z, x, 0.3, 0.3).log_prob(y)

    torch.testing.assert_close(flow(x, y), flow(y, x))


def test_the_objective_is_least_at_the_exact_denoiser():
    objective = skeleton("my_objective").SquaredError(nk.UniformLevels(0.1, 0.9))
    z = MEAN + VARIANCE**0.5 * torch.randn(4000, 2, generator=generator(0))

    def loss(mean):
        denoiser = partial(exact_denoiser, mean=mean, variance=VARIANCE)
        value, info = objective(nk.GaussianKernel(), denoiser, z, generator(1))
        assert info.seen["variance"].shape == (4000,)
        return float(value)

    assert loss(MEAN) < min(loss(MEAN - 0.2), loss(MEAN + 0.2))


def test_the_score_steers():
    model = nk.NoiseModel(nk.GaussianKernel(0.9), partial(exact_denoiser, mean=0.0, variance=1.0), (1,))
    near = skeleton("my_score").Near(torch.tensor([2.0]), insistence=2.0)
    start = torch.zeros(500, 1)
    steered = nk.steer(model, start, near, beta=0.4)
    free = nk.equilibrate(model, start, beta=0.4, lag=0.9, readout=10)
    assert float(steered.mean()) > float(free.mean()) + 0.5


def test_the_score_of_a_picture_is_one_number():
    little_ink = skeleton("my_score").little_ink
    assert little_ink(np.zeros((8, 8))) > little_ink(np.ones((8, 8)))


@pytest.mark.training
def test_the_network_learns():
    """Two clusters: the start, which is the best linear guess, does not know of them. A quarter of its loss goes."""
    sides = torch.randint(2, (2000, 1), generator=generator(0)) * 2.0 - 1.0
    data = sides + 0.1 * torch.randn(2000, 2, generator=generator(1))
    head = nk.PreconditionedGaussian.of(data, channels=2)
    torch.manual_seed(0)
    denoiser = nk.Denoiser(skeleton("my_network").Gated(head.in_channels, head.out_channels), head)
    objective, kernel = nk.KL(nk.UniformLevels(0.1, 0.9)), nk.GaussianKernel(0.9)

    def loss():
        with torch.no_grad():
            return float(objective(kernel, denoiser, data, generator(2))[0])

    before = loss()
    train(objective, kernel, denoiser, data, steps=150, batch=128, rate=3e-3)
    assert loss() < 0.75 * before


@pytest.mark.statistical
def test_the_sampler_draws_the_data_from_the_exact_denoiser():
    """As for the kernel; its wrong twin stops half-way, where the best guess has too small a variance."""
    late = skeleton("my_sampler").late
    model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (4,))
    schedule = late(model.kernel, 60)
    z = nk.synthesize(model, 5000, schedule=schedule)
    assert float(z.mean()) == pytest.approx(MEAN, abs=0.018)
    assert float(z.var()) == pytest.approx(VARIANCE, abs=0.013)
    cut = nk.Schedule(schedule.beta[:31], schedule.lag[:30], schedule.point[:30])
    assert abs(float(nk.synthesize(model, 5000, schedule=cut).var()) - VARIANCE) > 0.013
