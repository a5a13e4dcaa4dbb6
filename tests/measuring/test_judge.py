"""A model judged: figures that tell good from bad, a floor, warnings where they are due, and nothing computed twice."""

import numpy as np
import pytest
import torch

import noisekernel as nk
from noisekernel import models
from noisekernel.core.errors import InputError
from noisekernel.kinds.pictures import Pictures, Size, classifier
from noisekernel.measuring.samples import evaluation
from noisekernel.measuring.samples.figures import Encoded


def coarse(pixels):
    """Features without training: the mean of each quarter."""
    return torch.nn.functional.avg_pool2d(pixels.float() / 255, 4).flatten(1)


@pytest.fixture(scope="module")
def digits():
    return models.load("digits", "cpu")


def test_a_model_is_better_than_its_untrained_self(digits):
    torch.manual_seed(0)
    fresh = models.build(digits.design)
    fresh.denoiser.eval().requires_grad_(False)
    options = {"n": 100, "steps": 4, "features": coarse}
    good, bad = nk.measure(digits, "digits", **options), nk.measure(fresh, "digits", **options)
    assert good.figures["fid"].high < bad.figures["fid"].low
    assert good.figures["kid"].value < bad.figures["kid"].value
    assert good.figures["coverage"].low > bad.figures["coverage"].high
    assert good.denoising.curve.more_than(bad.denoising.curve).high < 0
    assert good.denoising.simple.bits.value == pytest.approx(bad.denoising.simple.bits.value)
    # The floor is of the data alone.
    assert good.floor == bad.floor
    assert good.floor["fid"].value < good.figures["fid"].value
    assert good.how["floor_of"] == "real data: 100 of the data against 1,697"
    assert good.how["n"] == 100
    assert good.how["examples"] == 1797
    assert good.missing == {"inception_score": "these features come without logits of classes"}
    assert ["FID falls" in good.warnings[0], "denoising" in good.warnings[1]] == [True, True]
    assert "100 samples against 1,797 examples" in good.warnings[0]
    assert "Fréchet distance (FID)" in str(good)
    assert "warning: 100 samples" in str(good)


def test_arrays_are_measured_against_as_they_are_trained_on(digits, tmp_path):
    pixels = nk.data.load_data("digits")[0].values[:, 0].numpy()
    np.save(tmp_path / "digits.npy", pixels)
    options = {"n": 30, "steps": 2, "features": coarse}
    held = nk.measure(digits, pixels[:1000], held_out=pixels[1000:], **options)
    assert held.how["data"] == "an array of shape (1000, 8, 8)"
    assert held.how["floor_of"] == "real data: 30 held out against 1,000"
    array, file = (nk.measure(digits, data, **options) for data in (pixels, tmp_path / "digits.npy"))
    assert array.figures == file.figures
    assert "against 1,797 pictures of an array of shape (1797, 8, 8)" in str(array)
    with pytest.raises(InputError, match=r"float32; pictures are bytes"):
        nk.measure(digits, torch.utils.data.TensorDataset(torch.zeros(40, 1, 8, 8)), n=30)
    with pytest.raises(InputError, match=r"float32; pictures are bytes"):
        nk.measure(digits, torch.zeros(40, 1, 8, 8), n=30)


def test_samples_are_those_of_synthesize_rounded_to_bytes(digits):
    seen = []

    def watched(pixels):
        seen.append(pixels.clone())
        return coarse(pixels)

    nk.measure(digits, "digits", n=30, steps=2, seed=5, features=watched, batch_size=8, label=["3", "5"])
    drawn = torch.cat(seen[-4:])
    z = nk.synthesize(digits, 30, steps=2, seed=5, batch_size=8, label=digits.label(["3", "5"], 30))
    assert drawn.dtype == torch.uint8
    assert torch.equal(drawn, digits.kind.decode(z))
    real = torch.cat(seen[:-4])
    assert torch.equal(real, nk.data.load_data("digits")[0].values)


