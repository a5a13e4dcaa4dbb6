"""The noise of a sample: found, given out again, renewed; for every kernel and any weights."""

from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import noisekernel as nk
from cases import examples, kinds, noise_model, random_categorical, random_normal, shapes
from helpers import generator
from noisekernel import tasks
from noisekernel.core.errors import InputError, ScheduleError, ShapeError
from noisekernel.core.randomness import Recorded, normal, uniform
from noisekernel.sampling import renewal
from noisekernel.sampling.samplers import annealing


def streams(n, seed=0):
    return nk.Streams.of(seed, range(n))


def recorded(*noise):
    return Recorded(0, torch.arange(len(noise[0])), noise=noise)


@given(shape=shapes, classes=st.integers(2, 5), seed=st.integers(0, 1000))
def test_the_noise_of_a_sample_draws_it_again(shape, classes, seed):
    g = generator(seed)
    for p in (random_normal(shape, g), random_categorical(shape, classes, g)):
        value = p.sample(streams(shape[0], seed))
        noise = p.noise_of(value, streams(shape[0], seed + 1))
        torch.testing.assert_close(p.sample(recorded(noise)), value, rtol=1e-4, atol=1e-5)


def test_where_nothing_is_drawn_there_is_no_noise_or_any():
    at = torch.zeros(2, 3)
    assert nk.Delta(at).noise_of(at, streams(2)) is None
    free = nk.Normal(at, at).noise_of(at, streams(2))
    assert torch.isfinite(free).all()
    assert free.std() > 0.1


def test_a_record_gives_out_what_is_in_it_and_refuses_more():
    record = recorded(torch.zeros(2, 3), torch.full((2, 1), 50.0))
    again = record.fork()
    assert torch.equal(normal((2, 3), record), torch.zeros(2, 3))
    assert 0.99 < float(uniform((2, 1), record)[0, 0]) < 1.0  # open, however far out
    with pytest.raises(InputError, match="2 draws are recorded"):
        normal((2, 1), record)
    with pytest.raises(ShapeError, match="another schedule or model"):
        normal((2, 4), again)
    with pytest.raises(InputError, match="not as words"):
        again.words(3)


@kinds
@pytest.mark.parametrize("steps", [2, 7, 30])
def test_retraced_noise_develops_into_the_example(kind, steps):
    """Whatever the weights are: up to the noise that is left at the end of annealing."""
    model = noise_model(kind)
    z, down = examples(model), annealing(model.kernel, steps)
    noise = renewal.retrace(model, z, down, streams(len(z)))
    states = [state.x for state, _ in tasks.development(model, noise, down)]
    end = float(down.beta[-1])
    if kind == "gaussian":
        assert float(((states[-1] - (1 - end) * z) / end**0.5).abs().max()) < 6  # standard normal
    else:
        unmasked = states[-1] != model.kernel.masked
        assert torch.equal(states[-1][unmasked], z[unmasked])
        assert float(unmasked.float().mean()) > 0.95


@kinds
def test_new_samples_are_what_their_noise_develops_into(kind):
    """The noise of one's own draws, drawn by hand, is the sample."""
    model = noise_model(kind)
    down = annealing(model.kernel, 6)
    run = tasks.synthesis(model, 3, schedule=down, seed=4)
    source, drawn = streams(3, 4), []
    if kind == "gaussian":
        drawn.append(normal((3, *model.shape), source))
    for _ in range(down.steps):
        if kind == "gaussian":
            drawn.append(normal((3, *model.shape), source))
        else:
            drawn.append(torch.special.ndtri(uniform((3, *model.shape), source).double()))
    torch.testing.assert_close(tasks.development(model, recorded(*drawn), down).result(), run.result())


@kinds
def test_at_no_noise_it_is_the_example_and_at_all_new_data(kind):
    model = noise_model(kind)
    z = examples(model)
    same = nk.renew(model, z, 2, below=0.0, steps=8)
    torch.testing.assert_close(same[:, 0], same[:, 1])  # the noise of an example is found once
    other = nk.renew(model, examples(model).flip(0), 2, below=1.0, steps=8)
    torch.testing.assert_close(nk.renew(model, z, 2, below=1.0, steps=8), other)  # nothing of z is left


