"""The denoising curve against closed forms and enumeration, with wrong twins."""

import itertools
import math
from dataclasses import dataclass
from functools import partial

import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.categories import Categorical
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.kernels import CategoricalKernel, GaussianKernel
from noisekernel.measuring.denoising import SIGMAS, curve_of, denoising_curve, estimate_of, yardstick
from noisekernel.measuring.denoising.gaussian import FEW, weights_of
from noisekernel.networks.exact import exact_denoiser

#: Three correlated elements with a mean, of which no two are alike.
MEAN = torch.tensor([0.3, -0.5, 0.1], dtype=torch.float64)
COVARIANCE = torch.tensor([[0.5, 0.3, 0.0], [0.3, 0.4, -0.05], [0.0, -0.05, 0.05]], dtype=torch.float64)
EIGENVALUES = torch.linalg.eigvalsh(COVARIANCE)
#: Five standard errors: fewer than one run in a million fails by chance, were the seed not fixed.
MANY = 5.0


def drawn(n, seed=0):
    noise = torch.randn(n, 3, generator=generator(seed), dtype=torch.float64)
    return MEAN + noise @ torch.linalg.cholesky(COVARIANCE).T


def posterior_mean(noisy, sigma, mean=MEAN, covariance=COVARIANCE):
    """E[z | z + sigma n] of Gaussian data."""
    gain = covariance @ torch.linalg.inv(covariance + sigma**2 * torch.eye(3, dtype=torch.float64))
    return mean + (noisy - mean) @ gain.T


def true_bits(sigma):
    return float(0.5 * torch.log2(1.0 + EIGENVALUES / sigma**2).mean())


def within(figure, truth, by=MANY):
    """Whether a figure's own standard error allows the truth."""
    reach = figure.high - figure.value
    return abs(figure.value - truth) <= by / 1.96 * reach


@pytest.mark.parametrize("sigmas", [SIGMAS, FEW])
def test_gaussian_data_of_any_covariance_take_the_bits_of_the_closed_form(sigmas):
    curve = denoising_curve(posterior_mean, drawn(4000), sigmas=sigmas)
    assert within(curve.bits, true_bits(sigmas[0]))
    assert curve.bits.high - curve.bits.low < 0.13
    errors, spread = curve.of_examples.mean(dim=0), curve.of_examples.std(dim=0) / math.sqrt(4000)
    truth = torch.tensor([float((EIGENVALUES * s**2 / (EIGENVALUES + s**2)).mean()) for s in sigmas])
    assert bool(((errors - truth).abs() < MANY * spread).all())
    assert curve.errors == tuple(errors.tolist())


@pytest.mark.parametrize(("sigmas", "off"), [(SIGMAS, 0.0005), (FEW, 0.003)])
@pytest.mark.parametrize("deviation", [0.2, 0.5, 1.0, 2.0])
def test_the_sum_is_the_integral(sigmas, off, deviation):
    """Without examples: the exact errors, summed by the weights."""
    errors = torch.tensor([1.0 / (1.0 / deviation**2 + 1.0 / s**2) for s in sigmas], dtype=torch.float64)
    found = float(errors @ torch.tensor(weights_of(sigmas), dtype=torch.float64))
    assert found == pytest.approx(0.5 * math.log2(1 + deviation**2 / sigmas[0] ** 2), abs=off)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mean": MEAN + 0.1},
        {"covariance": 1.5 * COVARIANCE},
        {"covariance": COVARIANCE.diag().diag()},
    ],
    ids=["mean", "variance", "correlation"],
)
def test_a_wrong_denoiser_takes_more_bits(wrong):
    """Example by example the difference is certain, though the curves themselves are not: level 5 standard errors."""
    z = drawn(1000)
    right, worse = denoising_curve(posterior_mean, z), denoising_curve(partial(posterior_mean, **wrong), z)
    more = worse.more_than(right)
    assert more.value > MANY / 1.96 * (more.high - more.value)
    assert not within(worse.more_than(right), 0.0)
    assert right.more_than(right).value == 0.0
    assert sum(worse.errors) > sum(right.errors)


def test_the_noise_of_an_example_does_not_depend_on_its_batch():
    z = drawn(23)
    whole = denoising_curve(posterior_mean, z, seed=3)
    parts = denoising_curve(posterior_mean, z, seed=3, batch_size=5)
    torch.testing.assert_close(whole.of_examples, parts.of_examples)
    later = denoising_curve(posterior_mean, z[7:], seed=3, first=7)
    torch.testing.assert_close(whole.of_examples[7:], later.of_examples)
    other = denoising_curve(posterior_mean, z, seed=4)
    assert not torch.allclose(whole.of_examples, other.of_examples, rtol=0.1)


