"""Eqs 6, 11 and 12 for rows of mixed data, by quadrature over numbers and enumeration over classes."""

import math
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kernels.product import FLOOR, number_level
from noisekernel.sampling.samplers import sampler

COUNTS = (2, 0, 3)  # the classes of the two columns differ, and the number stands between them
MASKED = 3
STATES = list(product((0, 1, MASKED), (0, 1, 2, MASKED)))
levels = st.floats(0.02, 1.0)
reals = st.floats(-2.0, 2.0)
Z = torch.tensor([[1.0, 0.6, 2.0]], dtype=torch.float64)


def grid(kernel, z, beta, points=4001):
    """All states: a fine grid of the number for each state of the classes, and the width of its cells."""
    g = float(number_level(torch.tensor(beta, dtype=torch.float64)))
    middle, reach = (1 - g) * float(z[0, 1]), 10 * math.sqrt(g)
    number = torch.linspace(middle - reach, middle + reach, points, dtype=torch.float64)
    parts = [torch.stack((torch.full_like(number, a), number, torch.full_like(number, b)), 1) for a, b in STATES]
    return torch.cat(parts), float(number[1] - number[0])


def probability(d, value):
    return d.log_prob(value).exp().double()


def all_states():
    g = generator(3)
    states = torch.tensor([[a, 0.0, b] for a, b in STATES], dtype=torch.float64)
    states[:, 1] = torch.randn(len(states), generator=g, dtype=torch.float64)
    return states


def joint(kernel, beta, x, y):
    """p(x | z) p(y | z, x) for every pair of states."""
    pairs = torch.tensor(list(product(range(len(x)), repeat=2)))
    a, b = x[pairs[:, 0]], y[pairs[:, 1]]
    z = Z.expand(len(a), -1)
    return probability(kernel.noise(z, beta), a) * probability(kernel.conditional(z, a, beta, beta), b)


