"""Diagnostics on chains that are known exactly: the right ones pass, each wrong twin is caught."""

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel import tasks
from noisekernel.core.randomness import Streams
from noisekernel.measuring import chains
from noisekernel.measuring.chains import Directions
from noisekernel.measuring.chains.pairs import draw_pairs
from noisekernel.measuring.chains.reversible import halves, tell_apart
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.renewal import fresh, renewed, shares
from noisekernel.sampling.samplers import annealing

pytestmark = pytest.mark.statistical

MEAN, VARIANCE = 0.7, 0.25
EXACT = partial(exact_denoiser, mean=MEAN, variance=VARIANCE)


def data(n, shape=(2,), seed=0, mean=MEAN):
    return mean + VARIANCE**0.5 * torch.randn(n, *shape, generator=generator(seed))


def exact(shape=(2,), lag=0.5):
    return nk.NoiseModel(nk.GaussianKernel(lag), EXACT, shape)


@dataclass(frozen=True)
class Rotating(nk.GaussianKernel):
    """A wrong twin that no marginal gives away: round data of mean 0 stay what they are, but turn one way."""

    def transition(self, r, x, beta, beta_next):
        step = super().transition(r, x, beta, beta_next)
        c, s = math.cos(0.3), math.sin(0.3)
        return nk.Normal(step.loc @ torch.tensor([[c, s], [-s, c]]), step.variance)


@dataclass(frozen=True)
class Drifting(nk.GaussianKernel):
    """Another: every equilibrium step pushes up by three tenths of the noise."""

    def transition(self, r, x, beta, beta_next):
        step = super().transition(r, x, beta, beta_next)
        return nk.Normal(step.loc + 0.3 * beta**0.5 * (beta == beta_next), step.variance)


def too_sure(x, beta):
    """Another: no variance in r, which costs a state at this level a twelfth of its own."""
    return EXACT(x, beta).point()


def test_p_values_of_a_reversible_chain_are_uniform():
    """The level is what it says, at a number of pairs too small for any limit theorem about classifiers."""
    found = [
        r.test.p_value
        for seed in range(100)
        for r in chains.reversibility(exact(), data(80, seed=seed), beta=0.3, steps=[1], seed=seed)
    ]
    assert stats.kstest(found, "uniform").pvalue > LEVEL
    assert np.mean(np.array(found) < 0.1) < 0.25


def test_what_judges_a_pair_does_not_know_the_example_behind_it():
    """Principal components of all examples are the wrong twin: x is nearer than y to its example, which tells."""
    shape, right, leaky = (32,), [], []
    for seed in range(25):
        z, model = data(240, shape, seed=seed), exact(shape)
        right += [r.test.p_value for r in chains.reversibility(model, z, beta=0.05, steps=[10], seed=seed)]
        drawn = draw_pairs(
            model,
            z,
            Directions.of(z),
            beta=0.05,
            lag=None,
            steps=[10],
            seed=seed,
            batch_size=240,
            advance=lambda: None,
        )
        leaky.append(tell_apart(drawn[10], *halves(240, seed), seed).p_value)
    assert stats.kstest(right, "uniform").pvalue > LEVEL
    assert stats.kstest(leaky, "uniform").pvalue < LEVEL


def test_statistics_of_a_reversible_chain_are_zero_within_their_errors():
    one, ten = chains.reversibility(exact((3,)), data(3000, (3,)), beta=0.3, steps=[1, 10])
    assert len(one.statistics) == 9
    assert len(ten.statistics) == 8  # the density of ten steps is not known, so there is no log ratio
    assert min(s.p_value for s in (*one.statistics, *ten.statistics)) > LEVEL / 17
    assert abs(one.test.auc - 0.5) < 4 * one.test.error


def test_a_chain_that_turns_is_caught_though_it_is_stationary():
    kernel = Rotating(0.5)
    model = nk.NoiseModel(kernel, partial(exact_denoiser, mean=0.0, variance=VARIANCE), (2,))
    (found,) = chains.reversibility(model, data(1500, mean=0.0), beta=0.3, steps=[1])
    by_name = {s.name: s for s in found.statistics}
    assert found.test.p_value < LEVEL
    assert by_name["pc1, pc2"].p_value < LEVEL
    assert by_name["log p(y|x) - log p(x|y)"].mean > 4 * by_name["log p(y|x) - log p(x|y)"].error
    assert min(by_name[f"1, {g}"].p_value for g in ("mean", "energy", "residual")) > LEVEL  # nothing else shows it
    right = nk.NoiseModel(nk.GaussianKernel(0.5), model.denoiser, (2,))
    (found,) = chains.reversibility(right, data(1500, mean=0.0), beta=0.3, steps=[1])
    assert found.test.p_value > LEVEL


