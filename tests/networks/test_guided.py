"""Guidance against closed forms: products of normals, scores of mixtures, enumeration; levels, and calls counted."""

import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk
from cases import random_categorical, random_normal
from helpers import generator
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.networks import Guided
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.guided import Turns, classes_of


class Counted:
    """A denoiser that counts its calls, and keeps the labels that it was told."""

    def __init__(self, denoiser):
        self.denoiser, self.calls, self.labels = denoiser, 0, []

    def __call__(self, x, beta, label=None):
        self.calls += 1
        self.labels.append(label)
        return self.denoiser(x, beta)


def gaussian(mean, variance=0.5):
    return partial(exact_denoiser, mean=mean, variance=variance)


def is_the_product(guided, good, worse, strength):
    """Whether the guided r is r^w q^(1 - w) but for a constant, at places all over."""
    z = torch.linspace(-4, 4, 41, dtype=torch.float64)[:, None]
    x, beta = torch.full_like(z, 0.7), 0.3
    log_product = strength * good(x, beta).log_prob(z) - (strength - 1.0) * worse(x, beta).log_prob(z)
    difference = guided(x, beta).log_prob(z) - log_product
    return float(difference.max() - difference.min()) < 1e-9


@given(strength=st.floats(0, 5), one=st.floats(-2, 2), other=st.floats(-2, 2), variance=st.floats(0.05, 3))
def test_of_normals_of_one_variance_it_is_the_product(strength, one, other, variance):
    good, worse = gaussian(one, variance), gaussian(other, variance)
    assert is_the_product(Guided(good, strength, worse, told=False), good, worse, strength)


def test_pushed_by_the_strength_itself_it_is_not():
    """The wrong twin: w (r - q) in the place of (w - 1) (r - q)."""
    good, worse = gaussian(1.0), gaussian(0.4)
    assert is_the_product(Guided(good, 2.0, worse, told=False), good, worse, 2.0)
    assert not is_the_product(Guided(good, 3.0, worse, told=False), good, worse, 2.0)


#: Two classes of numbers, a third and two thirds of them.
SHARES, MEANS, VARIANCES = (1 / 3, 2 / 3), (1.2, -0.6), (0.3, 0.9)


def log_density(x, beta, label=None):
    """Of noisy numbers of a class, or of both; but for a constant."""
    alpha = 1.0 - beta
    of_classes = [
        math.log(share)
        - 0.5 * ((x - alpha * mean) ** 2 / (alpha**2 * variance + beta) + math.log(alpha**2 * variance + beta))
        for share, mean, variance in zip(SHARES, MEANS, VARIANCES, strict=True)
    ]
    return torch.logsumexp(torch.stack(of_classes), dim=0) if label is None else of_classes[label]


def of_two_classes(x, beta, label=None):
    """The exact denoiser of such numbers, by the formula for each class and their posterior."""
    each = [exact_denoiser(x, beta, mean, variance) for mean, variance in zip(MEANS, VARIANCES, strict=True)]
    if label is not None:
        assert len(set(label.tolist())) == 1
        return each[int(label[0])]
    posterior = torch.softmax(torch.stack([log_density(x, beta, number) for number in (0, 1)]), dim=0)
    mean = sum(share * r.mean for share, r in zip(posterior, each, strict=True))
    square = sum(share * (r.variance + r.mean**2) for share, r in zip(posterior, each, strict=True))
    return nk.Normal(mean, square - mean**2)


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("beta", [0.02, 0.3, 0.9])
def test_the_mean_is_that_of_the_guided_score(strength, beta):
    """Tweedie: alpha mu = x + beta d/dx log(p(x | c)^w p(x)^(1 - w)), whatever the variances are."""
    x = torch.linspace(-2, 2, 31, dtype=torch.float64)[:, None].requires_grad_()
    log_p = strength * log_density(x, beta, 0) + (1.0 - strength) * log_density(x, beta)
    (score,) = torch.autograd.grad(log_p.sum(), x)
    guided = Guided(of_two_classes, strength, of_two_classes, told=False)
    found = guided(x.detach(), beta, label=torch.zeros(31, dtype=torch.int64))
    torch.testing.assert_close((1.0 - beta) * found.mean, x.detach() + beta * score, atol=1e-9, rtol=0)


@pytest.mark.parametrize(("strength", "share"), [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (2.0, 1.0)])
def test_the_variance_goes_from_one_to_the_other_and_no_further(strength, share):
    good, worse = gaussian(1.0, 0.2), gaussian(0.0, 2.0)
    x = torch.zeros(1, 3, dtype=torch.float64)
    found = Guided(good, strength, worse, told=False)(x, 0.5).variance
    expected = share * good(x, 0.5).variance + (1 - share) * worse(x, 0.5).variance
    torch.testing.assert_close(found, expected)


@given(strength=st.floats(0, 4), seed=st.integers(0, 100))
def test_categories_by_enumeration(strength, seed):
    g = generator(seed)
    good, worse = (random_categorical((3, 2), 4, g) for _ in range(2))
    guided = Guided(lambda x, beta: good, strength, lambda x, beta: worse, told=False)
    found = guided(torch.zeros(3, 2, dtype=torch.int64), 0.5)
    weight = good.probs.double() ** strength * worse.probs.double() ** (1.0 - strength)
    expected = weight / weight.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(found.probs.double(), expected, atol=1e-5, rtol=0)
    if strength > 0.5:  # the wrong twin, on the probabilities in the place of their logarithms, is none at all
        wrong = good.probs + (strength + 1.0) * (good.probs - worse.probs)
        assert not torch.allclose(wrong.double(), expected, atol=1e-5)


