"""Time budgets: what is chosen, that the time is kept, and that runs by the clock resume and can be repeated."""

import json

import numpy as np
import pytest
from PIL import Image

import noisekernel as nk
from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.data.source import ArraySource
from noisekernel.kinds.pictures import Pictures
from noisekernel.recipes.training import TrainingSettings
from noisekernel.training import beginning, budget, held_out, run
from noisekernel.training.observers import Silent, read_log
from noisekernel.training.pacing import TRAINED, Pacer
from noisekernel.training.trainer import Trainer

POINTS = np.random.default_rng(0).normal(size=(256, 2)).astype(np.float32)


def weights(folder):
    return nk.load(folder).denoiser.state_dict()


def same(a, b):
    return a.keys() == b.keys() and all(bool((a[name] == b[name]).all()) for name in a)


@pytest.fixture
def machine(monkeypatch):
    """A machine of a known speed: U-Nets by channels and pixels, as measured on two cores; all else at 1,000."""

    def speed(self, recipe, kind, batch=None):
        self.processes = 1
        if recipe.network.kind != "unet":
            return 1000.0
        channels = {16: 245.0, 24: 151.0, 32: 88.0, 48: 48.0, 64: 28.0, 96: 13.0, 128: 7.0}[recipe.network.channels]
        return channels * 1024 / (kind.shape[1] * kind.shape[2])

    monkeypatch.setattr(budget.Prober, "__call__", speed)


def picture_files(folder, size):
    folder.mkdir()
    random = np.random.default_rng(0)
    for i in range(4):
        Image.fromarray(random.integers(0, 256, (*size, 3), dtype=np.uint8)).save(folder / f"{i}.png")
    return folder


@pytest.mark.parametrize(
    ("size", "minutes", "side", "channels"),
    [
        ((28, 28), 15, 28, 24),
        ((28, 28), 60, 28, 32),  # what the bundled model of such pictures has
        ((28, 28), 1, 28, 16),
        ((72, 72), 15, 32, 16),
        ((72, 72), 60, 48, 24),
        ((72, 72), 180, 64, 32),
        ((64, 64), 15, 32, 16),
        ((8, 8), 15, 8, 48),
    ],
)
def test_sizes_follow_from_the_speed(tmp_path, machine, size, minutes, side, channels):
    found = budget.budget(picture_files(tmp_path / "p", size), recipes.recipe("small"), minutes, cpu=True)
    assert found.recipe.data.shape == (3, side, side)
    assert found.recipe.network.channels == channels
    planned = found.planned(0.0).training
    assert planned.images == pytest.approx(TRAINED * 60 * minutes * found.speed, rel=0.02)
    assert planned.warming == planned.images // 20
    resized = side != size[0]
    assert (found.resized is not None) == resized
    if resized:
        assert f"made into 3 x {side} x {side}" in found.resized


def test_what_is_given_stays(tmp_path, machine):
    folder = picture_files(tmp_path / "p", (72, 72))
    settings = {"data.size": [3, 16, 16], "network.channels": 32, "training.batch": 8}
    recipe = recipes.recipe("small", settings)
    found = budget.budget(folder, recipe, 60.0, settings=settings, cpu=True)
    assert found.resized is None
    assert (found.recipe.data.shape, found.recipe.network, found.recipe.training.batch) == (
        (3, 16, 16),
        recipe.network,
        8,
    )
    whole = budget.budget(folder, recipes.recipe("small"), 1.0, given=True, cpu=True)
    assert whole.recipe == recipes.recipe("small")
    for settings in ({"training.images": 5}, ["training.images=5"]):
        with pytest.raises(InputError, match=r"training\.images was set, and minutes decides it"):
            nk.fit(POINTS, settings=settings, minutes=1)
    for minutes in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="give the minutes"):
            nk.fit(POINTS, minutes=minutes)


def test_short_runs_have_smaller_batches(tmp_path, machine):
    folder = picture_files(tmp_path / "p", (28, 28))
    batches = [
        budget.budget(folder, recipes.recipe("small"), minutes, cpu=True).recipe.training.batch
        for minutes in (2, 15, 60)
    ]
    assert batches == [16, 32, 64]


def test_shrunken_pictures_keep_their_proportions():
    sizes = Pictures().sizes(None)
    assert [kind.shape for kind in sizes] == [(3, side, side) for side in (32, 48, 64)]
    assert [kind.shape for kind in Pictures(size=(1, 64, 64)).sizes(None)] == [(1, 64, 64)]
    wide = ArraySource(np.zeros((2, 30, 60, 3), dtype=np.uint8), None, (), "wide")
    assert [kind.shape for kind in Pictures().sizes(wide)] == [(3, 16, 32), (3, 24, 48), (3, 30, 60)]


@pytest.fixture
def by_clock(monkeypatch):
    """Runs of two minutes that are planned for a second a step of 16, on a machine that takes `seconds(images)`."""
    make, step = beginning.trainer_for, Trainer.step
    monkeypatch.setattr(budget.Prober, "__call__", lambda self, *given: 16.0)
    monkeypatch.setattr(run.time, "perf_counter", lambda: 0.0)

    def train(out, seconds, observers=(), **more):
        now = [0.0]

        def slow_step(self, number, *given):
            now[0] += seconds(number * 16)
            step(self, number, *given)

        monkeypatch.setattr(Trainer, "step", slow_step)
        monkeypatch.setattr(run, "trainer_for", lambda *given, **rest: make(*given, **rest, clock=lambda: now[0]))
        settings = {"training.batch": 16, "network.width": 8}
        nk.fit(POINTS, out, settings=settings, minutes=2, progress=False, observers=observers, **more)
        return json.loads((out / "recipe.json").read_text())["training"]

    return train


