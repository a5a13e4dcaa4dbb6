"""Tasks, for every kernel: one seed per sample, observed elements to the bit, what is asked for and what is refused."""

import inspect
import math
import re
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import noisekernel as nk
from cases import examples, kinds, noise_model
from helpers import generator
from noisekernel import tasks
from noisekernel.core.errors import DtypeError, InputError, ScheduleError, ShapeError
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling.samplers import annealing


@kinds
def test_shapes_and_kinds(kind):
    model = noise_model(kind)
    z, fill = examples(model), torch.ones(5, 1, 6, 6)
    assert nk.synthesize(model, 3, steps=4).shape == (3, 1, 6, 6)
    for result in (
        nk.vary(model, z, 2, below=0.4, steps=3),
        nk.equilibrate(model, z, 2, steps=3, readout=2),
        nk.fill(model, z, fill, 2, steps=4),
        nk.steer(model, z, lambda clean: clean.float().mean((1, 2, 3)), 2, beta=0.2, steps=3, readout=2),
    ):
        assert result.shape == (5, 2, 1, 6, 6)
        assert result.dtype == z.dtype
        model.kernel.check_data(result)  # clean data again: finite, no class that does not exist


@kinds
@pytest.mark.parametrize("batch_size", [1, 2, 3, 7])
def test_a_sample_is_the_same_in_any_batch(kind, batch_size):
    model, z = noise_model(kind), examples(noise_model(kind))
    fill = torch.rand(z.shape, generator=generator(5)) < 0.5
    for task in (
        partial(nk.synthesize, model, 7, steps=6),
        partial(nk.equilibrate, model, z, 2, steps=6, readout=2),
        partial(nk.fill, model, z, fill, 2, steps=6, equilibrium=1),
        partial(nk.steer, model, z, lambda clean: clean.float().mean((1, 2, 3)), 2, beta=0.2, steps=6, readout=2),
    ):
        torch.testing.assert_close(task(batch_size=batch_size), task(), rtol=1e-3, atol=1e-4)
    assert not torch.allclose(
        nk.synthesize(model, 7, steps=6, seed=1).float(), nk.synthesize(model, 7, steps=6).float()
    )


@kinds
def test_workers_that_number_their_samples_on_give_the_same_samples(kind):
    model = noise_model(kind)
    whole = nk.synthesize(model, 6, steps=5, batch_size=3, seed=9)
    shards = [nk.synthesize(model, 3, steps=5, first=first, seed=9) for first in (0, 3)]
    torch.testing.assert_close(torch.cat(shards), whole, rtol=1e-3, atol=1e-4)
    assert not torch.allclose(shards[0].float(), shards[1].float())


@kinds
@settings(max_examples=15)
@given(share=st.floats(0.0, 1.0), seed=st.integers(0, 99))
def test_observed_elements_come_back_bit_by_bit_and_hidden_ones_are_never_read(kind, share, seed):
    model = noise_model(kind, shape=(4,))
    z = examples(model)
    if kind == "gaussian":
        z[0, :2] = torch.tensor([-0.0, 1e-30])
    fill = torch.rand(z.shape, generator=generator(seed)) < share
    filled = nk.fill(model, z, fill, steps=5, equilibrium=1, seed=seed)[:, 0]
    same = filled.view(torch.int32) == z.view(torch.int32) if kind == "gaussian" else filled == z
    assert same[~fill].all()
    spoiled = z.clone()
    spoiled[fill] = math.nan if kind == "gaussian" else 77
    again = nk.fill(model, spoiled, fill, steps=5, equilibrium=1, seed=seed)[:, 0]
    torch.testing.assert_close(again, filled, rtol=1e-3, atol=1e-4)


@kinds
def test_the_hidden_part_depends_on_what_is_observed(kind):
    model = noise_model(kind, shape=(4,))
    z, fill = examples(model), torch.tensor([1, 1, 0, 0]).expand(5, 4)
    other = z.flip(0)
    a, b = (nk.fill(model, data, fill, steps=30)[:, 0, :2] for data in (z, other))
    assert not torch.allclose(a.float(), b.float(), atol=1e-3)


