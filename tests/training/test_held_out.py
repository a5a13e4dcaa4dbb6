"""What is held out of the data: never trained on, measured on the way, and the end of runs that learn by heart."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from small_runs import Bomb, same, weights
from test_processes import launch

import noisekernel as nk
from noisekernel import recipes
from noisekernel.core.errors import InputError
from noisekernel.data.held_out import hold_out
from noisekernel.data.opening import open_source
from noisekernel.data.source import Source
from noisekernel.files.formats import read_json, write_json
from noisekernel.kinds.points import Points
from noisekernel.networks.exact import exact_denoiser
from noisekernel.training.held_out import affordable, how_many
from noisekernel.training.observers import Silent, _scalars, read_log
from noisekernel.training.preparation import prepare
from noisekernel.training.watch import PATIENCE, Watch

ROWS = np.random.default_rng(0).normal(size=(300, 16)).astype(np.float32)
#: A high rate and few rows: after some thousand images a network knows thirty rows by heart.
BY_HEART = {
    "network.width": 64,
    "network.depth": 2,
    "training.batch": 64,
    "training.rate": 5e-3,
    "training.fall": "constant",
    "training.warmup": 640,
    "training.images": 6_400,
    "training.draw_every": 640,
    "training.save_every": 960,
    "training.log_every": 320,
    "training.held_out": 30,
}
FEW = ROWS[:60]


def fitted(rows):
    return Points().fitted(open_source(rows))[0]


def looks(folder):
    return [entry["held_out"] for entry in read_log(Path(folder) / "log.jsonl") if "held_out" in entry]


# Which, and how many --------------------------------------------------------------------------------------------------


def test_a_part_is_disjoint_from_the_rest_the_same_for_all_and_smaller_ones_lie_within():
    source, kind = open_source(ROWS), fitted(ROWS)
    small, large = hold_out(source, kind, 10, 10), hold_out(source, kind, 40, 20)
    assert small.names == large.names[:10]
    assert (len(large.names), len(large.values), len(large.trained), len(large.rest)) == (40, 20, 20, 260)
    rest = {large.rest.name(i) for i in range(len(large.rest))}
    assert not rest & set(large.names)
    assert len(rest | set(large.names)) == 300
    assert isinstance(large.rest, Source)
    trained = {tuple(row) for row in kind.encode(large.trained).tolist()}
    stored = torch.from_numpy(np.stack([kind.store(large.rest.item(i)).values for i in range(260)]))
    every = {tuple(row) for row in kind.encode(stored).tolist()}
    assert trained <= every


def test_what_cannot_be_read_is_left_to_the_rest():
    rows = ROWS.copy()
    rows[::2] = np.nan
    source, kind = open_source(rows), fitted(ROWS)
    part = hold_out(source, kind, 30, 30)
    assert all(int(name.rpartition("[")[2][:-1]) % 2 == 1 for name in part.names)
    assert len(part.rest) == 270
    assert hold_out(open_source(rows[::2]), kind, 10, 10) is None


LONG = {"training.images": 100_000, "training.draw_every": 50_000}


@pytest.mark.parametrize(
    ("settings", "examples", "count", "reason"),
    [
        (LONG, 99, 0, "99 points are too few to spare any (from 100)"),
        (LONG, 100, 10, None),
        (LONG, 1_000, 50, None),
        (LONG, 10**6, 214, None),  # what measuring affords
        ({**LONG, "training.draw_every": 10**6}, 10**6, 428, None),
        ({**LONG, "training.images": 10**6, "training.draw_every": 10**6}, 10**6, 500, None),
        ({"training.images": 640}, 1_000, 0, "so short, or draws so often, that measuring would take over 2%"),
        (LONG, None, 0, "the data are a stream"),
        ({**LONG, "training.held_out": 0.2}, 1_000, 200, None),
        ({**LONG, "training.held_out": 7}, 20, 7, None),
        ({**LONG, "training.held_out": 0}, 1_000, 0, None),
        ({**LONG, "training.held_out": None}, None, 0, None),
    ],
)
def test_how_many_are_held_out(settings, examples, count, reason):
    found, told = how_many(recipes.recipe("points", settings), fitted(ROWS), examples)
    assert found == count
    assert (told is None) == (reason is None)
    assert reason is None or reason in told


def test_measuring_takes_its_share_of_the_passes_and_no_more():
    recipe = recipes.recipe("points", LONG)
    n = affordable(recipe, fitted(ROWS))
    # Seven levels, held out and trained on, of a step of three passes per image.
    assert 7 * 2 * n <= 0.02 * 3 * 50_000 < 7 * 2 * (n + 1)


def test_parts_that_cannot_be_are_refused():
    kind = fitted(ROWS)
    for settings, examples, words in [
        ({"training.held_out": 0.001}, 300, "which of 300 points is 0; hold out at least 2"),
        ({"training.held_out": 200}, 300, "is 200; hold out at least 2 and at most half"),
        ({"training.held_out": 0.1}, None, "of a stream nothing can be held out"),
        ({"training.stop": "held-out", "training.held_out": 0}, 300, "is held out: training.held_out is 0. Set"),
        ({"training.stop": "held-out"}, 20, "nothing is held out: 20 points are too few"),
    ]:
        with pytest.raises(InputError, match=words.replace("(", r"\(")):
            how_many(recipes.recipe("points", settings), kind, examples)
    labelled = kind.model_copy(update={"labels": True, "forget": 0.0})
    with pytest.raises(InputError, match="measured without labels"):
        how_many(recipes.recipe("points", {"training.held_out": 0.1}), labelled, 300)
    for bad in (1, 0.7, -1, "some", True, math.inf):
        with pytest.raises(
            InputError, match=r"a share of the examples from 0 to 0\.5, a number of them from 2, or auto"
        ):
            recipes.recipe("points", {"training.held_out": bad})


def test_the_paper_and_the_bundled_models_were_trained_on_all():
    for name in ("digits", "fashion", "paper/cifar10", "paper/lsun-church-128"):
        assert recipes.recipe(name).training.held_out == 0


@pytest.mark.parametrize("memory", [4_000, 0])
def test_what_is_held_out_is_never_trained_on(memory):
    """In memory, and read as needed: three passes over the data, of which each has all others once."""
    settings = {"training.held_out": 30, "data.memory": memory, "data.workers": 0}
    ready = prepare(ROWS, recipes.recipe("points", settings), 0, Console(quiet=True))
    assert ready.count == 270
    held = {tuple(row) for row in ready.kind.encode(ready.held_out.values).tolist()}
    seen = [tuple(row) for z, _ in ready.examples.stream([range(810)], torch.device("cpu")) for row in z.tolist()]
    assert len(held) == 30
    assert len(set(seen)) == 270
    assert not held & set(seen)


# Watching -------------------------------------------------------------------------------------------------------------


class Known(torch.nn.Module):
    """The exact denoiser of standard normal rows, or one whose mean is off: it takes more bits."""

    def __init__(self, off=0.0):
        super().__init__()
        self.register_buffer("off", torch.tensor(off))

    def forward(self, x, beta, label=None):
        return exact_denoiser(x, beta, float(self.off), 1.0)


def watching(rows=ROWS, stops=False):
    kind = fitted(rows)
    return Watch(nk.GaussianKernel(), kind, hold_out(open_source(rows), kind, 40, 40), stops)


CPU = torch.device("cpu")


def test_a_rise_beyond_chance_is_named_and_ends_a_run_that_may_end():
    watch = watching(stops=True)
    ways = [0.5, 0.2, 0.0, *[0.3] * PATIENCE]
    found = [watch.look(Known(off), 100 * (i + 1), CPU) for i, off in enumerate(ways)]
    assert [look.best for look in found] == [100, 200, *[300] * (1 + PATIENCE)]
    assert [look.warning is not None for look in found] == [False] * 3 + [True] * PATIENCE
    # Here the training examples are denoised worse as well, so nothing is learned by heart.
    assert "the model gets worse: held-out points took" in found[-1].warning
    assert "after 300 images" in found[-1].warning
    assert f"take {found[-1].bits:.4g} now" in found[-1].warning
    assert watch.over
    assert float(watch.kept.off) == 0.0
    assert found[-1].risen == pytest.approx(found[-1].bits - found[2].bits)
    assert not watching().over


def test_a_difference_within_chance_is_none():
    """The wrong twin of the test above: a denoiser that is as good, but wrong at other examples."""
    watch = watching()
    first = watch.look(Known(0.02), 100, CPU)
    second = watch.look(Known(-0.02), 200, CPU)
    third = watch.look(Known(0.02), 300, CPU)
    assert first.bits == pytest.approx(third.bits)
    assert (first.warning, second.warning, third.warning) == (None, None, None)
    # One good look in between, and the count begins anew.
    watch = watching(stops=True)
    for i, off in enumerate([0.0, 0.3, 0.3, 0.0, 0.3, 0.3]):
        watch.look(Known(off), i, CPU)
    assert watch.risen == 2
    assert not watch.over


def test_its_state_goes_through_a_checkpoint():
    watch, again = watching(stops=True), watching(stops=True)
    for i, off in enumerate([0.1, 0.3]):
        watch.look(Known(off), i, CPU)
    tensors, told = watch.pack()
    again.unpack(tensors, json.loads(json.dumps(told)), Known())
    assert float(again.kept.off) == pytest.approx(0.1)
    a, b = (each.look(Known(0.4), 2, CPU) for each in (watch, again))
    assert (a.best, a.warning, watch.risen) == (b.best, b.warning, again.risen) == (0, a.warning, 2)
    fresh = watching()
    fresh.unpack({}, None, Known())  # a checkpoint of before there was any
    assert fresh.best is None


# Whole runs -----------------------------------------------------------------------------------------------------------


def test_a_run_logs_what_is_held_out_at_every_draw_and_at_its_end(tmp_path):
    settings = {
        **BY_HEART,
        "network.width": 16,
        "training.images": 2_560,
        "training.draw_every": 1_000,
        "training.fall": "linear",
    }
    seen = []

    class Watching(Silent):
        def logged(self, entry):
            if entry.held_out is not None:
                seen.append(entry.held_out)

    model = nk.fit(ROWS, tmp_path, settings=settings, progress=False, observers=[Watching()], calibrate=False)
    assert [look.images for look in seen] == [1_024, 2_048, 2_560]
    assert [look["images"] for look in looks(tmp_path)] == [1_024, 2_048, 2_560]
    last = looks(tmp_path)[-1]
    assert len(last["levels"]) == len(last["errors"]) == len(last["errors_trained"]) == 7
    low, high = last["interval"]
    assert low < last["bits"] < high
    run = read_json(tmp_path / "run.json")
    assert (run["examples"], len(run["held_out"])) == (270, 30)
    assert (model.history["examples"], model.history["held_out"]) == (270, 30)
    assert _scalars(seen[-1])["held out/bits per element"] == last["bits"]
    # By hand: the held-out rows, with the noise of the looks.
    part = hold_out(open_source(ROWS), model.kind, 30, 30)
    z = model.kind.encode(part.values)
    by_hand = nk.measuring.denoising.curve_of(model.kernel, model.denoiser, z, few=True)
    assert by_hand.bits.value == pytest.approx(last["bits"], rel=1e-4)


def test_without_a_part_there_is_nothing_to_look_at(tmp_path, capsys):
    settings = {**BY_HEART, "training.held_out": "auto", "training.images": 320, "training.draw_every": 10**6}
    nk.fit(ROWS, tmp_path, settings=settings, calibrate=False)
    assert "nothing is held out: the run is so short" in " ".join(capsys.readouterr().err.split())
    assert looks(tmp_path) == []
    assert read_json(tmp_path / "run.json")["held_out"] == []


@pytest.mark.training
def test_a_model_that_learns_by_heart_is_told_so_and_one_of_enough_data_is_not(tmp_path, capsys):
    nk.fit(FEW, tmp_path / "few", settings=BY_HEART, calibrate=False)
    said = " ".join(capsys.readouterr().err.split())
    assert "the model begins to learn its points by heart" in said
    assert "held out" in said
    assert "of the time)" in said
    few = looks(tmp_path / "few")
    assert few[-1]["bits"] > few[-1]["trained"] + 0.5
    assert few[-1]["best"] < 6_400
    many = np.random.default_rng(1).normal(size=(20_000, 16)).astype(np.float32)
    settings = {**BY_HEART, "training.rate": 1e-3, "training.fall": "linear"}
    nk.fit(many, tmp_path / "many", settings=settings, calibrate=False)
    assert "by heart" not in capsys.readouterr().err
    assert all("warning" not in look or look["warning"] is None for look in looks(tmp_path / "many"))


STOPPING = {**BY_HEART, "training.stop": "held-out"}


@pytest.mark.training
@pytest.mark.same_call
def test_a_run_stops_at_its_best_and_resumes_bit_for_bit(tmp_path):
    model = nk.fit(FEW, tmp_path / "whole", settings=STOPPING, progress=False, calibrate=False)
    whole = looks(tmp_path / "whole")
    assert whole[-1]["images"] < 6_400
    assert model.history["images"] == whole[-1]["best"] < whole[-1]["images"]
    assert min(whole, key=lambda look: look["bits"])["images"] == whole[-1]["best"]
    assert same(model.denoiser.state_dict(), weights(tmp_path / "whole"))
    for at in (1_000, 1_900, whole[-1]["images"]):
        out = tmp_path / f"parts{at}"
        with pytest.raises(SystemExit):
            nk.fit(FEW, out, settings=STOPPING, progress=False, observers=[Bomb(at)], calibrate=False)
        again = nk.fit(FEW, out, resume=True, progress=False, calibrate=False)
        assert again.history["images"] == model.history["images"]
        assert same(weights(out), weights(tmp_path / "whole"))
        assert [look["bits"] for look in looks(out)] == [look["bits"] for look in whole]
    # One that has stopped stays where it is.
    before = weights(tmp_path / "whole")
    nk.fit(FEW, tmp_path / "whole", resume=True, progress=False, calibrate=False)
    assert same(before, weights(tmp_path / "whole"))
    assert len(looks(tmp_path / "whole")) == len(whole)
    # When it looks decides where it stops, so that is no longer free.
    with pytest.raises(InputError, match=r"begun with another training\.draw_every"):
        nk.fit(FEW, tmp_path / "whole", settings={"training.draw_every": 64}, resume=True, progress=False)
    # The wrong twin: without the setting the run goes on, and the model is the last one.
    on = nk.fit(FEW, tmp_path / "on", settings=BY_HEART, progress=False, calibrate=False)
    assert on.history["images"] == 6_400
    assert not same(weights(tmp_path / "on"), before)


@pytest.mark.training
@pytest.mark.same_call
def test_runs_of_before_there_were_held_out_parts_go_on_with_all_their_data(tmp_path):
    settings = {**BY_HEART, "training.held_out": 0}
    nk.fit(ROWS, tmp_path / "whole", settings=settings, progress=False, calibrate=False)
    with pytest.raises(SystemExit):
        nk.fit(ROWS, tmp_path / "old", settings=settings, progress=False, observers=[Bomb(3_200)], calibrate=False)
    recipe = read_json(tmp_path / "old" / "recipe.json")
    del recipe["training"]["held_out"], recipe["training"]["stop"]
    write_json(tmp_path / "old" / "recipe.json", recipe)
    nk.fit(ROWS, tmp_path / "old", resume=True, progress=False, calibrate=False)
    assert same(weights(tmp_path / "old"), weights(tmp_path / "whole"))


@pytest.mark.training
def test_what_was_held_out_stays_held_out(tmp_path):
    settings = {**BY_HEART, "training.images": 3_200}
    with pytest.raises(SystemExit):
        nk.fit(ROWS, tmp_path, settings=settings, progress=False, observers=[Bomb(1_920)], calibrate=False)
    with pytest.raises(InputError, match=r"begun with another training\.held_out"):
        nk.fit(ROWS, tmp_path, settings={"training.held_out": 0}, resume=True, progress=False)
    part = hold_out(open_source(ROWS), fitted(ROWS), 30, 30)
    other = ROWS.copy()
    other[int(part.names[0].rpartition("[")[2][:-1])] += 1e-3
    with pytest.raises(InputError, match="of another run"):
        nk.fit(other, tmp_path, resume=True, progress=False)


@pytest.mark.training
def test_two_processes_look_as_one_does(tmp_path):
    np.save(tmp_path / "rows.npy", FEW)
    settings = {**STOPPING, "training.images": 2_560}
    options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    for processes in (1, 2):
        out = ("--out", f"run{processes}", "--device", "cpu", "--no-calibrate")
        launch(processes, "train", "rows.npy", *out, *options, cwd=tmp_path)
    one, two = (looks(tmp_path / f"run{n}") for n in (1, 2))
    assert [look["images"] for look in one] == [look["images"] for look in two]
    assert [look["bits"] for look in two] == pytest.approx([look["bits"] for look in one], rel=0.01)
    assert two[0]["errors"] == pytest.approx(one[0]["errors"], rel=0.01)
