"""The loop: resuming, sharing, averaging, stopping, refusing."""

import json
import math
import os
import signal
import threading
from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image
from torch import nn

import noisekernel as nk
from noisekernel import recipes
from noisekernel.core.errors import InputError, Stopped, StorageError, TrainingError
from noisekernel.core.randomness import STREAMS
from noisekernel.data.examples import InMemory, Order, Treatment
from noisekernel.files.formats import read_tensors, write_tensors
from noisekernel.kinds.pictures import Pictures
from noisekernel.recipes.training import Decay, TrainingSettings
from noisekernel.training import beginning, run
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.dry_run import dry_run, told
from noisekernel.training.observers import Silent, read_log
from noisekernel.training.trainer import Trainer

SMALL = {"network.channels": 8, "training.batch": 16, "training.images": 160, "training.log_every": 32}


def train(out, images=160, **more):
    settings = {**SMALL, "training.images": images, "training.save_every": 48, "training.draw_every": 10**6}
    return nk.fit("digits", out, settings=settings, progress=False, **more)


def weights(folder):
    return nk.load(folder).denoiser.state_dict()


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


class Bomb(Silent):
    """Stops a run as if it had been killed: without a word."""

    def __init__(self, at):
        self.at = at

    def logged(self, entry):
        if entry.images >= self.at:
            raise SystemExit


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


@pytest.mark.training
def test_another_seed_is_another_run(tmp_path):
    """The wrong twin: were the weights independent of the seed, the test above would show nothing."""
    a, b = train(None, 32), train(None, 32, seed=1)
    assert not same(a.denoiser.state_dict(), b.denoiser.state_dict())


@pytest.mark.training
def test_accumulated_parts_make_the_same_step():
    whole = train(None)
    parts = nk.fit("digits", settings={**SMALL, "training.accumulate": 4}, progress=False)
    for name, value in whole.denoiser.state_dict().items():
        torch.testing.assert_close(parts.denoiser.state_dict()[name], value, rtol=1e-3, atol=1e-5)


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


def test_a_short_run_gets_to_its_rate_and_says_where_it_does_not_do_as_set(capsys):
    short = recipes.recipe("small", ["training.images=7000"]).training
    rates = [short.rate_at(step * short.batch) for step in range(short.steps)]
    assert max(rates) > 0.85 * short.rate
    assert rates.index(max(rates)) * short.batch == pytest.approx(700, abs=short.batch)
    assert short.average.decay(7000, 64) == pytest.approx(0.5 ** (64 / 700))  # a half-life of a tenth of the run
    long = recipes.recipe("small").training
    assert long.warming == long.warmup == 10_000
    few = {**SMALL, "training.images": 16}
    nk.fit("digits", settings=few)
    said = "the learning rate rises for 1 images, a tenth of the run, and not for 5,000 (training.warmup)"
    assert said in capsys.readouterr().err
    nk.fit("digits", settings={**few, "training.warmup": 1})
    assert "the learning rate rises" not in capsys.readouterr().err


def test_whoever_watched_a_run_is_let_go_however_it_ends(tmp_path):
    """TensorBoard's writer is a thread that opens its file again for every entry, whatever has become of the folder."""
    before = set(threading.enumerate())
    train(tmp_path / "whole", 32, tensorboard=True)
    with pytest.raises(SystemExit):
        train(tmp_path / "stopped", tensorboard=True, observers=[Bomb(64)])
    assert set(threading.enumerate()) <= before
    assert all(list(tmp_path.glob(f"{run}/tensorboard/*")) for run in ("whole", "stopped"))


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


def pictures_in(folder, n=12, size=8):
    folder.mkdir(exist_ok=True)
    for i in range(n):
        Image.fromarray(np.full((size, size), 20 * i, np.uint8)).save(folder / f"{i:02d}.png")
    return folder


TINY = {"network.channels": 8, "network.multipliers": [1], "training.batch": 8, "training.images": 48}
EARLY = {**TINY, "training.save_every": 16, "training.draw_every": 10**6}


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


def test_pictures_of_one_size_are_trained_on_as_they_are_and_others_told(tmp_path, capsys):
    assert nk.fit(pictures_in(tmp_path / "a"), settings=TINY).shape == (1, 8, 8)
    assert "made into" not in capsys.readouterr().err
    pictures_in(tmp_path / "a", 1, size=9)
    model = nk.fit(tmp_path / "a", settings={**TINY, "data.otherwise": [3, 4, 4]})
    assert model.shape == (3, 4, 4)
    assert "made into 3 x 4 x 4" in capsys.readouterr().err


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


