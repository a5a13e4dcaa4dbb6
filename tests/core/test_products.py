"""Rows of numbers and categories as a distribution: against its parts, and drawn against what it says."""

import math

import pytest
import torch
from scipy import stats

import noisekernel as nk
from cases import random_categorical, random_normal
from helpers import LEVEL, generator
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.core.products import joined, parted

COUNTS = (3, 0, 2, 0)


def some(n=5, seed=0):
    g = generator(seed)
    return nk.Product(random_normal((n, 2), g), random_categorical((n, 2), 3, g), COUNTS)


def rows(n=5, seed=1):
    g = generator(seed)
    return joined(torch.randn((n, 2), generator=g), torch.randint(3, (n, 2), generator=g), COUNTS)


def test_columns_are_taken_apart_and_joined_again():
    value = rows()
    numbers, classes = parted(value, COUNTS)
    assert torch.equal(numbers, value[:, [1, 3]])
    assert torch.equal(classes, value[:, [0, 2]])
    assert torch.equal(joined(numbers, classes, COUNTS), value)


def test_it_is_what_its_parts_are():
    p, q, value = some(), some(seed=7), rows()
    numbers, classes = parted(value, COUNTS)
    expected = p.normal.log_prob(numbers) + p.categories.log_prob(classes.long())
    torch.testing.assert_close(p.log_prob(value), expected)
    torch.testing.assert_close(p.log_prob_elements(value).sum(dim=1), expected)
    torch.testing.assert_close(p.kl(q), p.normal.kl(q.normal) + p.categories.kl(q.categories))
    assert torch.equal(parted(p.best, COUNTS)[0], p.normal.loc)
    assert torch.equal(parted(p.mode, COUNTS)[1], p.categories.mode.float())
    torch.testing.assert_close(parted(p.mean, COUNTS)[1], p.categories.mean)
    assert torch.equal(p.point().best, p.best)
    assert float(p.point().normal.variance.max()) == 0.0
    pushed = p.away_from(q, 0.5)
    torch.testing.assert_close(pushed.normal.loc, p.normal.away_from(q.normal, 0.5).loc)
    torch.testing.assert_close(pushed.categories.probs, p.categories.away_from(q.categories, 0.5).probs)


def test_observed_columns_are_certain_and_barred_classes_are_impossible():
    p, value = some(), rows()
    value[:, 2] = 1.0
    mask = torch.tensor([[0, 0, 1, 1]]).expand(5, 4)
    unread = value.clone()
    unread[:, 2:] = math.pi  # what is to be filled in is not read, and is no class
    held = p.clamp(unread, mask)
    drawn = held.sample(generator())
    assert torch.equal(drawn[:, :2], value[:, :2])
    torch.testing.assert_close(held.normal.loc[:, 1], p.normal.loc[:, 1])
    torch.testing.assert_close(held.categories.probs[:, 1], p.categories.probs[:, 1])
    barred = torch.zeros(5, 4, 3, dtype=torch.bool)
    barred[:, 0, 1] = True
    assert bool((p.without(barred).categories.probs[:, 0, 1] == 0).all())
    with pytest.raises(InputError, match="is of numbers, which have none"):
        p.normal.without(barred)


def test_select_mixes_sample_by_sample():
    p, q = some(), some(seed=7)
    mixed = p.select(torch.tensor([True, False, True, True, False]), q)
    assert torch.equal(mixed.normal.loc[0], p.normal.loc[0])
    assert torch.equal(mixed.normal.loc[1], q.normal.loc[1])
    assert torch.equal(mixed.categories.table()[4], q.categories.table()[4])
    assert mixed.counts == COUNTS


@pytest.mark.statistical
def test_what_is_drawn_follows_it_and_its_noise_is_normal():
    n = 20_000
    one = nk.Product(
        nk.Normal(torch.full((n, 1), 2.0), torch.full((n, 1), 0.25)),
        nk.Categorical.from_probs(torch.tensor([0.5, 0.0, 0.3, 0.2]).expand(n, 1, 4)),
        (4, 0),
    )
    for source in (nk.Streams.of(0, range(n)), generator()):
        drawn = one.sample(source)
        assert stats.kstest(drawn[:, 1].numpy(), "norm", args=(2.0, 0.5)).pvalue > LEVEL
        counts = torch.bincount(drawn[:, 0].long(), minlength=4)
        assert counts[1] == 0
        assert stats.chisquare(counts[[0, 2, 3]].numpy(), n * torch.tensor([0.5, 0.3, 0.2]).numpy()).pvalue > LEVEL
        assert stats.chisquare(counts[[0, 2, 3]].numpy(), n * torch.tensor([0.5, 0.27, 0.23]).numpy()).pvalue < LEVEL
    noise = one.noise_of(drawn, nk.Streams.of(1, range(n)))
    for column in (0, 1):
        assert stats.kstest(noise[:, column].numpy(), "norm").pvalue > LEVEL
    assert stats.kstest(drawn[:, 0].numpy(), "norm").pvalue < LEVEL
    again = one.sample(nk.randomness.Recorded(0, torch.arange(n), noise=(noise,)))
    torch.testing.assert_close(again, drawn)


def test_a_sample_has_its_numbers_whatever_its_batch():
    p = some()
    alone = p.select(torch.ones(5, dtype=torch.bool), p).sample(nk.Streams.of(3, range(5)))[3]
    fourth = nk.Product(
        nk.Normal(p.normal.loc[3:4], p.normal.variance[3:4]), nk.Categorical(p.categories.log_probs[3:4]), COUNTS
    )
    torch.testing.assert_close(fourth.sample(nk.Streams.of(3, [3]))[0], alone)


def test_mistakes():
    p = some()
    with pytest.raises(ShapeError, match="2 columns of numbers and 1 of categories"):
        nk.Product(p.normal, p.categories, (3, 0, 0))
    with pytest.raises(InputError, match="a class is a whole number"):
        p.log_prob(rows() + 0.5)
    with pytest.raises(ShapeError, match="value has shape"):
        p.log_prob(rows()[:, :3])
    with pytest.raises(DtypeError, match="both are of one kind"):
        p.kl(p.normal)
    with pytest.raises(ShapeError, match="they must agree"):
        p.kl(nk.Product(p.normal, p.categories, (0, 3, 2, 0)))
