"""The loop: sharing, averaging, precision, a loss that is no number, what it tells."""

import json
import math
import threading

import pytest
import torch
from small_runs import SMALL, Bomb, same, train
from torch import nn

import noisekernel as nk
from noisekernel import recipes
from noisekernel.core.errors import InputError, TrainingError
from noisekernel.data.examples import InMemory, Treatment
from noisekernel.kinds.pictures import Pictures
from noisekernel.recipes.training import Decay, TrainingSettings
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.dry_run import dry_run, told
from noisekernel.training.observers import read_log
from noisekernel.training.trainer import Trainer


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
