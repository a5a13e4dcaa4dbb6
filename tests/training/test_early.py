"""training.early: the average of an early moment is kept as a model of its own, also by a run that was killed."""

import pytest
from small_runs import SMALL, Bomb, same, weights

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.training.beginning import identity

SETTINGS = {**SMALL, "training.save_every": 48, "training.draw_every": 10**6, "training.early": 0.25}


def train(out, **more):
    return nk.fit("digits", out, settings=SETTINGS, progress=False, **more)


@pytest.mark.training
@pytest.mark.same_call
def test_the_average_after_a_share_of_the_run_is_kept(tmp_path):
    """40 of 160 images, in batches of 16: after 48."""
    model = train(tmp_path / "whole")
    early = nk.load(tmp_path / "whole" / "early.safetensors")
    assert early.history["images"] == 48
    assert not same(weights(tmp_path / "whole"), early.denoiser.state_dict())
    with pytest.raises(SystemExit):
        train(tmp_path / "killed", observers=[Bomb(64)])
    assert same(nk.load(tmp_path / "killed" / "early.safetensors").denoiser.state_dict(), early.denoiser.state_dict())
    train(tmp_path / "killed", resume=True)
    assert same(nk.load(tmp_path / "killed" / "early.safetensors").denoiser.state_dict(), early.denoiser.state_dict())
    assert same(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    assert model.guided(1.5, worse=early).sample(2, steps=2).shape == (2, 1, 8, 8)


@pytest.mark.training
def test_a_run_that_was_killed_before_keeps_it_when_it_goes_on(tmp_path):
    with pytest.raises(SystemExit):
        train(tmp_path, observers=[Bomb(32)])
    assert not (tmp_path / "early.safetensors").exists()
    train(tmp_path, resume=True)
    assert nk.load(tmp_path / "early.safetensors").history["images"] == 48


def test_without_it_nothing_is_kept_and_runs_begun_before_go_on():
    training = nk.recipes.TrainingSettings()
    assert training.early is None
    assert "early" not in identity(training)
    assert identity(training.model_copy(update={"early": 0.1}))["early"] == 0.1


@pytest.mark.parametrize(("early", "said"), [(0.0, "early"), (1.0, "early"), (0.1, "say which folder")])
def test_refusals(early, said):
    with pytest.raises(InputError, match=said):
        nk.fit("digits", settings={**SETTINGS, "training.early": early}, progress=False)
