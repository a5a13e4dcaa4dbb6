"""Distributions against torch.distributions, scipy and enumeration."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import noisekernel as nk
from cases import random_categorical, random_normal, shapes
from helpers import LEVEL, generator
from noisekernel.core.categories import LOG_ZERO
from noisekernel.core.distributions import sum_elements
from noisekernel.core.errors import InputError, ShapeError


@given(shape=shapes, seed=st.integers(0, 1000))
def test_normal_agrees_with_torch(shape, seed):
    g = generator(seed)
    p, q, value = random_normal(shape, g), random_normal(shape, g), torch.randn(shape, generator=g)
    reference = [torch.distributions.Normal(d.loc, d.variance.sqrt()) for d in (p, q)]
    torch.testing.assert_close(p.log_prob_elements(value), reference[0].log_prob(value), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(p.log_prob(value), sum_elements(reference[0].log_prob(value)), rtol=1e-4, atol=1e-4)
    kl = sum_elements(torch.distributions.kl_divergence(*reference))
    torch.testing.assert_close(p.kl(q), kl, rtol=1e-3, atol=1e-4)


@given(shape=shapes, classes=st.integers(2, 5), seed=st.integers(0, 1000))
def test_categorical_agrees_with_torch(shape, classes, seed):
    g = generator(seed)
    p, q = random_categorical(shape, classes, g), random_categorical(shape, classes, g)
    value = torch.randint(classes, shape, generator=g)
    reference = [torch.distributions.Categorical(logits=d.log_probs) for d in (p, q)]
    torch.testing.assert_close(p.log_prob_elements(value), reference[0].log_prob(value), rtol=1e-4, atol=1e-5)
    kl = sum_elements(torch.distributions.kl_divergence(*reference))
    torch.testing.assert_close(p.kl(q), kl, rtol=1e-3, atol=1e-4)


@pytest.mark.statistical
def test_samples_of_a_categorical_follow_it():
    probs = torch.tensor([0.5, 0.0, 0.31, 0.19])
    n = 40_000
    draws = nk.Categorical.from_probs(probs.expand(n, 4)).sample(nk.Streams.of(0, range(n)))
    counts = torch.bincount(draws, minlength=4)
    assert counts[1] == 0  # what has no probability is never drawn
    seen, expected = counts[[0, 2, 3]].numpy(), n * probs[[0, 2, 3]].numpy()
    assert stats.chisquare(seen, expected, sum_check=False).pvalue > LEVEL
    wrong = n * torch.tensor([0.5, 0.28, 0.22]).numpy()
    assert stats.chisquare(seen, wrong, sum_check=False).pvalue < LEVEL


@given(zeros=st.lists(st.booleans(), min_size=2, max_size=6).filter(lambda z: not all(z)), seed=st.integers(0, 100))
def test_impossible_classes_are_never_drawn_and_have_log_prob_minus_infinity(zeros, seed):
    weights = torch.tensor([0.0 if zero else 1.0 + k for k, zero in enumerate(zeros)])
    d = nk.Categorical.from_probs((weights / weights.sum()).expand(200, len(zeros)))
    draws = d.sample(nk.Streams.of(seed, range(200)))
    assert bool((weights[draws] > 0).all())
    for k, zero in enumerate(zeros):
        assert bool(torch.isneginf(d.log_prob(torch.full((200,), k)))[0]) == zero


@pytest.mark.statistical
def test_samples_of_a_normal_follow_it():
    d = nk.Normal(torch.full((20_000, 1), 3.0), torch.full((20_000, 1), 0.25))
    values = d.sample(generator()).flatten().numpy()
    assert stats.kstest(values, "norm", args=(3.0, 0.5)).pvalue > LEVEL
    assert stats.kstest(values, "norm", args=(3.0, 0.25)).pvalue < LEVEL  # the wrong twin: variance for deviation


def test_zero_variance_is_a_point_mass():
    d = nk.Normal(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 1.0]]))
    assert d.sample(generator())[0, 0] == 1.0
    assert d.log_prob(torch.tensor([[1.0, 2.0]])).item() == pytest.approx(-0.5 * math.log(2 * math.pi))
    assert d.log_prob(torch.tensor([[1.1, 2.0]])).item() == -math.inf


def test_point_and_clamp():
    normal = nk.Normal(torch.tensor([[1.0, 2.0]]), torch.tensor([[4.0, 5.0]]))
    assert torch.equal(normal.point().variance, torch.zeros(1, 2))
    clamped = normal.clamp(torch.tensor([[7.0, 8.0]]), torch.tensor([[1, 0]]))
    assert clamped.loc.tolist() == [[1.0, 8.0]]
    assert clamped.variance.tolist() == [[4.0, 0.0]]
    categorical = nk.Categorical.from_probs(torch.tensor([[[0.2, 0.8], [0.6, 0.4]]]))
    assert categorical.point().probs.tolist() == [[[0.0, 1.0], [1.0, 0.0]]]
    held = categorical.clamp(torch.tensor([[0, 1]]), torch.tensor([[1, 0]]))
    torch.testing.assert_close(held.probs, torch.tensor([[[0.2, 0.8], [0.0, 1.0]]]))
    torch.testing.assert_close(categorical.mean, torch.tensor([[0.8, 0.4]]))


def test_select_mixes_sample_by_sample():
    a, b = random_normal((3, 2, 2), generator(0)), random_normal((3, 2, 2), generator(1))
    mixed = a.select(torch.tensor([True, False, True]), b)
    assert torch.equal(mixed.loc[0], a.loc[0])
    assert torch.equal(mixed.loc[1], b.loc[1])
    assert torch.equal(mixed.variance[2], a.variance[2])


def test_delta():
    d = nk.Delta(torch.tensor([[1, 2], [3, 4]]))
    assert torch.equal(d.sample(generator()), d.value)
    assert d.log_prob(torch.tensor([[1, 2], [3, 5]])).tolist() == [0.0, -math.inf]
    assert torch.equal(d.mode, d.mean)


def test_gradients_stay_finite_where_probabilities_are_zero():
    """Mixtures in logarithms of things that cannot happen: minus infinity would give NaN gradients."""
    kernel, logits = nk.CategoricalKernel(0.0, classes=3), torch.zeros(1, 2, 3, requires_grad=True)
    x = torch.tensor([[0, 3]])
    step = kernel.transition(nk.Categorical.from_logits(logits), x, 0.5, 0.5)
    kernel.conditional(torch.tensor([[0, 1]]), x, 0.5, 0.5).kl(step).sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad != 0).any()
    probs = torch.tensor([[0.5, 0.5, 0.0]], requires_grad=True)
    nk.Categorical.from_probs(probs).log_prob(torch.tensor([0])).sum().backward()
    assert torch.isfinite(probs.grad).all()
    assert -math.inf < LOG_ZERO


def test_mistakes():
    with pytest.raises(ShapeError, match="variance has shape"):
        nk.Normal(torch.zeros(2, 3), torch.ones(2, 1))
    with pytest.raises(ShapeError, match="value has shape"):
        nk.Normal(torch.zeros(2, 3), torch.ones(2, 3)).log_prob(torch.zeros(3))
    with pytest.raises(InputError, match="a variance is -1"):
        nk.Normal(torch.zeros(2, 3), torch.full((2, 3), -1.0))
    with pytest.raises(InputError, match="sum to 1"):
        nk.Categorical.from_probs(torch.tensor([[0.5, 0.6]]))
    with pytest.raises(InputError, match="classes from 2 to 2"):
        nk.Categorical.from_probs(torch.tensor([[0.5, 0.5]])).log_prob(torch.tensor([2]))
