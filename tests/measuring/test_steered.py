"""A steered chain beside weighed new samples: against closed forms and enumeration, and a chain that is wrong."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
import torch

from helpers import generator
from noisekernel.core.errors import InputError
from noisekernel.kernels import CategoricalKernel, GaussianKernel
from noisekernel.measuring.chains.steered import Walking, over_walkers, reweighed, steered, weights_of
from noisekernel.networks import CategoricalHead, Denoiser, Transformer
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.in_order import in_sequence, log_probs
from noisekernel.sampling.model import NoiseModel

MODEL = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(2,))


def first(z):
    return z[:, 0]


def test_weights_against_the_gaussian_that_is_tilted():
    # N(1, 1/4) times exp(2 z) is N(1 + 2/4, 1/4).
    values = np.random.default_rng(0).normal(1.0, 0.5, 20_000)
    weights = weights_of(2.0 * values)
    found = reweighed(values, weights)
    assert abs(found.mean - 1.5) < 4.0 * found.error
    # E w^2 / (E w)^2 = exp(4 · 1/4) here, so that so many are left.
    assert weights.sum() ** 2 / (weights**2).sum() == pytest.approx(20_000 / math.e, rel=0.1)
    # The standard error is the spread of estimates.
    many = [reweighed(own, weights_of(2.0 * own)) for own in np.random.default_rng(1).normal(1.0, 0.5, (400, 1000))]
    assert np.std([one.mean for one in many]) == pytest.approx(np.mean([one.error for one in many]), rel=0.15)


def test_standard_errors_of_walkers_that_do_not_forget_are_those_of_walkers():
    # 200 walkers that never move, from N(0, 1): the error is that of 200 draws, however long the traces are.
    trace = np.repeat(np.random.default_rng(0).normal(size=(200, 1)), 500, axis=1)
    assert over_walkers(trace).error == pytest.approx(1 / math.sqrt(200), rel=0.15)


def test_the_walk_is_where_it_should_be():
    found = steered(MODEL, first, insist=2.0, samples=3000, walkers=48, steps=400, pace=0.7, look=8, seed=1)
    assert found.verdict.startswith("yes")
    assert abs(found.away) < 4.0
    # Annealing with the exact denoiser draws the Gaussian but for its last noise.
    assert found.weighed.mean == pytest.approx(1.5, abs=0.08)
    assert found.plain.mean == pytest.approx(1.0, abs=0.04)
    assert 0.3 < found.accepted <= 1.0
    assert found.different == found.accepted
    for shares in found.shares.values():
        assert sum(shares) == pytest.approx(1.0)
    assert len(found.edges) == len(found.shares["chain"]) + 1


def test_a_chain_that_is_wrong_is_told(monkeypatch):
    right = Walking.going
    monkeypatch.setattr(
        Walking, "going", lambda self, n, steps, seed, f: right(self, n, steps, seed, lambda z: 0.5 * f(z))
    )
    found = steered(MODEL, first, insist=2.0, samples=3000, walkers=48, steps=400, pace=0.7, look=8, seed=1)
    assert found.verdict.startswith("no:")
    assert found.away < -4.0


def untrained():
    """A denoiser of three tokens in three classes, of no merit."""
    head = CategoricalHead(3, None)
    denoiser = Denoiser(Transformer(head.in_channels, head.out_channels, width=16, depth=1, heads=2), head)
    g = generator(1)
    for weight in denoiser.parameters():
        weight.data = torch.randn(weight.shape, generator=g) * 0.4
    return denoiser


def test_redrawing_is_where_it_should_be_by_enumeration():
    kernel = CategoricalKernel(classes=3, carry_visible=True)
    model = NoiseModel(kernel, untrained(), shape=(3,))
    everything = torch.tensor(list(itertools.product(range(3), repeat=3)))

    def score(z):
        return 0.8 * z[:, 0].float() - 0.5 * (z[:, 1] == z[:, 2]).float()

    p = log_probs(kernel, model.denoiser, everything, in_sequence(everything)).double().sum(dim=1).exp()
    tilted = p * score(everything).double().exp()
    truth = float((tilted * score(everything)).sum() / tilted.sum())
    found = steered(model, score, chain="redraw", samples=4000, walkers=48, steps=200, share=0.5, seed=2)
    assert found.plain.mean == pytest.approx(float((p * score(everything)).sum()), abs=4.0 * found.plain.error)
    assert abs(found.weighed.mean - truth) < 4.0 * found.weighed.error
    assert abs(found.steered.mean - truth) < 4.0 * found.steered.error
    assert found.verdict.startswith("yes")
    # What is redrawn may come out as it was.
    assert found.different < found.accepted


def test_what_cannot_be_told_is_not():
    insistent = steered(MODEL, first, insist=12.0, samples=200, walkers=8, steps=16, look=4)
    assert "insist less, or take more samples" in insistent.verdict
    short = steered(MODEL, first, samples=400, walkers=16, steps=40, look=4, pace=0.02)
    assert "take four times as many steps" in short.verdict
    with pytest.raises(InputError, match="walk"):
        steered(MODEL, first, chain="wlak")
    with pytest.raises(InputError, match="is for data in categories"):
        steered(MODEL, first, chain="redraw")
    with pytest.raises(InputError, match="forbids every one"):
        steered(MODEL, lambda z: torch.full((len(z),), -math.inf), samples=20, walkers=2, steps=16, look=2)


def test_the_score_is_asked_of_what_is_new_only():
    asked = []

    def counted(z):
        asked.append(len(z))
        return z.float().sum(dim=1)

    model = NoiseModel(CategoricalKernel(classes=3, carry_visible=True), untrained(), shape=(3,))
    found = steered(model, counted, chain="redraw", samples=50, walkers=4, steps=40, share=0.3)
    # Once for each new sample and each beginning, by the chain once for each proposal, and for those that moved.
    assert sum(asked) <= 50 + 4 + 4 + 4 * 40 + round(found.different * 4 * 40)
