"""Is a picture like those that a model learned from? Few that are are called unlike, and most that are not."""

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_sample_images

import noisekernel as nk
from noisekernel import models
from noisekernel.files.folders import cache_folder
from noisekernel.measuring.familiarity import UNLIKE, Familiarity


@pytest.fixture(scope="module")
def digits():
    return nk.load("digits", "cpu")


@pytest.fixture(scope="module")
def usual():
    return Familiarity.known(models.digest_of("digits"))


@pytest.fixture(scope="module")
def real(digits):
    return digits.kind.encode(nk.data.load_data("digits")[0].values[::6])


def photographs(model):
    """Parts of two photographs, as a model reads them."""
    rng, parts = np.random.default_rng(0), []
    images = [Image.fromarray(image) for image in load_sample_images().images]
    for i in range(40):
        side = int(rng.integers(60, 400))
        left, top = (int(rng.integers(0, whole - side)) for whole in images[i % 2].size)
        parts.append(images[i % 2].crop((left, top, left + side, top + side)))
    return model.read(parts)


def others(model, real):
    down, across = torch.meshgrid(torch.linspace(-1, 1, 8), torch.linspace(-1, 1, 8), indexing="ij")
    angles = torch.linspace(0, 6, 40)[:, None, None]
    return {
        "photographs": photographs(model),
        "negatives": -real[:40],
        "on their side": real[:40].rot90(1, (2, 3)),
        "gradients": (down * angles.cos() + across * angles.sin()).clamp(-1, 1)[:, None],
        "noise": torch.rand(40, 1, 8, 8, generator=torch.Generator().manual_seed(0)) * 2 - 1,
        "one grey": torch.linspace(-1, 1, 21)[:, None, None, None].expand(21, 1, 8, 8),
    }


@pytest.mark.statistical
def test_few_of_its_like_are_called_unlike(digits, usual, real):
    """At most 5 % of 300; of all 1797 it is 1 %."""
    assert float((usual.strangeness(digits, real) > UNLIKE).float().mean()) <= 0.05
    new = nk.synthesize(digits, 64, steps=20, seed=5)
    assert float((usual.strangeness(digits, new) > UNLIKE).float().mean()) <= 0.05


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore::noisekernel.core.errors.Altered")  # photographs are resized
def test_most_others_are(digits, usual, real):
    for name, pictures in others(digits, real).items():
        assert float((usual.strangeness(digits, pictures) > UNLIKE).float().mean()) >= 0.9, name


def test_a_picture_is_as_strange_in_any_company(digits, usual, real):
    together = usual.strangeness(digits, real[:5])
    alone = torch.cat([usual.strangeness(digits, real[i : i + 1]) for i in range(5)])
    assert torch.allclose(together, alone, atol=1e-2)


def test_what_was_measured_is_kept_by_the_weights_it_is_of(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path))
    assert Familiarity.known("0" * 64) is None
    advanced = []
    measured = Familiarity.learn(digits, "0" * 64, lambda: advanced.append(1))
    assert Familiarity.known("0" * 64) == measured
    assert len(advanced) == 20
    (path,) = (cache_folder() / "curves").glob("0000*")
    for damaged in ("{}", '{"means": [1], "spreads": [1], "spread": 1}', "[]"):
        path.write_text(damaged)
        assert Familiarity.known("0" * 64) is None  # as if it were not there
