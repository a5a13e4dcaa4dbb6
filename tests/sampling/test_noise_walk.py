"""The walk of the noise: a chain like all others, for every kernel and any weights."""

from dataclasses import FrozenInstanceError, replace
from itertools import islice

import pytest
import torch

import noisekernel as nk
from cases import examples, kinds, noise_model
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.sampling import noise_walk
from noisekernel.sampling.renewal import fresh
from noisekernel.sampling.samplers import annealing


def last(walk, steps):
    *_, (state, _) = islice(walk, steps)
    return state


def same_noise(a, b):
    return all(torch.equal(x, y) for x, y in zip(a.noise.noise, b.noise.noise, strict=True))


def bright(z):
    return 3.0 * z.float().flatten(1).mean(1)


def counted(model):
    """The model, and a list that grows with every network call."""
    calls = []

    def denoiser(x, beta):
        calls.append(1)
        return model.denoiser(x, beta)

    return replace(model, denoiser=denoiser), calls


@kinds
def test_a_walk_begins_where_it_is_told_to(kind):
    model = noise_model(kind)
    z = examples(model)
    walk = nk.walk(model, z, pace=0.3, steps=6)
    start = walk.clean
    torch.testing.assert_close(start, nk.vary(model, z, below=0.0, steps=6)[:, 0])
    walk.step()
    assert not torch.allclose(walk.clean.float(), start.float(), atol=1e-3)
    new = nk.walk(model, 4, steps=6, seed=2)
    assert new.clean.shape == (4, *model.shape)
    assert not torch.allclose(new.clean[0].float(), new.clean[1].float(), atol=1e-3)


@kinds
@pytest.mark.same_call
@pytest.mark.parametrize("glide", [True, False])
@pytest.mark.parametrize("score", [None, bright])
def test_a_walk_goes_on_from_any_state_that_was_kept(kind, glide, score):
    """As if it had never stopped: the same noise, motion and clean data, to the bit."""
    model, z = noise_model(kind), examples(noise_model(kind))
    how = {"pace": 0.4, "steps": 4, "glide": glide, "score": score}
    whole = nk.walk(model, z, seed=3, **how)
    states = [state for state, _ in islice(whole, 7)]
    resumed = nk.walk(model, states[2], **how)
    after = last(resumed, 4)
    assert after.t == whole.state.t == 7
    assert same_noise(after, whole.state)
    assert torch.equal(resumed.clean, whole.clean)
    resumed.state = states[2]  # once more, from the same state, which the first time left as it was
    assert same_noise(last(resumed, 4), whole.state)
    forgetful = nk.walk(model, replace(states[2], streams=nk.Streams.of(3, range(5))), **how)
    assert not same_noise(last(forgetful, 4), whole.state)  # the wrong twin: its streams begin again
    if glide:
        rest = nk.walk(model, replace(states[2], motion=None), **how)
        assert not same_noise(last(rest, 4), whole.state)  # and one that forgot its motion


def test_a_state_cannot_be_changed():
    walk = nk.walk(noise_model("gaussian"), 2, steps=4)
    before = walk.state
    noise = [each.clone() for each in before.noise.noise]
    last(walk, 3)
    assert (before.t, before.streams.draws, before.motion) == (0, 5, None)
    assert all(torch.equal(a, b) for a, b in zip(noise, before.noise.noise, strict=True))
    with pytest.raises(FrozenInstanceError):
        before.t = 5


def test_moving_needs_no_network_call_and_a_look_is_made_once():
    model, calls = counted(noise_model("gaussian"))
    walk = nk.walk(model, 3, steps=4)
    last(walk, 10)
    assert not calls
    seen = walk.clean
    looked = len(calls)
    assert looked == 4 + 1  # a step each, and one for the first state
    assert walk.clean is seen
    assert len(calls) == looked
    again = nk.walk(model, walk.state, steps=4)
    assert torch.equal(again.clean, seen)
    assert len(calls) == looked  # what a state showed is kept with it
    walk.score = bright
    walk.step()
    assert len(calls) == 2 * looked  # only the proposal is looked at


def test_the_score_of_a_state_is_computed_once_for_each_score():
    model, asked = noise_model("gaussian"), []

    def score(z):
        asked.append(1)
        return bright(z)

    walk = nk.walk(model, 3, steps=3, score=score)
    last(walk, 3)
    assert len(asked) == 1 + 3
    walk.score = bright
    walk.step()
    walk.score = score
    walk.step()
    assert len(asked) == 1 + 3 + 2  # here and there: what the state held was of the other


