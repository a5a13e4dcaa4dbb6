"""The chain of the noise is stationary for the sampler's distribution, exactly, and reversible; others are not."""

from functools import partial
from itertools import islice

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel import tasks
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling import renewal
from noisekernel.sampling.samplers import annealing

pytestmark = pytest.mark.statistical

N, MEAN, VARIANCE = 10_000, 0.7, 0.25


def gaussian(denoiser):
    return nk.NoiseModel(nk.GaussianKernel(0.5), denoiser, (1,))


EXACT = gaussian(partial(exact_denoiser, mean=MEAN, variance=VARIANCE))


def bold(x, beta):
    """A denoiser that errs: 3 % too bold, so that errors that add up are seen."""
    r = EXACT.denoiser(x, beta)
    return nk.Normal(1.03 * r.loc, r.variance)


WRONG = gaussian(bold)


def walked(model, z, steps, share):
    streams, down = nk.Streams.of(7, range(len(z))), annealing(model.kernel, 10)
    noise = renewal.retrace(model, z, down, streams)
    for _ in range(steps):
        noise = renewal.renewed(noise, [share] * len(noise.noise), streams)
    return end(tasks.development(model, noise, down))


def end(run):
    """The last state: nearly clean, and of every class that there is, where the best guess is of one."""
    run.result()
    return run.state.x


def new_samples(model):
    return end(tasks.synthesis(model, N, steps=10, seed=3))


def data():
    return MEAN + VARIANCE**0.5 * torch.randn(N, 1, generator=generator(1))


def same(a, b):
    return stats.ks_2samp(a.flatten().numpy(), b.flatten().numpy()).pvalue


@pytest.mark.parametrize("model", [EXACT, WRONG], ids=["exact", "wrong"])
def test_whatever_the_denoiser_a_walk_ends_in_the_distribution_of_new_samples(model):
    assert same(walked(model, data(), steps=60, share=0.5), new_samples(model)) > LEVEL


def test_a_gliding_walk_stays_in_it_and_one_whose_motion_does_not_turn_leaves_it():
    walk = nk.walk(WRONG, N, pace=0.3, below=1.0, steps=10, seed=31)
    twin, motion, streams = walk.state.noise, None, nk.Streams.of(32, range(N))
    for _ in range(40):
        walk.step()
        at = twin.noise
        twin, motion = renewal.glided(twin, motion, [0.3] * 11, streams)
        # What was turned away from the noise is put back: (1 - s^2)^(1/2) n - s e becomes n.
        motion = [(m + 0.3 * e) / (1 - 0.3**2) ** 0.5 for m, e in zip(motion, at, strict=True)]
    assert same(end(walk.look()), new_samples(WRONG)) > LEVEL
    assert same(end(tasks.development(WRONG, twin, walk.schedule)), new_samples(WRONG)) < LEVEL


def test_where_a_walk_at_constant_noise_adds_the_same_error_up():
    """The wrong twin: its end is not the distribution of new samples, nor near the data."""
    new = new_samples(WRONG)
    last = end(tasks.equilibration(WRONG, data(), beta=0.02, steps=400, readout=10))
    assert same(last, new) < LEVEL
    assert abs(float(last.mean()) - MEAN) > 3 * abs(float(new.mean()) - MEAN)


def test_a_share_goes_as_far_as_it_says():
    """For Gaussian data and the exact denoiser, the correlation of a new sample with its step is 1 - share^2 to 1."""
    z = nk.synthesize(EXACT, N, steps=10, seed=5)
    streams, down = nk.Streams.of(9, range(N)), annealing(EXACT.kernel, 10)
    fresh = renewal.retrace(EXACT, z, down, streams)
    ways = []
    for share in (0.1, 0.3, 0.6, 1.0):
        noise = renewal.renewed(fresh, [share] * 11, streams)
        y = tasks.development(EXACT, noise, down).result()
        ways.append(float((y - z).square().mean() / (2 * VARIANCE)) ** 0.5)
    assert ways == sorted(ways)
    assert abs(ways[-1] - 1.0) < 0.03
    assert all(abs(way - share) < 0.15 for way, share in zip(ways, (0.1, 0.3, 0.6, 1.0), strict=True))