@settings(deadline=None)
@given(share=st.floats(0.0, 1.0), seed=st.integers(0, 100))
def test_steps_add_up(share, seed):
    """Two steps are one: their shares of the noise that is kept multiply."""
    e = normal((2, 20_000), streams(2, seed))
    twice = streams(2, seed + 1000)
    (end,) = renewal.renewed(renewal.renewed(recorded(e), [share], twice), [share], twice).noise
    kept = 1.0 - share**2
    assert abs(float((end * e).mean()) - kept) < 0.05
    assert abs(float(end.square().mean()) - 1.0) < 0.05


@kinds
@pytest.mark.parametrize("batch_size", [1, 2, 3, 7])
def test_a_variant_is_the_same_in_any_batch_and_for_any_worker(kind, batch_size):
    model, z = noise_model(kind), examples(noise_model(kind))
    task = partial(nk.renew, model, z, 2, steps=6)
    torch.testing.assert_close(task(batch_size=batch_size), task(), rtol=1e-3, atol=1e-4)
    alone = nk.renew(model, z[3:], 2, steps=6, first=6)
    torch.testing.assert_close(alone, task()[3:], rtol=1e-3, atol=1e-4)


@given(beta=st.floats(0.0, 1.0), share=st.floats(0.0, 1.0), steps=st.integers(1, 30))
def test_shares_are_shares_and_fall_with_the_noise(beta, share, steps):
    down = annealing(nk.GaussianKernel(), steps)
    by = renewal.shares(down, steps + 1, beta, share)
    assert all(0.0 <= each <= share + 1e-12 for each in by)
    assert by == sorted(by)
    assert (by[0] == share) == (beta == 1.0 or share == 0.0)


@kinds
def test_variants_of_variants_go_on_from_their_noise(kind):
    model = noise_model(kind)
    z = examples(model)
    run = tasks.renewal(model, z, 2, steps=6)
    y = run.result()
    again = tasks.renewal(model, y, below=0.0, steps=6, noise=run.noise).result()
    torch.testing.assert_close(again, y)
    torch.testing.assert_close(tasks.development(model, run.noise, run.schedule).result(), y)
    with pytest.raises(InputError, match="draws its noise as it goes"):
        _ = tasks.synthesis(model, 1, steps=2).noise


@kinds
def test_a_walk_is_renewal_step_by_step(kind):
    model = noise_model(kind)
    z = examples(model)
    walk = nk.NoiseWalk.of(model, z, steps=6)
    start = walk.clean
    torch.testing.assert_close(start, nk.renew(model, z, below=0.0, steps=6)[:, 0])
    walk.step(0.3)
    assert not torch.allclose(walk.clean.float(), start.float(), atol=1e-3)
    new = nk.NoiseWalk.of(model, 4, steps=6, seed=2)
    assert new.clean.shape == (4, *model.shape)
    assert not torch.allclose(new.clean[0].float(), new.clean[1].float(), atol=1e-3)


@given(share=st.floats(0.0, 1.0))
def test_gliding_keeps_noise_and_motion_independent_and_of_unit_variance(share):
    """As linear functions of independent normals e, n and new, e' and n' are orthonormal again."""
    e, n, new = (row[None] for row in torch.eye(3, dtype=torch.float64))
    after, motion = renewal.glided(recorded(e), [n], [share], recorded(new))
    both = torch.cat((after.noise[0], motion[0]))
    torch.testing.assert_close(both @ both.T, torch.eye(2, dtype=torch.float64), atol=1e-7, rtol=0)


def test_gliding_from_rest_is_renewal():
    e, n, new = (torch.randn(5, 2, generator=generator(seed)) for seed in range(3))
    expected = renewal.renewed(recorded(e), [0.3], recorded(new)).noise[0]
    torch.testing.assert_close(expected, 0.91**0.5 * e + 0.3 * new)
    from_rest, _ = renewal.glided(recorded(e), None, [0.3], recorded(new))
    torch.testing.assert_close(from_rest.noise[0], expected)
    assert not torch.allclose(renewal.glided(recorded(e), [n], [0.3], recorded(new))[0].noise[0], expected)


