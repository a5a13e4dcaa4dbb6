"""Under one seed, what a task makes of another's results is as it would be under two: no noise is met twice.

The twins draw for every purpose the same, as one would who numbers streams by sample and draw alone.
"""

from dataclasses import replace
from functools import partial

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL
from noisekernel import renewal, tasks
from noisekernel.kernels.gaussian import exact_denoiser
from noisekernel.random import Purpose

pytestmark = pytest.mark.statistical

N, STEPS, MEAN, VARIANCE = 10_000, 20, 0.7, 0.25
MODEL = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=MEAN, variance=VARIANCE), (1,))


def all_the_same(monkeypatch):
    streams = tasks._streams
    monkeypatch.setattr(tasks, "_streams", lambda *given: streams(*given[:-1], Purpose.NEW))


def correlation(a, b):
    """Whether there is one: the probability of one as large by chance."""
    return float(stats.pearsonr(a.flatten().numpy(), b.flatten().numpy()).pvalue)


def test_what_is_hidden_of_a_sample_is_not_found_again_by_its_seed(monkeypatch):
    z = nk.synthesize(MODEL, N, steps=STEPS)

    def filled():
        return nk.inpaint(MODEL, z, torch.ones(N, 1), steps=STEPS)

    assert correlation(z, filled()) > LEVEL
    all_the_same(monkeypatch)
    assert correlation(z, filled()) < LEVEL


def test_a_walk_from_a_sample_does_not_go_the_way_that_the_sample_came(monkeypatch):
    def walked():
        z = nk.synthesize(MODEL, N, steps=STEPS)
        run = tasks.variation(MODEL, z, beta=0.2, steps=STEPS, lag=0.9, readout=0)
        run.result()
        truth = stats.norm(0.8 * MEAN, (0.8**2 * VARIANCE + 0.2) ** 0.5)
        return stats.kstest(run.state.x.flatten().numpy(), truth.cdf).pvalue

    assert walked() > LEVEL
    all_the_same(monkeypatch)
    assert walked() < LEVEL


@pytest.mark.parametrize("spent", [True, False], ids=["counted", "forgotten"])
def test_variants_of_variants_may_have_one_seed(spent):
    """Else what is drawn anew adds up."""
    run = tasks.renewal(MODEL, nk.synthesize(MODEL, N, steps=STEPS), below=0.4)
    for _ in range(8):
        noise = run.noise if spent else replace(run.noise, spent=0)
        run = tasks.renewal(MODEL, run.result(), below=0.4, noise=noise)
    new = nk.synthesize(MODEL, N, steps=STEPS, seed=5)
    same = stats.ks_2samp(run.result().flatten().numpy(), new.flatten().numpy()).pvalue > LEVEL
    assert same == spent


def test_noise_that_is_drawn_and_renewed_under_one_seed_is_renewed():
    down = MODEL.kernel.annealing(STEPS)
    noise = renewal.fresh(MODEL, N, down, nk.Streams.of(0, range(N)))
    run = tasks.renewal(MODEL, torch.zeros(N, 1), below=1.0, steps=STEPS, noise=noise)
    assert all(correlation(old, new) > LEVEL / 21 for old, new in zip(noise.noise, run.noise.noise, strict=True))
