"""Adopted models: what is taken over, what is measured, that all verbs work, and what is refused in which words."""

import json
import shutil
import sys

import diffusers
import pytest
import torch
from safetensors.torch import load_file, save_file

import noisekernel as nk
import pipelines
from noisekernel.core.errors import InputError, NoiseKernelError, StorageError
from noisekernel.core.levels import level_of_ratio
from noisekernel.models.adopting import work
from noisekernel.models.adopting.schedule import PRESERVING, levels_of

HOW = {"device": "cpu", "pictures": pipelines.pictures()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pipeline") / "tiny"
    pipelines.pipeline().save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def model(folder):
    return nk.adopt(folder, **HOW)


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def change(path, **settings):
    told = {**json.loads(path.read_text()), **settings}
    path.write_text(json.dumps({name: value for name, value in told.items() if value != "gone"}))


def test_the_mean_of_r_is_what_the_network_predicts(model, folder):
    """At a timestep of the schedule, from the library's own classes alone."""
    pipeline = diffusers.DDPMPipeline.from_pretrained(folder)
    abar = pipeline.scheduler.alphas_cumprod.double()
    x = torch.randn(2, 3, 8, 8)
    for t in (0, 400, 999):
        sigma = ((1 - abar[t]) / abar[t]).sqrt()
        beta = float(level_of_ratio(sigma))
        with torch.no_grad():
            theirs = x * float((1 / ((1 - beta) ** 2 + beta)) ** 0.5)
            step = pipeline.scheduler.step(pipeline.unet(theirs, t).sample, t, theirs)
            ours = model.denoiser(x, beta)
        torch.testing.assert_close(ours.mean, step.pred_original_sample, atol=2e-4, rtol=1e-3)


def test_a_pipeline_and_its_folder_are_one_model(model, folder):
    other = nk.adopt(diffusers.DDPMPipeline.from_pretrained(folder), **HOW)
    assert other.design == model.design
    for name, value in other.denoiser.state_dict().items():
        torch.testing.assert_close(value, model.denoiser.state_dict()[name])
    assert other.history["adopted"]["name"] == "a DDPMPipeline"
    assert model.history["adopted"] | {"notes": []} == {
        "name": "tiny",
        "from": "DDPMPipeline",
        "diffusers": diffusers.__version__,
        "measured": "an array of shape (12, 8, 8, 3)",
        "examples": 12,
        "seed": 0,
        "notes": [],
    }
    assert "adopted from tiny (DDPMPipeline of diffusers)" in repr(model)


def test_a_network_alone_is_adopted_with_the_scheduler_beside_it(model, folder, tmp_path):
    alone = tmp_path / "alone"
    shutil.copytree(folder / "unet", alone)
    with pytest.raises(InputError, match=r"scheduler.scheduler_config.json is missing"):
        nk.adopt(alone, **HOW)
    shutil.copy(folder / "scheduler" / "scheduler_config.json", alone)
    assert nk.adopt(alone, **HOW).design == model.design


def test_the_variance_of_r_is_the_error_on_the_pictures(model):
    z = model.kind.encode(torch.from_numpy(pipelines.pictures()).movedim(-1, 1))
    torch.testing.assert_close(model.denoiser.head.mean, z.mean(dim=0))
    many = z.repeat(40, 1, 1, 1)
    for beta in (0.05, 0.4):
        x = model.kernel.noise(many, beta).sample(nk.Streams.of(7, range(len(many))))
        r = model.denoiser(x, beta)
        error = float((r.mean - many).square().mean())
        assert float(r.variance.mean()) == pytest.approx(error, rel=0.1)


def test_own_samples_do_where_there_are_no_pictures(folder):
    calls = []
    model = nk.adopt(folder, examples=4, device="cpu", advance=lambda: calls.append(1))
    assert len(calls) == work(4, own=True)
    assert model.history["adopted"]["measured"] == "its own samples"
    assert bool(torch.isfinite(model.denoiser.head.log_ratios).all())


def test_every_verb_works_and_the_file_gives_the_same_model(model, tmp_path):
    nk.models.check_model(model, list(pipelines.pictures(3)))
    path = model.save(tmp_path / "adopted.safetensors")
    again = nk.load(path, "cpu")
    x = torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(again.denoiser(x, 0.3).mean, model.denoiser(x, 0.3).mean, atol=1e-5, rtol=1e-4)
    assert again.history == model.history
    assert again.to("cpu").design == model.design


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of NumPy, within the library
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("DDIMScheduler", {"beta_schedule": "squaredcos_cap_v2", "prediction_type": "v_prediction"}),
        ("PNDMScheduler", {}),
        ("DPMSolverMultistepScheduler", {"prediction_type": "sample"}),
        ("EulerAncestralDiscreteScheduler", {"beta_schedule": "scaled_linear", "beta_end": 0.012}),
        ("DDIMScheduler", {"rescale_betas_zero_snr": True, "prediction_type": "v_prediction"}),
        ("FlowMatchEulerDiscreteScheduler", {"shift": 3.0}),
        ("UniPCMultistepScheduler", {"use_flow_sigmas": True, "prediction_type": "flow_prediction"}),
    ],
)
def test_schedulers(name, settings):
    model = nk.adopt(pipelines.pipeline(getattr(diffusers, name)(**settings)), **HOW)
    assert model.sample(2, steps=4).shape == (2, 3, 8, 8)
    head = model.design.head
    assert (head.prediction == "flow") == (name.startswith("Flow") or "use_flow_sigmas" in settings)
    assert head.from_noise == (head.prediction in ("flow", "v_prediction"))
    assert head.clip == (1.0 if name == "DDIMScheduler" else None)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", PRESERVING)
