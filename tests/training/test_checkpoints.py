"""Checkpoints: when they are written, what a kill leaves, which are refused."""

import pytest
from small_runs import SMALL, Bomb, same, train, weights

import noisekernel as nk
from noisekernel.core.errors import InputError, StorageError
from noisekernel.core.randomness import STREAMS
from noisekernel.files.formats import read_tensors, write_tensors
from noisekernel.training import beginning, run
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.observers import Silent


def test_checkpoints_are_kept_and_named_by_images(tmp_path):
    train(tmp_path)
    assert [path.name for path in Checkpoints(tmp_path / "checkpoints").all()] == [
        f"{images:012d}.safetensors" for images in (96, 144, 160)
    ]


class Clock(Silent):
    """Goes on by 100 seconds at each line of the log, and at no other time."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds

    def logged(self, entry):
        self.seconds += 100.0


@pytest.mark.training
@pytest.mark.same_call
def test_checkpoints_are_written_by_time_too_and_change_nothing(tmp_path, monkeypatch):
    """A run of fewer images than lie between checkpoints loses minutes when it is killed, not all."""
    clock, make = Clock(), beginning.trainer_for
    monkeypatch.setattr(run, "trainer_for", lambda *given, **rest: make(*given, **rest, clock=clock))

    def train(out, minutes, resume=False, observers=()):
        settings = {**SMALL, "training.log_every": 16, "training.save_every": 10**6, "training.keep": 100}
        settings["training.save_minutes"] = minutes
        nk.fit("digits", out, settings=settings, progress=False, resume=resume, observers=[clock, *observers])

    def saved(out):
        return [int(path.stem) for path in Checkpoints(out / "checkpoints").all()]

    train(tmp_path / "never", None)
    assert saved(tmp_path / "never") == [160]
    train(tmp_path / "by time", 5.0)
    assert saved(tmp_path / "by time") == [48, 96, 144, 160]
    with pytest.raises(SystemExit):
        train(tmp_path / "killed", 5.0, observers=[Bomb(80)])
    assert saved(tmp_path / "killed") == [48]
    train(tmp_path / "killed", 2.5, resume=True)  # when to save may be changed on the way
    assert saved(tmp_path / "killed") == [48, 80, 112, 144, 160]
    assert same(weights(tmp_path / "never"), weights(tmp_path / "by time"))
    assert same(weights(tmp_path / "never"), weights(tmp_path / "killed"))


def test_a_damaged_checkpoint_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(128)])
    newest = Checkpoints(tmp_path / "checkpoints").newest
    content = newest.read_bytes()
    newest.write_bytes(content[: len(content) // 2])
    with pytest.raises(StorageError, match=r"cut short.*Remove that file to go on from the one before"):
        train(tmp_path, resume=True)
    newest.unlink()
    assert train(tmp_path, resume=True).history["images"] == 160


@pytest.mark.parametrize("version", [None, STREAMS - 1])
def test_a_checkpoint_of_other_random_numbers_is_refused(tmp_path, version):
    """A seed would draw other noise from there on, and the run end elsewhere without a word."""
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(128)])
    newest = Checkpoints(tmp_path / "checkpoints").newest
    tensors, about = read_tensors(newest)
    write_tensors(newest, tensors, {**about, "streams": version})
    with pytest.raises(InputError, match=r"draws other random numbers from a seed.*--from"):
        train(tmp_path, resume=True)
    write_tensors(newest, tensors, about)
    assert train(tmp_path, resume=True).history["images"] == 160


def test_what_a_killed_writer_left_is_cleared_away(tmp_path):
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(128)])
    half = tmp_path / "checkpoints" / ".000000000144.safetensors.1.unfinished"
    half.write_bytes(b"half")
    train(tmp_path, resume=True)
    assert not half.exists()


def test_a_run_killed_while_it_wrote_its_first_files_begins(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / ".recipe.json.1.unfinished").write_text("{")
    assert train(tmp_path, 16, resume=True).history["images"] == 16


@pytest.mark.same_call
def test_killed_between_the_last_model_and_its_checkpoint_the_model_is_written_again(tmp_path, monkeypatch):
    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", killed)
        with pytest.raises(SystemExit):
            train(tmp_path / "run", 32)
    (tmp_path / "run" / "model.safetensors").unlink()
    train(tmp_path / "run", 32, resume=True)
    train(tmp_path / "whole", 32)
    assert same(weights(tmp_path / "run"), weights(tmp_path / "whole"))
