"""The recipe `correction`: a model that is trained already gets a correction of its chain at constant noise."""

import pytest
import torch
from small_runs import Bomb, same, weights
from test_processes import launch

import noisekernel as nk
from helpers import refused
from noisekernel.core.errors import InputError
from noisekernel.training.observers import read_log

SETTINGS = {
    **{"training.images": 256, "training.batch": 32, "training.log_every": 64, "training.save_every": 96},
    **{"objective.walkers": 64, "objective.steps": 2, "objective.age": 20},
}


def correct(out=None, images=256, start="digits", **more):
    settings = {**SETTINGS, "training.images": images}
    return nk.fit(
        "digits", out, start=start, recipe="correction", settings=settings, progress=False, calibrate=False, **more
    )


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corrected") / "run"
    return correct(folder), folder


def test_the_network_stays_and_the_correction_learns(corrected):
    model, folder = corrected
    before, after = nk.load("digits").denoiser.state_dict(), model.denoiser.state_dict()
    own = {name: value for name, value in after.items() if not name.startswith("correction.")}
    assert same(before, own)
    assert bool(model.denoiser.correction.out.weight.abs().max() > 0)
    loaded = nk.load(folder)
    assert same(loaded.denoiser.state_dict(), after)
    assert loaded.design.correction.low == loaded.design.correction.high == 0.2
    last = read_log(folder / "log.jsonl")[-1]
    assert last["seen"].keys() == {"apart", "accepted", "age"}
    assert last["parts"].keys() == {"contrast", "penalty"}


def test_the_chain_is_corrected_where_it_was_learned(corrected):
    model, plain = corrected[0], nk.load("digits")
    z = plain.sample(3, steps=4)
    options = {"steps": 6, "seed": 3}
    # At other levels, at other lags, with labels, and where it is not wanted, the chain is the paper's.
    for others in ({"corrected": False}, {"beta": 0.3}, {"lag": 0.5}, {"label": [1, 2, 3]}):
        without = {name: value for name, value in others.items() if name != "corrected"}
        torch.testing.assert_close(
            model.equilibrate(z, **others, **options), plain.equilibrate(z, **without, **options)
        )
    assert nk.tasks.equilibration(model, z, **options).schedule.lag[0] == 0.9
    assert nk.tasks.equilibration(model, z, beta=0.3, **options).schedule.lag[0] == 0.5
    torch.testing.assert_close(model.equilibrate(z, corrected=True, **options), model.equilibrate(z, **options))
    # A correction that is sure of itself: nothing but what it likes is accepted.
    stubborn = nk.load(corrected[1])
    stubborn.denoiser.correction.out.weight.mul_(1e6)
    run = nk.tasks.equilibration(stubborn, z, **options)
    accepted = torch.stack([info.accepted for _, info in run]).float().mean()
    assert float(accepted) < 0.9
    assert bool(torch.stack([i.accepted for _, i in nk.tasks.equilibration(plain, z, **options)]).all())


def test_where_there_is_none_a_sentence_says_so(corrected):
    model = corrected[0]
    z = torch.zeros(2, 1, 8, 8)
    for chain, beta, label in (
        (nk.load("digits"), 0.2, None),
        (model, 0.4, None),
        (model, 0.2, [1, 2]),
        (model.guided(1.5), 0.2, [1, 2]),
    ):
        with pytest.raises(InputError, match=f"no correction of its chain at beta {beta:g} and lag"):
            chain.equilibrate(z, beta=beta, label=label, steps=1, corrected=True)
    assert model.correction(0.2) is not None
    assert model.correction(0.4) is None


@pytest.mark.same_call
def test_a_run_that_was_killed_goes_on_to_the_same_correction(tmp_path):
    whole = correct()
    with pytest.raises(SystemExit):
        correct(tmp_path / "run", observers=[Bomb(192)])
    nk.fit("digits", tmp_path / "run", resume=True, progress=False, calibrate=False)
    assert same(weights(tmp_path / "run"), whole.denoiser.state_dict())


