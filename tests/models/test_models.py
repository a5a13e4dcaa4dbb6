"""The models that come with the package: there, small, honest about their past, and good."""

import json
import re
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch

import noisekernel as nk
from noisekernel import models, recipes
from noisekernel.core import checks
from noisekernel.core.errors import DtypeError, InputError, ShapeError
from noisekernel.measuring.samples.features import learned_features
from noisekernel.measuring.samples.frechet import frechet_distance
from noisekernel.networks.exact import exact_denoiser


def test_four_come_with_the_package():
    assert models.bundled() == ["emoji", "bach", "digits", "fashion"]
    for entry in (files("noisekernel.models") / "bundled").iterdir():
        assert len(entry.read_bytes()) < 12_000_000


@pytest.mark.parametrize("name", ["bach", "digits", "emoji", "fashion"])
def test_they_say_how_they_were_made(name):
    model = nk.load(name)
    recipe = recipes.recorded(model.history["recipe"], name)
    # `otherwise` is the size for pictures of many sizes, which these are not. Weights do not depend on how one samples.
    # What an objective is may be said in several ways.
    left_out = {"data": {"otherwise"}, "sampling": True, "objective": True}
    assert recipe.objective.build() == recipes.recipe(name).objective.build()
    assert recipe.model_dump(exclude=left_out) == recipes.recipe(name).model_dump(exclude=left_out)
    assert model.design.sampling == recipes.recipe(name).sampling
    assert model.history["images"] >= recipe.training.images
    assert model.history["examples"] == {"bach": 16_965, "digits": 1797, "emoji": 3609, "fashion": 60_000}[name]
    assert isinstance(model.history["seed"], int)
    assert len(model.classes) == (0 if name in ("bach", "emoji") else 10)
    # No folder of the machine it was trained on.
    assert "/" not in json.dumps({**models.about(name)["history"], "recipe": None})


def test_emoji_are_given_credit_for():
    assert "CC-BY 4.0" in models.told_history(nk.load("emoji").history)


def test_emoji_are_coloured_and_lie_on_white():
    """Of real ones nearly all do; of what a network with fresh weights draws, the twin, none does."""

    def share_on_white(model):
        z = nk.synthesize(model, 24, steps=12, seed=0)
        corners = z[:, :, ::31, ::31].flatten(1)
        coloured = (z.amax(dim=1) - z.amin(dim=1)).flatten(1).amax(dim=1) > 0.5
        return float(((corners.mean(dim=1) > 0.7) & coloured).float().mean())

    model = nk.load("emoji")
    assert share_on_white(model) > 0.6
    fresh = models.build(model.design)
    fresh.denoiser.backbone.apply(lambda m: m.reset_parameters() if hasattr(m, "reset_parameters") else None)
    assert share_on_white(fresh) < 0.2


def test_a_folder_with_the_name_of_one_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nk.save(nk.load("fashion"), "digits")
    assert nk.load(Path("./digits")).shape == nk.load("./digits").shape == (1, 28, 28)
    assert models.digest_of(Path("digits")) == models.digest_of("./digits") != models.digest_of("digits")
    assert nk.load("digits").shape == (1, 8, 8)


def test_one_picture_is_read_as_one(tmp_path):
    model = nk.load("digits")
    model.draw(nk.synthesize(model, 1, steps=2))[0].save(tmp_path / "a.png")
    assert torch.equal(model.read(tmp_path / "a.png"), model.read([str(tmp_path / "a.png")]))


@pytest.mark.parametrize("lead", [(), (3,), (3, 2), (2, 1, 2)], ids=len)
def test_pictures_are_drawn_of_any_number_of_dimensions_in_order(lead):
    """The tasks return (batch, n, …), and `n` is there where it is 1."""
    model = nk.load("digits")
    z = torch.rand(*lead, 1, 8, 8, generator=torch.Generator().manual_seed(0)) * 2 - 1
    one_by_one = [model.draw(each[None])[0] for each in z.reshape(-1, 1, 8, 8)]
    assert [image.tobytes() for image in model.draw(z)] == [image.tobytes() for image in one_by_one]


def test_what_is_filled_in_can_be_drawn_and_other_shapes_are_refused():
    model = nk.load("digits")
    z = nk.synthesize(model, 2, steps=2)
    assert len(model.draw(nk.fill(model, z, nk.kinds.pictures.tile_masks(model.kind.box, 4, 0.5, 2), steps=2))) == 2
    assert len(model.draw(nk.vary(model, z, 3, steps=2))) == 6
    assert model.draw(z[:0]) == []
    for wrong in (z[:, :, :7], z[0, 0], z.expand(2, 3, 8, 8)):
        with pytest.raises(ShapeError, match=r"draws samples of shape \(1, 8, 8\), with any dimensions before"):
            model.draw(wrong)
    with pytest.raises(DtypeError, match="z is a list"):
        model.draw(z.tolist())


def test_labels_are_names_or_numbers():
    fashion, digits = nk.load("fashion"), nk.load("digits")
    assert fashion.label(["sneaker", 9], 3).tolist() == [7, 9, 7]
    assert digits.label([3], 2).tolist() == digits.label(["3"], 2).tolist() == [3, 3]
    assert digits.label([np.int64(0), np.int64(1)], 2).tolist() == [0, 1]
    for wrong, said in [
        ([10], "there is no class 10; give a name, or a whole number from 0 to 9"),
        ([-1], "there is no class -1"),
        (["30"], "there is no class '30'; give a name, or a whole number from 0 to 9"),
        ([True], "there is no class True"),
        ([1.0], "there is no class 1.0"),
        ([None], "there is no class None"),
        (["snaeker"], "Did you mean 'sneaker'"),
        ("sneaker", "names is 'sneaker'; give a list of classes, such as ['t-shirt'] or [0]"),
        (3, "names is 3; give a list"),
        ([], "names is []; give a list"),
    ]:
        with pytest.raises(InputError, match=re.escape(said)):
            fashion.label(wrong, 4)
    with pytest.raises(InputError, match="n is 0"):
        fashion.label([1], 0)


