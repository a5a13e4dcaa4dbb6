"""nk adopt, and every command on what it makes."""

import json

import diffusers
import pytest
import torch
from PIL import Image

import noisekernel as nk
import pipelines
from helpers import refused


@pytest.fixture
def files(tmp_path):
    """A pipeline in a folder, and pictures beside it."""
    pipelines.pipeline().save_pretrained(tmp_path / "pipeline")
    (tmp_path / "pictures").mkdir()
    for number, pixels in enumerate(pipelines.pictures(48)):
        Image.fromarray(pixels).save(tmp_path / "pictures" / f"{number}.png")
    return tmp_path


def done(result):
    code, out, err = result
    assert code == 0, err
    return out, err


def test_every_command_works_on_an_adopted_model(run, files):
    pictures = ("--pictures", "pictures", "--device", "cpu")
    out, err = done(run("adopt", "pipeline", "--out", "mine.safetensors", *pictures, "--json"))
    figures = json.loads(out)
    assert figures["name"] == "pipeline"
    assert figures["measured"] == "pictures"
    assert "kept within 1 of 0" in err
    refused(run("adopt", "pipeline", "--out", "mine.safetensors", *pictures), "exists")
    done(run("adopt", "pipeline", "--out", "mine.safetensors", *pictures, "--force"))
    one, brief = "pictures/0.png", ("--device", "cpu")
    done(run("sample", "mine.safetensors", "-n", 2, "--steps", 2, "--out", "drawn", *brief))
    with Image.open(files / "drawn" / "0000.png") as drawn:
        assert drawn.size == (8, 8)
    done(run("vary", "mine.safetensors", one, "-n", 2, "--steps", 2, "--below", 0.3, "--out", "varied", *brief))
    done(run("equilibrate", "mine.safetensors", one, "-n", 2, "--steps", 2, "--out", "walked", *brief))
    fill = ("--tiles", 4, "--keep", 0.5, "--steps", 2, "--out", "filled")
    done(run("fill", "mine.safetensors", one, *fill, *brief))
    done(run("walk", "mine.safetensors", "-n", 2, "--steps", 2, "--out", "walk.gif", *brief))
    told, _ = done(run("info", "mine.safetensors"))
    assert "network diffusers, head adopted" in told
    assert "adopted from pipeline (DDPMPipeline of diffusers); its error is measured on 48 examples (pictures)" in told
    short = ("--steps", 8, "-n", 16, "--pairs", 40, "--data", "pictures", "--out", "diagnosis")
    done(run("diagnose", "mine.safetensors", *short, *brief))
    done(run("push", "mine.safetensors", "./shelf"))
    assert "adopted from pipeline" in (files / "shelf" / "README.md").read_text().lower()


def test_a_model_that_is_always_told_a_class(run, tmp_path):
    pipelines.pipeline(num_class_embeds=2).save_pretrained(tmp_path / "pipeline")
    _, err = done(
        run("adopt", "pipeline", "--out", "mine", "--classes", "cat, dog", "--examples", 4, "--device", "cpu")
    )
    assert "takes a label" in err
    brief = ("--steps", 2, "--device", "cpu")
    refused(run("sample", "mine", "-n", 2, "--out", "none", *brief), "give a label")
    done(run("sample", "mine", "-n", 2, "--label", "dog", "--out", "drawn", *brief))
    done(run("vary", "mine", "drawn/0000.png", "--label", "dog", "-n", 2, "--out", "varied", *brief))
    done(
        run("fill", "mine", "drawn/0000.png", "--label", "dog", "--tiles", 4, "--keep", 0.5, "--out", "filled", *brief)
    )
    refused(run("adopt", "pipeline", "--out", "other", "--classes", "cat", "--examples", 0), "examples")


def test_mistakes_are_sentences(run, files):
    refused(run("adopt", "nowhere", "--out", "mine"), "there is no folder 'nowhere'")
    refused(run("adopt", "pictures", "--out", "mine"), "neither model_index.json nor config.json")
    refused(run("adopt", "pipeline", "--out", "mine", "--classes", "a,b"), "trained with no classes, and 2 are named")


def test_there_and_back(run, files):
    """What is trained here goes back as a pipeline that the library loads."""
    done(run("adopt", "pipeline", "--out", "mine", "--pictures", "pictures", "--device", "cpu"))
    settings = [word for each in ("training.images=64", "training.batch=16") for word in ("--set", each)]
    done(run("train", "pictures", "--from", "mine", "--out", "trained", "--device", "cpu", *settings))
    out, _ = done(run("export", "trained", "--out", "back", "--json"))
    assert json.loads(out)["largest_difference"] <= 1e-6
    refused(run("export", "trained", "--out", "back"), "exists and is not empty")
    done(run("export", "trained", "--out", "back", "--force"))
    assert (files / "back" / "unet").stat().st_mode & 0o700 == 0o700
    pipeline, unet = diffusers.DDPMPipeline.from_pretrained(files / "back"), nk.load("trained", "cpu").denoiser.backbone
    assert dict(pipeline.scheduler.config) == dict(
        diffusers.DDPMPipeline.from_pretrained(files / "pipeline").scheduler.config
    )
    x, t = torch.randn(2, 3, 8, 8), torch.tensor([10.0, 700.0])
    with torch.no_grad():
        torch.testing.assert_close(pipeline.unet(x, t).sample, unet(x, t), atol=1e-6, rtol=1e-6)
        first = diffusers.DDPMPipeline.from_pretrained(files / "pipeline").unet(x, t).sample
        assert float((unet(x, t) - first).abs().max()) > 1e-6  # it was trained
        assert pipeline(batch_size=1, num_inference_steps=2, output_type="np").images.shape == (1, 8, 8, 3)
    done(run("adopt", "back", "--out", "again", "--pictures", "pictures", "--device", "cpu"))
    refused(run("export", "digits", "--out", "folder"), "this one is a unet")


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_an_adopted_denoiser_is_exported_as_a_graph(run, files):
    done(run("adopt", "pipeline", "--out", "mine", "--pictures", "pictures", "--device", "cpu"))
    out, _ = done(run("export", "mine", "--out", "denoiser.pt2", "--json"))
    assert json.loads(out[out.index("{") :])["largest_difference"] < 1e-3
