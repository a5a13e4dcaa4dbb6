"""KL and reconstruction against their closed forms."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk
from helpers import LinearDenoiser, generator
from noisekernel.core.errors import InputError
from noisekernel.objectives.anchors import KL, Reconstruction
from noisekernel.objectives.base import Noised

GAUSSIAN = nk.GaussianKernel(0.5)


CATEGORICAL = nk.CategoricalKernel(0.8, classes=3)


def categorical_denoiser(x, beta):
    logits = torch.stack([(x == k).float() * (1.5 + k) + 0.1 * k for k in range(3)], dim=-1)
    return nk.Categorical.from_logits(logits)


@given(z=st.floats(-2, 2), x=st.floats(-2, 2), mu=st.floats(-2, 2), s2=st.floats(0.01, 2), w=st.floats(0, 0.95))
def test_kl_is_the_closed_form(z, x, mu, s2, w):
    beta, z, x, mu = 0.3, *(torch.tensor([[v]], dtype=torch.float64) for v in (z, x, mu))
    r = nk.Normal(mu, torch.full_like(mu, s2))
    loss = KL().anchor(nk.GaussianKernel(w), r, Noised(z, x, torch.tensor([beta], dtype=torch.float64)))
    a, c = (1 - w) * (1 - beta), (1 - w**2) * beta
    s2_model = c + a**2 * s2
    expected = ((a * (z - mu)) ** 2 + c) / (2 * s2_model) + 0.5 * math.log(s2_model) - 0.5 * (1 + math.log(c))
    assert float(loss) == pytest.approx(float(expected), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("lag", [0.0, 0.3])
def test_kl_may_be_of_another_lag_than_that_of_the_kernel(lag):
    z = torch.randn(64, 3, generator=generator())
    denoiser = LinearDenoiser(0.4, -1.0).requires_grad_(False)
    own, other = (
        KL(lag=lag)(GAUSSIAN, denoiser, z, generator(1)),
        KL()(GAUSSIAN.with_lag(lag), denoiser, z, generator(1)),
    )
    torch.testing.assert_close(own[0], other[0])
    assert float((own[0] - KL()(GAUSSIAN, denoiser, z, generator(1))[0]).abs()) > 1e-3
    with pytest.raises(InputError, match="lag is 1"):
        KL(lag=1.0)


@pytest.mark.parametrize("kernel", [GAUSSIAN, CATEGORICAL], ids=["gaussian", "categorical"])
def test_kl_is_the_mean_log_ratio_of_draws(kernel):
    n, beta = 100_000, 0.4
    if kernel is GAUSSIAN:
        z, denoiser = torch.full((n, 2), 0.7), LinearDenoiser(0.4, -1.0)
    else:
        z, denoiser = torch.tensor([0, 2]).expand(n, 2), categorical_denoiser
    x = kernel.noise(z[:1], beta).sample(generator()).expand(n, 2)
    levels = torch.full((n,), beta)
    with torch.no_grad():
        r = denoiser(x, levels)
        truth, model = kernel.conditional(z, x, beta, beta), kernel.transition(r, x, beta, beta)
        y = truth.sample(generator(1))
        ratio = truth.log_prob(y) - model.log_prob(y)
        exact = KL().anchor(kernel, r, Noised(z, x, levels))[0]
    assert abs(float(ratio.mean() - exact)) < 4 * float(ratio.std()) / n**0.5
    assert float(exact) > 0


def test_reconstruction_is_the_likelihood_of_z():
    z = torch.randn(64, 3, generator=generator())
    loss, info = Reconstruction()(GAUSSIAN, LinearDenoiser(0.4, -1.0), z, generator(1))
    assert info.loss.shape == (64,)
    g = generator(1)  # the same draws again
    beta = nk.UniformLevels().sample(64, g)
    x = GAUSSIAN.noise(z, beta).sample(g)
    expected = -torch.distributions.Normal(0.4 * x, math.exp(-0.5)).log_prob(z).mean()
    assert float(loss.detach()) == pytest.approx(float(expected), rel=1e-5)
