"""Figures against truth: closed forms, other people's implementations, and cases counted by hand."""

import math

import pytest
import torch
from scipy.linalg import sqrtm
from torchmetrics.image.fid import FrechetInceptionDistance
from torchmetrics.image.kid import poly_mmd

from helpers import generator
from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError
from noisekernel.measuring.samples import figures
from noisekernel.measuring.samples.figures import Encoded, compare, fid, inception_score, kid
from noisekernel.measuring.samples.frechet import Reference, frechet_distance
from noisekernel.measuring.samples.intervals import around, groups_of, jackknife
from noisekernel.measuring.samples.neighbours import Shares, shares, shares_intervals


def test_the_frechet_distance_of_gaussians_in_closed_form():
    a = torch.randn(5, 5, generator=generator(0), dtype=torch.float64)
    b = torch.randn(5, 5, generator=generator(1), dtype=torch.float64)
    cov_a, cov_b = a @ a.T, b @ b.T
    mean_a, mean_b = torch.arange(5.0, dtype=torch.float64), torch.ones(5, dtype=torch.float64)
    root = torch.linalg.cholesky(cov_a)
    # Points whose mean and covariance are exactly these.
    points = torch.cat((torch.eye(5), -torch.eye(5))).double() * math.sqrt(9 / 2)
    exact = Reference.of(points @ root.T + mean_a)
    assert torch.allclose(exact.cov, cov_a)
    truth = (mean_a - mean_b).square().sum() + cov_a.trace() + cov_b.trace()
    truth -= 2 * sqrtm((cov_a @ cov_b).numpy()).real.trace()
    assert exact.distance(mean_b, cov_b) == pytest.approx(float(truth), rel=1e-9)
    # One dimension: (m1 - m2)^2 + (s1 - s2)^2.
    one = torch.tensor([[-1.0], [1.0]]) / math.sqrt(2)
    assert frechet_distance(3 * one + 1, one) == pytest.approx(1 + 4, abs=1e-6)


def test_fid_of_torchmetrics_is_our_frechet_distance():
    real, fake = torch.randn(300, 7, generator=generator(0)), 1.3 * torch.randn(200, 7, generator=generator(1)) + 0.2
    assert fid(real, fake) == pytest.approx(frechet_distance(real, fake), rel=1e-6)


def test_fid_is_that_of_torchmetrics_on_pictures_with_our_features_as_its_module():
    class Every(torch.nn.Module):
        num_features = 4

        def forward(self, pixels):
            return pixels.flatten(1)[:, :4].double() / 255

    pixels = torch.randint(256, (2, 100, 1, 2, 2), generator=generator(0), dtype=torch.uint8)
    metric = FrechetInceptionDistance(feature=Every())
    metric.update(pixels[0], real=True)
    metric.update(pixels[1], real=False)
    assert fid(Every()(pixels[0]), Every()(pixels[1])) == pytest.approx(float(metric.compute()), rel=1e-9)


@pytest.mark.parametrize("n", [60, 107])
def test_kid_is_torchmetrics_discrepancy_of_all_points(n):
    real, fake = torch.randn(n, 3, generator=generator(0)), torch.randn(n, 3, generator=generator(1)) + 0.5
    assert kid(real, fake).value == pytest.approx(float(poly_mmd(real.double(), fake.double())), rel=1e-9)
    # Sets of two sizes: means over pairs of two points, and over pairs across.
    few = fake[:30]
    kernels = [[(float(a @ b) / 3 + 1) ** 3 for b in y for a in x] for x, y in ((real, real), (few, few), (few, real))]
    same = [sum((float(a @ a) / 3 + 1) ** 3 for a in x) for x in (real, few)]
    truth = (sum(kernels[0]) - same[0]) / (n * (n - 1)) + (sum(kernels[1]) - same[1]) / (30 * 29)
    truth -= 2 * sum(kernels[2]) / (30 * n)
    assert kid(real, few).value == pytest.approx(truth, rel=1e-4)


def test_the_inception_score_of_sure_and_of_blind_classifiers():
    sure = 50.0 * torch.nn.functional.one_hot(torch.arange(500) % 5, 5)
    before = torch.random.get_rng_state()
    score = inception_score(sure)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert 4.7 < score.value <= 5.0  # parts of fifty have not quite as many of each class
    assert inception_score(torch.zeros(100, 5)).value == pytest.approx(1.0)
    assert inception_score(sure, seed=3) == inception_score(sure, seed=3)