def test_inpainting_of_a_correlated_gaussian_finds_the_conditional():
    """Two correlated elements, one observed: the other has mean 0.8 x 1.5 and deviation 0.6, given time to settle."""
    covariance = torch.tensor([[1.0, 0.8], [0.8, 1.0]], dtype=torch.float64)

    def denoiser(x, beta):  # the exact posterior of correlated data, its marginals: what a perfect network returns
        beta = float(beta) if not isinstance(beta, torch.Tensor) else float(beta.flatten()[0])
        alpha = 1 - beta
        gain = alpha * covariance @ torch.linalg.inv(alpha**2 * covariance + beta * torch.eye(2))
        posterior = covariance - alpha * gain @ covariance
        return nk.Normal(x @ gain.T.float(), torch.diag(posterior).float().expand_as(x))

    model = nk.NoiseModel(nk.GaussianKernel(0.5), denoiser, (2,))
    n = 4000
    z, fill = torch.full((n, 2), 1.5), torch.tensor([1, 0]).expand(n, 2)
    settled = nk.fill(model, z, fill, equilibrium=5)[:, 0, 0]
    assert float(settled.mean()) == pytest.approx(1.2, abs=0.06)
    assert float(settled.std()) == pytest.approx(0.6, abs=0.03)
    default = nk.fill(model, z, fill)[:, 0, 0]
    assert float(default.mean()) == pytest.approx(1.2, abs=0.15)
    hasty = nk.fill(model, z, fill, churn=0.0)[:, 0, 0]  # the wrong twin: deterministic
    assert float(hasty.mean()) < 0.8


VERBS = [nk.synthesize, nk.vary, nk.equilibrate, nk.steer, nk.fill, nk.walk]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_every_argument_of_a_verb_is_named_and_documented(verb):
    """No **options, in which a typing mistake would be lost and which no editor completes."""
    given = inspect.signature(verb).parameters
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in given.values())
    documented = re.findall(r"^ {8}(\w+): ", verb.__doc__.split("Args:")[1], re.MULTILINE)
    assert documented == list(given)
    noun = {"synthesize": "synthesis", "vary": "variation", "equilibrate": "equilibration"}.get(verb.__name__)
    noun = noun or {"steer": "steering", "fill": "filling", "walk": "walking"}[verb.__name__]
    more = set(inspect.signature(getattr(tasks, noun)).parameters) - set(given)
    assert more <= {"rows"}  # the noun takes nothing that the verb does not


def test_every_step_of_every_batch_is_told():
    model = noise_model("gaussian")
    z = examples(model)
    for task, steps in (
        (partial(nk.synthesize, model, 5, steps=4), 4),
        (partial(nk.equilibrate, model, z, steps=3, readout=2), 5),
        (partial(nk.steer, model, z, lambda clean: clean.mean((1, 2, 3)), beta=0.2, steps=3, readout=2), 5),
        (partial(nk.fill, model, z, torch.ones(1, 6, 6), steps=3, equilibrium=1), 6),
        (partial(nk.vary, model, z, below=0.3, steps=4), 8),  # to find the noise, and to develop it
    ):
        advanced = []
        task(batch_size=2, advance=lambda advanced=advanced: advanced.append(1))
        assert len(advanced) == 3 * steps


@kinds
def test_streaming_ends_in_the_same_data(kind):
    model = noise_model(kind)
    run = tasks.synthesis(model, 2, steps=5)
    assert len(run) == 5
    for state, _ in run:
        if state.t == 3:
            break
    assert len(run) == 2
    torch.testing.assert_close(run.result(), nk.synthesize(model, 2, steps=5), rtol=1e-3, atol=1e-4)


