"""Every arm's estimate of clean data is exact where its network is.

For Gaussian data the best predictions of noise, flow and EDM's F are known in closed form, as functions of what the
network sees and is told. With these in the place of the network, each estimate must be the posterior mean; the only way
to get there is the right level, the right scale and the right formula. A wrong twin has another map of levels.
"""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from lab.denoised import curve
from lab.own_arms import Ours
from lab.rivals import ddpm, edm
from lab.rivals.ddpm import DDPM
from lab.rivals.edm import EDM
from lab.rivals.flow_matching import FlowMatching
from lab.rivals.rival import RivalObjective
from noisekernel import GaussianKernel
from noisekernel.core.randomness import Streams, normal
from noisekernel.measuring.denoising import SIGMAS
from noisekernel.networks.exact import exact_denoiser
from noisekernel.objectives.base import TrainerObjective
from noisekernel.sampling.model import NoiseModel

MEAN, VARIANCE = 0.3, 0.16
#: What EDM takes the standard deviation of the data to be; the closed form holds for any.
SPREAD = 0.5


def posterior_mean(noisy, sigma):
    return (VARIANCE * noisy + sigma**2 * MEAN) / (VARIANCE + sigma**2)


def exact_noise(x, level):
    """E[n | x] for x = sqrt(a) z + sqrt(1 - a) n, where a is that of a step of the cosine schedule."""
    u = (1_000.0 * level + 1.0) / 1_000.0
    a = (torch.cos(0.5 * math.pi * (u + 0.008) / 1.008) / math.cos(0.5 * math.pi * 0.008 / 1.008)) ** 2
    a = a[:, None]
    return (1.0 - a).sqrt() * (x - a.sqrt() * MEAN) / (a * VARIANCE + 1.0 - a)


def exact_flow(x, level):
    """E[z - n | x] for x = t z + (1 - t) n."""
    t = level[:, None]
    surprise = (x - t * MEAN) / (t**2 * VARIANCE + (1.0 - t) ** 2)
    return MEAN + t * VARIANCE * surprise - (1.0 - t) * surprise


def exact_residual(x, level):
    """F = (E[z | noisy] - c_skip noisy) / c_out, from x = c_in noisy and c_noise."""
    sigma = torch.exp(4.0 * level)[:, None]
    total = sigma**2 + SPREAD**2
    noisy = total.sqrt() * x
    return (posterior_mean(noisy, sigma) - SPREAD**2 / total * noisy) / (sigma * SPREAD / total.sqrt())


def rival(arm, network, spread=SPREAD):
    arm.network, arm.spread, arm.shape = network, spread, (4,)
    return arm


def exact_arms():
    ours = Ours("ours")
    exact = NoiseModel(GaussianKernel(), lambda x, beta: exact_denoiser(x, beta, MEAN, VARIANCE), shape=(4,))
    ours.model = exact
    return {
        "ours": ours,
        "ddpm": rival(DDPM(), exact_noise),
        "flow matching": rival(FlowMatching(), exact_flow),
        "edm": rival(EDM(), exact_residual),
    }


