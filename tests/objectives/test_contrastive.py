"""Contrastive adjustment: eqs 2-4, the control variate, Algorithm 1, balance."""

import math

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.objectives.anchors import KL
from noisekernel.objectives.base import Noised

GAUSSIAN = nk.GaussianKernel(0.5)


def scores(control, kernel, x, beta, shift, slope, log_variance):
    """The gradient of each sample's loss by the parameters of mu = shift + slope x and log sigma2: (n, 3).

    Every sample has three parameters of its own, so that one backward pass gives all the gradients.
    """
    parameters = [torch.full((len(x), 1), value, requires_grad=True) for value in (shift, slope, log_variance)]

    def transition(state):
        r = nk.Normal(parameters[0] + parameters[1] * state, parameters[2].exp().expand_as(state))
        return kernel.transition(r, state, beta, beta)

    loss, _ = nk.contrastive_adjustment(transition, x, generator(), control)
    return torch.cat(torch.autograd.grad(loss * len(x), parameters), dim=1)


@pytest.mark.statistical
def test_eqs_2_to_4_the_mean_score_of_the_forward_step_is_zero():
    """And the wrong twin: the score of the backward step is not, for a chain out of balance."""
    n = 20_000
    x = 1.3 * torch.randn(n, 1, generator=generator(9)) + 0.4  # any p(x) will do
    only_back = scores(0.0, GAUSSIAN, x, 0.3, 0.1, 0.9, -0.5)
    forward = only_back - scores(1.0, GAUSSIAN, x, 0.3, 0.1, 0.9, -0.5)  # + grad log p(y | x)
    for gradient, zero in [(forward, True), (only_back, False)]:
        t = gradient.mean(0) / (gradient.std(0) / n**0.5)
        inside = bool((t.abs() < stats.norm.isf(LEVEL / 6)).all())
        assert inside is zero


