"""The head that knows the covariance of the data: its posterior against linear algebra, few examples, odd data."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError
from noisekernel.core.levels import level_of_ratio
from noisekernel.measuring.denoising import SIGMAS, denoising_curve, estimate_of
from noisekernel.networks import covariance as covariance_module
from noisekernel.networks.covariance import GaussianBasis, cosines
from noisekernel.networks.exact import exact_denoiser

#: Vectors, a time series, grey and coloured pictures, with every coefficient in the dense part and with few.
SHAPES = [((5,), 512), ((2, 7), 512), ((1, 4, 6), 512), ((3, 4, 3), 512), ((3, 4, 3), 6)]


class Zeros(nn.Module):
    """A network that has learned nothing."""

    def __init__(self, head):
        super().__init__()
        self.out_channels = head.out_channels

    def forward(self, h, level, label=None):
        self.seen = h
        return torch.zeros(len(h), self.out_channels, *h.shape[2:])


def correlated(n, shape, seed=0):
    """Gaussian data with a covariance that has no symmetry, and its mean and covariance."""
    size = math.prod(shape)
    mix = torch.randn(size, size, generator=generator(seed), dtype=torch.float64) * torch.logspace(-2, 0, size) / 2
    mean = torch.linspace(-1, 2, size, dtype=torch.float64)
    z = mean + torch.randn(n, size, generator=generator(seed + 1), dtype=torch.float64) @ mix.T
    return z.reshape(n, *shape), mean, mix @ mix.T


def fresh(n, mean, covariance):
    """More data of this law, as vectors."""
    normal = torch.randn(n, len(mean), generator=generator(9), dtype=torch.float64)
    return mean + normal @ torch.linalg.cholesky(covariance).T


def covariance_of(basis):
    """The covariance that a basis stands for, as a matrix."""
    units = torch.eye(basis.variances.numel())
    vectors = basis.back(units).flatten(1).double()
    return vectors.T @ (basis.variances.double()[:, None] * vectors)


@pytest.mark.parametrize(("shape", "dense"), SHAPES)
def test_the_basis_is_orthonormal_and_its_covariance_is_that_of_the_data(shape, dense):
    z, _, _ = correlated(400, shape)
    basis = GaussianBasis(shape, dense)
    basis.fit(z.float(), sigma=1e-3)
    off = torch.randn(3, *shape, generator=generator(5))
    torch.testing.assert_close(basis.back(basis.forth(off)), off, atol=1e-5, rtol=1e-5)
    found, flat = covariance_of(basis), z.flatten(1)
    truth = (flat - flat.mean(0)).T @ (flat - flat.mean(0)) / len(z) * (401 / 399)
    assert float(found.trace()) == pytest.approx(float(truth.trace()), rel=1e-3)
    if dense >= math.prod(shape):
        assert float((found - truth).norm() / truth.norm()) < 0.02
    else:  # the coefficients outside of the dense part have their variance, and no covariance
        c = basis.spectrum((z - z.mean(0)).float())
        rest = [i for i in range(c.shape[1]) if i not in basis.chosen.tolist()]
        expected = c.var(dim=0, correction=0)[rest] * (401 / 399)
        torch.testing.assert_close(basis.variances[rest], expected, rtol=1e-3, atol=1e-5)


@settings(deadline=None, max_examples=20)
@given(place=st.integers(0, len(SHAPES) - 1), beta=st.floats(1e-3, 1.0))
def test_the_posterior_is_that_of_linear_algebra(place, beta):
    shape, dense = SHAPES[place]
    z, _, _ = correlated(60, shape)
    head = nk.CovarianceGaussian.of(z, shape[0], crossover=0.0, dense=dense, components=1)
    covariance, mean = covariance_of(head.basis), head.basis.mean.flatten().double()
    x = torch.randn(4, *shape, generator=generator(3), dtype=torch.float64)
    alpha = 1.0 - beta
    total = alpha**2 * covariance + beta * torch.eye(len(covariance), dtype=torch.float64)
    gain = alpha * covariance @ torch.linalg.inv(total)
    expected = mean + (x.flatten(1) - alpha * mean) @ gain.T
    spread = (covariance - alpha * gain @ covariance).diagonal()
    backbone = Zeros(head)
    r = nk.Denoiser(backbone, head)(x, beta)
    torch.testing.assert_close(r.loc.flatten(1), expected, atol=2e-5, rtol=2e-4)
    # Exact where each axis is a group of its own (at most 32 of them), else as near as groups of like variance are.
    near = 1e-3 if covariance.shape[0] <= 32 else 0.05
    torch.testing.assert_close(r.variance.flatten(1), spread.expand(4, -1), atol=1e-5, rtol=near)
    assert backbone.seen.shape[1] == head.in_channels == 2 * shape[0]


@given(sigma=st.floats(0.01, 50), crossover=st.floats(0.05, 2))
@settings(deadline=None, max_examples=20)
def test_the_two_linear_denoisers_are_blended_by_the_noise_level(sigma, crossover):
    z, _, _ = correlated(60, (5,))
    head = nk.CovarianceGaussian.of(z, 5, crossover=crossover, components=1)
    whole = nk.CovarianceGaussian.of(z, 5, crossover=0.0, components=1)
    beta = level_of_ratio(torch.full((4,), sigma, dtype=torch.float64))
    x = torch.randn(4, 5, generator=generator(3), dtype=torch.float64)
    one, other = exact_denoiser(x, beta, head.plain.mean, head.plain.variance), whole.known(x, beta)
    weight = sigma**2 / (sigma**2 + crossover**2)
    blend = head.known(x, beta)
    torch.testing.assert_close(blend.loc, (1 - weight) * one.loc + weight * other.loc)
    torch.testing.assert_close(blend.variance, (1 - weight) * one.variance + weight * other.variance)


@pytest.mark.statistical
def test_a_network_of_zeros_reaches_the_bits_of_gaussian_data():
    """99 % of intervals of this width cover; the head for one variance, its twin, is far outside."""
    train, mean, covariance = correlated(4000, (2, 3, 3))
    held_out = fresh(1500, mean, covariance).reshape(-1, 2, 3, 3)
    truth = float(0.5 * torch.log2(1 + torch.linalg.eigvalsh(covariance) / 0.02**2).mean())

    def off_by(head):
        curve = denoising_curve(estimate_of(nk.Denoiser(Zeros(head), head)), held_out.float())
        bits = curve.bits_of_examples
        return (float(bits.mean()) - truth) / (float(bits.std()) / math.sqrt(len(bits)))

    exact = nk.CovarianceGaussian.of(train.float(), 2, crossover=0.0)
    assert abs(off_by(exact)) < 2.6
    assert off_by(nk.PreconditionedGaussian.of(train.float(), 2)) > 10


@pytest.mark.statistical
def test_few_examples_are_shrunk_and_many_are_not():
    """Left-out examples choose the shrinkage; its twin, the covariance of few examples as it is, takes more bits."""
    shape = (1, 6, 6)
    few, mean, covariance = correlated(20, shape)
    held_out = fresh(500, mean, covariance).reshape(-1, *shape).float()
    assert GaussianBasis(shape).fit(correlated(5000, shape)[0].float(), sigma=0.1) <= 0.01
    basis, twin = GaussianBasis(shape), GaussianBasis(shape)
    assert basis.fit(few.float(), sigma=0.1) >= 0.1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covariance_module, "SHRINKAGES", (0.0,))
        assert twin.fit(few.float(), sigma=0.1) == 0.0

    def bits(of):
        def estimate(noisy, sigma):
            beta = level_of_ratio(torch.full((len(noisy),), sigma, dtype=torch.float64))
            return of.posterior((1 - float(beta[0])) * noisy, beta)[0]

        return denoising_curve(estimate, held_out, sigmas=[s for s in SIGMAS if s > 0.09]).bits_of_examples

    gain = bits(twin) - bits(basis)
    assert float(gain.mean()) > 5 * float(gain.std()) / math.sqrt(len(gain))


def test_pixels_that_never_change_do_no_harm():
    z = torch.randn(50, 1, 4, 4, generator=generator())
    z[:, :, 0] = 0.25
    head = nk.CovarianceGaussian.of(z, 1, crossover=0.0)
    kernel = nk.GaussianKernel()
    denoiser = nk.Denoiser(Zeros(head), head)
    for beta in (1e-4, 0.3, 1.0):
        r = denoiser(kernel.noise(z, beta).sample(generator(1)), beta)
        assert bool((r.variance > 0).all())
        assert bool(torch.isfinite(r.log_prob(z)).all())
        torch.testing.assert_close(r.loc[:, :, 0], z[:, :, 0], atol=0.05, rtol=0)


def test_what_has_no_covariance_is_refused():
    with pytest.raises(InputError, match="5 examples say nothing about a covariance; it takes at least 8"):
        nk.CovarianceGaussian.of(torch.randn(5, 1, 4, 4, generator=generator()), 1)
    same = torch.randn(1, 1, 4, 4, generator=generator()).expand(9, 1, 4, 4)
    with pytest.raises(InputError, match="one and the same"):
        nk.CovarianceGaussian.of(same.contiguous(), 1)
    with pytest.raises(InputError, match="NaN"):
        nk.CovarianceGaussian.of(torch.full((9, 2), torch.nan), 2)


def test_the_cosines_are_those_of_another_library():
    from scipy.fft import dct

    z = torch.randn(3, 7, generator=generator())
    torch.testing.assert_close(z @ cosines(7).T, torch.from_numpy(dct(z.numpy(), norm="ortho")), atol=1e-5, rtol=1e-5)


def test_variances_of_elements_add_up_to_those_of_the_axes():
    z, _, _ = correlated(300, (3, 5, 5))
    basis = GaussianBasis((3, 5, 5), dense=20)
    basis.fit(z.float())
    torch.testing.assert_close(basis.shares.sum(dim=1), torch.ones(75), atol=1e-4, rtol=0)
    _, spread = basis.posterior(torch.zeros(1, 3, 5, 5), torch.ones(1))
    assert float(spread.sum()) == pytest.approx(float(basis.variances.sum()), rel=1e-4)


def test_a_module_like_others():
    """It moves, is copied, and is built without values, as a file is read."""
    z, _, _ = correlated(60, (2, 4, 4))
    head = nk.CovarianceGaussian.of(z.float(), 2, components=4)
    with torch.device("meta"):
        empty = nk.CovarianceGaussian(2, (2, 4, 4), head.plain.mean, head.plain.variance, components=4)
    empty.load_state_dict(head.state_dict(), assign=True)
    x, beta = torch.randn(3, 2, 4, 4, generator=generator()), torch.full((3,), 0.4)
    torch.testing.assert_close(empty.known(x, beta).loc, head.known(x, beta).loc)
    estimate = partial(head.known, beta=beta)
    torch.testing.assert_close(estimate(x.double()).loc.float(), head.known(x, beta).loc, atol=1e-5, rtol=1e-4)
