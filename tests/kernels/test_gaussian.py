"""Propositions 1 and 2, eqs 11, 12, 14-21, each against an independent computation and with a wrong twin."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import noisekernel as nk
from noisekernel.core.errors import ScheduleError
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.samplers import annealing

levels = st.floats(0.02, 1.0)
lags = st.floats(0.0, 0.98)
reals = st.floats(-3.0, 3.0)


def scalar(value):
    return torch.tensor([[value]], dtype=torch.float64)


def density(distribution, value):
    return float(distribution.log_prob(scalar(value)).exp())


@given(z=reals, beta=levels, share=st.floats(0.1, 1.0), of_limit=st.floats(0.0, 0.95), y=reals)
def test_proposition_1_integrates_the_state_out(z, beta, share, of_limit, y):
    """The density of y given z, by quadrature over x, is the noise at the next level."""
    after = beta * share
    kernel = nk.GaussianKernel(of_limit * math.sqrt(share))
    spread = 12 * math.sqrt(beta)
    x = torch.linspace((1 - beta) * z - spread, (1 - beta) * z + spread, 8001, dtype=torch.float64)[:, None]
    clean, target = torch.full_like(x, z), torch.full_like(x, y)
    step = kernel.conditional(clean, x, beta, after)
    weight = (kernel.noise(clean, beta).log_prob(x) + step.log_prob(target)).exp()
    by_quadrature = float(torch.trapezoid(weight, x[:, 0]))
    marginal = density(kernel.noise(scalar(z), after), y)
    assert by_quadrature == pytest.approx(marginal, rel=1e-3, abs=1e-9)


@given(z=reals, x=reals, y=reals, beta=levels, lag=lags)
def test_proposition_2_balance_at_a_constant_level(z, x, y, beta, lag):
    kernel = nk.GaussianKernel(lag)
    forth = kernel.noise(scalar(z), beta).log_prob(scalar(x)) + kernel.conditional(
        scalar(z), scalar(x), beta, beta
    ).log_prob(scalar(y))
    back = kernel.noise(scalar(z), beta).log_prob(scalar(y)) + kernel.conditional(
        scalar(z), scalar(y), beta, beta
    ).log_prob(scalar(x))
    assert float(forth) == pytest.approx(float(back), rel=1e-6, abs=1e-4)


def test_proposition_2_fails_for_another_b(monkeypatch):
    right = nk.GaussianKernel.coefficients
    kernel, z, x, y, beta = nk.GaussianKernel(0.5), scalar(0.7), scalar(-0.4), scalar(1.1), 0.3

    def imbalance():
        forth = kernel.noise(z, beta).log_prob(x) + kernel.conditional(z, x, beta, beta).log_prob(y)
        back = kernel.noise(z, beta).log_prob(y) + kernel.conditional(z, y, beta, beta).log_prob(x)
        return abs(float(forth - back))

    assert imbalance() < 1e-10

    def wrong(self, *args):
        w, a, b = right(self, *args)
        return w, a, b / (1 + w)  # (1 - w) beta in the place of (1 - w^2) beta

    monkeypatch.setattr(nk.GaussianKernel, "coefficients", wrong)
    assert imbalance() > 0.1


@given(z=reals, beta=levels, share=st.floats(0.1, 1.0), lag=st.floats(0.0, 1.0))
def test_eq_12_the_conditional_carries_the_noise_along(z, beta, share, lag):
    after = beta * share
    kernel = nk.GaussianKernel(lag * math.sqrt(share))  # any lag up to the limit
    noise = kernel.noise(scalar(z), beta)
    w, a, b = (float(c) for c in kernel.coefficients(scalar(0.0), beta, after))
    mean, variance = w * float(noise.loc) + a * z, w**2 * float(noise.variance) + b
    assert mean == pytest.approx((1 - after) * z, abs=1e-6)
    assert variance == pytest.approx(after, rel=1e-5)
    without_lag = (1 - after) - (1 - beta)  # the wrong twin: eq. 16 with w left out
    if abs(z) > 0.1 and abs(w - 1) > 0.1 and beta < 0.9:
        assert abs(w * float(noise.loc) + without_lag * z - (1 - after) * z) > 1e-3


@pytest.mark.parametrize(
    ("beta", "after", "lag"), [(0.5, 0.5, 0.5), (0.6, 0.5, 0.3), (0.2, 0.3, 0.9), (1.0, 0.99, 0.5)]
)
@pytest.mark.parametrize(("x", "y"), [(0.4, -0.3), (-1.2, 0.9)])
def test_eq_11_the_transition_is_the_integral_over_r(beta, after, lag, x, y):
    kernel = nk.GaussianKernel(lag)
    r = nk.Normal(scalar(0.35), scalar(0.4))

    def integrand(z):
        return density(r, z) * density(kernel.conditional(scalar(z), scalar(x), beta, after), y)

    by_quadrature, _ = integrate.quad(integrand, -8, 8, epsabs=1e-10, limit=200)
    model = kernel.transition(r, scalar(x), beta, after)
    assert density(model, y) == pytest.approx(by_quadrature, rel=1e-5)
    w, a, b = kernel.coefficients(scalar(x), beta, after)
    if abs(float(a)) > 0.01:  # the wrong twin: sigma2 enters with a, not a^2
        wrong = nk.Normal(w * scalar(x) + a * r.loc, b + a.abs() * r.variance)
        assert density(wrong, y) != pytest.approx(by_quadrature, rel=1e-3)


@given(x=reals, beta=st.floats(0.02, 0.98), mean=st.floats(-1.0, 1.0), variance=st.floats(0.05, 2.0))
def test_the_exact_denoiser_is_the_posterior(x, beta, mean, variance):
    r = exact_denoiser(scalar(x), beta, mean, variance)
    z = np.linspace(mean - 12 * variance**0.5, mean + 12 * variance**0.5, 20_001)
    weight = stats.norm.pdf(z, mean, variance**0.5) * stats.norm.pdf(x, (1 - beta) * z, beta**0.5)
    weight /= np.trapezoid(weight, z)
    posterior_mean = np.trapezoid(weight * z, z)
    assert float(r.loc) == pytest.approx(posterior_mean, abs=1e-3)
    assert float(r.variance) == pytest.approx(np.trapezoid(weight * (z - posterior_mean) ** 2, z), rel=2e-2, abs=1e-4)


def test_the_deterministic_limit_is_deterministic():
    kernel = nk.GaussianKernel(math.sqrt(0.3 / 0.5))
    x, r = torch.randn(4, 3), nk.Normal(torch.randn(4, 3), torch.ones(4, 3))
    step = kernel.transition(r.point(), x, 0.5, 0.3)
    assert (step.variance < 1e-6).all()
    sigma = math.sqrt(0.3 / 0.5)
    torch.testing.assert_close(step.loc, 0.7 * r.loc + sigma * (x - 0.5 * r.loc))  # DDIM, as usually written


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize(("beta", "after"), [(0.37, 0.21), (1.0, 0.99), (0.02, 1e-4)])
def test_coefficients_are_right_in_any_precision(dtype, beta, after):
    """Near the limit they are differences of nearly equal numbers, so they are computed wide and rounded once."""
    for lag in (0.999 * math.sqrt(after / beta), math.sqrt(after / beta)):
        x = torch.zeros(1, 1, dtype=dtype)
        w, a, b = nk.GaussianKernel(lag).coefficients(x, beta, after)
        exact = (lag, (1 - after) - lag * (1 - beta), max(after - lag**2 * beta, 0.0))
        for ours, truth in zip((w, a, b), exact, strict=True):
            assert float(ours) == pytest.approx(float(torch.tensor(truth, dtype=dtype)), rel=1e-5, abs=1e-9)


def test_the_deterministic_way_down_ignores_the_seed():
    model = nk.NoiseModel(nk.GaussianKernel(), lambda x, beta: exact_denoiser(x, beta, 0.3, 0.5), (2,))
    ends = []
    for seed in (0, 1):
        state = nk.chain.start(model, torch.ones(3, 2), 1.0, nk.Streams.of(seed, range(3)))
        *_, (last, _) = nk.chain.run(model, state, annealing(model.kernel, 50, churn=0.0))
        ends.append(last.x)
    torch.testing.assert_close(*ends, rtol=0, atol=1e-5)


def test_annealing_ends_clean_or_is_refused():
    kernel = nk.GaussianKernel()
    for steps in (1, 2, 7):
        assert float(annealing(kernel, steps).beta[-1]) == pytest.approx(1e-4)
    with pytest.raises(ScheduleError, match="as clean already"):
        annealing(kernel, 5, first=1e-5)