def test_every_scheduler_of_a_table_has_the_levels_of_ddpm(name):
    """So one that is swapped in for sampling changes nothing."""
    told = {"beta_start": 0.0002, "beta_end": 0.015, "num_train_timesteps": 500}
    table = torch.cumprod(1 - torch.linspace(0.0002, 0.015, 500, dtype=torch.float64), dim=0)
    levels = levels_of({"_class_name": name, **told})
    torch.testing.assert_close(levels.log_sigmas, 0.5 * torch.log((1 - table) / table), atol=1e-3, rtol=1e-4)
    assert (levels.timesteps, levels.prediction) == (500, "epsilon")


def test_a_learned_variance_is_not_used_and_it_is_said(tmp_path):
    pipeline = pipelines.pipeline(out_channels=6)
    model = nk.adopt(pipeline, **HOW)
    assert model.design.head.ignored == 3
    assert any("the variance that it learned" in note for note in model.history["adopted"]["notes"])
    x = torch.randn(1, 3, 8, 8)
    before = model.denoiser(x, 0.3).mean
    with torch.no_grad():
        model.denoiser.backbone.unet.conv_out.weight[3:].mul_(100.0)
    torch.testing.assert_close(model.denoiser(x, 0.3).mean, before, atol=1e-5, rtol=1e-4)


def test_classes_by_name_and_a_last_one_for_no_label(tmp_path):
    pipeline = pipelines.pipeline(num_class_embeds=4)
    model = nk.adopt(pipeline, classes=["cat", "dog", "owl"], **HOW)
    model = nk.load(model.save(tmp_path / "model"), "cpu")
    assert model.classes == ("cat", "dog", "owl")
    x = torch.randn(1, 3, 8, 8)
    none, last = model.denoiser(x, 0.5).mean, model.denoiser(x, 0.5, torch.tensor([3])).mean
    torch.testing.assert_close(none, last, atol=1e-5, rtol=1e-4)
    assert float((model.denoiser(x, 0.5, torch.tensor([1])).mean - none).abs().max()) > 1e-3
    assert model.guided(1.5).sample(2, label="owl", steps=3).shape == (2, 3, 8, 8)