def test_a_denoiser_of_ours_is_told_the_level_that_the_estimate_is_for():
    """The exact denoiser of the kernel's x = alpha (z + sigma n) is the posterior mean of z + sigma n."""
    z = 0.2 + 0.7 * torch.randn(500, 2, 2, generator=generator(1))
    ours = estimate_of(partial(exact_denoiser, mean=0.2, variance=0.49))
    curve = curve_of(GaussianKernel(), partial(exact_denoiser, mean=0.2, variance=0.49), z)
    theirs = denoising_curve(lambda noisy, sigma: 0.2 + 0.49 / (0.49 + sigma**2) * (noisy - 0.2), z)
    torch.testing.assert_close(curve.of_examples, theirs.of_examples, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(ours(z, 0.3), 0.2 + 0.49 / (0.49 + 0.09) * (z - 0.2))
    assert (curve.scale, curve.levels) == ("sigma", SIGMAS)
    # Of one mean and one variance, the reference that learns them from the data is as good.
    simple = curve_of(GaussianKernel(), yardstick(GaussianKernel()).simple(z), z)
    assert abs(simple.more_than(curve).value) < 0.01


# Categories -----------------------------------------------------------------------------------------------------------

CLASSES = LENGTH = 3
KERNEL = CategoricalKernel(classes=CLASSES)
ALL = torch.tensor(list(itertools.product(range(CLASSES), repeat=LENGTH)))
TABLE = torch.rand(len(ALL), generator=generator(3), dtype=torch.float64) ** 3
TABLE = TABLE / TABLE.sum()
ENTROPY = float(-(TABLE * TABLE.log2()).sum()) / LENGTH


def exact(x, beta, table=TABLE):
    """p(z | x) of a table: the strings that agree with what is visible, each element's marginal."""
    visible = x != CLASSES
    agree = ((ALL[None] == x[:, None]) | ~visible[:, None]).all(dim=2) * table
    hot = torch.nn.functional.one_hot(ALL, CLASSES).double()
    return Categorical.from_probs(torch.einsum("bs,slk->blk", agree / agree.sum(dim=1, keepdim=True), hot))


def cross_entropy(denoiser, beta):
    """H(beta) by enumeration: all strings, all masks."""
    total = 0.0
    for mask in itertools.product((False, True), repeat=LENGTH):
        hidden = torch.tensor(mask)
        if not hidden.any():
            continue
        chance = beta ** sum(mask) * (1 - beta) ** (LENGTH - sum(mask))
        log_prob = denoiser(torch.where(hidden, CLASSES, ALL), beta).log_prob_elements(ALL)
        total += chance * float((TABLE * -log_prob[:, hidden].sum(dim=1)).sum())
    return total / (beta * LENGTH * math.log(2))


def strings(n, seed=0):
    return ALL[torch.multinomial(TABLE, n, replacement=True, generator=generator(seed))]


WRONG = TABLE.roll(1) * 0.3 + TABLE * 0.7


@pytest.mark.parametrize("few", [False, True])
def test_the_integral_over_levels_is_the_entropy_of_a_table(few):
    """By enumeration, without examples: exactly, for the exact denoiser; and no less for another."""
    levels = yardstick(KERNEL).levels(few)
    weights = curve_of(KERNEL, exact, ALL, few=few).weights
    summed = sum(w * cross_entropy(exact, beta) for beta, w in zip(levels, weights, strict=True))
    assert summed == pytest.approx(ENTROPY, rel=1e-9)
    # The bound of another denoiser is the mean over orders of its chain rule.
    wrong = partial(exact, table=WRONG)
    by_orders = 0.0
    for order in itertools.permutations(range(LENGTH)):
        x = torch.full_like(ALL, CLASSES)
        for place in order:
            by_orders += float((TABLE * -wrong(x, 1.0).log_prob_elements(ALL)[:, place]).sum()) / math.log(2) / 6
            x[:, place] = ALL[:, place]
    summed = sum(w * cross_entropy(wrong, beta) for beta, w in zip(levels, weights, strict=True))
    assert summed == pytest.approx(by_orders / LENGTH, rel=1e-9)
    assert summed > ENTROPY + 0.01


def test_drawn_strings_take_the_bits_of_enumeration_and_a_wrong_table_more():
    z = strings(6000)
    right, worse = curve_of(KERNEL, exact, z), curve_of(KERNEL, partial(exact, table=WRONG), z)
    assert right.scale == "beta"
    assert within(right.bits, ENTROPY)
    spread = right.of_examples.std(dim=0) / math.sqrt(len(z))
    truth = torch.tensor([cross_entropy(exact, beta) for beta in right.levels])
    assert bool(((right.of_examples.mean(dim=0) - truth).abs() < MANY * spread).all())
    more = worse.more_than(right)
    assert more.value > MANY / 1.96 * (more.high - more.value)


def test_one_histogram_knows_the_classes_and_nothing_else():
    z = strings(4000)
    simple = curve_of(KERNEL, yardstick(KERNEL).simple(z), z)
    share = torch.bincount(z.flatten()).double() / z.numel()
    assert within(simple.bits, float(-(share * share.log2()).sum()))
    assert simple.bits.low > ENTROPY


def test_categories_of_any_shape_and_batch():
    z = torch.randint(0, 3, (11, 2, 4), generator=generator(2))
    simple = yardstick(KERNEL).simple(z)
    whole, parts = curve_of(KERNEL, simple, z), curve_of(KERNEL, simple, z, batch_size=4)
    torch.testing.assert_close(whole.of_examples, parts.of_examples)
    later = curve_of(KERNEL, simple, z[4:], first=4)
    torch.testing.assert_close(whole.of_examples[4:], later.of_examples)


# What is refused --------------------------------------------------------------------------------------------------


def test_what_has_no_curve_is_told_why():
    z = drawn(4)
    with pytest.raises(InputError, match=r"sigmas has 1 before 0\.5; give them from low to high"):
        denoising_curve(posterior_mean, z, sigmas=(0.1, 1.0, 0.5))
    with pytest.raises(InputError, match="sigmas has 1 before 1"):
        denoising_curve(posterior_mean, z, sigmas=(1.0, 1.0))
    with pytest.raises(InputError, match="sigmas is empty"):
        denoising_curve(posterior_mean, z, sigmas=())
    with pytest.raises(InputError, match="each sigma is 0"):
        denoising_curve(posterior_mean, z, sigmas=(0.0, 1.0))
    with pytest.raises(InputError, match="each sigma is nan"):
        denoising_curve(posterior_mean, z, sigmas=(math.nan,))
    with pytest.raises(InputError, match="NaN or infinite, in sample"):
        denoising_curve(posterior_mean, torch.full((2, 3), torch.nan))
    with pytest.raises(ShapeError, match="at least one sample"):
        denoising_curve(posterior_mean, z[:0])
    with pytest.raises(DtypeError, match="floating-point data"):
        denoising_curve(posterior_mean, torch.zeros(2, 3, dtype=torch.int64))
    with pytest.raises(ShapeError, match=r"the estimate has shape \(4, 1\) but z has shape \(4, 3\)"):
        denoising_curve(lambda noisy, sigma: noisy[:, :1], z)
    with pytest.raises(InputError, match=r"the estimate at sigma 0\.02 holds 12 numbers that are NaN"):
        denoising_curve(lambda noisy, sigma: noisy * torch.nan, z)
    with pytest.raises(InputError, match="batch_size is 0"):
        denoising_curve(posterior_mean, z, batch_size=0)
    with pytest.raises(InputError, match="compares with one of the same examples"):
        denoising_curve(posterior_mean, z).more_than(denoising_curve(posterior_mean, z[:2]))
    with pytest.raises(InputError, match="classes from 0 to 9"):
        curve_of(KERNEL, exact, torch.arange(10)[:, None])


def test_one_example_has_bits_without_bounds():
    figure = denoising_curve(posterior_mean, drawn(1)).bits
    assert math.isfinite(figure.value)
    assert (figure.low, figure.high) == (-math.inf, math.inf)


@dataclass(frozen=True)
class Foreign(GaussianKernel):
    """A kernel of someone's own."""


def test_a_kernel_of_ones_own_is_measured_by_what_it_is_or_says():
    z = drawn(5).float()
    denoiser = partial(exact_denoiser, mean=0.0, variance=1.0)
    assert curve_of(Foreign(), denoiser, z).scale == "sigma"
    with pytest.raises(InputError, match="a FiniteKernel has no denoising curve; say how"):
        yardstick(nk.FiniteKernel(3))

    def unsure(x, beta):
        return Normal(x, torch.ones_like(x))

    assert curve_of(GaussianKernel(), unsure, z).bits.value > curve_of(GaussianKernel(), denoiser, z).bits.value
