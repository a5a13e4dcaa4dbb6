"""Do intervals cover? Counted over many draws of Gaussians, whose Fréchet distance is known.

Stated level 95 %. Of `REPEATS` intervals the number that cover is binomial; accepted are the counts a true 95 % gives
with probability 1 - LEVEL, on the low side: intervals that cover more often are not wrong, only wide.
"""

import math

import pytest
import torch
from scipy.stats import binom

from helpers import LEVEL, generator
from noisekernel.measuring.samples.figures import kid
from noisekernel.measuring.samples.frechet import Reference, frechet_distance, frechet_intervals
from noisekernel.measuring.samples.intervals import Figure
from noisekernel.measuring.samples.neighbours import shares_intervals

REPEATS, FEATURES = 200, 16
FEWEST = int(binom.ppf(LEVEL, REPEATS, 0.95))

pytestmark = pytest.mark.statistical


def covered(intervals, truth):
    return sum(each.low <= truth <= each.high for each in intervals)


def samples(n, stream, scale=1.15, shift=0.3):
    x = scale * torch.randn(n, FEATURES, generator=stream)
    x[:, 0] += shift
    return x


def of_distributions(scale=1.15, shift=0.3):
    return shift**2 + FEATURES * (scale - 1.0) ** 2


def test_the_interval_of_fid_covers_its_mean_over_seeds():
    stream = generator(0)
    real = torch.randn(1000, FEATURES, generator=stream)
    found = [frechet_intervals(real, samples(300, stream))[0] for _ in range(REPEATS)]
    mean = sum(each.value for each in found) / REPEATS
    assert covered(found, mean) >= FEWEST
    # It is not an interval for the distance of infinitely many samples, and does not pretend to be: the wrong twin.
    every = torch.eye(FEATURES, dtype=torch.float64) * 1.15**2
    away = torch.tensor([0.3, *[0.0] * (FEATURES - 1)], dtype=torch.float64)
    assert covered(found, Reference.of(real).distance(away, every)) < FEWEST


def test_the_plain_bootstrap_does_not_cover():
    """Why nothing here is drawn with replacement."""
    stream = generator(1)
    real = torch.randn(1000, FEATURES, generator=stream)
    found, values = [], []
    for _ in range(40):
        fake = samples(300, stream)
        drawn = torch.randint(len(fake), (60, len(fake)), generator=stream)
        again = [frechet_distance(real, fake[rows]) for rows in drawn]
        low, high = torch.tensor(again).quantile(torch.tensor([0.025, 0.975])).tolist()
        values.append(frechet_distance(real, fake))
        found.append(Figure(values[-1], low, high))
    assert covered(found, sum(values) / len(values)) < int(binom.ppf(LEVEL, 40, 0.95))


@pytest.mark.parametrize(("scale", "shift"), [(1.15, 0.3), (1.0, 0.0)])
def test_fid_less_its_bias_covers_the_distance_of_the_distributions(scale, shift):
    stream = generator(2)
    truth = of_distributions(scale, shift)
    plain, found = [], []
    for _ in range(REPEATS):
        real = torch.randn(400, FEATURES, generator=stream)
        each = frechet_intervals(real, samples(300, stream, scale, shift))
        plain.append(each[0])
        found.append(each[1])
    assert covered(found, truth) >= FEWEST
    assert covered(plain, truth) < FEWEST  # with its bias it does not
    error = torch.tensor([each.value for each in found]).std() / math.sqrt(REPEATS)
    assert abs(sum(each.value for each in found) / REPEATS - truth) < 4 * float(error) + 0.01 * truth


def test_kid_is_zero_in_the_mean_for_one_distribution_and_not_for_two():
    stream = generator(3)
    same = [kid(samples(200, stream, 1.0, 0.0), samples(200, stream, 1.0, 0.0)) for _ in range(REPEATS)]
    assert covered(same, 0.0) >= FEWEST
    values = torch.tensor([each.value for each in same])
    assert abs(float(values.mean())) < 3.3 * float(values.std()) / math.sqrt(REPEATS)  # two sides, LEVEL
    assert (values < 0).any()
    other = [kid(samples(200, stream, 1.0, 0.0), samples(200, stream, 1.0, 0.8)) for _ in range(REPEATS)]
    mean = sum(each.value for each in other) / REPEATS
    assert mean > 10 * abs(float(values.mean()))
    assert covered(other, mean) >= FEWEST
    assert covered(other, 0.0) < FEWEST  # the wrong twin


def test_the_intervals_by_neighbours_cover_their_means_over_seeds():
    stream = generator(4)
    real = torch.randn(200, FEATURES, generator=stream)
    found = [shares_intervals(real, samples(200, stream)) for _ in range(REPEATS)]
    for name in found[0]:
        mean = sum(each[name].value for each in found) / REPEATS
        assert covered([each[name] for each in found], mean) >= FEWEST, name
