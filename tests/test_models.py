"""The models that come with the package: there, small, honest about their past, and good."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
import torch

import noisekernel as nk
from noisekernel import config, models
from noisekernel.errors import InputError
from noisekernel.evaluate.features import small_features
from noisekernel.evaluate.frechet import frechet_distance
from noisekernel.settings import read


def test_two_come_with_the_package():
    assert models.bundled() == ["digits", "fashion"]
    for entry in (files("noisekernel") / "weights").iterdir():
        assert len(entry.read_bytes()) < 12_000_000


@pytest.mark.parametrize("name", ["digits", "fashion"])
def test_they_say_how_they_were_made(name):
    model = nk.load(name)
    recipe = read(config.Recipe, model.history["recipe"], name)
    # `otherwise` is the size for pictures of many sizes, which these are not. Weights do not depend on how one samples.
    left_out = {"data": {"otherwise"}, "sampling": True}
    assert recipe.model_dump(exclude=left_out) == config.recipe(name).model_dump(exclude=left_out)
    assert model.design.sampling == config.recipe(name).sampling
    assert model.history["images"] >= recipe.training.images
    assert model.history["pictures"] == {"digits": 1797, "fashion": 60_000}[name]
    assert isinstance(model.history["seed"], int)
    assert len(model.classes) == 10
    # No folder of the machine it was trained on.
    assert "/" not in json.dumps({**models.about(name)["history"], "recipe": None})


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


def test_what_has_no_design_is_not_saved(tmp_path):
    model = nk.load("digits")
    with pytest.raises(InputError, match="does not know its design"):
        nk.save(nk.NoiseModel(model.kernel, model.denoiser, model.shape), tmp_path / "m")


@pytest.mark.statistical
def test_digits_are_good_and_an_untrained_twin_is_not():
    """The Fréchet distance of 300 samples, with and without labels, and of variants after 60 steps.

    As many real pictures score about 1. The twin is the same network with fresh weights.
    """
    model = nk.load("digits")
    pictures = nk.data.load(nk.data.open_source("digits"))
    z = model.codec.encode(pictures.pixels)
    features = small_features(z, pictures.labels).features
    truth = features(z)

    def distances(model):
        label = torch.arange(300) % 10
        yield frechet_distance(features(nk.synthesize(model, 300, steps=20)), truth)
        yield frechet_distance(features(nk.synthesize(model, 300, steps=20, label=label)), truth)
        yield frechet_distance(features(nk.vary(model, z[:300], steps=60)[:, 0]), truth)

    assert max(distances(model)) < 2.5
    torch.manual_seed(0)
    assert min(distances(models.build(model.design))) > 10.0


@pytest.mark.statistical
def test_labels_of_digits_are_followed():
    """By a classifier of the real pictures, right on nine of ten that it was not shown."""
    from sklearn.neighbors import KNeighborsClassifier

    model = nk.load("digits")
    pictures = nk.data.load(nk.data.open_source("digits"))
    judge = KNeighborsClassifier(3).fit(model.codec.encode(pictures.pixels).flatten(1).numpy(), pictures.labels.numpy())
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
