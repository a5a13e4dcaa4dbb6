"""An adopted model is trained further: by KL and by contrastive adjustment, with and without classes."""

import numpy as np
import pytest
import torch
from small_runs import Bomb, same

import noisekernel as nk
import pipelines
from noisekernel.core.errors import InputError
from noisekernel.measuring.denoising import denoising_curve, estimate_of

HOW = {"progress": False, "calibrate": False, "device": "cpu"}
FEW = {"training.batch": 8, "training.images": 16, "training.held_out": 0}


@pytest.fixture(scope="module")
def start():
    return nk.adopt(pipelines.pipeline(), pictures=pipelines.pictures(), device="cpu")


@pytest.mark.training
def test_training_goes_on_and_the_denoiser_gets_better(start, tmp_path):
    file = start.save(tmp_path / "adopted.safetensors")
    settings = {**FEW, "training.images": 1600, "training.rate": 2e-3, "training.draw_every": 10**9}
    pictures = pipelines.pictures(64)
    model = nk.fit(pictures, tmp_path / "run", start=file, settings=settings, **HOW)
    assert model.design.head == start.design.head
    assert model.design.network == start.design.network
    assert model.history["recipe"]["name"] == "adopted with changes"
    assert model.history["start"] == "adopted.safetensors"
    for name, value in start.denoiser.head.state_dict().items():
        torch.testing.assert_close(model.denoiser.head.state_dict()[name], value)
    z = model.kind.encode(torch.from_numpy(pipelines.pictures(100)[64:]).movedim(-1, 1))
    before, after = (denoising_curve(estimate_of(each.denoiser), z).bits.value for each in (start, model))
    assert after < before - 0.5
    again = nk.load(tmp_path / "run", "cpu")
    x = torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(again.denoiser(x, 0.3).mean, model.denoiser(x, 0.3).mean, atol=1e-5, rtol=1e-4)


@pytest.mark.training
@pytest.mark.parametrize("objective", ["contrastive", "anchored"])
def test_by_contrastive_adjustment_too(start, objective):
    settings = {**FEW, "objective.kind": objective, "objective.control": 0.9}
    model = nk.fit(pipelines.pictures(), start=start, settings=settings, **HOW)
    own, other = (each.denoiser.backbone.unet.conv_in.weight for each in (start, model))
    assert float((own - other).abs().max()) > 0


@pytest.mark.training
@pytest.mark.same_call
def test_a_run_that_was_killed_goes_on_to_the_same_weights(start, tmp_path):
    settings = {**FEW, "training.images": 48, "training.save_every": 16, "training.log_every": 8}
    whole = nk.fit(pipelines.pictures(), start=start, settings=settings, **HOW)
    with pytest.raises(SystemExit):
        nk.fit(pipelines.pictures(), tmp_path, start=start, settings=settings, observers=[Bomb(24)], **HOW)
    resumed = nk.fit(pipelines.pictures(), tmp_path, resume=True, **HOW)
    assert same(resumed.denoiser.state_dict(), whole.denoiser.state_dict())


@pytest.mark.training
def test_classes_are_taken_over_by_name(tmp_path):
    start = nk.adopt(pipelines.pipeline(num_class_embeds=3), classes=["2", "0", "1"], examples=4, device="cpu")
    pixels, labels = pipelines.pictures(12), np.arange(12) % 3
    np.savez(tmp_path / "labelled.npz", images=pixels, labels=labels)
    settings = {**FEW, "data.labels": True, "data.forget": 0.0, "training.rate": 1e-12}
    model = nk.fit(tmp_path / "labelled.npz", start=start, settings=settings, **HOW)
    assert model.classes == ("0", "1", "2")
    own, other = (each.denoiser.backbone.unet.class_embedding.weight for each in (model, start))
    torch.testing.assert_close(own, other[[1, 2, 0]])
    with pytest.raises(InputError, match=r"data\.forget=0"):
        nk.fit(tmp_path / "labelled.npz", start=start, settings={**settings, "data.forget": 0.9}, **HOW)


def test_what_cannot_go_on_is_refused(start, tmp_path):
    with pytest.raises(InputError, match="it goes on with such as it knows"):
        nk.fit(pipelines.pictures(side=16), start=start, settings=FEW, **HOW)
    with pytest.raises(InputError, match="cannot be told how examples were changed"):
        nk.fit(pipelines.pictures(), start=start, settings={**FEW, "data.augment": 0.5}, **HOW)
    alone = {"head": start.design.head.model_dump(), "network": start.design.network.model_dump()}
    with pytest.raises(InputError, match="say which: --from MODEL"):
        nk.fit(pipelines.pictures(), recipe=nk.recipes.recipe({"name": "alone", **alone}, FEW), **HOW)
