"""Schedules: the paper's, the limits of the lag, and what an impossible one is told."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.core import levels
from noisekernel.core.distributions import Normal
from noisekernel.core.errors import InputError, ScheduleError, ShapeError
from noisekernel.core.levels import LogNormalLevels, UniformLevels, flat, level_of_ratio, linear, log_snr
from noisekernel.kernels import GaussianKernel
from noisekernel.objectives.anchors import KL
from noisekernel.objectives.base import Noised
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule

GAUSSIAN, CATEGORICAL = nk.GaussianKernel(), nk.CategoricalKernel(classes=3)


def test_the_papers_schedules():
    continuous = Schedule.along(linear(1.0, 0.01), 100, 0.5).check(GAUSSIAN)
    assert (continuous.steps, float(continuous.beta[0]), float(continuous.beta[-1])) == (100, 1.0, 0.01)
    torch.testing.assert_close(continuous.beta.diff(), torch.full((100,), -0.0099, dtype=torch.float64))
    categorical = Schedule.along(linear(1.0, 0.5), 500, 0.95).check(CATEGORICAL)
    assert (categorical.steps, float(categorical.beta[-1])) == (500, 0.5)


def test_a_linear_schedule_at_lag_one_half_needs_33_steps():
    Schedule.along(linear(1.0, 0.01), 33, 0.5).check(GAUSSIAN)
    with pytest.raises(ScheduleError) as error:
        Schedule.along(linear(1.0, 0.01), 32, 0.5).check(GAUSSIAN)
    message = str(error.value)
    assert "step 31 of 32" in message
    assert "at least 33 steps" in message
    largest = math.sqrt(0.01 / (0.01 + 0.99 / 32))
    assert f"largest constant lag for the whole schedule is {largest:.6g}" in message


def test_the_lag_that_the_error_recommends_would_do():
    with pytest.raises(ScheduleError, match="largest constant lag"):
        Schedule.along(linear(1.0, 0.01), 20, 0.9).check(GAUSSIAN)
    limit = GAUSSIAN.largest_lag(
        *(Schedule.along(linear(1.0, 0.01), 20, 0.0).beta[s] for s in (slice(-1), slice(1, 21)))
    )
    Schedule.along(linear(1.0, 0.01), 20, float(limit.min())).check(GAUSSIAN)


def test_a_lag_no_number_of_steps_allows():
    with pytest.raises(ScheduleError, match="no number of steps"):
        Schedule.along(linear(1.0, 0.01), 5, 1.0).check(CATEGORICAL)


@given(first=st.floats(0.02, 0.999), last=st.floats(1e-5, 0.01), steps=st.integers(1, 60))
def test_log_snr_is_even_in_log_snr_and_ends_where_it_should(first, last, steps):
    beta = Schedule.along(log_snr(first, last), steps, GAUSSIAN.largest_lag).check(GAUSSIAN).beta
    ratio = 2 * torch.log(1 - beta) - torch.log(beta)
    torch.testing.assert_close(ratio.diff(), ratio.diff().mean().expand(steps), rtol=1e-6, atol=1e-6)
    assert float(beta[0]) == pytest.approx(first, rel=1e-9)
    assert float(beta[-1]) == pytest.approx(last, rel=1e-9)


@given(beta=st.floats(1e-6, 0.9999))
def test_level_of_ratio_inverts_noise_ratio(beta):
    sigma = torch.tensor(levels.noise_ratio(beta), dtype=torch.float64)
    assert float(levels.level_of_ratio(sigma)) == pytest.approx(beta, rel=1e-9)


def test_correctors_repeat_each_level():
    schedule = Schedule.along(linear(1.0, 0.5), 2, 0.3, point=True).with_correctors(2, 0.9)
    assert schedule.beta.tolist() == [1.0, 0.75, 0.75, 0.75, 0.5, 0.5, 0.5]
    assert schedule.lag.tolist() == [0.3, 0.9, 0.9, 0.3, 0.9, 0.9]
    assert schedule.point.tolist() == [True, False, False, True, False, False]


def test_then_joins_at_one_level():
    joined = Schedule.along(flat(0.2), 2, 0.5).then(Schedule.along(linear(0.2, 0.1), 1, 0.1))
    assert joined.beta.tolist() == [0.2, 0.2, 0.2, 0.1]
    with pytest.raises(ScheduleError, match=r"ends at beta 0\.2 but the second begins at 0\.3"):
        Schedule.along(flat(0.2), 2, 0.5).then(Schedule.along(flat(0.3), 1, 0.5))


@pytest.mark.parametrize("beta", [0.2, 1.0, 0.1234567])
def test_flat_is_exactly_flat(beta):
    assert set(Schedule.along(flat(beta), 97, 0.5).beta.tolist()) == {beta}


def test_bad_schedules():
    for first, last in [(0.0, 1.0), (1.5, 0.1), (0.5, -0.1), (float("nan"), 0.5)]:
        with pytest.raises(InputError, match=r"lies in \(0, 1\]"):
            linear(first, last)
    with pytest.raises(InputError, match="beta_1 is 0"):
        Schedule(torch.tensor([1.0, 0.0]), torch.zeros(1), torch.zeros(1, dtype=torch.bool))
    with pytest.raises(InputError, match="lag of step 0 is 2"):
        Schedule(torch.tensor([1.0, 0.5]), torch.tensor([2.0]), torch.zeros(1, dtype=torch.bool))
    with pytest.raises(ShapeError, match="2 steps between 3 levels"):
        Schedule(torch.tensor([1.0, 0.5, 0.2]), torch.zeros(1), torch.zeros(1, dtype=torch.bool))
    with pytest.raises(InputError, match="steps is -1"):
        Schedule.along(flat(0.5), -1, 0.5)


@pytest.mark.statistical
def test_training_levels_follow_their_law():
    beta = UniformLevels().sample(100_000, generator()).numpy()
    assert stats.kstest(beta, "uniform", args=(0.01, 0.99)).pvalue > LEVEL
    assert stats.kstest(beta, "uniform", args=(0.0, 1.0)).pvalue < LEVEL  # the wrong twin: from 0
    beta = LogNormalLevels(-1.0, 1.5).sample(20_000, generator())
    log_sigma = (0.5 * torch.log(beta) - torch.log1p(-beta)).numpy()
    assert stats.kstest(log_sigma, "norm", args=(-1.0, 1.5)).pvalue > LEVEL
    assert stats.kstest(log_sigma, "norm", args=(-1.0, 1.6)).pvalue < LEVEL
    assert 0.0 < float(beta.min()) < float(beta.max()) <= 1.0


def test_the_lift_makes_an_error_count_the_same_at_every_high_level():
    """KL x weight, for a denoiser that errs by 1, from closed form: at sigma >> 1 it must not depend on sigma."""
    beta = level_of_ratio(torch.tensor([10.0, 20.0, 40.0, 80.0], dtype=torch.float64))
    z = torch.zeros(4, 1, dtype=torch.float64)
    r, example = Normal(z + 1.0, z + 0.5), Noised(z, z, beta)
    nats = KL().anchor(GaussianKernel(0.9), r, example)
    lifted = nats * LogNormalLevels(lift=1.0).weight(beta)
    torch.testing.assert_close(lifted, lifted[-1].expand(4), rtol=0.15, atol=0.0)
    assert float(nats[0] / nats[-1]) > 30  # the wrong twin: unlifted, it falls like 1 / sigma^2
    assert torch.equal(LogNormalLevels(lift=0.0).weight(beta), torch.ones(4, dtype=torch.float64))
    assert bool(torch.isfinite(LogNormalLevels(lift=1.0).weight(torch.tensor([1e-8, 1.0]))).all())
    with pytest.raises(InputError, match="lift is 2"):
        LogNormalLevels(lift=2.0)


def test_churned_once_a_schedule_has_the_lags_of_the_reverse_diffusion():
    whole = annealing(GAUSSIAN, 20, churn=0.0)
    beta = whole.beta
    markov = (1 - beta[:-1]) / (1 - beta[1:]) * beta[1:] / beta[:-1]
    torch.testing.assert_close(whole.churned(1.0).lag, markov)
    torch.testing.assert_close(whole.churned(0.0).lag, whole.lag)
    assert not torch.allclose(whole.churned(2.0).lag, markov)
    with pytest.raises(InputError, match="by is -1"):
        whole.churned(-1.0)
