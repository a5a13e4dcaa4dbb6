"""Augmentation that the network is told of: it is learned, and it does not leak into samples."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy.stats import binom
from small_runs import TINY, Bomb, same

import noisekernel as nk
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kinds.pictures import Pictures
from noisekernel.training import beginning

FLIPPED_AND_TURNED = {"data.augment": 0.5, "data.augmentations": ["flip", "turn"]}
SETTINGS = {"network.channels": 16, "network.multipliers": [1, 2], "network.blocks": 1, "training.batch": 32}
SETTINGS |= {"training.images": 6_000, "training.rate": 3e-3, "training.draw_every": 10**9}


def letters(n, seed=0):
    """The letter L, 5 x 4 of 8 x 8 pixels, at twelve places."""
    generator = np.random.default_rng(seed)
    pixels = np.zeros((n, 8, 8), np.uint8)
    for picture in pixels:
        y, x, ink = generator.integers(0, 3), generator.integers(0, 4), generator.integers(180, 256)
        picture[y : y + 5, x] = ink
        picture[y + 4, x : x + 4] = ink
    return pixels


def not_upright(z):
    """How many samples look more like an L that is mirrored or turned, wherever it is, than like an upright one."""
    upright = torch.from_numpy(letters(400, seed=1) > 0).float().unique(dim=0)
    ways = [way.rot90(k, (-2, -1)) for way in (upright, upright.flip(-1)) for k in range(4)]
    samples = (z[:, 0] + 1) / 2
    distances = [torch.cdist(samples.flatten(1), 0.85 * way.flatten(1)).amin(dim=1) for way in ways]
    return int((torch.stack(distances).argmin(dim=0) != 0).sum())


def leaks(model, n=100):
    """Whether the share of samples that are not upright may be a quarter, at the level of one in a thousand."""
    return binom.cdf(not_upright(model.sample(n, steps=20, seed=1)), n, 0.25) >= 1e-3


@pytest.mark.statistical
@pytest.mark.training
def test_samples_are_upright_though_most_examples_were_not(monkeypatch):
    """Three quarters of what the network saw was mirrored or turned."""
    learn = partial(nk.fit, letters(24), recipe="small", progress=False, calibrate=False)
    assert not leaks(learn(settings={**SETTINGS, **FLIPPED_AND_TURNED}))
    # The wrong twin sees the same pictures and is told nothing.
    real = beginning.Trainer
    monkeypatch.setattr(beginning, "Trainer", lambda *parts, told, **rest: real(*parts, **rest))
    assert leaks(learn(settings={**SETTINGS, **FLIPPED_AND_TURNED}))


@pytest.mark.same_call
def test_a_run_with_augmentation_goes_on_as_if_never_stopped_and_its_file_says_what_it_was_told(tmp_path):
    settings = {**TINY, "data.augment": 0.3, "training.save_every": 16, "training.log_every": 8}
    learn = partial(nk.fit, letters(12), recipe="small", settings=settings, progress=False)
    whole = learn(tmp_path / "whole")
    with pytest.raises(SystemExit):
        learn(tmp_path / "stopped", observers=[Bomb(24)])
    again = nk.fit(letters(12), tmp_path / "stopped", resume=True, progress=False)
    assert same(whole.denoiser.state_dict(), again.denoiser.state_dict())
    loaded = nk.load(tmp_path / "whole")
    assert loaded.design.told == whole.design.told == 8
    assert same(whole.denoiser.state_dict(), loaded.denoiser.state_dict())
    x, nothing = torch.randn(2, 1, 8, 8), torch.zeros(2, 8)
    with torch.no_grad():
        told = loaded.denoiser(x, 0.3, None, nothing).mean
        torch.testing.assert_close(told, loaded.denoiser(x, 0.3).mean)
        assert not torch.allclose(loaded.denoiser(x, 0.3, None, nothing + 1).mean, told)
    nk.save(
        nk.NoiseModel(loaded.kernel, loaded.denoiser, loaded.shape), tmp_path / "by hand", kind=Pictures(size=(1, 8, 8))
    )
    assert nk.load(tmp_path / "by hand").design.told == 8


def test_without_augmentation_weights_and_files_are_as_before():
    plain = nk.fit(letters(12), recipe="small", settings=TINY, progress=False)
    assert "told" not in plain.design.model_dump()
    assert not [name for name in plain.denoiser.state_dict() if "told" in name]
    assert nk.load("digits").design.told == 0
    with pytest.raises(InputError, match="built without told"):
        plain.denoiser(torch.zeros(1, 1, 8, 8), 0.3, None, torch.zeros(1, 3))
    augmented = nk.fit(letters(12), recipe="small", settings={**TINY, "data.augment": 0.9}, progress=False)
    assert augmented.design.head.mean != plain.design.head.mean  # of the data as the network sees them
    with pytest.raises(ShapeError, match="give 8 numbers per sample"):
        augmented.denoiser(torch.zeros(1, 1, 8, 8), 0.3, None, torch.zeros(1, 3))


@pytest.mark.parametrize("kind", ["unet", "paper-unet"])
def test_augmentation_begins_and_ends_where_a_model_goes_on(kind, capsys):
    settings = {**TINY, "network.kind": kind, "training.images": 8}
    plain = nk.fit(letters(12), recipe="small", settings=settings, progress=False, calibrate=False)
    few = {"training.images": 8, "training.batch": 8}
    told = nk.fit(letters(12), start=plain, settings={**few, "data.augment": 0.3}, calibrate=False)
    assert told.design.told == 8
    assert "new: what it is told of augmentation" in capsys.readouterr().err
    on = nk.fit(letters(12), start=told, settings=few, calibrate=False)
    assert on.design.told == 8
    assert "begins with all the weights" in capsys.readouterr().err
    off = nk.fit(letters(12), start=told, settings={**few, "data.augment": 0}, calibrate=False)
    assert off.design.told == 0
