"""Beginning with the weights of a model for other data: before the first step, it says what that model would."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from small_runs import Bomb, same

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.core.settings import read
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.points import Points
from noisekernel.kinds.tokens import Tokens
from noisekernel.models import build
from noisekernel.recipes import Design
from noisekernel.training import taking_over
from noisekernel.training.taking_over import take_over

UNET = {"kind": "unet", "channels": 8, "multipliers": [1, 2], "blocks": 1}
HEAD = {"kind": "preconditioned", "mean": 0.1, "variance": 0.5}
FEW = {"training.batch": 4, "training.images": 8}
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def design(size=(1, 8, 8), classes=(), network=UNET, head=HEAD, data=None, kernel=None):
    data = Pictures(size=size).bare.model_dump() if data is None else data.bare.model_dump()
    kernel = {"kind": "gaussian"} if kernel is None else kernel
    return read(Design, {"data": data, "kernel": kernel, "head": head, "network": network, "classes": classes}, "test")


def model_of(made, seed=0):
    """A model with weights that are nowhere zero, as training leaves them."""
    torch.manual_seed(seed)
    model = build(made)
    with torch.no_grad():
        for weight in model.denoiser.parameters():
            weight += 0.1 * torch.randn_like(weight)
    return model


def begun(made, start, seed=1):
    torch.manual_seed(seed)
    denoiser = made.denoiser()
    return denoiser, take_over(denoiser, made, start)


@torch.no_grad()
def test_a_grey_picture_in_colour_is_denoised_as_it_was_in_grey(monkeypatch):
    start = model_of(design())
    x = torch.randn(4, 1, 12, 10)
    wanted = start.denoiser(x, 0.3)
    colour, taken = begun(design((3, 12, 10)), start)
    found = colour(x.expand(-1, 3, -1, -1), 0.3)
    torch.testing.assert_close(found.mean, wanted.mean.expand(-1, 3, -1, -1), **CLOSE)
    torch.testing.assert_close(found.variance, wanted.variance.expand(-1, 3, -1, -1), **CLOSE)
    assert taken.made == ("the first layer (3 channels instead of 1)", "the outlet (6 channels instead of 2)")
    assert taken.share == 1.0
    # And back: grey in colour is what it was made from.
    grey, _ = begun(design(), SimpleNamespace(design=design((3, 12, 10)), denoiser=colour))
    torch.testing.assert_close(grey(x, 0.3).mean, wanted.mean, **CLOSE)
    # The wrong twin repeats the first layer for each colour, and sees a picture three times as bright.
    monkeypatch.setattr(Pictures, "channels_from", lambda self, other: torch.ones(self.channels, other.channels))
    wrong, _ = begun(design((3, 12, 10)), start)
    assert not torch.allclose(wrong(x.expand(-1, 3, -1, -1), 0.3).mean, found.mean, atol=1e-2)


@torch.no_grad()
def test_of_the_inputs_of_another_head_the_state_is_taken_over_and_the_rest_begins_at_zero():
    """As for a head that gives the network another guess of z beside x, in as many channels."""

    def stub(channels, kind, inputs):
        sizes = SimpleNamespace(in_channels=inputs * channels, out_channels=2 * channels)
        head = SimpleNamespace(kind=kind, build=lambda channels, shape: sizes)
        return SimpleNamespace(data=Pictures(size=(channels, 8, 8)), head=head, shape=(channels, 8, 8))

    own = torch.randn(8, 6, 3, 3)
    found, count = taking_over._fitted(
        "stem.weight",
        own,
        weight := torch.randn(8, 3, 3, 3),
        *(pair := (stub(3, "new", 2), stub(3, "old", 1))),
        taking_over._made("stem.weight", *pair),
    )
    assert torch.equal(found, torch.cat((weight, torch.zeros_like(weight)), dim=1))
    assert count == weight.numel()
    assert taking_over._made("outlet.weight", *pair) is None


@torch.no_grad()
@pytest.mark.parametrize("kind", ["unet", "paper-unet"])
def test_classes_are_taken_over_by_name_and_no_label_stays_what_it_was(kind):
    network = UNET if kind == "unet" else {"kind": kind, "channels": 8, "multipliers": [1, 2]}
    start = model_of(design(classes=("cat", "dog", "emu"), network=network))
    x = torch.randn(2, 1, 8, 8)
    other, taken = begun(design(classes=("ant", "emu"), network=network), start)
    of = [torch.full((2,), i) for i in range(4)]
    torch.testing.assert_close(other(x, 0.3, of[1]).mean, start.denoiser(x, 0.3, of[2]).mean, **CLOSE)
    torch.testing.assert_close(other(x, 0.3).mean, start.denoiser(x, 0.3).mean, **CLOSE)
    assert not torch.allclose(other(x, 0.3, of[0]).mean, start.denoiser(x, 0.3, of[0]).mean, atol=1e-3)
    assert taken.partly == ("the classes (1 of 2 known)",)
    if kind == "unet":  # the paper's has no bias to put it into
        without, taken = begun(design(network=network), start)
        torch.testing.assert_close(without(x, 0.3).mean, start.denoiser(x, 0.3).mean, **CLOSE)
        assert taken.left == ("its 3 classes",)
    plain = model_of(design(network=network))
    learned, taken = begun(design(classes=("ant", "emu"), network=network), plain)
    torch.testing.assert_close(learned(x, 0.3).mean, plain.denoiser(x, 0.3).mean, **CLOSE)
    assert taken.new == ("the classes",)


@torch.no_grad()
def test_columns_and_characters_are_taken_over_by_name():
    mlp = {"kind": "mlp", "width": 16, "depth": 1}
    kind = partial(Points, means=(0.0, 0.0), scales=(1.0, 1.0))
    start = model_of(design(data=kind(columns=("age", "height")), network=mlp))
    swapped, taken = begun(design(data=kind(columns=("height", "age")), network=mlp), start)
    x = torch.randn(5, 2)
    torch.testing.assert_close(swapped(x, 0.3).mean, start.denoiser(x.flip(1), 0.3).mean.flip(1), **CLOSE)
    assert taken.made == ("the first layer", "the outlet")

    words = {"network": {"kind": "transformer", "width": 16, "depth": 1, "heads": 2}, "head": {"kind": "categorical"}}
    words |= {"kernel": {"kind": "categorical"}}
    first, second = Tokens(alphabet="abc", length=4), Tokens(alphabet="cxba", length=6)
    parts = [{**words, "data": each} for each in (first, second)]
    for each in parts:
        size = each["data"].classes
        each["kernel"], each["head"] = {**each["kernel"], "classes": size}, {**each["head"], "classes": size}
    start = model_of(design(**parts[0]))
    other, taken = begun(design(**parts[1]), start)
    text, masked = torch.tensor([[0, 2, 1, 4], [1, 3, 3, 3]]), torch.tensor([[3, 0, 2, 5], [2, 4, 4, 4]])
    wanted = start.denoiser(text, 0.3).log_probs[..., [0, 1, 2, 3]]
    found = other(masked, 0.3).log_probs[..., [3, 2, 0, 4]]
    # Up to what the new character takes of each: a constant.
    gap = found - wanted
    torch.testing.assert_close(gap, gap[..., :1].expand_as(gap), **CLOSE)
    assert taken.partly == ("the first layer (6 channels instead of 5)", "the outlet (5 channels instead of 4)")


def test_depth_is_counted_from_the_full_resolution():
    start = model_of(design())
    deeper = {**UNET, "multipliers": [1, 2, 2]}
    denoiser, taken = begun(design(network=deeper), start)
    own, other = denoiser.backbone, start.denoiser.backbone
    assert torch.equal(own.up[-1][0].block.conv1.weight, other.up[-1][0].block.conv1.weight)
    assert torch.equal(own.grow[-1].weight, other.grow[-1].weight)
    assert not torch.equal(own.up[0][0].block.conv1.weight, other.up[0][0].block.conv1.weight)
    assert "of another shape, or not there" in taken.new[0]
    assert 0.3 < taken.share < 0.9


def test_what_the_start_model_cannot_give_is_refused(tmp_path):
    pixels = np.arange(768, dtype=np.uint8).reshape(12, 8, 8)
    begin = partial(nk.fit, pixels, start="digits", progress=False, calibrate=False)
    with pytest.raises(InputError, match=r"no layer of the model to start from .* fits this network"):
        begin(settings={**FEW, "network.channels": 16})
    with pytest.raises(InputError, match=r"network of the model to start from .* 'unet', and of this run 'paper-unet'"):
        begin(settings={**FEW, "network.kind": "paper-unet"})
    levels = {"data.codec.kind": "levels", "kernel.kind": "categorical", "head.kind": "categorical"}
    with pytest.raises(InputError, match="kernel of the model to start from"):
        begin(settings={**FEW, **levels, "objective.levels.kind": "uniform"})
    with pytest.raises(InputError, match=r"holds points, and the model to start from .* is for pictures"):
        nk.fit(np.zeros((9, 2)), start="digits", progress=False)
    with pytest.raises(InputError, match=r"holds tokens, and the model to start from .* is for pictures"):
        nk.fit(["anna", "bob"], start="digits", progress=False)
    with pytest.raises(InputError, match="holds points, and the model to start from"):
        begin(kind="points")
    with pytest.raises(InputError, match="the recipe is for points, and the model to start from for pictures"):
        begin(recipe="points")
    with pytest.raises(InputError, match=r"has no labels; --set data\.labels=false"):
        begin(settings={"data.labels": True})


def test_size_channels_classes_and_moments_are_those_of_the_data(tmp_path, capsys):
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 100, (12, 12, 10, 3), dtype=np.uint8)
    start = nk.load("digits")
    model = nk.fit(pixels, settings=FEW, start="digits", calibrate=False)
    told = capsys.readouterr().err
    assert "taken over from digits: 41 of 43 layers (100 % of the weights); made to fit: the first layer" in told
    assert "left out: its 10 classes" in told
    assert model.shape == (3, 12, 10)
    assert model.classes == ()
    assert model.design.network == start.design.network
    assert model.design.head.mean == pytest.approx(float(pixels.mean()) / 127.5 - 1, abs=1e-6)
    # Of many sizes: the size of the start model, in the colours of the data; and classes, of which it knew two.
    for name, mode in (("0", "RGB"), ("7", "L"), ("yak", "L")):
        (tmp_path / name).mkdir()
        for side in (9, 70):
            Image.fromarray(generator.integers(0, 255, (side, side), dtype=np.uint8)).convert(mode).save(
                tmp_path / name / f"{side}.png"
            )
    model = nk.fit(tmp_path, settings=FEW, start="digits", calibrate=False)
    told = capsys.readouterr().err
    assert "pictures are made into 3 x 8 x 8" in told
    assert "the classes (2 of 3 known)" in told
    assert model.classes == ("0", "7", "yak")
    # What is set is as it is set.
    settings = {**FEW, "data.size": [1, 16, 16], "data.labels": False, "network.multipliers": [1, 2, 2]}
    model = nk.fit(tmp_path, settings={**settings, "head.mean": 0.5, "head.variance": 2.0}, start="digits")
    assert (model.shape, model.classes, model.design.head.mean) == ((1, 16, 16), (), 0.5)
    assert model.design.network.multipliers == (1, 2, 2)


@pytest.mark.same_call
def test_a_run_that_took_over_a_part_goes_on_as_if_never_stopped(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (20, 10, 10, 3), dtype=np.uint8)
    settings = {"training.batch": 8, "training.images": 32, "training.save_every": 8, "training.log_every": 8}
    settings |= {"network.multipliers": [1, 2, 2], "training.draw_every": 10**6}
    whole = nk.fit(pixels, tmp_path / "whole", settings=settings, start="digits", progress=False)
    for how in ({"start": "digits"}, {"start": None}, {"start": "digits", "settings": settings}):
        folder = tmp_path / str(len(how)) / str(how["start"])
        with pytest.raises(SystemExit):
            nk.fit(pixels, folder, settings=settings, start="digits", progress=False, observers=[Bomb(16)])
        again = nk.fit(pixels, folder, resume=True, progress=False, **how)
        assert same(again.denoiser.state_dict(), whole.denoiser.state_dict())
        assert again.design == whole.design
    # Killed before its first checkpoint, it begins by its own recipe, and with the same weights.
    late = {**settings, "training.save_every": 1000, "training.save_minutes": None}
    with pytest.raises(SystemExit):
        nk.fit(pixels, tmp_path / "early", settings=late, start="digits", progress=False, observers=[Bomb(8)])
    again = nk.fit(pixels, tmp_path / "early", resume=True, start="digits", progress=False)
    assert same(again.denoiser.state_dict(), whole.denoiser.state_dict())


def test_a_run_by_the_clock_can_be_started_from_and_can_start_from_another(tmp_path):
    settings = {"network.channels": 8, "network.multipliers": [1], "training.batch": 8, "data.labels": False}
    first = nk.fit("digits", tmp_path / "a", settings=settings, minutes=0.02, progress=False, calibrate=False)
    assert first.history["recipe"]["training"]["minutes"] == 0.02
    # Neither its minutes nor the corrections of its plan are those of another run.
    plain = nk.fit("digits", settings=FEW, start=first, progress=False, calibrate=False)
    told = plain.history["recipe"]["training"]
    assert (told["minutes"], told["pace"], told["images"]) == (None, [], 8)
    pixels = np.random.default_rng(0).integers(0, 256, (20, 10, 10, 3), dtype=np.uint8)
    timed = nk.fit(pixels, tmp_path / "b", start=first, minutes=0.02, progress=False, calibrate=False)
    assert timed.shape == (3, 10, 10)
    assert timed.history["recipe"]["training"]["minutes"] == 0.02
