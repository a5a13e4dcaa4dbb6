"""The chain: what it carries, stopping and resuming, accepting and rejecting."""

import math
from dataclasses import replace
from functools import partial
from itertools import pairwise

import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ScheduleError, ShapeError
from noisekernel.core.levels import flat, linear, log_snr
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling import chain
from noisekernel.sampling.samplers import annealing
from noisekernel.sampling.schedule import Schedule

GAUSSIAN = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=0.5, variance=0.25), (2,))
WALK = Schedule.along(flat(0.3), 12, 0.5)


def begin(model=GAUSSIAN, n=4, beta=0.3, seed=0):
    return chain.start(model, torch.randn(n, 2, generator=generator()), beta, nk.Streams.of(seed, range(n)))


def last(states):
    *_, (state, _) = states
    return state


def test_a_state_carries_the_view_of_itself():
    for state, info in chain.run(GAUSSIAN, begin(), WALK):
        torch.testing.assert_close(state.view.loc, GAUSSIAN.look(state.x, state.beta).loc)
        assert info.accepted.all()
        assert torch.isfinite(info.proposal.log_prob(state.x)).all()


@pytest.mark.same_call
def test_stopping_and_resuming_changes_nothing():
    whole = last(chain.run(GAUSSIAN, begin(), WALK))
    states = chain.run(GAUSSIAN, begin(), WALK)
    half = [next(states)[0] for _ in range(5)][-1]
    stored = nk.Streams(half.streams.seed, half.streams.samples.clone(), half.streams.draws)  # as read from a file
    resumed = replace(chain.start(GAUSSIAN, half.x.clone(), half.beta, stored), t=half.t)
    end = last(chain.run(GAUSSIAN, resumed, WALK))
    assert torch.equal(end.x, whole.x)
    assert (end.t, end.streams.draws) == (whole.t, whole.streams.draws)
    forgetful = replace(resumed, streams=nk.Streams.of(0, range(4)))  # the wrong twin: the streams begin anew
    assert not torch.equal(last(chain.run(GAUSSIAN, forgetful, WALK)).x, whole.x)


@pytest.mark.same_call
def test_an_old_state_can_be_walked_on_from_again():
    state, _ = next(chain.run(GAUSSIAN, begin(), WALK))
    first, second = (last(chain.run(GAUSSIAN, state, WALK)) for _ in range(2))
    assert torch.equal(first.x, second.x)


def test_rejected_samples_stay_and_accepted_ones_move():
    state = begin()

    def score(x, view):
        return torch.zeros(4) if x is state.x else torch.tensor([0.0, -math.inf, 1e9, -math.inf])

    moved, info = chain.step(GAUSSIAN, state, 0.3, 0.5, score=score)
    assert info.accepted.tolist() == [True, False, True, False]
    for i, accepted in enumerate(info.accepted):
        assert torch.equal(moved.x[i], state.x[i]) is not bool(accepted)
    torch.testing.assert_close(moved.view.loc, GAUSSIAN.look(moved.x, 0.3).loc)
    assert moved.score.tolist() == [0.0, 0.0, 1e9, 0.0]


def test_a_score_decides_over_equilibrium_steps_only():
    hates = lambda x, view: -1e9 * x.square().sum(1)  # noqa: E731
    state = begin()
    for beta_next, point, steered in [(0.3, False, True), (0.29, False, False), (0.3, True, False)]:
        _, info = chain.step(GAUSSIAN, state, beta_next, 0.5, point, hates)
        assert bool(info.accepted.all()) is not steered


def test_a_score_is_asked_once_a_state_and_not_at_all_between_levels():
    asked = []

    def score(x, view):
        asked.append(x)
        return x[:, 0]

    walk_then_down = Schedule.along(flat(0.3), 5, 0.5).then(Schedule.along(linear(0.3, 0.2), 7, 0.5))
    last(chain.run(GAUSSIAN, begin(), walk_then_down, score))
    assert len(asked) == 6


def test_from_a_forbidden_state_any_allowed_one_is_accepted():
    state = begin()
    _, info = chain.step(
        GAUSSIAN, state, 0.3, 0.5, score=lambda x, _: torch.full((4,), -math.inf if x is state.x else -9.0)
    )
    assert info.accepted.all()
    _, info = chain.step(GAUSSIAN, state, 0.3, 0.5, score=lambda x, _: torch.full((4,), -math.inf))
    assert not info.accepted.any()


def test_another_score_does_not_inherit_the_value_of_the_first():
    far = last(chain.run(GAUSSIAN, begin(), WALK, lambda x, _: torch.full((4,), 1e6)))
    again = chain.run(GAUSSIAN, replace(far, t=0), WALK, lambda x, _: torch.zeros(4))
    assert all(info.accepted.all() for _, info in again)


def test_levels_that_differ_by_rounding_are_one_level():
    rounded = Schedule.along(linear(0.3, 0.3), 50, 0.5)
    assert len(set(rounded.beta.tolist())) > 1
    forbidding = chain.run(GAUSSIAN, begin(), rounded, lambda x, _: torch.full((4,), -math.inf))
    assert not any(info.accepted.any() for _, info in forbidding)


def test_a_damaged_network_is_noticed():
    for kernel, broken in [
        (nk.GaussianKernel(), lambda x, beta: nk.Normal(x * math.nan, torch.ones_like(x))),
        (nk.CategoricalKernel(classes=3), lambda x, beta: nk.Categorical(torch.full((*x.shape, 3), math.nan))),
    ]:
        with pytest.raises(InputError, match="NaN or infinity at beta 1"):
            nk.synthesize(nk.NoiseModel(kernel, broken, (2,)), 3)