def test_pictures_that_are_made_into_the_size_of_the_model_to_start_from_are_told(tmp_path, capsys):
    pictures_in(tmp_path / "large", 4, 16)
    pictures_in(tmp_path / "own", 4, 8)
    settings = {"data.labels": False, "training.batch": 4, "training.images": 4}
    nk.fit(tmp_path / "large", settings=settings, start="digits")
    assert "pictures are made into 1 x 8 x 8, as of the model to start from" in capsys.readouterr().err
    nk.fit(tmp_path / "own", settings=settings, start="digits")
    assert "pictures are made into" not in capsys.readouterr().err


def test_why_there_are_no_labels_is_told(tmp_path):
    for name in ("cats", "dogs"):
        pictures_in(tmp_path / name, 2)
    pictures_in(tmp_path, 1)
    with pytest.raises(InputError, match=r"has no labels: 00\.png lies in none of the subfolders"):
        nk.fit(tmp_path, settings={**TINY, "data.labels": True}, progress=False)


@pytest.mark.same_call
def test_training_begins_with_the_weights_of_a_model_and_goes_on_as_if_never_stopped(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (40, 8, 8), dtype=np.uint8)
    settings = {"data.labels": False, "training.batch": 16, "training.images": 64, "training.save_every": 16}
    settings |= {"training.draw_every": 10**6, "training.log_every": 16}
    begin = partial(nk.fit, pixels, settings=settings, start="digits", progress=False)
    whole = begin(tmp_path / "whole")
    assert whole.design == nk.load("digits").design
    assert whole.history["start"] == "digits"
    for how in ({"start": "digits"}, {"start": None}):
        folder = tmp_path / str(how["start"])
        with pytest.raises(SystemExit):
            begin(folder, observers=[Bomb(32)])
        with pytest.raises(SystemExit):
            nk.fit(pixels, folder, resume=True, progress=False, observers=[Bomb(48)], **how)
        again = nk.fit(pixels, folder, resume=True, progress=False, **how)
        assert same(again.denoiser.state_dict(), whole.denoiser.state_dict())
        assert again.history["start"] == "digits"
    with pytest.raises(InputError, match="did not begin with the weights of this model"):
        nk.fit(pixels, tmp_path / "whole", resume=True, progress=False, start=whole)
    other = {**settings, "network.channels": 8, "network.multipliers": [1]}
    for recipe, own in (("digits", settings), ("small", other)):
        folder = tmp_path / f"by {recipe}"
        nk.fit(pixels, folder, recipe=recipe, settings=own, progress=False)
        with pytest.raises(InputError, match="did not begin with the weights of this model"):
            nk.fit(pixels, folder, resume=True, start="digits", progress=False)
        assert json.loads((folder / "run.json").read_text())["start"] is None
    # Hardly trained, it is the model that it began with; and the wrong twin is another.
    still = {**settings, "training.rate": 1e-9}
    kept = nk.fit(pixels, settings=still, start="digits", progress=False).denoiser.state_dict()
    fresh = nk.fit(pixels, recipe="digits", settings=still, progress=False).denoiser.state_dict()
    stem = "backbone.stem.weight"
    torch.testing.assert_close(kept[stem], nk.load("digits").denoiser.state_dict()[stem], rtol=0, atol=1e-4)
    assert not torch.allclose(fresh[stem], kept[stem], atol=1e-2)


def test_what_belongs_to_the_model_to_start_from_is_refused(tmp_path):
    pixels = np.arange(768, dtype=np.uint8).reshape(12, 8, 8)
    start = partial(nk.fit, pixels, start="digits", progress=False)
    with pytest.raises(InputError, match=r"network\.channels cannot be set: a run that starts from a model"):
        start(settings=["network.channels=8"])
    with pytest.raises(InputError, match=r"data\.size cannot be set"):
        start(settings=["data.size=[3,8,8]"])
    with pytest.raises(InputError, match=r"has no labels; --set data\.labels=false"):
        start()
    # Other things numbered from 0 to 9 are not clothes.
    np.savez(tmp_path / "numbers.npz", pixels=np.zeros((10, 28, 28), np.uint8), labels=np.arange(10))
    with pytest.raises(InputError, match=r"numbers\.npz 0, 1, 2, 3, 4, 5, 6, 7, 8, 9; train without labels"):
        nk.fit(tmp_path / "numbers.npz", start="fashion", progress=False)
    (tmp_path / "numbers.npz").unlink()
    for name in ("cats", "dogs"):
        pictures_in(tmp_path / name, 2)
    with pytest.raises(InputError, match=r"has the classes 0, 1, .* cats, dogs; train without labels"):
        nk.fit(tmp_path, start="digits", progress=False)
    with pytest.raises(SystemExit):
        start(tmp_path / "run", settings={"data.labels": False, "training.log_every": 8}, observers=[Bomb(8)])
    with pytest.raises(InputError, match="was to start from digits: add --from"):
        nk.fit(pixels, tmp_path / "run", resume=True, progress=False)