@pytest.mark.statistical
@pytest.mark.parametrize("lag", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("share", [-1.0, 0.5, 1.0])
def test_the_control_variate_keeps_the_mean_and_changes_the_variance_as_theory_says(lag, share):
    """Gaussian data, exact denoiser, rho the autocorrelation: for the mean's score the variance is multiplied by
    1 - 2 c rho + c^2, so by 1 - rho^2 at c = rho; for that of log sigma2 by 1 + 2 c rho^2 + c^2."""
    n, beta, s2 = 50_000, 0.3, 0.25
    kernel, alpha = nk.GaussianKernel(lag), 1 - beta
    total = alpha**2 * s2 + beta
    slope = alpha * s2 / total
    rho = lag + (1 - lag) * alpha * slope
    control = share * rho
    exact = (0.0, slope, math.log(s2 * beta / total))
    x = total**0.5 * torch.randn(n, 1, generator=generator(9))
    plain, controlled = (scores(c, kernel, x, beta, *exact) for c in (0.0, control))
    difference = (plain - controlled).mean(0) / ((plain - controlled).std(0) / n**0.5)
    assert (difference.abs() < stats.norm.isf(LEVEL / 6)).all()
    ratio = controlled.var(0) / plain.var(0)
    assert float(ratio[0]) == pytest.approx(1 - 2 * control * rho + control**2, rel=0.05)
    assert float(ratio[2]) == pytest.approx(1 + 2 * control * rho**2 + control**2, rel=0.08)


@pytest.mark.parametrize(("lag", "ratio", "cosine"), [(0.98, 1.93, 0.9995), (0.9, 1.65, 0.988), (0.5, 0.90, 0.804)])
def test_at_large_lags_contrastive_adjustment_has_twice_the_gradient_of_kl(lag, ratio, cosine):
    """By quadrature, for a skewed mixture of two Gaussians and a denoiser that is wrong by 0.1 + 0.2 sin 2x: the
    gradients by mu at every state. In the limit the ratio is 2 (docs/theory.md); at lag 0.5 not even the direction is
    the same."""
    beta, sigma2, kernel = 0.2, 0.2, nk.GaussianKernel(lag)
    x = torch.linspace(-4, 4, 401, dtype=torch.float64)
    width, n = float(x[1] - x[0]), len(x)
    mixture = [(0.7, -1.0, 0.1), (0.3, 1.5, 0.3)]  # weight, mean, variance
    parts = torch.stack(
        [w * torch.from_numpy(stats.norm.pdf(x, 0.8 * m, math.sqrt(0.64 * v + beta))) for w, m, v in mixture]
    )
    guesses = torch.stack([nk.networks.exact_denoiser(x, beta, m, v).loc for _, m, v in mixture])
    density = parts.sum(0)
    truth = (parts * guesses).sum(0) / density
    mu = (truth + 0.1 + 0.2 * torch.sin(2 * x)).requires_grad_()

    def step(before, after):
        r = nk.Normal(mu[before][:, None], torch.full((len(before), 1), sigma2, dtype=torch.float64))
        return kernel.transition(r, x[before][:, None], beta, beta).log_prob(x[after][:, None])

    start, end = (rows.flatten() for rows in torch.meshgrid(torch.arange(n), torch.arange(n), indexing="ij"))
    weight = (density[start] * step(start, end).exp()).detach() * width**2
    (adjusted,) = torch.autograd.grad(-(weight * step(end, start)).sum(), mu)
    # KL is quadratic in z - mu, so that z may be its mean.
    r = nk.Normal(mu[:, None], torch.full((n, 1), sigma2, dtype=torch.float64))
    levels = torch.full((n,), beta, dtype=torch.float64)
    loss = KL().anchor(kernel, r, Noised(truth[:, None], x[:, None], levels))
    (anchored,) = torch.autograd.grad((density * width * loss).sum(), mu)
    assert float(adjusted @ anchored / anchored.square().sum()) == pytest.approx(ratio, abs=0.01)
    assert float(adjusted @ anchored / adjusted.norm() / anchored.norm()) == pytest.approx(cosine, abs=0.001)


def test_algorithm_1_is_the_control_weight_minus_one():
    kernel, x = nk.FiniteKernel(4), torch.tensor([0, 1, 2, 3, 3])
    kernel.logits.data = torch.randn(4, 4, generator=generator())
    loss, _ = nk.contrastive_adjustment(kernel.transition, x, generator(1), control=-1.0)
    y = kernel.transition(x).sample(generator(1))
    expected = (kernel.transition(x).log_prob(y) - kernel.transition(y).log_prob(x)).mean()
    torch.testing.assert_close(loss, expected)


def test_a_reparametrised_sample_does_not_leak_its_gradient():
    mean = torch.full((4, 1), 0.3, requires_grad=True)

    class Leaky(nk.Normal):
        def sample(self, generator):
            return self.loc + torch.full_like(self.loc, 0.5)

    def transition(x):
        return Leaky(mean * x, torch.ones_like(x))

    x = torch.full((4, 1), 2.0)
    loss, _ = nk.contrastive_adjustment(transition, x, generator(), control=1e-12)
    loss.backward()
    y = 0.3 * 2.0 + 0.5
    expected = -(2.0 - 0.3 * y) * y / 4  # of - log N(x | mean y, 1), y held fixed
    torch.testing.assert_close(mean.grad, torch.full((4, 1), expected))


def test_the_log_ratio_is_zero_on_average_only_in_balance():
    """In balance E[log p(y|x) - log p(x|y)] = E[log p(y) - log p(x)] = 0."""
    p = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    kernel, x = nk.FiniteKernel(3), torch.multinomial(p, 50_000, replacement=True, generator=generator())
    _, info = nk.contrastive_adjustment(kernel.transition, x, generator(1))
    assert (info.seen["log_ratio"] == 0).all()  # the uniform jump is symmetric
    kernel.logits.data = p.log().float().expand(3, 3).clone()  # independent draws from p: balanced, not symmetric
    ratio = nk.contrastive_adjustment(kernel.transition, x, generator(1))[1].seen["log_ratio"]
    assert abs(float(ratio.mean())) < 4 * float(ratio.std()) / len(x) ** 0.5
    kernel.logits.data = 3 * torch.eye(3).roll(1, dims=1)  # the wrong twin: round and round
    ratio = nk.contrastive_adjustment(kernel.transition, x, generator(1))[1].seen["log_ratio"]
    assert float(ratio.mean()) > 10 * float(ratio.std()) / len(x) ** 0.5