@pytest.mark.training
@pytest.mark.parametrize("factor", [1 / 3, 1, 3, 20])
def test_a_run_ends_in_time_though_the_machine_changes(tmp_path, by_clock, factor):
    told = by_clock(tmp_path / "run", lambda images: 1.0 if images < 600 else factor)
    log = read_log(tmp_path / "run" / "log.jsonl")
    assert log[-1]["images"] == told["images"]
    planned = TrainingSettings(**{**told, "pace": ()})
    assert log[-1]["seconds"] == pytest.approx(120, rel=0.1)
    rates = [entry["rate"] for entry in log]
    assert rates[-1] < 0.12 * max(rates) or factor == 20  # too late to fall gently
    assert (told["pace"] == []) == (factor == 1)
    # The wrong twin: by the first plan it would have been too long, or too short.
    if factor != 1:
        without = 600 / 16 + factor * (0.96 * 120 - 600 / 16)
        assert abs(without - 120) > 12
    assert planned.minutes == 2


class Bomb(Silent):
    def __init__(self, at):
        self.at = at

    def logged(self, entry):
        if entry.images >= self.at:
            raise SystemExit


@pytest.mark.training
@pytest.mark.same_call
def test_a_run_by_the_clock_resumes_and_is_repeated_without_one(tmp_path, by_clock):
    def slower(images):
        return 1.0 if images < 600 else 2.0

    whole = by_clock(tmp_path / "whole", slower)
    assert len(whole["pace"]) >= 1
    with pytest.raises(SystemExit):
        by_clock(tmp_path / "killed", slower, observers=[Bomb(900)])
    assert by_clock(tmp_path / "killed", slower, resume=True) == whole
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    # Without a clock, by the recipe that the run wrote.
    recipe = tmp_path / "whole" / "recipe.json"
    nk.fit(POINTS, tmp_path / "again", recipe=recipe, settings={"training.minutes": None}, progress=False)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "again"))
    # The wrong twin: without the corrections the rate falls otherwise.
    other = {"training.minutes": None, "training.pace": []}
    nk.fit(POINTS, tmp_path / "other", recipe=recipe, settings=other, progress=False)
    assert not same(weights(tmp_path / "whole"), weights(tmp_path / "other"))
    with pytest.raises(InputError, match="begun with 2 minutes, not with 3 minutes"):
        nk.fit(POINTS, tmp_path / "whole", minutes=3, resume=True, progress=False)


@pytest.mark.training
@pytest.mark.same_call
def test_what_a_run_by_the_clock_holds_out_does_not_change_with_its_plan(tmp_path, by_clock, monkeypatch):
    """The number follows from the first plan; the recipe says it, so the run is repeated and resumed with it."""
    monkeypatch.setattr(held_out, "affordable", lambda recipe, kind: recipe.training.images // 150)

    def slower(images):
        return 1.0 if images < 600 else 2.0

    whole = by_clock(tmp_path / "whole", slower)
    assert whole["held_out"] == 12 != whole["images"] // 150
    assert len(json.loads((tmp_path / "whole" / "run.json").read_text())["held_out"]) == 12
    log = read_log(tmp_path / "whole" / "log.jsonl")
    assert log[-1]["held_out"]["images"] == log[-1]["images"] == whole["images"]
    with pytest.raises(SystemExit):
        by_clock(tmp_path / "killed", slower, observers=[Bomb(900)])
    assert by_clock(tmp_path / "killed", slower, resume=True) == whole
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    recipe = tmp_path / "whole" / "recipe.json"
    nk.fit(POINTS, tmp_path / "again", recipe=recipe, settings={"training.minutes": None}, progress=False)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "again"))
    # The wrong twin: the number that the corrected plan would give is another run.
    auto = {"training.minutes": None, "training.held_out": "auto"}
    nk.fit(POINTS, tmp_path / "other", recipe=recipe, settings=auto, progress=False)
    assert not same(weights(tmp_path / "whole"), weights(tmp_path / "other"))


def test_the_rate_falls_in_a_straight_line_to_the_new_end():
    settings = TrainingSettings(images=1000, batch=10, minutes=1.0, warmup=0)
    pacer = Pacer()
    slowed = pacer.corrected(settings, 500, 0.5 * 0.96 * 60 + 14.4)
    assert slowed.images < 1000
    assert slowed.left(500) == settings.left(500)
    middle = (500 + slowed.images) // 2
    assert slowed.left(middle) == pytest.approx(settings.left(500) / 2, abs=0.02)
    assert slowed.left(slowed.images) == 0.0
    ended = Pacer().corrected(settings, 500, 70.0)
    assert ended.images == 500
    assert ended.left(490) == pytest.approx(settings.left(490))  # the past is as it was


@pytest.mark.training
def test_the_command_says_what_it_chose(run, tmp_path):
    code, out, _ = run("train", "digits", "--minutes", "0.01", "--dry-run", "--set", "network.channels=8")
    assert code == 0
    assert "0.01 minutes: a network of" in out
    assert "what to expect: " in out
    code, _, err = run("train", "digits", "--minutes", "0.01", "--out", "r", "--set", "network.channels=8")
    assert code == 0
    assert json.loads((tmp_path / "r" / "recipe.json").read_text())["training"]["minutes"] == 0.01
    code, _, err = run("train", "digits", "--minutes", "1", "--out", "q", "--set", "training.images=8")
    assert code != 0
    assert "minutes decides it" in " ".join(err.split())
