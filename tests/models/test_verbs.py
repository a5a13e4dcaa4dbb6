"""The methods of a model are the tasks, for examples as people have them."""

import inspect

import numpy as np
import pytest
import torch
from PIL import Image

import noisekernel as nk
from noisekernel.core.errors import Altered, InputError


@pytest.fixture(scope="module")
def model():
    return nk.load("digits")


@pytest.mark.same_call
def test_methods_are_the_tasks(model):
    z = model.sample(3, steps=4, seed=2)
    _, schedule = model.schedule(None, 4)
    assert torch.equal(z, nk.synthesize(model, 3, schedule=schedule, seed=2, batch_size=64))
    mask = model.kind.masks(2, 0.5, 3)
    some = {"steps": 3, "seed": 1, "batch_size": 64}
    assert torch.equal(model.vary(z, 2, below=0.3, **some), nk.vary(model, z, 2, below=0.3, **some))
    assert torch.equal(model.fill(z, mask, 2, **some), nk.fill(model, z, mask, 2, **some))
    assert torch.equal(model.equilibrate(z, 2, **some), nk.equilibrate(model, z, 2, **some))

    def dark(clean):
        return -clean.mean(dim=(1, 2, 3))

    assert torch.equal(model.steer(z, dark, beta=0.1, **some), nk.steer(model, z, dark, beta=0.1, **some))
    mine, other = model.walk(z, steps=3, seed=4), nk.walk(model, z, steps=3, seed=4)
    for walk in (mine, other):
        walk.step()
    assert torch.equal(mine.clean, other.clean)


def test_examples_are_taken_as_people_have_them(model, tmp_path):
    z = model.sample(1, steps=4)
    (image,) = model.draw(z)
    image.save(tmp_path / "a.png")
    assert model.vary(str(tmp_path / "a.png"), 2, below=0.2, steps=2).shape == (1, 2, 1, 8, 8)
    assert model.vary([image, tmp_path / "a.png"], 2, below=0.2, steps=2).shape == (2, 2, 1, 8, 8)
    assert model.vary(z[0], 2, below=0.2, steps=2).shape == (1, 2, 1, 8, 8)
    assert model.sample(4, label=["3", 7], steps=2).shape == (4, 1, 8, 8)
    assert model.sample(2, label="3", steps=2).shape == (2, 1, 8, 8)
    assert model.sample(2, label=torch.tensor([1, 2]), steps=2).shape == (2, 1, 8, 8)
    with pytest.raises(InputError, match=r"names is \{\}; give a list of classes"):
        model.sample(2, label={})
    with pytest.raises(InputError, match=r"nowhere\.png cannot be opened"):
        model.vary("nowhere.png")


def test_a_mask_that_is_not_taken_as_it_is_is_told_of_as_at_the_command_line(model, tmp_path):
    """The command's sentences are warnings here, and what it refuses is refused."""
    z = model.sample(1, steps=4)
    (image,) = model.draw(z)
    mask = Image.new("L", (8, 8), 255)
    filling = {"n": 1, "steps": 2}
    mask.save(tmp_path / "same.png")
    assert model.fill(z, tmp_path / "same.png", **filling).shape == (1, 1, 1, 8, 8)
    mask.resize((10, 10)).save(tmp_path / "large.png")
    with pytest.warns(Altered, match="the mask has 10 x 10 pixels; its middle is resized to the model's 8 x 8") as told:
        model.fill(z, tmp_path / "large.png", **filling)
    assert told[0].filename == __file__
    mask.resize((16, 8)).save(tmp_path / "broad.png")
    for examples in (z, image, np.asarray(image)):
        with pytest.raises(InputError, match="the mask has 16 x 8 pixels and the picture 8 x 8"):
            model.fill(examples, tmp_path / "broad.png", **filling)
    image.resize((16, 8)).save(tmp_path / "example.png")
    with (
        pytest.warns(Altered, match="the mask has 16 x 8"),
        pytest.warns(Altered, match=r"example\.png \(16 x 8; its middle is resized to the model's 8 x 8\)"),
    ):
        model.fill(tmp_path / "example.png", tmp_path / "broad.png", **filling)


def test_saved_and_diagnosed(model, tmp_path):
    path = model.save(tmp_path / "m")
    assert nk.load(path).shape == model.shape
    with pytest.raises(InputError, match="exists"):
        model.save(tmp_path / "m")
    found = model.diagnose(model.sample(60, steps=4), steps=8, n=16, pairs=40)
    assert "reversible" in str(found)


def test_every_argument_is_named_and_none_is_swallowed(model):
    """Whoever asks for a signature, an editor or a notebook, is told every option, of verbs and of nouns."""
    nouns = [nk.tasks.synthesis, nk.tasks.variation, nk.tasks.equilibration, nk.tasks.steering, nk.tasks.filling]
    for thing in [*nouns, model.sample, model.vary, model.equilibrate, model.fill, model.steer, model.walk]:
        parameters = inspect.signature(thing).parameters
        assert not any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values()), thing
        assert "seed" in parameters
    assert inspect.signature(model.vary).return_annotation is torch.Tensor
    assert list(inspect.signature(nk.vary).parameters)[1:] == list(inspect.signature(model.vary).parameters)
    with pytest.raises(TypeError, match="unexpected keyword argument 'strenght'"):
        model.vary(model.sample(1, steps=2), strenght=0.3)
    with pytest.raises(InputError, match="leave out batch_size"):
        nk.tasks.synthesis(model, 2, batch_size=1)