@pytest.mark.parametrize(
    "wrong",
    [
        nk.NoiseModel(Drifting(0.5), EXACT, (16,)),
        nk.NoiseModel(nk.GaussianKernel(0.5), too_sure, (16,)),
    ],
    ids=["drift", "variance"],
)
def test_a_chain_that_is_not_stationary_is_not_reversible(wrong):
    one, ten = chains.reversibility(wrong, data(4000, (16,)), beta=0.3, steps=[1, 10])
    assert ten.test.p_value < LEVEL
    assert ten.test.auc > one.test.auc  # small faults add up
    assert min(s.p_value for s in one.statistics) < LEVEL


def walked(model, n=500, steps=100):
    z = data(3 * n, model.shape)
    how = {"beta": 0.3, "lag": model.kernel.lag, "steps": steps, "readout": 30, "traced": range(16)}
    found = chains.walk(model, z[:n], lambda z: z.double(), Directions.of(z), **how)
    distances = chains.stationarity(
        found.features, z[:n].double(), z[n:].double(), beta=found.beta, lag=found.lag, name="the data"
    )
    return found, distances


def test_an_exact_walk_stays_at_the_floor_and_a_wrong_one_leaves_it():
    _, right = walked(exact((3,)))
    assert [d.steps for d in right.distances] == [0, 1, 10, 100]
    assert all(abs(d.excess) < 4 * d.excess_error for d in right.distances)
    assert abs(right.distances[-1].drift) < 4 * right.distances[-1].drift_error
    _, wrong = walked(nk.NoiseModel(Drifting(0.5), EXACT, (3,)))
    assert wrong.distances[-1].drift > 4 * wrong.distances[-1].drift_error
    assert wrong.rise > 2


def test_the_mixing_of_a_gaussian_chain_is_the_known_one():
    """A step is x to rho x + noise: an autoregression, whose integrated time is (1 + rho) / (1 - rho)."""
    found, _ = walked(exact((3,), lag=0.8), n=16, steps=3000)
    alpha = 0.7
    rho = 0.8 + 0.2 * alpha**2 * VARIANCE / (alpha**2 * VARIANCE + 0.3)
    mixed = chains.mixing("pc1", found.traces["pc1"].numpy(), found.every)
    assert mixed.trusted
    assert mixed.r_hat < 1.01
    assert mixed.integrated_time == pytest.approx((1 + rho) / (1 - rho), rel=0.1)


def autoregression(rho, chains, points, seed=0):
    rng = np.random.default_rng(seed)
    x = np.empty((chains, points))
    x[:, 0] = rng.normal(size=chains)
    for t in range(1, points):
        x[:, t] = rho * x[:, t - 1] + math.sqrt(1 - rho**2) * rng.normal(size=chains)
    return x


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
def test_an_autoregression_has_its_integrated_time(rho):
    trace = autoregression(rho, 8, 20_000)
    found = chains.mixing("ar", trace)
    time = (1 + rho) / (1 - rho)
    assert found.trusted
    assert found.integrated_time == pytest.approx(time, rel=0.1)
    assert found.effective == pytest.approx(trace.size / time, rel=0.1)
    assert found.effective_a_step == pytest.approx(1 / time, rel=0.1)
    at_five = dict(zip(found.lags, found.autocorrelation, strict=True))[5]
    assert at_five == pytest.approx(rho**5, abs=0.03)
    # Every fifth point is another trace of the same chain: the same time, in steps.
    thinned = chains.mixing("ar", autoregression(0.95, 8, 40_000, seed=1)[:, ::5], every=5)
    assert thinned.integrated_time == pytest.approx(39, rel=0.15)


def test_chains_stuck_in_two_wells_are_seen_to_be():
    wells = 3.0 * np.where(np.arange(8) % 2, 1.0, -1.0)[:, None]
    stuck = chains.mixing("wells", wells + autoregression(0.5, 8, 2000))
    assert stuck.r_hat > 1.1
    assert not stuck.trusted
    assert "R-hat" in stuck.remark
    assert stuck.autocorrelation[-1] > 0.8  # not the 0 of each chain on its own
    free = chains.mixing("one well", autoregression(0.5, 8, 2000))
    assert free.r_hat < 1.02
    assert free.trusted


def test_a_walk_too_short_for_its_time_says_so():
    short = chains.mixing("ar", autoregression(0.99, 16, 1000))
    assert not short.trusted
    assert "too short" in short.remark


def bold(x, beta):
    """A denoiser that errs."""
    r = EXACT(x, beta)
    return nk.Normal(1.1 * r.loc, r.variance)


@pytest.mark.parametrize("denoiser", [EXACT, bold], ids=["exact", "wrong"])
def test_the_walk_of_the_noise_is_reversible_whatever_the_denoiser(denoiser):
    model = nk.NoiseModel(nk.GaussianKernel(0.5), denoiser, (2,))
    found = chains.renewal_reversibility(model, Directions.of(data(500)), 2000, batch_size=1000)
    assert {(r.beta, r.steps, r.lag, r.pairs) for r in found} == {
        (b, k, None, 2000) for b in (0.1, 0.5, 0.9) for k in (1, 10)
    }
    p_values = [r.test.p_value for r in found] + [s.p_value for r in found for s in r.statistics]
    assert min(p_values) > LEVEL / len(p_values)


