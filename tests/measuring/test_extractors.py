"""Features: what they are fed, what they refuse, that they are the same again, and that what is kept is not stale."""

import sys

import numpy as np
import pytest
import torch
from torch import nn

from helpers import generator
from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError, StorageError
from noisekernel.data.source import ArraySource
from noisekernel.files.digest import digest
from noisekernel.kinds.pictures import Pictures, classifier
from noisekernel.kinds.pictures.inception import Inception, load_inception, resized, rgb
from noisekernel.measuring.samples import cache, extractors
from noisekernel.measuring.samples.extractors import Extractor, open_extractor, small_extractor
from noisekernel.measuring.samples.reference import open_data, read_through

CPU = torch.device("cpu")


def of_size(*size, levels=None):
    codec = {"kind": "continuous"} if levels is None else {"kind": "levels", "levels": levels}
    return Pictures(size=size, codec=codec)


GREY = of_size(1, 6, 6)


@pytest.fixture
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("NK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(classifier, "IMAGES", 3000)


def stripes(n=200, channels=1, side=6):
    """Pictures of two classes: upright and level stripes, with noise."""
    labels = torch.arange(n) % 2
    lines = 200 * (torch.arange(side) % 2)
    clean = torch.where(labels[:, None, None] == 0, lines[None, None, :], lines[None, :, None])
    noise = torch.randint(50, (n, channels, side, side), generator=generator(0))
    return (clean[:, None] + noise).to(torch.uint8), labels


def source(pixels, labels=None):
    return ArraySource(pixels[:, 0].numpy(), None if labels is None else labels.numpy(), ("0", "1"), "here")


# What Inception is fed ------------------------------------------------------------------------------------------------


def test_resizing_is_that_of_tensorflow_1():
    # Output pixel i lies at i * old / new: at 0, 0.5, 1, 1.5 for a side of 2 made 4; beyond the last there is the last.
    x = torch.tensor([[[[0.0, 10.0], [20.0, 30.0]]]])
    rows = [[0, 5, 10, 10], [10, 15, 20, 20], [20, 25, 30, 30], [20, 25, 30, 30]]
    assert torch.equal(resized(x, 4), torch.tensor(rows)[None, None].float())
    # Downwards without antialiasing: every other pixel, as it is.
    x = torch.rand(2, 3, 8, 6, generator=generator(0))
    assert torch.allclose(resized(x, 4)[:, :, :, 0], x[:, :, ::2, 0])
    assert torch.allclose(resized(x[:, :, :6], 6), x[:, :, :6])
    # It is not torch's own, which puts pixels' middles on one another.
    own = nn.functional.interpolate(x, (12, 12), mode="bilinear", align_corners=False)
    assert not torch.allclose(resized(x, 12), own, atol=0.01)


def test_channels_become_three():
    grey = torch.randint(256, (2, 1, 3, 3), generator=generator(0), dtype=torch.uint8)
    assert torch.equal(rgb(grey), grey.repeat(1, 3, 1, 1))
    half = torch.tensor([0, 100, 200, 51], dtype=torch.uint8).reshape(1, 4, 1, 1)
    assert rgb(half).flatten().tolist() == [204, 224, 244]  # a fifth of it over four fifths of white
    with pytest.raises(InputError, match="2 channels"):
        rgb(torch.zeros(1, 2, 1, 1, dtype=torch.uint8))


def test_inception_sees_bytes_scaled_as_fid_scales_them():
    fed = Inception(nn.Identity())(torch.tensor([[[[0]]], [[[128]]], [[[255]]]], dtype=torch.uint8))
    assert fed.shape == (3, 3, 299, 299)
    assert fed.mean(dim=(1, 2, 3)).tolist() == pytest.approx([-1.0, 0.0, 127 / 128])


class Pooled(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)


def test_torchscript_is_loaded_when_named_and_pickles_never(tmp_path):
    with pytest.warns(DeprecationWarning, match="deprecated"):
        torch.jit.script(Pooled()).save(str(tmp_path / "net.pt"))
    features = open_extractor(f"inception:{tmp_path / 'net.pt'}", GREY, CPU)
    assert features(torch.full((4, 1, 8, 8), 255, dtype=torch.uint8)).features.shape == (4, 6)
    assert features.identity is not None
    assert str(tmp_path) not in features.name  # no folders of this machine in a record
    torch.save(Pooled(), tmp_path / "pickle.pt")
    torch.save({"weight": torch.zeros(3)}, tmp_path / "weights.pth")
    (tmp_path / "text.pt").write_text("hello")
    cut = (tmp_path / "net.pt").read_bytes()
    (tmp_path / "cut.pt").write_bytes(cut[: len(cut) // 2])
    for name in ("pickle.pt", "weights.pth", "text.pt", "cut.pt"):
        with pytest.raises(StorageError, match="no TorchScript file"):
            load_inception(tmp_path / name)
    with pytest.raises(InputError, match="is no file"):
        open_extractor("inception:nowhere.pt", GREY, CPU)


def test_torch_fidelity_that_cannot_be_imported_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_fidelity", None)
    with pytest.raises(NoiseKernelError, match="pip install torch-fidelity"):
        open_extractor("inception", GREY, CPU)


# One's own ------------------------------------------------------------------------------------------------------------


def test_ones_own_function_or_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "def mean(pixels):\n    return pixels.float().mean((2, 3))\nlist_ = [1]\n"
    (tmp_path / "my_own_features.py").write_text(code)
    (tmp_path / "broken_features.py").write_text("1 / 0\n")
    pixels = torch.full((3, 2, 4, 4), 7, dtype=torch.uint8)
    for name in ("my_own_features:mean", "my_own_features.py:mean"):
        assert torch.equal(open_extractor(name, GREY, CPU)(pixels).features, torch.full((3, 2), 7.0))
    assert open_extractor("my_own_features:mean", GREY, CPU).identity is None  # its code may change: nothing is kept
    both = open_extractor(lambda p: (p.flatten(1).float(), torch.zeros(len(p), 5)), GREY, CPU)(pixels)
    assert both.logits is not None
    assert both.logits.shape == (3, 5)
    module = nn.Sequential(nn.Flatten(), nn.Dropout(0.9))
    with pytest.raises(ShapeError, match=r"give a floating-point tensor \(3, features\)"):
        open_extractor(module, GREY, CPU)(pixels)
    for name, said in {
        "small_": "there are no features called",
        "my_own_features:": "there are no features called",
        "my_own_features:median": "has no function 'median'",
        "my_own_features:list_": "has no function",
        "nowhere_at_all:mean": "cannot be imported",
        "broken_features:mean": "ZeroDivisionError",
        "gone.py:mean": "cannot be imported",
    }.items():
        with pytest.raises(InputError, match=said):
            open_extractor(name, GREY, CPU)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda p: p.float(), "give a floating-point tensor"),
        (lambda p: p.flatten(1), "give a floating-point tensor"),
        (lambda p: p[:1].flatten(1).float(), "give a floating-point tensor"),
        (lambda p: "words", "features of x are str"),
        (lambda p: p.flatten(1).float() / 0, "not all finite"),
        (lambda p: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_features_must_be(given, said):
    with pytest.raises(InputError, match=said):
        Extractor(given, "x")(torch.zeros(3, 1, 2, 2, dtype=torch.uint8))


# Learned --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 3])
def test_a_small_classifier_is_the_same_again_and_tells_classes_apart(quick, channels):
    pixels, labels = stripes(channels=channels)
    before = torch.random.get_rng_state()
    made = of_size(channels, 6, 6).learn_features(pixels, labels)
    assert torch.equal(torch.random.get_rng_state(), before)
    again = of_size(channels, 6, 6).learn_features(pixels, labels)
    assert all(torch.equal(made[name], again[name]) for name in made)
    assert made["accuracy"] > 0.9
    features = small_extractor(of_size(channels, 6, 6), made, CPU)
    found = features(pixels)
    assert found.features.shape == (200, 64)
    assert found.logits is not None
    assert float(found.features.square().mean()) == pytest.approx(1.0, rel=1e-4)
    assert features.identity == small_extractor(of_size(channels, 6, 6), again, CPU).identity
    assert (
        features.identity
        != small_extractor(
            of_size(channels, 6, 6), of_size(channels, 6, 6).learn_features(pixels, labels, 1), CPU
        ).identity
    )


@pytest.mark.parametrize("labels", [None, torch.zeros(50, dtype=torch.int64), torch.arange(50)])
def test_without_classes_to_learn_there_are_principal_components(labels):
    pixels, _ = stripes(50)
    features = small_extractor(of_size(1, 6, 6), of_size(1, 6, 6).learn_features(pixels, labels), CPU)
    assert "32 principal components" in features.name
    found = features(pixels)
    assert found.logits is None
    assert float(found.features.square().mean()) == pytest.approx(1.0, rel=0.05)
    black = torch.zeros(30, 1, 6, 6, dtype=torch.uint8)
    assert bool(
        (
            small_extractor(of_size(1, 6, 6), of_size(1, 6, 6).learn_features(black, None), CPU)(black).features == 0
        ).all()
    )


@pytest.mark.parametrize("side", [1, 2, 5, 9])
def test_classifiers_of_any_size(side):
    features, logits = classifier.SmallClassifier((3, side, side + 1), 4)(
        torch.zeros(2, 3, side, side + 1, dtype=torch.uint8)
    )
    assert features.shape == (2, 64)
    assert logits.shape == (2, 4)


# Kept on disk ---------------------------------------------------------------------------------------------------------


def test_a_changed_picture_label_size_or_codec_is_another_key():
    pixels, labels = stripes(20)

    def digest_of(pixels=pixels, labels=labels, size=(1, 6, 6), levels=None):
        return read_through(source(pixels, labels), of_size(*size, levels=levels)).digest

    changed = pixels.clone()
    changed[7, 0, 3, 3] ^= 1
    keys = [
        digest_of(),
        digest_of(changed),
        digest_of(labels=1 - labels),
        digest_of(labels=None),
        digest_of(size=(3, 6, 6)),
        digest_of(levels=10),
        digest_of(levels=9),
        digest_of(pixels=pixels.flip(0)),
    ]
    assert len(set(keys)) == len(keys)
    assert digest_of() == keys[0]
    assert extractors.small_key(keys[0]) != extractors.small_key(keys[1])


def test_a_model_of_levels_is_held_against_levels():
    pixels, _ = stripes(20)
    reference = read_through(source(pixels), of_size(1, 6, 6, levels=4))
    assert len(reference.values(range(20)).unique()) <= 4
    assert reference.labels is None


def test_what_is_kept_is_found_and_what_is_damaged_is_not_believed(home):
    tensors = {"features": torch.randn(50, 3, generator=generator(0))}
    key = digest("a", tensors["features"])
    assert cache.find("reference", key) is None
    cache.keep("reference", key, tensors)
    found = cache.find("reference", key)
    assert found is not None
    assert torch.equal(found["features"], tensors["features"])
    path = home / "reference" / f"{key}.safetensors"
    whole = path.read_bytes()
    for damaged in (whole[:-20], whole[:-4] + bytes([whole[-4] ^ 1]) + whole[-3:], b"", b"\x80\x04pickle" * 9):
        path.write_bytes(damaged)
        assert cache.find("reference", key) is None
        made = cache.found_or_made("reference", key, lambda: tensors)
        assert torch.equal(made["features"], tensors["features"])
        assert path.read_bytes() == whole  # and made good
    # Under another name it is not what it says.
    path.rename(path.with_name(f"{'0' * 64}.safetensors"))
    assert cache.find("reference", "0" * 64) is None


def test_a_disk_that_cannot_be_written_costs_time_alone(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NK_HOME", str(tmp_path / "file"))
    made = cache.found_or_made("reference", "k", lambda: {"features": torch.ones(1)})
    assert torch.equal(made["features"], torch.ones(1))


def test_pictures_that_cannot_be_read(tmp_path):
    from PIL import Image

    for i in range(3):
        Image.fromarray(np.full((4, 4), 50 * i, np.uint8)).save(tmp_path / f"{i}.png")
    (tmp_path / "1.png").write_text("no picture")
    folder = open_data(tmp_path, of_size(1, 4, 4))
    with pytest.raises(InputError, match=r"1\.png: not a picture.*--bad skip"):
        read_through(folder, of_size(1, 4, 4))
    reference = read_through(folder, of_size(1, 4, 4), bad="skip")
    assert len(reference) == 2
    assert reference.values([0, 1])[:, 0, 0, 0].tolist() == [0, 100]
    with pytest.raises(InputError, match="bad is 'maybe'"):
        read_through(folder, of_size(1, 4, 4), bad="maybe")


def test_weights_of_inception_by_their_names(tmp_path):
    from safetensors.torch import save_file

    from noisekernel.kinds.pictures.inception_net import InceptionV3

    network = InceptionV3().eval()
    assert sum(p.numel() for p in network.parameters()) == 23_850_960  # as torchvision has it, of 1,008 classes
    assert len([part for part in network.modules() if isinstance(part, nn.Conv2d)]) == 94
    weights = network.state_dict()
    save_file({**weights, "AuxLogits.fc.bias": torch.zeros(3)}, tmp_path / "net.safetensors")
    features = open_extractor(f"inception:{tmp_path / 'net.safetensors'}", GREY, CPU)
    pixels = torch.randint(256, (1, 1, 8, 8), generator=generator(0), dtype=torch.uint8)
    found = features(pixels)
    assert found.logits is not None
    assert (found.features.shape, found.logits.shape) == ((1, 2048), (1, 1008))
    with torch.no_grad():
        truth = network(Inception(nn.Identity())(pixels))[0]
    assert torch.allclose(found.features, truth, atol=1e-5)
    save_file({"fc.bias": torch.zeros(1000)}, tmp_path / "other.safetensors")
    (tmp_path / "broken.safetensors").write_bytes(b"no")
    for name, said in {"other": "does not hold the weights", "broken": "damaged"}.items():
        with pytest.raises(StorageError, match=said):
            load_inception(tmp_path / f"{name}.safetensors")