@kinds
def test_labels_reach_the_samples(kind):
    model = noise_model(kind, classes=3)
    z = examples(model)
    a = nk.synthesize(model, 4, steps=4, label=torch.tensor([0, 1, 2, 0]))
    b = nk.synthesize(model, 4, steps=4, label=torch.tensor([0, 1, 2, 0]), batch_size=3)
    torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-4)
    c = nk.synthesize(model, 4, steps=4, label=torch.tensor([1, 1, 2, 0]))
    torch.testing.assert_close(a[1:], c[1:], rtol=1e-3, atol=1e-4)
    runs = [tasks.synthesis(model, 1, label=torch.tensor([k])) for k in (0, 1)]
    assert not torch.allclose(runs[0].state.view.mean, runs[1].state.view.mean, atol=1e-4)
    for verb in (partial(nk.vary, below=0.4), nk.equilibrate):
        assert verb(model, z, 2, steps=2, label=torch.arange(5) % 3).shape == (5, 2, 1, 6, 6)


@kinds
def test_the_paper_read_out_is_the_best_guess_at_the_last_state(kind):
    model = noise_model(kind)
    run = tasks.equilibration(model, examples(model), steps=4)
    clean = run.result()
    torch.testing.assert_close(clean, model.look(run.state.x, 0.2).best)
    assert run.state.beta == 0.2


def test_steering_reads_the_state_or_the_clean_guess():
    model = nk.NoiseModel(nk.GaussianKernel(0.5), partial(exact_denoiser, mean=0.0, variance=1.0), (1,))
    z, seen = torch.zeros(3, 1), {}

    def f(batch):
        seen.setdefault("first", batch.clone())
        return batch[:, 0]

    for on in ("state", "clean"):
        seen.clear()
        run = tasks.steering(model, z, f, on=on, steps=1, readout=0, beta=0.5)
        expected = run.state.x if on == "state" else run.state.view.loc
        run.result()
        assert torch.equal(seen["first"], expected)


@kinds
def test_numbers_of_numpy_are_numbers(kind):
    model = noise_model(kind)
    z = examples(model)
    assert nk.synthesize(model, np.int64(2), steps=np.int32(3), seed=np.int64(1)).shape[0] == 2
    assert nk.equilibrate(model, z, np.int64(1), beta=np.float32(0.2), steps=2, readout=1).shape[1] == 1


def test_double_precision_data_and_gradients_on_it_do_no_harm():
    model = noise_model("gaussian")
    z = examples(model).double().requires_grad_()
    fill = torch.rand(z.shape, generator=generator(5)) < 0.5
    filled = nk.fill(model, z, fill, steps=3)[:, 0]
    assert filled.dtype == torch.float64
    assert torch.equal(filled[~fill], z.detach()[~fill])
    assert not filled.requires_grad
    assert nk.equilibrate(model, z, steps=2, readout=1).dtype == torch.float64


@kinds
def test_one_mask_is_that_of_all_samples(kind):
    model = noise_model(kind)
    z = examples(model)
    mask = torch.zeros(1, 6, 6)
    mask[:, 2:5] = 1
    each = nk.fill(model, z, mask.expand(5, 1, 6, 6), 2, steps=3)
    for one in (mask, mask[None], mask.bool()):
        torch.testing.assert_close(nk.fill(model, z, one, 2, steps=3), each, rtol=1e-3, atol=1e-4)
        assert torch.equal(tasks.filling(model, z, one, steps=3).observed[1], mask.bool().expand(5, 1, 6, 6))