def largest_error(arm):
    """The largest error of the estimate at any level, in standard deviations of the posterior mean."""
    noise = torch.randn(64, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    errors = []
    for sigma in SIGMAS:
        noisy = MEAN + math.sqrt(VARIANCE + sigma**2) * noise
        spread = VARIANCE / math.sqrt(VARIANCE + sigma**2)
        errors.append(float((arm.estimate(noisy, sigma) - posterior_mean(noisy, sigma)).abs().max()) / spread)
    return max(errors)


@pytest.mark.parametrize("name", exact_arms())
def test_an_exact_network_gives_the_posterior_mean_at_every_level(name):
    assert largest_error(exact_arms()[name]) < 1e-3


def one_step_off(arm):
    call = arm.call
    arm.call = lambda x, level: call(x, level + 1e-3)
    return arm


def wrong_arms():
    arms = exact_arms()
    right = arms["edm"].denoised
    # Told the level on another scale: log10 in the place of the natural logarithm.
    wrong_scale = rival(EDM(), lambda x, level: exact_residual(x, level / math.log(10.0)))
    one_percent = rival(EDM(), exact_residual)
    one_percent.denoised = lambda network, x, sigma: right(network, x, 1.01 * sigma)
    return {
        "ddpm, one step off": one_step_off(arms["ddpm"]),
        "flow matching, one step off": one_step_off(arms["flow matching"]),
        "edm, another scale": wrong_scale,
        "edm, one percent off": one_percent,
    }


@pytest.mark.parametrize("name", wrong_arms())
def test_a_wrong_map_of_levels_is_seen(name):
    assert largest_error(wrong_arms()[name]) > 1e-3


def test_steps_between_whole_ones_are_those_of_the_schedule():
    """The cosine schedule as it was published (Nichol and Dhariwal 2021), step by step, as `diffusers` has it."""
    bars = torch.cos((torch.arange(1001, dtype=torch.float64) / 1000 + 0.008) / 1.008 * math.pi / 2).square()
    cumulative = torch.cumprod(1.0 - (1.0 - bars[1:] / bars[:-1]).clamp(max=0.999), dim=0)
    ratio = ((1.0 - cumulative) / cumulative).sqrt()
    # The noise of the very last step is limited.
    for step in (0, 1, 10, 500, 900, 998):
        assert ddpm.step_of(float(ratio[step])) == pytest.approx(step, abs=2e-2)
    assert ddpm.step_of(1e-6) == 0.0
    assert ddpm.step_of(1e9) == pytest.approx(999.0)


def test_the_curve_of_an_exact_arm_is_the_closed_form():
    """The error of the posterior mean is the posterior variance; the level is 4 standard errors."""
    z = MEAN + math.sqrt(VARIANCE) * torch.randn(1_000, 64, generator=torch.Generator().manual_seed(1))
    truth = torch.tensor([VARIANCE * s**2 / (VARIANCE + s**2) for s in SIGMAS])
    for arm in exact_arms().values():
        found = curve(SimpleNamespace(estimate=arm.estimate), z)
        # A mean of 64,000 squares of normal numbers.
        assert torch.allclose(torch.tensor(found["errors"]), truth, rtol=4.0 * math.sqrt(2.0 / 64_000), atol=0.0)
        information = 0.5 * math.log2(1.0 + VARIANCE / SIGMAS[0] ** 2)
        assert found["bits"] == pytest.approx(information, abs=4.0 * found["bits_error"] + 0.005)
        assert found["pictures"] == 1_000


class Counting:
    def __init__(self, network):
        self.network, self.calls = network, 0

    def __call__(self, x, level):
        self.calls += 1
        return self.network(x, level)


@pytest.mark.parametrize("churn", [None, edm.CIFAR, edm.IMAGENET], ids=["deterministic", "cifar", "imagenet"])
def test_edm_makes_no_more_calls_than_allowed(churn):
    for calls, made in {1: 1, 20: 19, 21: 21, 50: 49}.items():
        arm = rival(EDM(churn=churn), Counting(exact_residual))
        assert arm.draw(3, calls, seed=0).shape == (3, 4)
        assert arm.network.calls == made


@pytest.mark.parametrize("churn", [None, edm.CIFAR, edm.IMAGENET], ids=["deterministic", "cifar", "imagenet"])
def test_edm_draws_gaussian_data_by_the_exact_network(churn):
    """Mean and variance of 4,000 samples of 4 numbers, within 5 standard errors and 3 % for finite steps."""
    drawn = _drawn(rival(EDM(churn=churn), exact_residual))
    assert float(drawn.mean()) == pytest.approx(MEAN, abs=5.0 * math.sqrt(VARIANCE / drawn.numel()) + 0.01)
    assert float(drawn.var()) == pytest.approx(VARIANCE, rel=5.0 * math.sqrt(2.0 / drawn.numel()) + 0.03)


WRONG = {
    "another spread than in training": rival(EDM(), exact_residual, spread=0.7),
    "adds a fifth more noise": rival(EDM(churn=replace(edm.IMAGENET, inflation=1.2)), exact_residual),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_sampler_draws_other_data(name):
    assert float(_drawn(WRONG[name]).var()) != pytest.approx(VARIANCE, rel=5.0 * math.sqrt(2.0 / 16_000) + 0.03)


def _drawn(arm):
    streams = Streams.of(0, range(4_000))
    return arm.run(normal((4_000, 4), streams), 99, streams)


def test_the_trainer_trains_a_rival_too():
    """As an objective like our own: one loss per picture, and a gradient. The other rivals need `make bench`."""
    arm = EDM()
    assert issubclass(RivalObjective, TrainerObjective)
    z = torch.rand(16, 1, 8, 8, generator=torch.Generator().manual_seed(0)) * 2 - 1
    streams = Streams.of(0, range(16))
    arm.meet(SimpleNamespace(z=z))
    network = nn.Conv2d(1, 1, 3, padding=1)
    loss, info = RivalObjective(rival=arm)(None, lambda x, level: network(x), z, streams)
    assert info.loss.shape == (16,)
    loss.backward()
    assert network.weight.grad.abs().sum() > 0
