"""Codecs: exact inverses, equal bins, what is refused."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from noisekernel.core.errors import DtypeError, InputError
from noisekernel.kinds.pictures.codecs import ContinuousCodec, LevelsCodec

EVERY_BYTE = torch.arange(256, dtype=torch.uint8)[None]


def test_continuous_bytes_come_back():
    codec = ContinuousCodec()
    z = codec.encode(EVERY_BYTE)
    assert (float(z.min()), float(z.max())) == (-1.0, 1.0)
    assert torch.equal(codec.decode(z), EVERY_BYTE)
    assert codec.decode(torch.tensor([[-1.5, 0.0, 1.5]])).tolist() == [[0, 128, 255]]


@given(levels=st.integers(2, 256))
def test_levels_are_equal_bins_and_centres_come_back(levels):
    codec = LevelsCodec(levels)
    z = codec.encode(EVERY_BYTE)
    sizes = torch.bincount(z[0], minlength=levels)
    assert len(sizes) == levels
    assert int(sizes.max() - sizes.min()) <= 1
    assert (z.diff() >= 0).all()
    assert torch.equal(codec.encode(codec.decode(torch.arange(levels)[None])), torch.arange(levels)[None])


def test_256_levels_lose_nothing():
    codec = LevelsCodec(256)
    assert torch.equal(codec.decode(codec.encode(EVERY_BYTE)), EVERY_BYTE)


def test_mistakes():
    for codec in (ContinuousCodec(), LevelsCodec(4)):
        with pytest.raises(DtypeError, match=r"pictures are bytes"):
            codec.encode(torch.zeros(1, 2))
    with pytest.raises(InputError, match="with 4 classes"):
        LevelsCodec(4).decode(torch.tensor([[4]]))
    with pytest.raises(InputError, match="NaN"):
        ContinuousCodec().decode(torch.tensor([[float("nan")]]))
    for levels in (1, 257):
        with pytest.raises(InputError, match="levels is"):
            LevelsCodec(levels)