def test_a_model_is_shown_in_a_line_or_two():
    model = nk.load("fashion")
    shown = repr(model)
    assert len(shown.splitlines()) == 2
    for part in ("Model of 1 x 28 x 28", "GaussianKernel(lag=0.9)", f"{model.parameters:,} parameters", "10 classes"):
        assert part in shown
    assert "by recipe 'fashion'" in shown
    plain = nk.NoiseModel(model.kernel, model.denoiser, model.shape)
    assert repr(plain) == shown.splitlines()[0].replace("Model", "NoiseModel") + ">"
    assert repr(model.labelled(torch.zeros(2, dtype=torch.int64), 2)) == shown
    assert "exact" in repr(nk.NoiseModel(nk.GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), (2,)))


def test_a_model_goes_to_a_device_and_the_first_one_stays(monkeypatch):
    """On the meta device nothing can be computed, but it can be seen what was moved."""
    model = nk.load("digits", "cpu")
    assert model.to("cpu") is model
    with pytest.raises(InputError, match="cannot be used here"):
        model.to("nowhere")
    with pytest.raises(InputError, match=r"torch\.float64' cannot be used here"):
        model.to(torch.float64)
    with pytest.raises(InputError, match="nothing can be computed on it"):
        model.to("meta")
    monkeypatch.setattr(checks, "pick_device", torch.device)
    z = torch.zeros(2, 1, 8, 8)
    labelled = model.labelled(torch.zeros(2, dtype=torch.int64), 2)
    clamped = replace(labelled, denoiser=nk.Clamped(labelled.denoiser, z, z.bool()))
    moved = clamped.to("meta")
    assert isinstance(moved, nk.Model)
    assert moved.device.type == "meta"
    assert moved.denoiser.observed.is_meta
    assert moved.denoiser.mask.is_meta
    assert moved.denoiser.denoiser.keywords["label"].is_meta
    assert moved.design == model.design
    assert model.device.type == clamped.device.type == "cpu"


def test_what_is_no_name_of_a_model_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"'' is a folder that holds no model.*give the folder of a training run"):
        nk.load("")
    (tmp_path / "recipe.json").touch()
    with pytest.raises(InputError, match="at its first checkpoint, so train on"):
        nk.load(tmp_path)
    with pytest.raises(InputError, match="takes a noise kernel, a denoiser and a shape; given a int and a str"):
        nk.NoiseModel(1, "a", (2,))
    with pytest.raises(InputError, match=r"size is 28; give that of a model, model\.kind\.box"):
        nk.kinds.pictures.tile_masks(28, 7, 0.3, 1)
    with pytest.raises(InputError, match="a NoiseModel cannot be loaded; give a name"):
        nk.measure(nk.NoiseModel(nk.GaussianKernel(), lambda x, beta: x, (1,)), "digits", n=40)


@pytest.mark.statistical
def test_digits_are_good_and_an_untrained_twin_is_not():
    """The Fréchet distance of 300 samples, with and without labels, and of variants after 60 steps.

    As many real pictures score about 0.5. The twin is the same network with fresh weights.
    """
    model = nk.load("digits")
    pictures = nk.data.load_data("digits")[0]
    z = model.kind.encode(pictures.values)
    features = learned_features(z, pictures.labels, model.kind).features
    truth = features(z)

    def distances(model):
        label = torch.arange(300) % 10
        yield frechet_distance(features(nk.synthesize(model, 300, steps=20)), truth)
        yield frechet_distance(features(nk.synthesize(model, 300, steps=20, label=label)), truth)
        yield frechet_distance(
            features(nk.equilibrate(model, z[:300], steps=60, lag=model.kernel.lag, readout=10)[:, 0]), truth
        )

    assert max(distances(model)) < 1.0
    torch.manual_seed(0)
    assert min(distances(models.build(model.design))) > 10.0


@pytest.mark.statistical
def test_labels_of_digits_are_followed():
    """By a classifier of the real pictures, right on nine of ten that it was not shown."""
    from sklearn.neighbors import KNeighborsClassifier

    model = nk.load("digits")
    pictures = nk.data.load_data("digits")[0]
    judge = KNeighborsClassifier(3).fit(model.kind.encode(pictures.values).flatten(1).numpy(), pictures.labels.numpy())
    asked = torch.arange(200) % 10
    labelled, free = (nk.synthesize(model, 200, steps=20, label=label) for label in (asked, None))
    right, by_chance = ((judge.predict(z.flatten(1).numpy()) == asked.numpy()).mean() for z in (labelled, free))
    assert right > 0.85
    assert by_chance < 0.3  # the wrong twin


@pytest.mark.statistical
def test_labels_of_fashion_tell_its_pictures_apart():
    """Without the data: from one half of the samples one can tell the labels of the other, and not without labels."""
    from sklearn.linear_model import LogisticRegression

    model, asked = nk.load("fashion"), torch.arange(160) % 10

    def told(label):
        z = nk.synthesize(model, 160, steps=12, label=label).flatten(1).numpy()
        return LogisticRegression(C=0.01).fit(z[:100], asked[:100].numpy()).score(z[100:], asked[100:].numpy())

    assert told(asked) > 0.45
    assert told(None) < 0.25