def test_what_is_impossible_stays_impossible():
    good = nk.Categorical.from_probs(torch.tensor([[0.0, 0.4, 0.6]]))
    for worse in ([0.0, 0.5, 0.5], [0.9, 0.05, 0.05]):
        pushed = good.away_from(nk.Categorical.from_probs(torch.tensor([worse])), 2.0)
        assert float(pushed.probs[0, 0]) == 0.0
        assert bool(torch.isfinite(pushed.table()).all())


def test_levels_in_order_are_guided_by_their_tables():
    head = nk.OrdinalHead(16, None, components=2)
    x = torch.zeros(2, 3, dtype=torch.int64)
    good, worse = (head.decode(torch.randn(2, 6, 3, generator=generator(s)), x, torch.ones(2)) for s in (1, 2))
    found = good.away_from(worse, 0.5).table()
    torch.testing.assert_close(found, torch.log_softmax(1.5 * good.table() - 0.5 * worse.table(), dim=-1))


@pytest.mark.same_call
def test_at_strength_one_it_is_the_good_denoiser_and_at_nought_the_worse_one():
    x = torch.randn(5, 2, generator=generator())
    good, worse = Counted(gaussian(1.0)), Counted(gaussian(0.0, 2.0))
    for strength, expected in ((1.0, gaussian(1.0)), (0.0, gaussian(0.0, 2.0))):
        found, truth = Guided(good, strength, worse)(x, 0.4), expected(x, 0.4)
        assert torch.equal(found.loc, truth.loc)
        assert torch.equal(found.variance, truth.variance)
    assert (good.calls, worse.calls) == (1, 1)


@pytest.mark.parametrize(("beta", "calls"), [(0.04, 1), (0.05, 2), (0.3, 2), (0.8, 2), (0.81, 1), (1.0, 1)])
def test_outside_of_the_levels_only_one_call_is_made(beta, calls):
    good, worse = Counted(gaussian(1.0)), Counted(gaussian(0.0))
    guided = Guided(good, 2.0, worse, between=(0.05, 0.8))
    x = torch.ones(3, 2, dtype=torch.float64)
    found = guided(x, beta)
    assert good.calls + worse.calls == calls == guided.calls(beta)
    torch.testing.assert_close(found.loc, exact_denoiser(x, beta, 2.0 if calls == 2 else 1.0, 0.5).loc)


def test_a_batch_may_be_at_many_levels():
    guided = Guided(gaussian(1.0), 2.0, gaussian(0.0), told=False, between=(0.1, 0.5))
    x, beta = torch.ones(3, 2, dtype=torch.float64), torch.tensor([0.01, 0.3, 0.9])
    for row, mean in enumerate((1.0, 2.0, 1.0)):
        expected = exact_denoiser(x[row : row + 1], float(beta[row]), mean, 0.5)
        torch.testing.assert_close(guided(x, beta).loc[row : row + 1], expected.loc, atol=1e-6, rtol=0)


def test_who_is_told_the_label():
    label = torch.tensor([1, 0])
    x = torch.zeros(2, 1)
    free, good, worse = (Counted(gaussian(0.0)) for _ in range(3))
    Guided(free, 2.0, free, told=False)(x, 0.5, label=label)
    assert [each is label for each in free.labels] == [False, True]
    for told in (True, False):
        Guided(good, 2.0, worse, told=told)(x, 0.5, label=label)
        assert good.labels.pop() is label
        assert (worse.labels.pop() is label) == told
    Turns(free, 3)(torch.zeros(5, 1), 0.5)
    assert free.labels[-1].tolist() == [0, 1, 2, 0, 1]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"strength": -0.5}, InputError, "the strength of guidance is -0.5; it lies in"),
        ({"strength": math.nan}, InputError, "the strength of guidance is nan"),
        ({"strength": math.inf}, InputError, "the strength of guidance is inf"),
        ({"strength": "much"}, DtypeError, "give a number"),
        ({"between": (0.8, 0.05)}, InputError, "between the noise levels 0.8 and 0.05; give the lower one first"),
        ({"between": (0.5, 0.5)}, InputError, "give the lower one first"),
        ({"between": (0.1, 1.5)}, InputError, "each level of between is 1.5"),
        ({"between": 0.3}, InputError, "give two noise levels"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        Guided(**{"denoiser": gaussian(1.0), "strength": 2.0, "worse": gaussian(0.0), **options})


def test_guidance_by_itself_and_without_a_label_is_refused():
    good = gaussian(0.0)
    with pytest.raises(InputError, match="away from it does nothing"):
        Guided(good, 2.0, good)
    with pytest.raises(InputError, match="no label was given"):
        Guided(good, 2.0, good, told=False)(torch.zeros(1, 1), 0.5)


def test_distributions_that_do_not_go_together_are_refused():
    g = generator()
    normal, table = random_normal((2, 3), g), random_categorical((2, 3), 4, g)
    for one, other in ((normal, table), (table, normal)):
        with pytest.raises(InputError, match="both are of one kind"):
            one.away_from(other, 1.0)
    for one, other in ((normal, random_normal((2, 2), g)), (table, random_categorical((2, 3), 5, g))):
        with pytest.raises(ShapeError, match="must agree"):
            one.away_from(other, 1.0)


def test_how_many_classes_a_denoiser_has():
    head = nk.PlainGaussian(2)
    for classes, said in ((None, 0), (3, 3)):
        assert classes_of(nk.Denoiser(nk.networks.MLP(2, 4, width=4, classes=classes), head)) == said
    assert classes_of(gaussian(0.0)) is None
