"""Runs that go on: to the same weights, not as another run, by any spelling of the data."""

import os
import signal

import numpy as np
import pytest
from PIL import Image
from small_runs import EARLY, TINY, Bomb, pictures_in, same, train, weights

import noisekernel as nk
from noisekernel.core.errors import InputError, Stopped
from noisekernel.training import run
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.observers import Silent, read_log


@pytest.mark.training
@pytest.mark.same_call
def test_resumed_runs_end_where_uninterrupted_ones_do(tmp_path):
    train(tmp_path / "whole")
    with pytest.raises(SystemExit):
        train(tmp_path / "parts", observers=[Bomb(64)])
    with pytest.raises(SystemExit):
        train(tmp_path / "parts", observers=[Bomb(128)], resume=True)
    train(tmp_path / "parts", resume=True)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))
    whole, parts = (read_log(tmp_path / name / "log.jsonl") for name in ("whole", "parts"))
    assert [entry["images"] for entry in whole] == [entry["images"] for entry in parts]
    assert whole[-1]["loss"] == parts[-1]["loss"]


def test_a_run_is_not_begun_twice_nor_resumed_as_another(tmp_path):
    train(tmp_path / "run", 64)
    with pytest.raises(InputError, match="holds a run already"):
        train(tmp_path / "run")
    with pytest.raises(InputError, match=r"begun with another training\.images; resume without"):
        train(tmp_path / "run", 320, resume=True)
    with pytest.raises(InputError, match="begun with seed 0, not 3"):
        nk.fit("digits", tmp_path / "run", seed=3, resume=True, progress=False)
    with pytest.raises(InputError, match="begun with data 'digits'"):
        nk.fit(tmp_path, tmp_path / "run", resume=True, progress=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "holiday.txt").touch()
    with pytest.raises(InputError, match="is not empty"):
        train(tmp_path / "other")
    with pytest.raises(InputError, match="nothing to resume without a folder"):
        nk.fit("digits", resume=True)


def test_what_may_change_may_change(tmp_path):
    with pytest.raises(SystemExit):
        train(tmp_path / "run", observers=[Bomb(128)])
    model = nk.fit(
        "digits",
        tmp_path / "run",
        settings={"training.keep": 1, "training.save_every": 16},
        resume=True,
        progress=False,
    )
    assert model.history["images"] == 160
    assert len(list((tmp_path / "run" / "checkpoints").iterdir())) == 1


def test_a_run_goes_on_by_any_spelling_of_its_data_and_not_with_other_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = pictures_in(tmp_path / "pictures")
    with pytest.raises(SystemExit):
        nk.fit("pictures", "run", settings=EARLY, progress=False, observers=[Bomb(24)])
    other = pictures_in(tmp_path / "other")
    with pytest.raises(InputError, match="begun with data 'pictures'"):
        nk.fit(other, "run", resume=True, progress=False)
    content = (folder / "03.png").read_bytes()
    Image.fromarray(np.full((8, 8), 255, np.uint8)).save(folder / "03.png")
    with pytest.raises(InputError, match="of another run: data was"):
        nk.fit("pictures", "run", resume=True, progress=False)
    (folder / "03.png").write_bytes(content)
    for spelling in ("./pictures/", folder):
        assert nk.fit(spelling, "run", resume=True, progress=False).history["images"] == 48


def test_an_array_is_trained_on_and_gone_on_with(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (12, 8, 8, 3), dtype=np.uint8)
    with pytest.raises(SystemExit):
        nk.fit(pixels, tmp_path, settings=EARLY, progress=False, observers=[Bomb(24)])
    model = nk.fit(pixels, tmp_path, resume=True, progress=False)
    assert (model.shape, model.history["data"]) == ((3, 8, 8), "an array of shape (12, 8, 8, 3)")
    with pytest.raises(InputError, match="data was"):
        nk.fit(255 - pixels, tmp_path, resume=True, progress=False)


def test_a_run_without_a_checkpoint_begins_by_what_is_said_now(tmp_path):
    pixels = np.arange(768, dtype=np.uint8).reshape(12, 8, 8)
    with pytest.raises(SystemExit):
        nk.fit(pixels, tmp_path, settings=TINY, progress=False, observers=[Bomb(8)])
    with pytest.raises(InputError, match="holds a run already"):
        nk.fit(pixels, tmp_path, settings=TINY, progress=False)
    settings = {**TINY, "training.rate": 1e-4}
    model = nk.fit(pixels, tmp_path, settings=settings, seed=5, resume=True, progress=False)
    assert (model.history["recipe"]["training"]["rate"], model.history["seed"]) == (1e-4, 5)


def test_two_runs_in_one_folder_are_refused_and_the_second_does_the_first_no_harm(tmp_path):
    class Intruder(Silent):
        def logged(self, entry):
            checkpoints = Checkpoints(tmp_path / "checkpoints")
            writing = [tmp_path / ".model.safetensors.1.unfinished", checkpoints.folder / ".1.safetensors.1.unfinished"]
            for each in writing:
                each.parent.mkdir(exist_ok=True)
                each.touch()
            with pytest.raises(InputError, match="another process is training"):
                train(tmp_path, 64, resume=True)
            with pytest.raises(InputError, match="another process is training"), run.alone_in(tmp_path):
                pass
            if checkpoints.newest is not None:  # as the other processes of a second run do, which hold no lock
                checkpoints.load(checkpoints.newest)
                seen.append(entry.images)
            assert all(each.exists() for each in writing)

    seen = []
    train(tmp_path, 64, observers=[Intruder()])
    assert seen == [64]
    with run.alone_in(tmp_path):
        assert not list(tmp_path.rglob(".*.unfinished"))


class Asking(Silent):
    def __init__(self, at, number):
        self.at, self.number = at, number

    def logged(self, entry):
        if entry.images == self.at:
            os.kill(os.getpid(), self.number)


@pytest.mark.training
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.same_call
def test_asked_to_stop_a_run_saves_first_and_goes_on_later(tmp_path, number):
    before = signal.getsignal(number)
    with pytest.raises(Stopped, match="after 64 images"):
        train(tmp_path / "run", observers=[Asking(64, number)])
    assert signal.getsignal(number) is before
    assert Checkpoints(tmp_path / "run" / "checkpoints").newest.name == "000000000064.safetensors"
    train(tmp_path / "run", resume=True)
    train(tmp_path / "whole")
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "run"))
