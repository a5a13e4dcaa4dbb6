"""Proposition 3 and eqs 11, 12, 22-27 by full enumeration: every z, x and y of two elements with three classes."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk

K = 3
CLASSES, STATES = list(product(range(K), repeat=2)), list(product(range(K + 1), repeat=2))
Z, X, Y = (torch.tensor(list(values)) for values in zip(*product(CLASSES, STATES, STATES), strict=True))


def probability(distribution, value):
    return distribution.log_prob(value).exp().double()


def joint(kernel, beta, after, x=X, y=Y):
    """p(x | z) p(y | z, x) for every triple."""
    return probability(kernel.noise(Z, beta), x) * probability(kernel.conditional(Z, x, beta, after), y)


@given(beta=st.floats(0.01, 1.0), lag=st.floats(0.0, 1.0))
def test_proposition_3_balance_at_a_constant_level(beta, lag):
    kernel = nk.CategoricalKernel(lag, classes=K)
    torch.testing.assert_close(joint(kernel, beta, beta), joint(kernel, beta, beta, x=Y, y=X), rtol=1e-4, atol=1e-7)


def test_proposition_3_fails_for_another_b(monkeypatch):
    kernel = nk.CategoricalKernel(0.5, classes=K)
    right = kernel.coefficients

    def wrong(x, beta, after):
        w, b = right(x, beta, after)
        return w, b * (1 - w * beta)  # the numerator of eq. 25 without its denominator

    monkeypatch.setattr(nk.CategoricalKernel, "coefficients", lambda self, *args: wrong(*args))
    gap = (joint(kernel, 0.4, 0.4) - joint(kernel, 0.4, 0.4, x=Y, y=X)).abs().max()
    assert gap > 1e-3


@given(beta=st.floats(0.05, 1.0), share=st.floats(0.05, 1.0), of_limit=st.floats(0.0, 1.0))
def test_eq_12_the_conditional_carries_the_noise_along(beta, share, of_limit):
    after = beta * share
    kernel = nk.CategoricalKernel(of_limit * share, classes=K)
    summed = joint(kernel, beta, after).reshape(len(CLASSES), len(STATES), len(STATES)).sum(dim=1)
    z, y = (t.reshape(len(CLASSES), len(STATES), len(STATES), 2)[:, 0].reshape(-1, 2) for t in (Z, Y))
    expected = probability(kernel.noise(z, after), y)
    torch.testing.assert_close(summed.flatten(), expected, rtol=1e-3, atol=1e-6)
    if share < 0.9:  # the wrong twin: noise at the old level
        assert (summed.flatten() - probability(kernel.noise(z, beta), y)).abs().max() > 1e-3


@given(beta=st.floats(0.05, 1.0), share=st.floats(0.05, 1.0), of_limit=st.floats(0.0, 1.0))
def test_everything_is_normalised(beta, share, of_limit):
    kernel = nk.CategoricalKernel(of_limit * share, classes=K)
    x = torch.tensor(STATES)
    r = nk.Categorical.from_logits(torch.randn(len(x), 2, K))
    for d in (kernel.transition(r, x, beta, beta * share), kernel.noise(Z, beta)):
        torch.testing.assert_close(d.probs.sum(-1), torch.ones(d.probs.shape[:-1]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("beta", "after", "lag"), [(0.5, 0.5, 0.9), (0.6, 0.5, 0.3), (1.0, 0.99, 0.95), (0.3, 0.4, 0.0)]
)
def test_eq_27_is_eq_11_the_sum_over_z(beta, after, lag):
    kernel = nk.CategoricalKernel(lag, classes=K)
    x = torch.arange(K + 1)[:, None]
    f = torch.tensor([0.2, 0.5, 0.3]).expand(K + 1, 1, K)
    model = kernel.transition(nk.Categorical.from_probs(f), x, beta, after)
    summed = sum(f[:, :, z, None] * kernel.conditional(torch.full_like(x, z), x, beta, after).probs for z in range(K))
    torch.testing.assert_close(model.probs, summed)
    other = kernel.with_lag(0.5 * lag + 0.05).transition(nk.Categorical.from_probs(f), x, beta, after)
    assert (other.probs - summed).abs().max() > 1e-3  # the wrong twin: another lag


def test_visible_elements_are_carried_over_if_asked():
    x, r = torch.tensor([[0, K]]), nk.Categorical.from_probs(torch.tensor([[[0.1, 0.2, 0.7], [0.1, 0.2, 0.7]]]))
    free = nk.CategoricalKernel(0.5, classes=K).transition(r, x, 0.5, 0.4).probs
    carried = nk.CategoricalKernel(0.5, classes=K, carry_visible=True).transition(r, x, 0.5, 0.4).probs
    assert (carried[0, 0, 1:K] == 0).all()
    assert (free[0, 0, 1:K] > 0).all()
    torch.testing.assert_close(carried[0, 1], free[0, 1])


def test_what_is_carried_over_is_also_read_out():
    """A network that knows nothing of visible elements: carried over, they come back all the same."""
    kernel = nk.CategoricalKernel(0.5, classes=K, carry_visible=True)
    model = nk.NoiseModel(kernel, lambda x, beta: nk.Categorical.from_logits(torch.zeros(*x.shape, K)), (40,))
    z = torch.randint(K, (50, 40), generator=torch.Generator().manual_seed(0))
    run = nk.tasks.equilibration(model, z, beta=0.01, steps=0)
    visible = run.state.x != kernel.masked
    assert torch.equal(run.clean[visible], z[visible])
    free = nk.NoiseModel(nk.CategoricalKernel(0.5, classes=K), model.denoiser, (40,))  # the wrong twin
    assert not torch.equal(nk.tasks.equilibration(free, z, beta=0.01, steps=0).clean[visible], z[visible])
    drawn = nk.synthesize(model, 200, steps=60)
    counts = torch.bincount(drawn.flatten(), minlength=K) / drawn.numel()
    assert (counts - 1 / K).abs().max() < 0.05
