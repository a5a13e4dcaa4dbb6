"""Propositions 1 and 2, eqs 11, 12, 14-21, each against an independent computation and with a wrong twin."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import noisekernel as nk
from noisekernel.kernels.gaussian import exact_denoiser

levels = st.floats(0.02, 1.0)
lags = st.floats(0.0, 0.98)
reals = st.floats(-3.0, 3.0)


def scalar(value):
    return torch.tensor([[value]], dtype=torch.float64)


def density(distribution, value):
    return float(distribution.log_prob(scalar(value)).exp())


@given(mu=reals, sigma=st.floats(0.1, 3.0), a=reals, b=reals, c=st.floats(0.1, 3.0), y=reals)
def test_proposition_1_the_marginal_of_a_linear_gaussian(mu, sigma, a, b, c, y):
    marginal = stats.norm.pdf(y, a * mu + b, math.sqrt(c**2 + a**2 * sigma**2))
    x = np.linspace(mu - 12 * sigma, mu + 12 * sigma, 20_001)
    by_quadrature = np.trapezoid(stats.norm.pdf(x, mu, sigma) * stats.norm.pdf(y, a * x + b, c), x)
    assert by_quadrature == pytest.approx(marginal, rel=1e-5, abs=1e-12)


def balance_gap(b_of, z, x, y, beta, lag):
    """log p(x|z) p(y|z,x) - log p(y|z) p(x|z,y), with b given by `b_of`."""
    alpha = 1 - beta
    a, b = (1 - lag) * alpha, b_of(beta, lag)

    def joint(u, v):
        return stats.norm.logpdf(u, alpha * z, beta**0.5) + stats.norm.logpdf(v, lag * u + a * z, b**0.5)

    return joint(x, y) - joint(y, x)


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


def test_proposition_2_fails_for_another_b():
    right = balance_gap(lambda beta, w: beta * (1 - w**2), 0.7, -0.4, 1.1, 0.3, 0.5)
    wrong = balance_gap(lambda beta, w: beta * (1 - w), 0.7, -0.4, 1.1, 0.3, 0.5)
    assert abs(right) < 1e-10
    assert abs(wrong) > 0.1


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