def test_the_pure_chain_is_the_walk():
    model = noise_model("gaussian")
    down, streams = annealing(model.kernel, 4), nk.Streams.of(1, range(3))
    begin = noise_walk.start(model, fresh(model, 3, down, streams), down, streams)
    by = nk.renewal.shares(model.kernel, down, 5, 0.5, 0.2)
    one = last(noise_walk.run(model, begin, down, by), 6)
    two = last(nk.walk(model, 3, pace=0.2, steps=4, seed=1), 6)
    torch.testing.assert_close(one.noise.noise, two.noise.noise)
    shown = noise_walk.look(model, one, down)
    torch.testing.assert_close(shown.clean, nk.tasks.development(model, one.noise, down).result())


def test_a_gliding_walk_comes_further_by_steps_of_the_same_length_and_does_not_swing_back():
    model = noise_model("gaussian")
    steps, ways, turned = {}, {}, {}
    for glide in (False, True):
        walk = nk.walk(model, 200, pace=0.1, below=1.0, steps=4, glide=glide)
        places = [torch.stack(walk.state.noise.noise)]
        places += [torch.stack(state.noise.noise) for state, _ in islice(walk, 40)]
        steps[glide] = float((places[5] - places[4]).square().mean())
        ways[glide] = float((places[15] - places[0]).square().mean())
        turned[glide] = float((places[40] * places[0]).mean())
    assert steps[True] == pytest.approx(steps[False], rel=0.05)
    assert ways[True] > 3 * ways[False]
    assert -0.05 < turned[True] < 0.3 < turned[False]


@pytest.mark.parametrize("glide", [True, False])
def test_a_steered_walk_takes_nothing_that_is_forbidden(glide):
    model = noise_model("gaussian")
    walk = nk.walk(model, examples(model), pace=0.5, steps=4, glide=glide)
    start, noise = walk.clean, walk.state.noise.noise
    walk.score = lambda z: torch.where((z == start).flatten(1).all(1), 0.0, -torch.inf)
    assert not walk.step()[1].accepted.any()
    assert torch.equal(walk.clean, start)
    assert all(torch.equal(a, b) for a, b in zip(walk.state.noise.noise, noise, strict=True))
    walk.score = lambda z: torch.zeros(len(z))
    assert walk.step()[1].accepted.all()
    assert not torch.allclose(walk.clean.float(), start.float(), atol=1e-3)
    here = walk.state
    walk.score = lambda z: z
    with pytest.raises(ShapeError, match="one number per sample"):
        walk.step()
    walk.score = lambda z: torch.where((z == here.clean).flatten(1).all(1), 0.0, torch.nan)
    with pytest.raises(InputError, match="NaN"):
        walk.step()
    assert walk.state is here


def test_a_step_that_is_refused_reverses_the_motion():
    """From (e, n) a turn leads to (e', n'); from there with -n' the same turn leads back to (e, -n)."""
    model = noise_model("gaussian")
    walk = nk.walk(model, 2, pace=0.3, below=1.0, steps=3)
    walk.step()
    before = walk.state
    walk.score = lambda z: torch.where((z == walk_clean).flatten(1).all(1), 0.0, -torch.inf)
    walk_clean = walk.clean
    refused, _ = walk.step()
    kept = 1.0 - 2.0 * 0.3**2  # exp(-2 asin s), to second order: most of the motion is kept, turned round
    for now, was in zip(refused.motion, before.motion, strict=True):
        assert float((now * was).mean() / (was * was).mean()) == pytest.approx(-kept, abs=0.4)
        assert float((now * was).mean()) < 0


def test_what_is_refused():
    model = noise_model("gaussian")
    with pytest.raises(InputError, match=r"pace is 1\.5"):
        nk.walk(model, 2, pace=1.5)
    walk = nk.walk(model, 2, steps=4)
    walk.pace = -1.0
    with pytest.raises(InputError, match="pace is -1"):
        walk.step()
    with pytest.raises(InputError, match="score is a int"):
        nk.walk(model, 2, score=3)
    with pytest.raises(InputError, match="n is 0"):
        nk.walk(model, 0)
    with pytest.raises(InputError, match="in 5 draws; 6 steps take 7"):
        nk.walk(model, walk.state, steps=6)
    with pytest.raises(InputError, match=r"below is 2"):
        nk.walk(model, 2, below=2.0)