@kinds
def test_mistakes(kind):
    model = noise_model(kind)
    z = examples(model)
    with pytest.raises(InputError, match="n is 0"):
        nk.synthesize(model, 0)
    with pytest.raises(InputError, match="batch_size is 0"):
        nk.synthesize(model, 2, batch_size=0)
    with pytest.raises(InputError, match="seed is -1"):
        nk.synthesize(model, 2, seed=-1)
    with pytest.raises(InputError, match="starts from pure noise"):
        nk.synthesize(model, 2, schedule=nk.Schedule.along(nk.levels.linear(0.5, 0.1), 5, 0.1))
    with pytest.raises(ScheduleError, match="Lower the lag"):
        nk.synthesize(model, 2, schedule=nk.Schedule.along(nk.levels.linear(1.0, 0.01), 5, 0.9))
    with pytest.raises(ShapeError, match="this model was made for a batch of"):
        nk.equilibrate(model, z[:, :, :5])
    with pytest.raises(DtypeError, match="convert it with"):
        nk.equilibrate(model, z.long() if kind == "gaussian" else z.float())
    with pytest.raises(InputError, match=r"beta is 0; it lies in \(0, 1\]"):
        nk.equilibrate(model, z, beta=0.0)
    with pytest.raises(ShapeError, match="mask has shape"):
        nk.fill(model, z, torch.ones(5, 1, 6, 5))
    for shape in ((6, 6), (4, 1, 6, 6), (5, 1, 1, 6), (1, 1, 1, 6, 6)):
        with pytest.raises(ShapeError, match=r"mask has shape.*or one for all, of shape \(1, 6, 6\)"):
            nk.fill(model, z, torch.ones(shape))
    with pytest.raises(InputError, match="other than 0"):
        nk.fill(model, z, torch.full(z.shape, 0.5))
    schedule = annealing(model.kernel, 5)
    with pytest.raises(InputError, match="both schedule and steps"):
        nk.synthesize(model, 2, schedule=schedule, steps=3)
    with pytest.raises(InputError, match="both schedule and churn"):
        nk.fill(model, z, torch.ones_like(z), schedule=schedule, churn=3.0)
    with pytest.raises(InputError, match="of which there are none"):
        nk.fill(model, z, torch.ones_like(z), lag=0.3)
    with pytest.raises(InputError, match="give a Schedule"):
        nk.synthesize(model, 2, schedule="linear")
    with pytest.raises(InputError, match="tasks need a NoiseModel"):
        nk.synthesize(model.denoiser, 2)
    with pytest.raises(InputError, match="score is a int"):
        nk.steer(model, z, 3, beta=0.2)
    for seed in (1.5, "a", None, True):
        with pytest.raises(InputError, match="seed is"):
            nk.synthesize(model, 2, seed=seed)
    with pytest.raises(InputError, match="first is -1"):
        nk.synthesize(model, 2, first=-1)
    with pytest.raises(ShapeError, match="one class a sample"):
        nk.synthesize(model, 2, label=torch.zeros(5, dtype=torch.int64))
    with pytest.raises(ShapeError, match="one class a sample"):
        nk.equilibrate(model, z, label=torch.zeros(7, dtype=torch.int64))
    with pytest.raises(DtypeError, match="give an integer tensor"):
        nk.synthesize(model, 2, label=[0, 1])
    with pytest.raises(InputError, match="'clean' best guess"):
        nk.steer(model, z, lambda clean: clean, beta=0.2, on="dirty")
    with pytest.raises(InputError, match="built without classes"):
        nk.synthesize(model, 2, label=torch.tensor([0, 1]))
    own = nk.NoiseModel(model.kernel.with_lag(torch.tensor([0.1] * 5)), model.denoiser, model.shape)
    with pytest.raises(InputError, match="a lag for each sample"):
        nk.steer(own, z, lambda clean: clean, beta=0.2)


@pytest.mark.parametrize("task", [nk.vary, nk.equilibrate])
def test_more_samples_than_memory_holds_are_refused_before_any_is_made(task):
    model = nk.NoiseModel(nk.GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), shape=(2,))
    with pytest.raises(InputError, match=r"1,000,000,000,000 samples of 2 take 8\.0 TB of memory, and there are"):
        nk.synthesize(model, 10**12)
    with pytest.raises(InputError, match="ask for fewer at a time"):
        task(model, torch.zeros(1, 2), 10**12)