def test_a_network_that_was_always_told_a_class_is_told_one(tmp_path):
    pipeline = pipelines.pipeline(num_class_embeds=3)
    model = nk.adopt(pipeline, examples=4, device="cpu")  # its own samples, of all classes by turns
    assert model.classes == ("0", "1", "2")
    assert any("takes a label" in note for note in model.history["adopted"]["notes"])
    with pytest.raises(InputError, match="give a label"):
        model.sample(2, steps=2)
    z = model.sample(2, label=["1", "2"], steps=2)
    assert model.vary(z, 2, strength=0.3, label=["1", "2"], steps=2).shape == (2, 2, 3, 8, 8)
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match="has to be told the class of every picture"):
        nk.adopt(pipeline, **HOW)
    for name in ("0", "2"):
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for number, drawn in enumerate(model.draw(model.sample(2, label=name, steps=2))):
            drawn.save(tmp_path / "pictures" / name / f"{number}.png")
    given = nk.adopt(pipeline, pictures=tmp_path / "pictures", device="cpu")
    assert given.history["adopted"]["measured"] == "pictures"


# What is refused ------------------------------------------------------------------------------------------------------


def refused(path, words, kind=InputError):
    with pytest.raises(kind, match=words):
        nk.adopt(path, **HOW)


def test_pickles_are_refused_and_it_is_said_how_to_convert_them(copy):
    weights = copy / "unet" / "diffusion_pytorch_model.safetensors"
    weights.rename(weights.with_suffix(".bin"))
    refused(copy, "may be a pickle.*use_safetensors=False")
    refused(weights.with_suffix(".bin"), "may be a pickle")
    (copy / "loose").mkdir()
    (copy / "loose" / "model.ckpt").write_bytes(b"\x80")
    refused(copy / "loose", "neither model_index.json nor config.json.*may be a pickle")


def test_half_a_folder_is_refused(copy):
    weights = copy / "unet" / "diffusion_pytorch_model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[: len(content) // 2])
    refused(copy, "damaged or cut short", StorageError)
    weights.write_text("version https://git-lfs.github.com/spec/v1\n")
    refused(copy, "git lfs pull")
    weights.unlink()
    refused(copy, "safetensors is missing; download it again")
    shards = {"weight_map": {"conv_in.weight": "one.safetensors", "conv_in.bias": "two.safetensors"}}
    (copy / "unet" / "diffusion_pytorch_model.safetensors.index.json").write_text(json.dumps(shards))
    refused(copy, "one.safetensors, two.safetensors missing")
    (copy / "unet" / "diffusion_pytorch_model.safetensors.index.json").write_text('{"weight_map": [1]}')
    refused(copy, "in which files the weights are", StorageError)
    (copy / "unet" / "config.json").unlink()
    refused(copy, r"unet.config.json is missing")
    refused(copy / "scheduler", "neither model_index.json nor config.json")


def test_weights_that_do_not_fit_are_refused(copy):
    path = copy / "unet" / "diffusion_pytorch_model.safetensors"
    weights = load_file(path)
    save_file({name: value for name, value in weights.items() if name != "conv_in.bias"}, path)
    refused(copy, "in conv_in.bias", StorageError)
    save_file({**weights, "conv_in.bias": torch.full((8,), torch.nan)}, path)
    refused(copy, "weights that are no numbers")