def test_a_gliding_walk_comes_further_by_steps_of_the_same_length_and_does_not_swing_back():
    model = noise_model("gaussian")
    steps, ways, turned = {}, {}, {}
    for how in ("step", "glide"):
        walk = nk.NoiseWalk.of(model, 200, steps=4)
        places = [torch.stack(walk.noise.noise)]
        for _ in range(40):
            getattr(walk, how)(0.1, below=1.0)
            places.append(torch.stack(walk.noise.noise))
        steps[how] = float((places[5] - places[4]).square().mean())
        ways[how] = float((places[15] - places[0]).square().mean())
        turned[how] = float((places[40] * places[0]).mean())
    assert steps["glide"] == pytest.approx(steps["step"], rel=0.05)
    assert ways["glide"] > 3 * ways["step"]
    assert -0.05 < turned["glide"] < 0.3 < turned["step"]


def test_a_steered_walk_takes_nothing_that_is_forbidden():
    model = noise_model("gaussian")
    walk = nk.NoiseWalk.of(model, examples(model), steps=4)
    start, noise = walk.clean, walk.noise.noise
    taken = walk.steer(lambda z: torch.where((z == start).flatten(1).all(1), 0.0, -torch.inf), 0.5)
    assert not taken.any()
    assert torch.equal(walk.clean, start)
    assert all(torch.equal(a, b) for a, b in zip(walk.noise.noise, noise, strict=True))
    assert walk.steer(lambda z: torch.zeros(len(z)), 0.5).all()
    assert not torch.allclose(walk.clean.float(), start.float(), atol=1e-3)
    here = walk.clean
    with pytest.raises(ShapeError, match="one number per sample"):
        walk.steer(lambda z: z, 0.5)
    with pytest.raises(InputError, match="NaN"):
        walk.steer(lambda z: torch.where((z == here).flatten(1).all(1), 0.0, torch.nan), 0.5)
    assert torch.equal(walk.clean, here)


def test_variants_differ_from_each_other_and_between_seeds():
    model, z = noise_model("gaussian"), examples(noise_model("gaussian"))
    two = nk.renew(model, z, 2, steps=6)
    assert not torch.allclose(two[:, 0], two[:, 1])
    assert not torch.allclose(two, nk.renew(model, z, 2, steps=6, seed=1))


def test_a_label_is_put_in_on_both_ways():
    """Found and developed under one label, the example comes back; developed under another, something else."""
    model = noise_model("gaussian", classes=3)
    z = examples(model)
    label, down = torch.tensor([0, 1, 2, 0, 1]), annealing(model.kernel, 10)
    back = nk.renew(model, z, below=0.0, steps=10, label=label)[:, 0]
    torch.testing.assert_close(back, nk.renew(model, z, below=0.0, steps=10, label=label, batch_size=2)[:, 0])
    assert float((back - z).abs().mean()) < 0.1
    noise = renewal.retrace(model.labelled(label, 5), z, down, streams(5))
    other = tasks.development(model, noise, down, label=(label + 1) % 3).result()
    assert float((other - z).abs().mean()) > 2 * float((back - z).abs().mean())


def test_what_is_refused():
    model = noise_model("gaussian")
    z = examples(model)
    with pytest.raises(InputError, match=r"share is 1\.5"):
        nk.renew(model, z, share=1.5)
    with pytest.raises(InputError, match="below is nan"):
        nk.renew(model, z, below=float("nan"))
    with pytest.raises(ShapeError, match="made for a batch of"):
        nk.renew(model, z[:, :, :3])
    with pytest.raises(InputError, match=r"begins at 0\.5"):
        renewal.retrace(model, z, annealing(model.kernel, 5, first=0.5), streams(5))
    with pytest.raises(InputError, match="label"):
        nk.renew(model, z, label=torch.zeros(3, dtype=torch.int64))
    known = tasks.renewal(model, z, steps=4).noise
    with pytest.raises(InputError, match="5 draws are recorded, but the schedule has 9 steps"):
        tasks.renewal(model, z, steps=9, noise=known)
    with pytest.raises(InputError, match="in 5 draws; 5 steps take 6"):
        tasks.renewal(model, z, steps=5, noise=known)
    with pytest.raises(ShapeError, match="on record for 5 samples; there are 2"):
        tasks.renewal(model, z[:2], steps=4, noise=known)
    wrong = nk.Schedule.along(nk.levels.linear(1.0, 0.01), 3, 0.9)
    with pytest.raises(ScheduleError, match="largest lag"):
        renewal.retrace(model, z, wrong, streams(5))
