"""Gaussian data has a closed-form r: the exact denoiser must leave p(x) invariant, and a wrong kernel must not."""

from functools import partial

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.core.levels import flat, linear
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling import chain
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule

pytestmark = pytest.mark.statistical

N, MEAN, VARIANCE = 20_000, 0.7, 0.25  # not symmetric about zero: symmetry would hide errors of sign
EXACT = partial(exact_denoiser, mean=MEAN, variance=VARIANCE)


def too_sure(x, beta):
    """The wrong twin: the right mean and no variance."""
    return EXACT(x, beta).point()


def too_eager(x, beta):
    """Another: pulled 5 % too far."""
    r = EXACT(x, beta)
    return nk.Normal(1.05 * r.loc, r.variance)


def p_value(denoiser, schedule):
    """Of a Kolmogorov-Smirnov test of the last states against p(x) at the last level, started in p(x) at the first."""
    kernel = nk.GaussianKernel(0.5)
    model = nk.NoiseModel(kernel, denoiser, (1,))
    z = MEAN + VARIANCE**0.5 * torch.randn(N, 1, generator=generator(1))
    first, last = float(schedule.beta[0]), float(schedule.beta[-1])
    x = kernel.noise(z, first).sample(generator(2))
    *_, (state, _) = chain.run(model, chain.start(model, x, first, nk.Streams.of(0, range(N))), schedule)
    alpha = 1 - last
    law = (alpha * MEAN, (alpha**2 * VARIANCE + last) ** 0.5)
    return stats.kstest(state.x[:, 0].numpy(), "norm", args=law).pvalue


SCHEDULES = {
    "equilibrium": Schedule.along(flat(0.2), 50, 0.5),
    "equilibrium, large lag": Schedule.along(flat(0.2), 200, 0.95),
    "the paper's annealing": Schedule.along(linear(1.0, 0.01), 100, 0.5),
    "rising": Schedule.along(linear(0.1, 0.9), 30, 0.8),
    "predictor-corrector": Schedule.along(linear(1.0, 0.1), 40, 0.3).with_correctors(2, 0.6),
}


@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES)
def test_the_exact_denoiser_keeps_the_marginals(schedule):
    assert p_value(EXACT, schedule) > LEVEL


@pytest.mark.parametrize("name", ["equilibrium", "the paper's annealing", "predictor-corrector"])
@pytest.mark.parametrize("wrong", [too_sure, too_eager])
def test_a_wrong_denoiser_does_not(name, wrong):
    assert p_value(wrong, SCHEDULES[name]) < LEVEL


def test_a_wrong_kernel_does_not(monkeypatch):
    right = nk.GaussianKernel.coefficients

    def wrong(self, x, beta, beta_next):
        w, a, b = right(self, x, beta, beta_next)
        return w, a, b / (1 + w)  # (1 - w) beta in the place of (1 - w^2) beta

    monkeypatch.setattr(nk.GaussianKernel, "coefficients", wrong)
    assert p_value(EXACT, SCHEDULES["equilibrium"]) < LEVEL


def test_deterministic_annealing_keeps_the_marginals_in_the_limit_of_many_steps():
    """A deterministic step is exact only for small steps: 400 pass, 5 must not."""
    kernel = nk.GaussianKernel()
    assert p_value(EXACT, annealing(kernel, 400, churn=0.0)) > LEVEL
    assert p_value(EXACT, annealing(kernel, 5, churn=0.0)) < LEVEL
