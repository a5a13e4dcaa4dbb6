"""Distributions over categories that make no table say what the table says."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.core.categories import LOG_ZERO, Certain, Mixed
from noisekernel.core.errors import ShapeError
from noisekernel.core.logistics import Logistics
from noisekernel.core.randomness import Recorded

SHAPE = (5, 3)


def logistics(classes, g, spread=1.0):
    weight, place, scale = torch.randn(3, *SHAPE, 2, generator=g)
    return Logistics(torch.log_softmax(weight, -1), place, torch.exp(spread * scale - 1), classes)


def some(kind, classes, seed):
    """A distribution of each kind over `classes` classes."""
    g = generator(seed)
    value = torch.randint(classes, SHAPE, generator=g)
    curve = logistics(classes, g)
    if kind == "certain":
        return Certain(value, classes)
    if kind == "curve":
        return curve
    mask = torch.rand(SHAPE, generator=g) < 0.5
    kernel = nk.CategoricalKernel(0.6, classes=classes - 1, carry_visible=seed % 2 == 0)
    x, z = torch.randint(classes, SHAPE, generator=g), value % (classes - 1)
    return {
        "clamped": curve.clamp(value, mask),
        "step": kernel.transition(logistics(classes - 1, g), x, 0.5, 0.4),
        "conditional": kernel.conditional(z, x, 0.5, 0.4),
        "noised": kernel.noise(z, 0.3),
    }[kind]


KINDS = ["certain", "curve", "clamped", "step", "conditional", "noised"]
few = settings(max_examples=25)  # of each kind
every_kind = pytest.mark.parametrize("kind", KINDS)
sizes, seeds = st.integers(3, 40), st.integers(0, 1000)


@every_kind
@few
@given(classes=sizes, seed=seeds)
def test_everything_is_as_by_the_table(kind, classes, seed):
    d = some(kind, classes, seed)
    table = nk.Categorical(d.table())
    assert (d.shape, d.classes) == (table.shape, table.classes) == (SHAPE, classes)
    torch.testing.assert_close(d.probs.sum(-1), torch.ones(SHAPE), rtol=1e-4, atol=1e-5)
    for k in range(classes):
        value = torch.full(SHAPE, k)
        torch.testing.assert_close(d.log_prob_elements(value), table.log_prob_elements(value), rtol=1e-4, atol=1e-4)
    for k in range(-1, classes + 1):
        value = torch.full(SHAPE, k)
        torch.testing.assert_close(d.up_to(value), table.up_to(value), rtol=1e-4, atol=1e-5)
    assert bool((d.log_of(torch.full(SHAPE, classes)) < 0.1 * LOG_ZERO).all())
    assert torch.equal(d.mode, table.mode)
    torch.testing.assert_close(d.point().probs.argmax(-1), d.mode)


@every_kind
@few
@given(classes=sizes, seed=seeds)
def test_the_same_uniform_draws_the_same_class(kind, classes, seed):
    """But for rounding: u may lie at the edge of two classes."""
    d = some(kind, classes, seed)
    u = torch.rand(SHAPE, generator=generator(seed + 1)).clamp(1e-6, 1 - 1e-6)
    drawn = d.quantile(u)
    low, high = d.up_to(drawn - 1), d.up_to(drawn)
    assert bool(((low - 1e-5 <= u) & (u <= high + 1e-5)).all())
    assert bool((d.log_of(drawn) > 0.1 * LOG_ZERO).all())  # and never an impossible one


@every_kind
def test_samples_are_their_noise_drawn_again(kind):
    d = some(kind, 12, 3)
    value = d.sample(generator(1))
    noise = d.noise_of(value, generator(2))
    assert torch.equal(d.sample(Recorded(0, torch.arange(SHAPE[0]), noise=(noise,))), value)


@given(classes=sizes, seed=seeds)
def test_kl_by_the_few_values_is_kl_by_the_table(classes, seed):
    kernel = nk.CategoricalKernel(0.6, classes=classes, carry_visible=seed % 2 == 0)
    g = generator(seed)
    z = torch.randint(classes, SHAPE, generator=g)
    x = torch.where(torch.rand(SHAPE, generator=g) < 0.5, z, classes)
    p, q = kernel.conditional(z, x, 0.5, 0.4), kernel.transition(logistics(classes, g), x, 0.5, 0.4)
    assert len(p.support()) == 3
    assert q.support() is None
    by_table = nk.Categorical(p.table()).kl(nk.Categorical(q.table()))
    torch.testing.assert_close(p.kl(q), by_table, rtol=1e-3, atol=1e-4)
    if not kernel.carry_visible:  # the wrong twin counts a value twice where x = z
        twice = sum((p.log_of(v).exp() * (p.log_of(v) - q.log_of(v))).sum(1) for v in p.support())
        assert not torch.allclose(twice, by_table, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("value", [0, 7, 15])
def test_gradients_are_those_of_the_table(value):
    features = torch.randn(1, 15, 6, generator=generator(0))
    grads = []
    for by_table in (False, True):
        given_features = features.clone().requires_grad_()
        r = nk.OrdinalHead(16, 1).decode(given_features, torch.zeros(1, 1, 6, dtype=torch.int64), torch.ones(1))
        picked = torch.full((1, 1, 6), value)
        (nk.Categorical(r.table()) if by_table else r).log_prob(picked).sum().backward()
        grads.append(given_features.grad)
    torch.testing.assert_close(grads[0], grads[1], rtol=1e-4, atol=1e-6)
    assert float(grads[0].abs().max()) > 1e-2


@pytest.mark.statistical
@every_kind
def test_samples_follow_the_table(kind):
    d = some(kind, 6, 4)
    n = 1_500
    streams = [nk.Streams.of(1, range(5 * i, 5 * i + 5)) for i in range(n)]
    drawn = torch.stack([d.sample(s)[0, 0] for s in streams])
    counts, expected = torch.bincount(drawn, minlength=6).numpy(), n * d.probs[0, 0].numpy()
    possible = expected > 1e-6
    assert counts[~possible].sum() == 0
    if possible.sum() > 1:
        assert stats.chisquare(counts[possible], expected[possible], sum_check=False).pvalue > LEVEL
        wrong = expected[possible][::-1]
        assert stats.chisquare(counts[possible], wrong, sum_check=False).pvalue < LEVEL


@pytest.mark.parametrize("fill", [-1e6, 0.0, 1e6])
def test_far_away_classes_have_finite_logs_and_gradients(fill):
    features = torch.full((2, 30, 4), fill, requires_grad=True)
    r = nk.OrdinalHead(256, 2).decode(features, torch.zeros(2, 2, 4, dtype=torch.int64), torch.ones(2))
    log_prob = r.log_prob_elements(torch.full((2, 2, 4), 200))
    assert bool(torch.isfinite(log_prob).all())
    log_prob.sum().backward()
    assert bool(torch.isfinite(features.grad).all())
    assert bool((r.quantile(torch.full((2, 2, 4), 0.5)) < 256).all())


def test_select_goes_into_what_is_mixed():
    one, other = (some("step", 5, seed) for seed in (1, 3))
    choose = torch.tensor([True, False, True, True, False])
    chosen = one.select(choose, other)
    expected = torch.where(choose[:, None, None], one.probs, other.probs)
    torch.testing.assert_close(chosen.probs, expected)
    assert isinstance(chosen.base, Mixed)


def test_select_between_kinds_is_by_table():
    one, other = some("certain", 5, 1), nk.Categorical(some("curve", 5, 3).table())
    chosen = one.select(torch.tensor([True, False, True, True, False]), other)
    torch.testing.assert_close(chosen.probs[0], one.probs[0])
    torch.testing.assert_close(chosen.probs[1], other.probs[1])


def test_mistakes():
    with pytest.raises(ShapeError, match=r"other has shape \(5, 3, 5\) but this distribution has \(5, 3, 4\)"):
        some("curve", 4, 0).kl(some("curve", 5, 0))
