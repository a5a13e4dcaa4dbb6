"""Ways to change pictures: each does what it says, zeros change nothing, and what is told is what was done."""

import math

import numpy as np
import pytest
import torch

from noisekernel.core.errors import InputError
from noisekernel.data.examples import InMemory, Treatment
from noisekernel.data.source import Loaded, Summary
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.pictures.augmentation import PictureAugmentation

WAYS = ("flip", "turn", "shift", "scale", "light", "colour")
NUMBERS = {"flip": 1, "turn": 2, "shift": 2, "scale": 1, "light": 2, "colour": 3}
CPU = torch.device("cpu")


def pictures(n=6, channels=3, height=16, width=16, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).integers(0, 256, (n, channels, height, width), dtype=np.uint8))


def changed(way, values, *how):
    numbers = torch.tensor([how], dtype=torch.float32).expand(len(values), -1)
    return PictureAugmentation(1.0, (way,), tuple(values.shape[1:])).applied(values, numbers)


@pytest.mark.parametrize("size", [(1, 8, 8), (3, 16, 12), (4, 5, 9)])
def test_zeros_change_nothing_and_every_way_something(size):
    values = pictures(8, *size)
    whole = PictureAugmentation(1.0, WAYS, size)
    assert torch.equal(whole.applied(values, torch.zeros(8, whole.numbers)), values)
    assert whole.numbers == sum(NUMBERS.values()) - (3 if size[0] == 1 else 0)
    for way in WAYS[: 5 if size[0] == 1 else 6]:
        one = PictureAugmentation(1.0, (way,), size)
        how = one.drawn(torch.rand(8, one.chances, generator=torch.Generator().manual_seed(1)))
        how[::2] = 0.0  # every other one is left alone
        found = one.applied(values, how)
        assert found.dtype == torch.uint8
        assert torch.equal(found[::2], values[::2])
        assert (found[1::2] != values[1::2]).any()
        if size[0] == 4 and way in ("light", "colour"):
            assert torch.equal(found[:, 3], values[:, 3])


def test_each_way_is_what_it_says():
    values = pictures()
    array = values.numpy()
    assert np.array_equal(changed("flip", values, 1), array[..., ::-1])
    for quarters, told in ((1, (-1, 1)), (2, (-2, 0)), (3, (-1, -1))):
        assert np.array_equal(changed("turn", values, *told), np.rot90(array, quarters, (2, 3)))
    assert np.array_equal(changed("turn", values[..., :9], -2, 0), np.rot90(array[..., :9], 2, (2, 3)))
    shifted = changed("shift", values, 1.0, -0.5).numpy()  # of an eighth of the side, two pixels
    assert np.array_equal(shifted[:, :, 2:, :-1], array[:, :, :-2, 1:])
    assert np.array_equal(shifted[:, :, 0], shifted[:, :, 1])
    # A ramp about the middle, scaled, is a ramp that is less steep.
    ramp = (127.5 + 8.0 * (torch.arange(16) - 7.5)).expand(1, 1, 16, 16).round().to(torch.uint8)
    flatter = changed("scale", ramp, 1.0)[0, 0, 8].float() - 127.5
    torch.testing.assert_close(flatter, 8.0 * (torch.arange(16) - 7.5) / 2**0.25, rtol=0, atol=1.2)
    light = changed("light", values, 1.0, -1.0).float()
    wanted = ((values.float() - 127.5) / math.sqrt(2) + 127.5 + 42.5).round().clamp(0, 255)
    torch.testing.assert_close(light, wanted, rtol=0, atol=1.0)
    third = (math.cos(2 * math.pi / 3) - 1, math.sin(2 * math.pi / 3), 0.0)  # red to green to blue to red
    torch.testing.assert_close(changed("colour", values, *third).int(), values.roll(1, 1).int(), rtol=0, atol=1)
    grey = values[:, :1].expand(-1, 3, -1, -1)
    torch.testing.assert_close(changed("colour", grey, *third[:2], 1.0).int(), grey.int(), rtol=0, atol=1)


def test_each_way_has_the_probability_that_is_set():
    augmentation = PictureAugmentation(0.2, WAYS, (3, 8, 8))
    how = augmentation.drawn(torch.rand(4000, augmentation.chances, generator=torch.Generator().manual_seed(0)))
    shares = [(part != 0).any(dim=1).double().mean() for part in how.split(list(NUMBERS.values()), dim=1)]
    for way, share in zip(WAYS, shares, strict=True):
        expected = 0.2 * (8 / 9 if way == "shift" else 1.0)  # one of the nine shifts of a pixel is none
        assert abs(float(share) - expected) < 4 * math.sqrt(expected * (1 - expected) / 4000), way
    assert float(how.abs().max()) <= 2.0


def test_what_is_told_of_an_example_is_what_was_done_to_it_in_any_batch():
    kind = Pictures(size=(3, 8, 8), augment=0.4)
    loaded = Loaded(pictures(50, 3, 8, 8), None, (), Summary())
    examples = InMemory(loaded, Treatment(kind, 5))
    (z, _), *_ = examples.stream([range(200)], CPU)
    parts = [range(70), range(70, 200)]
    assert torch.equal(z, torch.cat([z for z, _ in examples.stream(parts, CPU)]))
    told = examples.treatment.told(range(200), CPU)
    assert torch.equal(told, torch.cat([examples.treatment.told(part, CPU) for part in parts]))
    without = InMemory(loaded, Treatment(kind.model_copy(update={"augment": 0.0}), 5))
    (plain, _), *_ = without.stream([range(200)], CPU)
    assert torch.equal(z, kind.encode(kind.augmentation.applied(kind.decode(plain), told)))
    assert not torch.equal(z, plain)
    assert without.treatment.told(range(3), CPU) is None


def test_what_cannot_be_changed_is_refused():
    with pytest.raises(InputError, match="colour alone, and these pictures are grey"):
        _ = Pictures(size=(1, 8, 8), augment=0.1, augmentations=("colour",)).augmentation