def test_half_precision_and_shards_are_read(model, folder, tmp_path):
    unet = diffusers.UNet2DModel.from_pretrained(folder / "unet")
    sharded = shutil.copytree(folder, tmp_path / "sharded")
    (sharded / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    unet.save_pretrained(sharded / "unet", max_shard_size="20KB")
    assert len(list((sharded / "unet").glob("*.safetensors"))) > 1
    half = shutil.copytree(folder, tmp_path / "half")
    (half / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    unet.half().save_pretrained(half / "unet", variant="fp16")
    for path, tolerance in ((sharded, 0.0), (half, 1e-3)):
        weights = nk.adopt(path, **HOW).denoiser.state_dict()
        for name, value in model.denoiser.backbone.state_dict().items():
            torch.testing.assert_close(weights[f"backbone.{name}"], value, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"vae": ["diffusers", "AutoencoderKL"]}, "latent pipelines are not adopted yet"),
        ({"vqvae": ["diffusers", "VQModel"]}, "latent pipelines are not adopted yet"),
        ({"text_encoder": ["transformers", "CLIPTextModel"]}, "told more than a class"),
        (
            {"unet": ["diffusers", "UNet2DConditionModel"]},
            "has a UNet2DConditionModel; networks of the class UNet2DModel",
        ),
        ({"unet": ["mine", "UNet2DModel"]}, r"networks of the class UNet2DModel"),
        ({"safety": ["diffusers", "Thing"]}, "not known here: safety"),
    ],
)
def test_other_pipelines_are_refused_by_name(copy, parts, words):
    change(copy / "model_index.json", **parts)
    refused(copy, words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"time_embedding_type": "fourier"}, "told its time in the form 'fourier'"),
        ({"class_embed_type": "identity"}, "told its class as 'identity'"),
        ({"down_block_types": ["DownBlock2D", "SkipDownBlock2D"]}, "blocks SkipDownBlock2D are not adopted"),
        ({"warp": 9}, "does not know: warp"),
        ({"sample_size": None}, "size of the pictures"),
        ({"center_input_sample": True}, "data from 0 to 1"),
        ({"in_channels": 5, "out_channels": 5}, "no kind of data here has such"),
        ({"out_channels": 4}, "4 outputs for 3 channels"),
        ({"norm_num_groups": 7}, "diffusers cannot build the network"),
        ({"_class_name": "Transformer2DModel"}, "of a Transformer2DModel"),
    ],
)
def test_networks_that_cannot_be_ours_are_refused(copy, settings, words):
    change(copy / "unet" / "config.json", **settings)
    refused(copy, words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"_class_name": "ScoreSdeVeScheduler"}, "whose noise levels are not known here"),
        ({"_class_name": "LCMScheduler"}, "whose noise levels are not known here"),
        ({"prediction_type": "score"}, "predicts 'score'; known are epsilon, sample, v_prediction"),
        ({"beta_start": 1e-6, "beta_end": 1e-6}, "ends in noise"),
        ({"beta_start": 0.9, "beta_end": 0.95}, "begins with signal"),
        ({"beta_schedule": "wavy"}, "cannot make the DDPMScheduler"),
        ({"_class_name": "FlowMatchEulerDiscreteScheduler", "invert_sigmas": True}, "invert_sigmas"),
        (
            {"_class_name": "EulerDiscreteScheduler", "timestep_type": "continuous", "prediction_type": "v_prediction"},
            "told its time as 'continuous'",
        ),
    ],
)
def test_schedules_that_are_not_known_are_refused(copy, settings, words):
    change(copy / "scheduler" / "scheduler_config.json", **settings)
    refused(copy, words)


def test_the_early_name_of_a_prediction_is_known(copy):
    change(copy / "scheduler" / "scheduler_config.json", prediction_type="gone", predict_epsilon=False)
    assert nk.adopt(copy, **HOW).design.head.prediction == "sample"


def test_from_the_hub_weights_are_fetched_only_of_what_can_be_adopted(model, copy, monkeypatch):
    asked = []

    def fetch(name, allow_patterns):
        asked.extend(allow_patterns)
        return str(copy)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    found = nk.adopt("somebody/tiny", **HOW)
    assert found.history["adopted"]["name"] == "somebody/tiny"
    assert found.design == model.design
    assert all(pattern.endswith((".json", ".safetensors")) for pattern in asked)
    asked.clear()
    change(copy / "model_index.json", vae=["diffusers", "AutoencoderKL"])
    refused("somebody/tiny", "latent pipelines")
    assert asked == ["*.json"]


def test_other_mistakes(folder, tmp_path, monkeypatch):
    refused("./nowhere", "there is no folder './nowhere'")
    refused(3, "int cannot be adopted")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    refused("somebody/something", "cannot be fetched from the Hub", NoiseKernelError)
    with pytest.raises(InputError, match="trained with no classes, and 2 are named"):
        nk.adopt(folder, classes=["a", "b"], **HOW)
    with pytest.raises(InputError, match="list of names"):
        nk.adopt(folder, classes=["a", "a"], **HOW)
    with pytest.raises(InputError, match="at least two"):
        nk.adopt(folder, pictures=pipelines.pictures(1), device="cpu")


def test_without_the_library_it_is_said_how_to_get_it(model, folder, tmp_path, monkeypatch):
    path = model.save(tmp_path / "adopted.safetensors")
    monkeypatch.setitem(sys.modules, "diffusers", None)
    for use, where in ((nk.adopt, folder), (nk.load, path)):
        with pytest.raises(NoiseKernelError, match=r"pip install 'noisekernel\[diffusers\]'"):
            use(where)