def test_any_kernel_with_a_transition_is_a_chain():
    model = nk.PlainModel(nk.FiniteKernel(5))
    state = chain.start(model, torch.zeros(3, dtype=torch.int64), 1.0, nk.Streams.of(0, range(3)))
    walk = Schedule.along(flat(1.0), 20, 0.0)
    visited = torch.stack([state.x for state, _ in chain.run(model, state, walk)])
    assert visited.shape == (20, 3)
    assert len(visited.unique()) > 1


def test_mistakes():
    with pytest.raises(ShapeError, match="2 samples need 2 streams"):
        chain.start(GAUSSIAN, torch.zeros(2, 2), 0.3, nk.Streams.of(0, range(3)))
    with pytest.raises(InputError, match=r"the state is at beta 0\.3 but step 0 of the schedule begins at 0\.5"):
        chain.run(GAUSSIAN, begin(), Schedule.along(flat(0.5), 3, 0.5))
    with pytest.raises(ScheduleError, match="step 0 of 2"):  # at once, not at the first step
        chain.run(GAUSSIAN, begin(beta=1.0), Schedule.along(linear(1.0, 0.01), 2, 0.9))
    with pytest.raises(InputError, match="made 13 steps"):
        chain.run(GAUSSIAN, replace(begin(), t=13), WALK)
    for bad, match in [
        (lambda x, view: x, "one number per sample"),
        (lambda x, view: 1.0, "returned a float"),
        (lambda x, view: torch.zeros(4, dtype=torch.int64), "floating-point"),
        (lambda x, view: torch.full((4,), math.nan), "NaN or infinity"),
        (lambda x, view: torch.full((4,), math.inf), "NaN or infinity"),
    ]:
        with pytest.raises(InputError, match=match):
            chain.step(GAUSSIAN, begin(), 0.3, 0.5, score=bad)


def test_looking_ahead_makes_the_deterministic_sampler_second_order():
    """Gaussian data, exact denoiser: the deterministic way from beta 0.9 to 0.01 multiplies (x - alpha m) by a known
    factor, for it keeps the quantile: sqrt(total variance at the end / at the start). Twice the steps divide the
    error by 2 (DDIM) and by about 4 (second order)."""
    m, v, first, end = 0.3, 0.25, 0.9, 0.01
    model = nk.NoiseModel(nk.GaussianKernel(), partial(exact_denoiser, mean=m, variance=v), shape=(1,))
    x = torch.tensor([[1.7]], dtype=torch.float64)

    def total(beta):
        return (1 - beta) ** 2 * v + beta

    exact = (1 - end) * m + (1.7 - (1 - first) * m) * (total(end) / total(first)) ** 0.5

    def error(steps, second):
        schedule = Schedule.along(log_snr(first, end), steps, model.kernel.largest_lag, point=True)
        schedule = schedule.second_order() if second else schedule
        begun = chain.start(model, x, first, nk.Streams.of(0, range(1)))
        return abs(float(last(chain.run(model, begun, schedule)).x) - exact)

    plain = [error(steps, second=False) for steps in (16, 32, 64)]
    second = [error(steps, second=True) for steps in (16, 32, 64)]
    assert [a / b for a, b in pairwise(plain)] == pytest.approx([2.0, 2.0], abs=0.25)
    assert [a / b for a, b in pairwise(second)] == pytest.approx([4.0, 4.0], abs=0.8)
    assert second[0] < 0.3 * plain[0]


def test_what_cannot_look_ahead_says_so():
    schedule = Schedule(torch.tensor([1.0, 0.9, 0.8]), torch.zeros(2), torch.zeros(2, dtype=torch.bool), torch.ones(2))
    kernel = nk.CategoricalKernel(0.0, classes=2)
    model = nk.NoiseModel(kernel, lambda x, beta: nk.Categorical.from_logits(torch.zeros(*x.shape, 2)), shape=(3,))
    with pytest.raises(InputError, match="only continuous data can look ahead"):
        nk.synthesize(model, 1, schedule=schedule)
    assert not annealing(kernel, 10).second_order().ahead.any()


def test_annealing_looks_ahead_where_it_has_a_line():
    pure, lower = (annealing(nk.GaussianKernel(), 10, first=first) for first in (1.0, 0.2))
    assert float(pure.ahead[0]) == float(pure.ahead[1]) == float(lower.ahead[0]) == 0.0
    assert (pure.ahead[2:] > 0).all()
    assert (lower.ahead[1:] > 0).all()
    assert not pure.first_order().ahead.any()


@pytest.mark.statistical
@pytest.mark.parametrize("by", [1.0, 2.0])
def test_noise_drawn_anew_on_the_way_keeps_mean_and_deviation(by):
    """Within 3 % of the truth in 40 steps (40,000 samples: +-1 % at three standard errors); first order is 10 % off."""
    kernel = nk.GaussianKernel()
    model = nk.NoiseModel(kernel, partial(exact_denoiser, mean=0.7, variance=0.09), shape=(1,))
    down = annealing(kernel, 40, churn=by)
    z = nk.synthesize(model, 40_000, schedule=down, seed=3)
    assert abs(float(z.mean()) - 0.7) < 0.01
    assert abs(float(z.std()) / 0.3 - 1) < 0.03
    blunt = nk.synthesize(model, 40_000, schedule=down.first_order(), seed=3)
    assert float(blunt.std()) / 0.3 < 0.9