def test_small_features_are_learned_once_and_kept(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(classifier, "IMAGES", 3000)
    pictures = nk.data.load_data("digits")[0]
    np.savez(tmp_path / "some.npz", images=pictures.values[:300, 0].numpy(), labels=pictures.labels[:300].numpy())
    options = {"n": 25, "steps": 1}
    first = nk.measure(digits, tmp_path / "some.npz", **options)
    assert "a small classifier of the data" in first.how["features"]
    assert "inception_score" in first.figures
    kept = sorted(path.name for path in (tmp_path / "home").rglob("*.safetensors"))
    assert len(kept) == 2

    def fail(*arguments):
        raise AssertionError("learned again")

    with monkeypatch.context() as patch:
        patch.setattr(Pictures, "learn_features", fail)
        again = nk.measure(digits, tmp_path / "some.npz", **options)
    assert again.figures == first.figures
    # Other pictures under the same name: nothing of the old is used.
    np.savez(tmp_path / "some.npz", images=pictures.values[300:600, 0].numpy(), labels=pictures.labels[300:600].numpy())
    assert nk.measure(digits, tmp_path / "some.npz", **options).figures != first.figures
    assert len(list((tmp_path / "home").rglob("*.safetensors"))) == 4
    # Damaged: computed again.
    for path in (tmp_path / "home").rglob("*.safetensors"):
        path.write_bytes(path.read_bytes()[:-7])
    np.savez(tmp_path / "some.npz", images=pictures.values[:300, 0].numpy(), labels=pictures.labels[:300].numpy())
    assert nk.measure(digits, tmp_path / "some.npz", **options).figures == first.figures


def test_held_out_pictures_are_the_floor(digits, tmp_path):
    pixels = nk.data.load_data("digits")[0].values[:, 0].numpy()
    np.save(tmp_path / "train.npy", pixels[:100])
    np.save(tmp_path / "held.npy", 255 - pixels[1000:1200])
    options = {"features": coarse, "steps": 2}
    judged = nk.measure(digits, tmp_path / "train.npy", held_out=tmp_path / "held.npy", **options)
    assert judged.how["n"] == 100
    assert judged.how["floor_of"] == "real data: 100 held out against 100"
    assert judged.warnings == ()
    assert judged.floor["fid"].value > judged.figures["fid"].value  # these were inverted
    halves = nk.measure(digits, tmp_path / "train.npy", **options)
    assert halves.how["floor_of"] == "real data: 50 of the data against 50"
    assert "the floor is that of 50 examples" in halves.warnings[0]


def test_too_few_for_the_features_is_said(digits):
    wide = nk.measure(digits, "digits", n=50, steps=1, features=lambda pixels: pixels.flatten(1).float())
    assert "50 points cannot fill the covariance of 64 features" in wide.warnings[0]


def test_the_floor_of_few_pictures_is_left_out():
    real, fake = torch.randn(30, 3), torch.randn(40, 3)
    how = {
        "categories": None,
        "model": "m",
        "n": 40,
        "sampler": "s",
        "steps": 1,
        "seed": 0,
        "examples": 30,
        "data": "d",
    }
    how["kind"] = "pictures"
    judged = evaluation.judge(Encoded(real), Encoded(fake), None, 0, {**how, "features": "f"}, lambda: None, 0.0)
    assert judged.floor == {}
    assert "15 against 15" in judged.missing["floor"]
    assert "15 against 15" in str(judged)


def test_refused(digits, tmp_path):
    with pytest.raises(InputError, match="n is 3; it is at least 20"):
        nk.measure(digits, "digits", n=3)
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        nk.measure(digits, "digitz")
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        nk.measure("digitz", "digits")
    design = digits.design.model_copy(update={"data": digits.kind.of_size(Size(1, 128, 128))})
    with pytest.raises(InputError, match="up to 64 pixels a side, and these have 128; name others"):
        nk.measure(models.build(design), "digits", n=20)


def test_denoising_is_measured_on_what_was_held_out_and_says_where_it_was_not(digits):
    pictures = nk.data.load_data("digits")[0].values[:, 0].numpy()
    options = {"n": 30, "steps": 2, "features": coarse}
    held = nk.measure(digits, pictures[:900], held_out=pictures[900:925], **options)
    own = nk.measure(digits, pictures[:900], **options)
    assert (held.denoising.held_out, len(held.denoising.curve.of_examples)) == (True, 25)
    assert (own.denoising.held_out, len(own.denoising.curve.of_examples)) == (False, 30)
    assert not any("denoising" in warning for warning in held.warnings)
    assert any("which the model may have been trained on" in warning for warning in own.warnings)
    assert "denoising of 25 pictures that were held out: squared error" in str(held)
    assert held.as_json()["denoising"]["reference"]["name"] == "one variance"


def test_a_kernel_without_a_curve_is_judged_all_the_same(digits, monkeypatch):
    def no_curve(*arguments, **options):
        raise InputError("a MyKernel has no denoising curve")

    monkeypatch.setattr(evaluation, "denoised", no_curve)
    judged = nk.measure(digits, "digits", n=30, steps=2, features=coarse)
    assert judged.denoising is None
    assert judged.as_json()["denoising"] is None
    assert "no denoising curve: a MyKernel has no denoising curve" in str(judged)