def test_moments_are_measured_once(tmp_path, monkeypatch):
    """On another number of threads they differ in the last bit; the run goes on with those it was begun with."""
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(96)])
    monkeypatch.setattr(recipes.PreconditionedHeadConfig, "measured", None)
    assert train(tmp_path, resume=True).history["images"] == 160


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


class Poisoned(nn.Module):
    """A network that gives no numbers at low noise levels."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.zeros(1))

    def forward(self, h, level, label=None):
        bad = torch.where(level < 0.2, torch.nan, 1.0)[:, None, None, None]
        return (h * self.gain * bad).repeat(1, 2, 1, 1)


@pytest.mark.parametrize("objective", [nk.KL(), nk.ContrastiveAdjustment(), nk.Anchored(), nk.Reconstruction()])
def test_a_loss_that_is_no_number_stops_the_run_and_says_at_which_levels(objective, tmp_path):
    pictures = nk.data.load_data("digits")[0]
    checkpoints = Checkpoints(tmp_path)
    kept = checkpoints.save(7, {"a": torch.zeros(1)}, {})
    trainer = Trainer(
        nk.GaussianKernel(),
        nk.Denoiser(Poisoned(), nk.PlainGaussian(1)),
        objective,
        InMemory(pictures, Treatment(Pictures(size=(1, 8, 8)), seed=0)),
        TrainingSettings(batch=64, images=640),
        seed=0,
        checkpoints=checkpoints,
    )
    with pytest.raises(
        TrainingError, match=r"Noise levels that blew up: (\d+) samples with beta from 0\.0\d+ to 0\.1"
    ) as e:
        trainer.run()
    assert str(kept) in str(e.value)
    assert checkpoints.all() == [kept]


def test_batches_that_cannot_be_shared_are_refused():
    with pytest.raises(InputError, match="make it a multiple of 3"):
        nk.fit("digits", settings={**SMALL, "training.accumulate": 3}, progress=False)


def test_the_average_is_the_average():
    """One parameter that moves by a known amount a step: the average against its closed form."""
    trainer = Trainer(
        nk.GaussianKernel(),
        nk.Denoiser(Poisoned(), nk.PlainGaussian(1)),
        nk.KL(),
        InMemory(nk.data.load_data("digits")[0], Treatment(Pictures(size=(1, 8, 8)), seed=0)),
        TrainingSettings(batch=1, average=Decay(factor=0.9)),
        seed=0,
    )
    expected = None
    for step in range(5):
        with torch.no_grad():
            trainer.denoiser.backbone.gain.fill_(float(step))
        trainer.average.update_parameters(trainer.denoiser)
        expected = float(step) if expected is None else 0.9 * expected + 0.1 * step
    assert float(trainer.averaged.backbone.gain) == pytest.approx(expected)


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


def test_dry_runs_tell_the_cost():
    figures = dry_run("digits", settings=SMALL)
    assert figures["parameters"] == train(None, 16).parameters
    assert figures["images_per_second"] > 0
    assert "2.5 hours" in told({**figures, "seconds": 9000})
    assert "12 seconds" in told({**figures, "seconds": 12.3})
    small = told({**figures, "seconds": 0.1, "memory_bytes": 3_000_000})
    assert "under a second" in small
    assert "3.0 MB of memory" in small


FEW = {"network.channels": 8, "training.batch": 8, "training.images": 16}


def test_bf16_and_labels_train():
    model = nk.fit("digits", settings={**FEW, "training.precision": "bf16"}, progress=False)
    assert next(model.denoiser.parameters()).dtype == torch.float32


@pytest.mark.parametrize(("head", "classes"), [("categorical", 10), ("ordinal", 256)])
def test_categories_train(head, classes, tmp_path):
    levels = {
        "data.labels": False,
        "data.codec": {"kind": "levels", "levels": classes},
        "kernel": {"kind": "categorical", "classes": classes},
        "head": {"kind": head, "classes": classes},
        "objective.levels.kind": "uniform",
    }
    nk.fit("digits", tmp_path, settings={**FEW, **levels}, progress=False)
    z = nk.synthesize(nk.load(tmp_path), 3, steps=4)
    assert z.shape == (3, 1, 8, 8)
    assert len(nk.load(tmp_path).draw(z)) == 3


def test_run_folders_say_what_was_done(tmp_path):
    model = train(tmp_path, 64, seed=5)
    run = json.loads((tmp_path / "run.json").read_text())
    assert (run["data"], run["seed"], run["examples"], run["shape"]) == ("digits", 5, 1797, [1, 8, 8])
    assert recipes.recipe(tmp_path / "recipe.json").training.images == 64
    assert model.history["seed"] == 5
    assert {path.name for path in tmp_path.iterdir()} >= {"log.jsonl", "model.safetensors", "checkpoints", "samples"}
    entry = read_log(tmp_path / "log.jsonl")[-1]
    assert math.isfinite(entry["loss"])
    assert entry["by_level"]