def test_two_processes_correct_as_one_does(tmp_path):
    changes = [part for name, value in SETTINGS.items() for part in ("--set", f"{name}={value}")]
    start = ("--from", "digits", "--recipe", "correction", "--device", "cpu")
    for processes in (1, 2):
        launch(processes, "train", "digits", "--out", f"run{processes}", *start, *changes, cwd=tmp_path)
    one, two = (read_log(tmp_path / f"run{n}" / "log.jsonl") for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert b["loss"] == pytest.approx(a["loss"], rel=1e-3)
        assert b["seen"]["age"] == pytest.approx(a["seen"]["age"])
    checkpoints = [sorted((tmp_path / f"run{n}" / "checkpoints").glob("*.safetensors"))[-1] for n in (1, 2)]
    walkers = [nk.files.formats.read_tensors(path)[0] for path in checkpoints]
    assert torch.equal(walkers[0]["objective.age"], walkers[1]["objective.age"])
    # A step that one accepts and the other does not, by rounding, moves one walker of many.
    far = (walkers[0]["objective.x"] - walkers[1]["objective.x"]).abs().flatten(1).amax(dim=1) > 1e-2
    assert float(far.float().mean()) < 0.1


def test_training_on_by_another_objective_drops_the_correction(corrected):
    model = nk.fit(
        "digits", start=corrected[0], recipe="digits", settings={"training.images": 64}, progress=False, calibrate=False
    )
    assert model.denoiser.correction is None
    again = correct(images=32, start=corrected[0])
    assert not torch.equal(again.denoiser.correction.out.weight, corrected[0].denoiser.correction.out.weight)


def test_strings_are_corrected_too(tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(f"{a}n{b}" for a in "abeiou" for b in "anei") + "\n")
    tiny = {"network.width": 16, "network.depth": 1, "network.heads": 2, "training.images": 64, "training.batch": 16}
    options = {"progress": False, "calibrate": False}
    start = nk.fit(tmp_path / "names.txt", settings=tiny, **options)
    levels = {"objective.levels.low": 0.3, "objective.levels.high": 0.6}
    model = nk.fit(tmp_path / "names.txt", start=start, recipe="correction", settings={**SETTINGS, **levels}, **options)
    assert model.correction(0.45) is not None
    model.save(tmp_path / "model.safetensors")
    assert len(nk.load(tmp_path / "model.safetensors").equilibrate(["ana"], 2, beta=0.5, steps=3)[0]) == 2


def test_what_cannot_be_corrected_is_refused(tmp_path, corrected):
    with pytest.raises(InputError, match="corrects a model that is trained already; say which: --from"):
        nk.fit("digits", recipe="correction", settings=SETTINGS, progress=False)
    with pytest.raises(InputError, match=r"objective\.levels\.kind=uniform"):
        nk.fit("digits", start="digits", settings={"objective.kind": "persistent"}, progress=False)
    with pytest.raises(InputError, match="64 walkers do not divide into batches of 48"):
        nk.fit(
            "digits", start="digits", recipe="correction", settings={**SETTINGS, "training.batch": 48}, progress=False
        )
    with pytest.raises(InputError, match="not planned by the clock; leave out minutes"):
        nk.fit("digits", start="digits", recipe="correction", minutes=1.0, progress=False)
    with pytest.raises(InputError, match=r"the data are .* and the model is for"):
        nk.fit("digits", start="fashion", recipe="correction", settings=SETTINGS, progress=False)


def test_the_command_says_it(run, corrected, tmp_path):
    assert "corrected at beta 0.2" in " ".join(run("info", corrected[1])[1].split())
    refused(run("train", "digits", "--recipe", "correction", "--out", tmp_path / "run"), "--from MODEL")
    (picture,) = nk.load("digits").draw(torch.zeros(1, 1, 8, 8))
    picture.save(tmp_path / "x.png")
    chain = ("equilibrate", "digits", tmp_path / "x.png", "--steps", "1", "-n", "1", "--out", tmp_path / "out")
    refused(run(*chain, "--corrected"), "no correction of its chain at beta 0.2")
    assert run(*chain, "--uncorrected", "--force")[0] == 0