def test_neighbours_counted_by_hand():
    # Balls of the real points, k = 1: 0 and 1 reach 1, 10 reaches 2, 12 reaches 2. Of the samples: 0.5 and 1.25 reach
    # 0.75, 30 reaches 28.75.
    real, fake = torch.tensor([[0.0], [1.0], [10.0], [12.0]]), torch.tensor([[0.5], [1.25], [30.0]])
    # 0.5 lies in the balls of 0 and 1, 1.25 in that of 1, 30 in none. 0 and 1 lie in balls of samples; 10 and 12 lie in
    # that of 30, an outlier with a large ball: the known flaw of recall, which coverage does not have.
    assert shares(real, fake, k=1) == Shares(precision=2 / 3, recall=1.0, density=1.0, coverage=0.5)


def test_neighbours_by_brute_force():
    real, fake = torch.randn(40, 2, generator=generator(0)), torch.randn(31, 2, generator=generator(1)) * 1.5
    k = 3

    def reach(points, i):
        return sorted(math.dist(points[i], points[j]) for j in range(len(points)) if j != i)[k - 1]

    inside = [[math.dist(r, f) <= reach(real, i) for f in fake] for i, r in enumerate(real)]
    covered = [[math.dist(r, f) <= reach(fake, j) for j, f in enumerate(fake)] for r in real]
    found = shares(real, fake, k)
    assert found.precision == pytest.approx(sum(map(any, zip(*inside, strict=True))) / 31)
    assert found.recall == pytest.approx(sum(map(any, covered)) / 40)
    assert found.density == pytest.approx(sum(map(sum, inside)) / (31 * k))
    assert found.coverage == pytest.approx(sum(map(any, inside)) / 40)


def test_dropped_modes_and_nonsense_are_told_apart():
    real = torch.cat([torch.randn(100, 2, generator=generator(i)) + 20 * i for i in range(4)])
    one_mode = torch.randn(400, 2, generator=generator(9))
    assert shares(real, one_mode).precision > 0.9
    assert shares(real, one_mode).recall < 0.3
    assert shares(real, one_mode).coverage < 0.3
    nonsense = real + 8
    assert shares(real, nonsense).precision < 0.05
    same = shares_intervals(real, real.clone())
    assert same["precision"].value == same["recall"].value == same["coverage"].value == 1.0
    assert same["coverage"].high == 1.0


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = torch.randn(400, generator=generator(0), dtype=torch.float64)
    groups = groups_of(len(values))
    told = jackknife(float(values.mean()), [float(values[groups != group].mean()) for group in range(20)])
    assert told.bias == pytest.approx(0, abs=1e-12)
    parts = torch.stack([values[groups == group].mean() for group in range(20)])
    assert told.error == pytest.approx(float(parts.std() / math.sqrt(20)), rel=1e-9)
    figure = around(1.0, 2.0, 19)
    assert (figure.high - 1.0) / 2.0 == pytest.approx(2.093, abs=1e-3)
    assert figure.limited(0.0, 2.0) == type(figure)(1.0, 0.0, 2.0)


def test_all_figures_at_once():
    real, fake = torch.randn(200, 4, generator=generator(0)), torch.randn(150, 4, generator=generator(1)) + 0.3
    found = compare(Encoded(real), Encoded(fake, fake[:, :3]))
    assert list(found) == [
        *("fid", "fid_unbiased", "kid", "inception_score"),
        *("precision", "recall", "density", "coverage"),
    ]
    assert all(each.low <= each.value <= each.high for each in found.values())
    # The order of the points decides on groups alone: values are the same, but for those of parts.
    again = compare(Encoded(real.flip(0)), Encoded(fake, fake[:, :3]), seed=1)
    assert again["fid"].value == pytest.approx(found["fid"].value, rel=1e-6)
    assert "inception_score" not in compare(Encoded(real), Encoded(fake))


def test_refused(monkeypatch):
    with pytest.raises(ShapeError, match="features of shapes"):
        frechet_distance(torch.zeros(5, 2), torch.zeros(5, 3))
    with pytest.raises(ShapeError, match="the same features"):
        shares(torch.zeros(9, 2), torch.zeros(9, 3))
    with pytest.raises(InputError, match="5 neighbours need more than 5 points"):
        shares(torch.zeros(9, 2), torch.zeros(5, 2))
    with pytest.raises(InputError, match="at least 20 samples"):
        compare(Encoded(torch.zeros(9, 2)), Encoded(torch.zeros(100, 2)))
    with pytest.raises(InputError, match="at least three"):
        groups_of(2)
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    with pytest.raises(NoiseKernelError, match=r"pip install 'noisekernel\[evaluate\]'"):
        compare(Encoded(torch.randn(50, 2)), Encoded(torch.randn(50, 2)))
