"""Steering by a score: for Gaussian data and a linear f the tilted distribution is known exactly."""

from functools import partial

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel import tasks
from noisekernel.core.levels import flat
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.schedule import Schedule

pytestmark = pytest.mark.statistical

N, BETA, MEAN, VARIANCE, TILT = 8_000, 0.3, 0.7, 0.25, 1.5


def test_a_linear_score_moves_the_mean_by_the_exact_amount():
    """p(x) exp(k x) with x ~ N(m, v) is N(m + k v, v): mean moved by k v, variance as before."""
    alpha = 1 - BETA
    mean, variance = alpha * MEAN, alpha**2 * VARIANCE + BETA
    model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (1,))
    z = MEAN + VARIANCE**0.5 * torch.randn(N, 1, generator=generator())
    run = tasks.steering(model, z, lambda x: TILT * x[:, 0], on="state", beta=BETA, steps=150, readout=0)
    accepted = torch.stack([info.accepted.float().mean() for _, info in run])
    x = run.state.x[:, 0].numpy()
    tilted = (mean + TILT * variance, variance**0.5)
    assert stats.kstest(x, "norm", args=tilted).pvalue > LEVEL
    assert stats.ttest_1samp(x, tilted[0]).pvalue > LEVEL
    assert stats.kstest(x, "norm", args=(mean, variance**0.5)).pvalue < LEVEL  # unmoved
    assert stats.kstest(x, "norm", args=(mean + TILT, variance**0.5)).pvalue < LEVEL  # moved by k, not k v
    assert 0.2 < float(accepted.mean()) < 0.95


def test_on_the_clean_guess_it_is_the_tilt_of_that_function_of_x():
    """With mu = c + g x, exp(k mu) tilts x by k g: the guess moves by k g^2 v."""
    alpha = 1 - BETA
    variance = alpha**2 * VARIANCE + BETA
    gain = alpha * VARIANCE / variance
    model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (1,))
    z = MEAN + VARIANCE**0.5 * torch.randn(N, 1, generator=generator())
    clean = nk.steer(model, z, lambda guess: 4.0 * guess[:, 0], beta=BETA, steps=150, readout=0)[:, 0, 0]
    law = (MEAN + 4.0 * gain**2 * variance, gain * variance**0.5)
    assert stats.kstest(clean.numpy(), "norm", args=law).pvalue > LEVEL
    assert stats.kstest(clean.numpy(), "norm", args=(MEAN, law[1])).pvalue < LEVEL


def test_any_reversible_chain_can_be_steered():
    """A finite chain in balance with p, and a score that is no gradient of anything: exactly p exp(f), normalised."""
    p = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
    f = torch.tensor([0.0, -1.0, 2.0, 0.5])
    kernel = nk.FiniteKernel(4)
    kernel.logits.data = torch.log(p).float().expand(4, 4) + 2 * torch.tensor(
        [[0, 1, 0, 1], [1, 0, 0, 0], [0] * 4, [1, 0, 0, 0]]
    )
    kernel.logits.data = torch.log(_balanced(kernel.matrix(), p)).float()
    model, n = nk.PlainModel(kernel), 40_000
    state = nk.chain.start(model, torch.zeros(n, dtype=torch.int64), 1.0, nk.Streams.of(0, range(n)))
    walk = Schedule.along(flat(1.0), 60, 0.0)
    *_, (state, _) = nk.chain.run(model, state, walk, lambda x, _: f[x])
    counts = torch.bincount(state.x, minlength=4).numpy()
    tilted = p * f.double().exp()
    assert stats.chisquare(counts, n * (tilted / tilted.sum()).numpy()).pvalue > LEVEL
    assert stats.chisquare(counts, n * p.numpy()).pvalue < LEVEL


def _balanced(proposal, p):
    """Metropolis and Hastings: make any proposal reversible for p."""
    ratio = (p[None, :] * proposal.T) / (p[:, None] * proposal)
    matrix = proposal * torch.minimum(torch.ones_like(ratio), ratio)
    return matrix - torch.diag(matrix.diag()) + torch.diag(1 - (matrix.sum(1) - matrix.diag()))