@pytest.mark.parametrize("glide", [False, True], ids=["step", "glide"])
@pytest.mark.parametrize("model", [EXACT, WRONG], ids=["exact", "wrong"])
def test_steered_it_has_the_tilted_distribution_of_new_samples(model, glide):
    """Against new samples weighted by exp(f), whatever the denoiser; and not against those of a weaker f."""

    def f(z):
        return 1.5 * torch.sin(3 * z[:, 0])

    walk = nk.walk(model, N, pace=0.7, below=0.9, score=f, glide=glide, steps=10, seed=21)
    taken = torch.stack([info.accepted.float().mean() for _, info in islice(walk, 60)])
    assert 0.3 < float(taken.mean()) < 0.95
    new = nk.synthesize(model, 4 * N, steps=10, seed=22)

    def furthest(strength):
        """In standard errors, of three means."""
        weight, off = torch.softmax(strength * f(new), dim=0), []
        for g in (lambda z: z[:, 0], lambda z: z[:, 0] ** 2, f):
            wanted = float((weight * g(new)).sum())
            error = (float(g(walk.clean).var()) / N + float((weight * (g(new) - wanted)).square().sum())) ** 0.5
            off.append(abs(float(g(walk.clean).mean()) - wanted) / error)
        return max(off)

    assert furthest(1.0) < 4.0
    assert furthest(0.7) > 4.0


def test_pairs_look_the_same_both_ways():
    """(x, y) and (y, x) are one distribution: no odd function of y - x has a mean. A chain with a drift has one."""
    noise = recorded_noise(WRONG)
    streams, down = nk.Streams.of(11, range(N)), annealing(WRONG.kernel, 10)
    after = renewal.renewed(noise, renewal.shares(WRONG.kernel, down, 11, 0.5), streams)
    x, y = (tasks.development(WRONG, each, down).result()[:, 0] for each in (noise, after))
    shifted = tasks.development(WRONG, _pushed(after), down).result()[:, 0]
    for odd in (lambda a, b: b - a, lambda a, b: (b - a) ** 3, lambda a, b: a * b**2 - b * a**2):
        assert stats.ttest_1samp(odd(x, y).numpy(), 0.0).pvalue > LEVEL
    assert stats.ttest_1samp((shifted - x).numpy(), 0.0).pvalue < LEVEL


def recorded_noise(model):
    """Of new samples: standard normal."""
    streams = nk.Streams.of(13, range(N))
    draws = tuple(nk.randomness.normal((N, 1), streams) for _ in range(11))
    return nk.randomness.Recorded(13, torch.arange(N), noise=draws)


def _pushed(noise):
    return nk.randomness.Recorded(noise.seed, noise.samples, noise=tuple(each + 0.05 for each in noise.noise))


@pytest.mark.parametrize("probs", [[0.5, 0.0, 0.31, 0.19], [0.9, 0.05, 0.03, 0.02]])
def test_the_noise_of_samples_is_standard_normal(probs):
    p = nk.Categorical.from_probs(torch.tensor(probs).expand(N, 4))
    noise = p.noise_of(p.sample(nk.Streams.of(0, range(N))), nk.Streams.of(1, range(N)))
    assert stats.kstest(noise.numpy(), "norm").pvalue > LEVEL
    of_others = p.noise_of(torch.zeros(N, dtype=torch.int64), nk.Streams.of(1, range(N)))
    assert stats.kstest(of_others.numpy(), "norm").pvalue < LEVEL


def test_categories_keep_the_law_of_new_samples():
    """A fixed table as the denoiser, wrong for any data: walks end where new samples are."""
    table = torch.log(torch.tensor([0.6, 0.3, 0.1]))

    def denoise(x, beta):
        return nk.Categorical(table.expand(*x.shape, 3))

    model = nk.NoiseModel(nk.CategoricalKernel(0.7, classes=3), denoise, (1,))
    z = torch.zeros(N, 1, dtype=torch.int64)
    counts = [
        torch.bincount(each.flatten(), minlength=3)[:3].numpy()
        for each in (walked(model, z, 40, 0.5), new_samples(model), walked(model, z, 1, 0.1))
    ]
    assert stats.chi2_contingency(counts[:2]).pvalue > LEVEL
    assert stats.chi2_contingency(counts[1:]).pvalue < LEVEL
