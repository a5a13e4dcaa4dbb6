"""How runs begin: the data as they are and as they are told, and the weights of another model."""

import json
import math
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image
from small_runs import TINY, Bomb, pictures_in, same, train

import noisekernel as nk
from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.data.examples import InMemory, Order, Treatment
from noisekernel.kinds.pictures import Pictures


def test_pictures_of_one_size_are_trained_on_as_they_are_and_others_told(tmp_path, capsys):
    assert nk.fit(pictures_in(tmp_path / "a"), settings=TINY).shape == (1, 8, 8)
    assert "made into" not in capsys.readouterr().err
    pictures_in(tmp_path / "a", 1, size=9)
    model = nk.fit(tmp_path / "a", settings={**TINY, "data.otherwise": [3, 4, 4]})
    assert model.shape == (3, 4, 4)
    assert "made into 3 x 4 x 4" in capsys.readouterr().err


def test_why_there_are_no_labels_is_told(tmp_path):
    for name in ("cats", "dogs"):
        pictures_in(tmp_path / name, 2)
    pictures_in(tmp_path, 1)
    with pytest.raises(InputError, match=r"has no labels: 00\.png lies in none of the subfolders"):
        nk.fit(tmp_path, settings={**TINY, "data.labels": True}, progress=False)


@pytest.mark.same_call
def test_training_begins_with_the_weights_of_a_model_and_goes_on_as_if_never_stopped(tmp_path):
    data = "digits"
    settings = {"training.batch": 16, "training.images": 64, "training.save_every": 16}
    settings |= {"training.draw_every": 10**6, "training.log_every": 16}
    begin = partial(nk.fit, data, settings=settings, start="digits", progress=False)
    whole = begin(tmp_path / "whole")
    assert whole.design == nk.load("digits").design
    assert whole.history["start"] == "digits"
    for how in ({"start": "digits"}, {"start": None}):
        folder = tmp_path / str(how["start"])
        with pytest.raises(SystemExit):
            begin(folder, observers=[Bomb(32)])
        with pytest.raises(SystemExit):
            nk.fit(data, folder, resume=True, progress=False, observers=[Bomb(48)], **how)
        again = nk.fit(data, folder, resume=True, progress=False, **how)
        assert same(again.denoiser.state_dict(), whole.denoiser.state_dict())
        assert again.history["start"] == "digits"
    with pytest.raises(InputError, match="did not begin with the weights of this model"):
        nk.fit(data, tmp_path / "whole", resume=True, progress=False, start=whole)
    other = {**settings, "network.channels": 8, "network.multipliers": [1]}
    for recipe, own in (("digits", settings), ("small", other)):
        folder = tmp_path / f"by {recipe}"
        nk.fit(data, folder, recipe=recipe, settings=own, progress=False)
        with pytest.raises(InputError, match="did not begin with the weights of this model"):
            nk.fit(data, folder, resume=True, start="digits", progress=False)
        assert json.loads((folder / "run.json").read_text())["start"] is None
    # Hardly trained, it is the model that it began with; and the wrong twin is another.
    still = {**settings, "training.rate": 1e-9}
    kept = nk.fit(data, settings=still, start="digits", progress=False).denoiser.state_dict()
    fresh = nk.fit(data, recipe="digits", settings=still, progress=False).denoiser.state_dict()
    stem = "backbone.stem.weight"
    torch.testing.assert_close(kept[stem], nk.load("digits").denoiser.state_dict()[stem], rtol=0, atol=1e-4)
    assert not torch.allclose(fresh[stem], kept[stem], atol=1e-2)


def test_a_run_without_a_checkpoint_that_was_to_start_from_a_model_needs_it_again(tmp_path):
    pixels = np.arange(768, dtype=np.uint8).reshape(12, 8, 8)
    with pytest.raises(SystemExit):
        nk.fit(
            pixels,
            tmp_path / "run",
            start="digits",
            settings={"training.log_every": 8},
            progress=False,
            observers=[Bomb(8)],
        )
    with pytest.raises(InputError, match="was to start from digits: add --from"):
        nk.fit(pixels, tmp_path / "run", resume=True, progress=False)


def test_moments_are_measured_once(tmp_path, monkeypatch):
    """On another number of threads they differ in the last bit; the run goes on with those it was begun with."""
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(96)])
    monkeypatch.setattr(recipes.PreconditionedHeadConfig, "measured", None)
    assert train(tmp_path, resume=True).history["images"] == 160


def test_skipped_pictures_are_told_when_they_are_met(tmp_path, capsys):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for i in range(12):
        Image.fromarray(np.full((8, 8), 20 * i, np.uint8)).save(folder / f"{i:02d}.png")
    (folder / "07.png").write_bytes(b"no picture")
    settings = {
        **{"network.channels": 8, "training.batch": 8, "training.images": 48, "data.size": [1, 8, 8]},
        **{"data.memory": 0, "data.workers": 0, "data.bad": "skip"},
    }
    nk.fit(folder, tmp_path / "run", recipe="small", settings=settings)
    told = json.loads((tmp_path / "run" / "run.json").read_text())
    assert told["skipped"] == [["07.png", "not a picture in any format that Pillow reads"]]
    assert "07.png" in capsys.readouterr().err


def test_each_pass_sees_every_picture_once_in_another_order():
    order = Order(10, seed=3)
    first, second = order(range(10)).tolist(), order(range(10, 20)).tolist()
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert order(range(10)).tolist() == first
    assert Order(10, seed=4)(range(10)).tolist() != first
    # Batches that begin, end or lie across passes, and one that is larger than the data.
    numbers = order(range(40)).tolist()
    assert [order(range(k, k + 7)).tolist() for k in (0, 6, 13)] == [numbers[k : k + 7] for k in (0, 6, 13)]
    assert order(range(5, 32)).tolist() == numbers[5:32]


def test_flips_and_forgotten_labels_are_functions_of_the_example():
    pictures = nk.data.load_data("digits")[0]
    treatment = Treatment(Pictures(size=(1, 8, 8), flip=True), 0, classes=10, forget=0.3)
    cpu = torch.device("cpu")
    (z, label), *_ = InMemory(pictures, treatment).stream([range(1000)], cpu)
    again = list(InMemory(pictures, treatment).stream([range(300), range(300, 1000)], cpu))
    assert torch.equal(z, torch.cat([z for z, _ in again]))
    assert torch.equal(label, torch.cat([label for _, label in again]))
    assert abs(float((label == 10).float().mean()) - 0.3) < 4 * math.sqrt(0.3 * 0.7 / 1000)
    plain = next(InMemory(pictures, Treatment(Pictures(size=(1, 8, 8)), 0)).stream([range(1000)], cpu))[0]
    mirrored = (z != plain).flatten(1).any(dim=1)
    assert torch.equal(z[mirrored], plain[mirrored].flip(-1))
    assert abs(float(mirrored.float().mean()) - 0.5) < 4 * math.sqrt(0.25 / 1000)