@given(beta=levels, lag=st.floats(0.0, 0.99))
def test_the_kernel_balances_at_a_constant_level(beta, lag):
    kernel, x = nk.ProductKernel(lag, counts=COUNTS), all_states()
    there = joint(kernel, beta, x, x).reshape(len(x), len(x))
    torch.testing.assert_close(there, there.T, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("wrong", ["numbers", "categories"])
def test_another_step_of_either_sort_does_not_balance(monkeypatch, wrong):
    kernel, x = nk.ProductKernel(0.5, counts=COUNTS), all_states()
    kind = {"numbers": nk.GaussianKernel, "categories": nk.CategoricalKernel}[wrong]
    right = kind.coefficients

    def other(self, *given):
        *rest, b = right(self, *given)
        return (*rest, 0.7 * b)

    monkeypatch.setattr(kind, "coefficients", other)
    there = joint(kernel, 0.85, x, x).reshape(len(x), len(x))
    assert (there - there.T).abs().max() > 1e-3


@given(beta=levels, share=st.floats(0.2, 1.0), of_limit=st.floats(0.0, 0.95), number=reals)
def test_eq_12_the_conditional_carries_the_noise_along(beta, share, of_limit, number):
    """The sum over classes and the integral over the number of the state leave the noise at the next level."""
    after = beta * share
    kernel = nk.ProductKernel(of_limit * share, counts=COUNTS)
    x, cell = grid(kernel, Z, beta)
    z = Z.expand(len(x), -1)
    weight = probability(kernel.noise(z, beta), x) * cell
    step = kernel.conditional(z, x, beta, after)
    g = float(number_level(torch.tensor(after, dtype=torch.float64)))
    y = (1 - g) * float(Z[0, 1]) + math.sqrt(g) * number
    total = 0.0
    for a, b in STATES:
        value = torch.tensor([[a, y, b]], dtype=torch.float64)
        found = float((weight * probability(step, value.expand(len(x), -1))).sum())
        expected = float(probability(kernel.noise(Z, after), value))
        assert found == pytest.approx(expected, rel=1e-3, abs=1e-7)
        total += expected
        if share < 0.9 and expected > 1e-2:  # the wrong twin: noise at the old level
            assert found != pytest.approx(float(probability(kernel.noise(Z, beta), value)), rel=1e-3)
    assert total == pytest.approx(math.exp(-0.5 * number**2) / math.sqrt(2 * math.pi * g), rel=1e-3)


@pytest.mark.parametrize(("beta", "after", "lag"), [(0.5, 0.5, 0.9), (0.6, 0.5, 0.3), (1.0, 0.97, 0.5)])
def test_eq_11_the_transition_is_the_integral_over_r(beta, after, lag):
    kernel = nk.ProductKernel(lag, counts=COUNTS)
    probs = torch.tensor([[[0.3, 0.7, 0.0], [0.2, 0.5, 0.3]]], dtype=torch.float64)
    one = torch.ones(1, 1, dtype=torch.float64)
    r = nk.Product(nk.Normal(0.35 * one, 0.4 * one), nk.Categorical.from_probs(probs), COUNTS)
    number = torch.linspace(-6, 6, 4001, dtype=torch.float64)
    clean = torch.cat(
        [
            torch.stack((torch.full_like(number, a), number, torch.full_like(number, b)), 1)
            for a in (0, 1)
            for b in (0, 1, 2)
        ]
    )
    wide = nk.Product(
        nk.Normal(r.normal.loc.expand(len(clean), 1), r.normal.variance.expand(len(clean), 1)),
        nk.Categorical(r.categories.log_probs.expand(len(clean), 2, 3)),
        COUNTS,
    )
    weight = probability(wide, clean) * float(number[1] - number[0])
    for x in torch.tensor([[0.0, 0.4, MASKED], [MASKED, -1.2, 1.0]], dtype=torch.float64):
        states = x.expand(len(clean), -1)
        step = kernel.conditional(clean, states, beta, after)
        for a, b in STATES:
            y = torch.tensor([[a, 0.2, b]], dtype=torch.float64)
            by_sum = float((weight * probability(step, y.expand(len(clean), -1))).sum())
            found = float(probability(kernel.transition(r, x[None], beta, after), y))
            assert found == pytest.approx(by_sum, rel=1e-4, abs=1e-9)
        wrong = kernel.with_lag(0.8 * lag).transition(r, x[None], beta, after)  # the wrong twin
        y = torch.tensor([[MASKED, 0.2, MASKED]], dtype=torch.float64)
        found = float(probability(kernel.transition(r, x[None], beta, after), y))
        assert float(probability(wrong, y)) != pytest.approx(found, rel=1e-3)


@given(beta=st.floats(1e-3, 1.0))
def test_both_sorts_of_columns_lose_what_they_tell_at_one_rate(beta):
    """Half the logarithm of 1 + SNR is the information of a normal number; of a class it is the share that is seen."""
    g = float(number_level(torch.tensor(beta, dtype=torch.float64)))
    left = math.log1p((1 - g) ** 2 / g) / math.log1p((1 - FLOOR) ** 2 / FLOOR)
    assert left == pytest.approx(1.0 - beta, abs=1e-6)
    assert math.log1p((1 - beta) ** 2 / beta) / math.log1p((1 - FLOOR) ** 2 / FLOOR) < 1.0 - beta + 1e-9  # not beta


@given(beta=levels, share=st.floats(0.05, 1.0))
def test_at_the_largest_lag_both_sorts_carry_over_all_that_they_can(beta, share):
    kernel = nk.ProductKernel(counts=COUNTS)
    limit = float(kernel.largest_lag(*(torch.tensor(each, dtype=torch.float64) for each in (beta, beta * share))))
    x = all_states()
    step = kernel.with_lag(limit).conditional(Z.expand(len(x), -1), x, beta, beta * share)
    assert float(step.normal.variance.max()) < 1e-6
    x[:] = Z
    assert (
        float(kernel.with_lag(limit).conditional(x, x, beta, beta * share).categories.probs[..., MASKED].max()) < 1e-6
    )


def test_the_mistakes_of_users_get_sentences():
    kernel = nk.ProductKernel(counts=COUNTS)
    with pytest.raises(InputError, match="class 2 in column 0 of sample 1; with 2 classes they run from 0 to 1"):
        kernel.noise(torch.tensor([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]), 0.5)
    with pytest.raises(InputError, match=r"0\.5 in a column of categories"):
        kernel.noise(torch.tensor([[0.5, 0.0, 0.0]]), 0.5)
    with pytest.raises(InputError, match="and 3 is masked"):
        kernel.check_state(torch.tensor([[2.0, 0.0, 0.0]]))
    with pytest.raises(ShapeError, match="rows of 3 columns"):
        kernel.noise(torch.zeros(2, 4), 0.5)
    with pytest.raises(InputError, match="a GaussianKernel is for rows of one sort"):
        nk.ProductKernel(counts=(0, 0))
    with pytest.raises(InputError, match="a CategoricalKernel is for rows of one sort"):
        nk.ProductKernel(counts=(2, 3))
    with pytest.raises(InputError, match="take the sampler stochastic"):
        sampler("paper", kernel)
