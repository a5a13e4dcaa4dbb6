"""Strength: what it says is how far variants go, and a model carries its curves."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

import noisekernel as nk
from cases import examples, kinds, noise_model
from noisekernel.core.errors import InputError
from noisekernel.files.folders import cache_folder
from noisekernel.files.formats import read_about, write_tensors
from noisekernel.measuring.kept import KnownCurves
from noisekernel.networks.exact import exact_denoiser
from noisekernel.tasks.distances import renewal_curve
from noisekernel.tasks.strength import EQUILIBRIUM, RENEWAL, WAYS, calibrated, constant_noise


@pytest.fixture(scope="module")
def digits():
    return nk.load("digits", "cpu")


@pytest.fixture
def curve():
    return RENEWAL.curve(nk.load("digits", "cpu"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["digits", "fashion"])
def test_equal_turns_go_equally_far(way, name):
    curve = nk.load(name, "cpu").curves[way]
    levels = [curve.turned(turn / 10) for turn in range(11)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (0.0, curve.betas[-1])
    turns = np.diff([curve.distance(level) for level in levels])
    assert np.allclose(turns, turns.mean(), atol=0.01)
    # The wrong twin, a dial of the noise level itself, goes most of its way in the first turns.
    twin = np.diff([curve.distance(turn / 10 * curve.betas[-1]) for turn in range(11)])
    assert twin[0] > 3 * twin[5]


@pytest.mark.statistical
@pytest.mark.parametrize("strength", [0.2, 0.35, 0.5])
def test_new_variants_go_as_far_as_the_dial_says(digits, curve, strength):
    """Within what the curve, measured on 48 samples, and 96 others differ by."""
    z = nk.synthesize(digits, 96, steps=20, seed=7)
    unrelated = 2.0 * z.flatten(1).var(dim=0).sum()

    def reached(beta):
        variants = nk.vary(digits, z, 1, below=beta, seed=8)[:, 0]
        return float(((variants - z).flatten(1).square().sum(1).mean() / unrelated).sqrt())

    wanted = strength * curve.monotone[-1]
    assert reached(curve.turned(strength)) == pytest.approx(wanted, abs=0.08)
    assert reached(strength) > wanted + 0.12  # the wrong twin


@pytest.mark.statistical
def test_the_dial_does_not_jump_at_its_low_end(digits, curve):
    """On 24 samples that the curve was not measured on: the way rises with every turn, and evenly."""
    z = nk.synthesize(digits, 48, steps=20, seed=17)
    unrelated = 2.0 * z.flatten(1).var(dim=0).sum()
    noise = nk.walk(digits, z[:24], seed=18, first=24).state.noise

    def reached(beta):
        variants = nk.tasks.variation(digits, z[:24], below=beta, seed=18, noise=noise).result()
        return float(((variants - z[:24]).flatten(1).square().sum(1).mean() / unrelated).sqrt())

    turns = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    ways = [reached(curve.turned(turn)) for turn in turns]
    assert ways == sorted(ways)
    assert ways[:3] == pytest.approx(np.multiply(turns[:3], curve.monotone[-1]), abs=0.03)
    assert ways[3:] == pytest.approx(np.multiply(turns[3:], curve.monotone[-1]), abs=0.12)
    assert reached(0.05) > 0.25  # the wrong twin, a dial of the noise level itself, jumps


def test_the_ends_of_the_dial(digits, curve):
    z = nk.synthesize(digits, 4, steps=20, seed=3)
    same = nk.vary(digits, z, 1, below=curve.turned(0.0), seed=1)[:, 0]
    assert torch.allclose(same, z, atol=0.05)
    assert curve.turned(1.0) == 1.0
    with pytest.raises(nk.errors.InputError, match="strength is 1"):
        curve.turned(1.5)


@pytest.mark.same_call
def test_a_strength_is_the_level_that_the_curve_says(digits, curve):
    z = nk.synthesize(digits, 3, steps=20, seed=3)
    assert torch.equal(nk.vary(digits, z, 2, strength=0.4), nk.vary(digits, z, 2, below=curve.turned(0.4)))
    assert torch.equal(nk.vary(digits, z, 2), nk.vary(digits, z, 2, strength=0.3))

    def score(z):
        return z.mean((1, 2, 3))

    steered = nk.steer(digits, z, score, strength=0.2, steps=5, readout=2)  # measured for this choice of steps
    beta = digits.curves["equilibrium-5-0.9-2"].turned(0.2, 0.002)
    assert torch.equal(steered, nk.steer(digits, z, score, beta=beta, steps=5, readout=2))


@kinds
def test_a_model_without_a_curve_is_measured_once_and_keeps_it(kind, monkeypatch):
    model, z = noise_model(kind), examples(noise_model(kind))
    advanced = []
    nk.vary(model, z, strength=0.5, steps=4, batch_size=3, advance=lambda: advanced.append(1))
    # Measured, then the noise of the examples found and their variants annealed, in two batches.
    assert len(advanced) == RENEWAL.work + 2 * (4 + 4)
    assert list(model.curves) == ["renewal"]
    monkeypatch.setattr("noisekernel.tasks.strength.Way.measure", None)
    labelled = model.labelled(None, 5)
    assert nk.vary(labelled, z, strength=0.5, steps=4).shape == (5, 1, *model.shape)
    assert nk.vary(noise_model(kind), z, strength=0.0, steps=4).shape == (5, 1, *model.shape)  # known without
    with pytest.raises(TypeError):
        nk.vary(noise_model(kind), z, strength=0.5)


def test_both_a_strength_and_a_level_are_refused():
    model = noise_model("gaussian")
    z = examples(model)
    with pytest.raises(InputError, match="both strength and below were given; each says how far"):
        nk.vary(model, z, strength=0.3, below=0.3)
    with pytest.raises(InputError, match="both strength and beta were given"):
        nk.steer(model, z, lambda z: z.mean((1, 2, 3)), strength=0.3, beta=0.3)
    with pytest.raises(InputError, match=r"strength is 1\.5"):
        nk.vary(model, z, strength=1.5)
    with pytest.raises(InputError, match=r"no way to make variants called 'renewl'.*Did you mean 'renewal'"):
        calibrated(model, ["renewl"])
    assert not model.curves  # nothing was measured in vain
    dull = nk.NoiseModel(model.kernel, partial(exact_denoiser, mean=1.0, variance=0.0), (2,))
    with pytest.raises(InputError, match=r"all samples of this model are the same.*below"):
        nk.vary(dull, torch.ones(2, 2))


def test_curves_are_saved_with_the_model_and_read_again(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path / "home"))
    z = nk.synthesize(digits, 8, steps=4, seed=1)
    some = renewal_curve(digits, z, betas=(0.1, 1.0), n=4, steps=4)
    own = replace(digits, curves={"renewal": some})
    assert (own.to("cpu").curves, own.labelled(None, 1).curves) == (own.curves, own.curves)
    path = nk.save(own, tmp_path / "own.safetensors")
    again = nk.load(path)
    assert dict(again.curves) == {"renewal": some}
    assert "equilibrium" not in again.curves
    assert again == again.to("cpu")
    assert dict(pickle.loads(pickle.dumps(again.curves))) == dict(copy.deepcopy(again).curves) == {"renewal": some}
    told = read_about(path)
    told["curves"]["renewal"]["betas"] = ["nonsense"]
    write_tensors(path, again.denoiser.state_dict(), told)
    assert dict(nk.load(path).curves) == {}  # damaged: as if it were not there
    nk.save(replace(digits, curves={}), tmp_path / "none.safetensors")
    assert "curves" not in read_about(tmp_path / "none.safetensors")


def test_calibrated_measures_and_leaves_the_model_as_it_is(digits):
    advanced = []
    bare = replace(digits, curves={})
    found = calibrated(bare, advance=lambda: advanced.append(1))
    assert len(advanced) == RENEWAL.work
    assert (list(found.curves), bare.curves, type(found)) == (["renewal"], {}, type(digits))
    assert found.curves["renewal"].distance(1.0) == pytest.approx(1.0, abs=0.15)


def test_what_is_measured_is_kept_by_the_weights_it_is_of(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path))
    asked = []

    def known():
        return KnownCurves(None, lambda: asked.append(1) or "0" * 64)

    curves = known()
    assert not asked  # to hash a large file takes time
    assert (curves.get("renewal"), len(curves)) == (None, 0)
    z = nk.synthesize(digits, 8, steps=4, seed=1)
    some = renewal_curve(digits, z, betas=(0.1, 1.0), n=4, steps=4)
    curves["renewal"] = some
    assert (curves["renewal"], known()["renewal"], list(curves)) == (some, some, ["renewal"])
    assert "equilibrium" not in known()
    (path,) = (cache_folder() / "curves").glob("0000*")
    path.write_text("{}")
    assert "renewal" not in known()  # damaged: as if it were not there


@pytest.mark.statistical
def test_steering_by_other_steps_goes_as_far_as_its_strength_says():
    """Few steps at a level go less far than a hundred, so they have a curve of their own. The score says nothing."""
    model = nk.NoiseModel(nk.GaussianKernel(0.9), partial(exact_denoiser, mean=1.0, variance=0.25), shape=(64,))
    assert constant_noise(model, 100, 0.9, 10) is EQUILIBRIUM
    z = nk.synthesize(model, 64, steps=20, seed=3)
    unrelated = 2.0 * z.var(dim=0).sum()

    def reached(**how):
        steered = nk.steer(model, z, lambda z: torch.zeros(len(z)), steps=5, seed=4, **how)[:, 0]
        return float(((steered - z).square().sum(1).mean() / unrelated).sqrt())

    assert reached(strength=0.3) == pytest.approx(0.3, abs=0.05)
    assert list(model.curves) == ["equilibrium-5-0.9-10"]
    twin = EQUILIBRIUM.level(model, 0.3, None)  # the level that goes as far in a hundred steps
    assert reached(beta=twin) < 0.23