@pytest.mark.parametrize("twin", ["drifts", "turns"])
def test_a_walk_of_the_noise_that_is_not_reversible_is_caught(twin, monkeypatch):
    """One whose noise is pushed, and one whose two elements turn into each other, which no marginal gives away."""
    turn = torch.tensor([[math.cos(0.8), math.sin(0.8)], [-math.sin(0.8), math.cos(0.8)]])

    def wrong(noise, by, streams):
        right = renewed(noise, by, streams)
        moved = [each + 0.2 if twin == "drifts" else each @ turn for each in right.noise]
        return replace(right, noise=tuple(moved))

    monkeypatch.setattr(chains.noise, "renewed", wrong)
    model = exact()
    (found,) = chains.renewal_reversibility(
        model, Directions.of(data(500)), 2000, below=[0.1], steps=[1], batch_size=1000
    )
    assert found.test.p_value < LEVEL


def test_a_long_walk_of_the_noise_stays_at_the_floor_and_mixes(monkeypatch):
    monkeypatch.setattr(chains.noise, "MOST_LOOKS", 50)
    n, z = 250, data(1500)
    walked = chains.walk_noise(
        exact(), z[:n], lambda z: z.double(), Directions.of(z), pace=0.3, steps=100, traced=range(16), seed=2
    )
    found = chains.stationarity(walked.features, z[:n].double(), z[n:].double(), beta=0.5, lag=None)
    last = found.distances[-1]
    assert last.steps == 100
    assert abs(last.drift) < 4 * last.drift_error
    traced = chains.mixing("mean", walked.traces["mean"].numpy(), walked.every)
    assert traced.r_hat < 1.2
    assert 1.0 < traced.integrated_time < 50.0


@pytest.mark.parametrize(("readout", "steps"), [(0, 3), (100, 3), (100, 0)])
def test_the_strength_curve_of_gaussian_data_is_the_known_one(readout, steps):
    """After k steps x has correlation rho^k with where it was; read out by the mean, or on the quantile path."""
    betas = (0.05, 0.2, 0.5, 0.9)
    z = data(3000, (4,))
    curve = chains.equilibrium_curve(
        exact((4,), lag=0.6), z, betas=betas, n=3000, steps=steps, readout=readout, batch_size=1000
    )
    for beta, distance, error in zip(betas, curve.distances, curve.errors, strict=True):
        alpha = 1 - beta
        total = alpha**2 * VARIANCE + beta
        gain = alpha * VARIANCE / total
        rho = (0.6 + 0.4 * alpha * gain) ** steps
        slope = gain if readout == 0 else (VARIANCE / total) ** 0.5
        squared = slope**2 * total + VARIANCE - 2 * slope * rho * alpha * VARIANCE
        assert distance == pytest.approx((squared / (2 * VARIANCE)) ** 0.5, abs=4 * error + 0.01)
    assert curve.lag == 0.6
    if readout:  # the blurred mean goes less far at high noise, so there the way back has more than one answer
        assert curve.beta(curve.distance(0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize("steps", [5, 40])
def test_the_renewal_curve_of_gaussian_data_is_the_known_one(steps):
    """Data are then linear in each draw, z = m + sum_i c_i e_i, and new noise n in share s_i of each moves them by
    sum_i c_i (s_i n_i - (1 - sqrt(1 - s_i^2)) e_i). The noise e found in data is independent only as steps go to
    infinity, so its part is averaged over data, that of n is known."""
    model, betas = exact((4,)), (0.01, 0.2, 0.5, 0.9, 1.0)
    schedule = annealing(model.kernel, steps)
    one = fresh(model, 1, schedule, Streams.of(0, [0]))

    def made_of(numbers):
        noise = tuple(torch.full_like(each, float(number)) for each, number in zip(one.noise, numbers, strict=True))
        return tasks.development(model, replace(one, noise=noise), schedule).result()[0, 0].double()

    draws = len(one.noise)
    weights = torch.stack([made_of(row) for row in torch.eye(draws)]) - made_of([0.0] * draws)
    z = data(3000, (4,))
    found = torch.stack(nk.walk(model, z, steps=steps, seed=9).state.noise.noise, dim=-1).double()

    def expected(beta):
        share = torch.tensor(shares(model.kernel, schedule, draws, beta)).double()
        lost = found @ (weights * (1.0 - (1.0 - share.square()).sqrt()))
        squared = (weights * share).square().sum() + lost.square().mean()
        return float(squared / (2 * VARIANCE)) ** 0.5

    curve = chains.renewal_curve(model, z, betas=betas, n=3000, steps=steps, batch_size=1000)
    for beta, distance, error in zip(betas, curve.distances, curve.errors, strict=True):
        assert distance == pytest.approx(expected(beta), abs=4 * error + 0.01)
    # The wrong twin: a level a little off.
    assert abs(curve.distance(0.2) - expected(0.3)) > 4 * max(curve.errors) + 0.01
    assert (curve.steps, curve.lag, curve.readout) == (steps, None, None)
