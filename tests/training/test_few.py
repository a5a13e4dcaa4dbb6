"""Few examples, copies, and models that cannot be begun with: a sentence each."""

from pathlib import Path

import numpy as np
import pytest
from small_runs import TINY

import noisekernel as nk
from noisekernel.core.errors import InputError, StorageError
from noisekernel.files.formats import read_tensors, write_tensors

PIXELS = np.random.default_rng(0).integers(0, 256, (12, 8, 8), dtype=np.uint8)
FEW = {**TINY, "training.images": 8}


@pytest.mark.parametrize(
    ("pixels", "sentence"),
    [
        (PIXELS[:1], "there is one picture to learn from: the model will know it by heart"),
        (PIXELS[[0, 0]], "there is one picture to learn from (2 times): the model will know it by heart"),
        (PIXELS[[0, 1, 1]], "of 3 pictures one is a copy of another"),
        (PIXELS[[0, 1, 1, 0, 0]], "of 5 pictures 3 are copies of others"),
        (PIXELS, "12 pictures are few: a long run learns them by heart. Begin with the weights of a model (--from) or"),
    ],
)
def test_few_pictures_and_copies_are_told(pixels, sentence, capsys):
    model = nk.fit(pixels, recipe="small", settings=FEW, calibrate=False)
    assert sentence in capsys.readouterr().err
    assert model.sample(1, steps=2).isfinite().all()


def test_enough_pictures_are_not_spoken_of(capsys):
    nk.fit("digits", settings=FEW, calibrate=False)
    told = capsys.readouterr().err
    assert "few" not in told
    assert "cop" not in told


def test_pictures_of_one_value_are_refused():
    with pytest.raises(InputError, match="all the data have one and the same value"):
        nk.fit(np.full((3, 8, 8), 7, np.uint8), recipe="small", settings=FEW, progress=False)


def test_a_damaged_model_is_not_begun_with(tmp_path):
    whole = (Path(nk.__file__).parent / "models" / "bundled" / "digits.safetensors").read_bytes()
    damaged = tmp_path / "damaged.safetensors"
    for content in (whole[: len(whole) // 2], b"\xff" * 64 + whole[64:], bytes(2000)):
        damaged.write_bytes(content)
        with pytest.raises(StorageError, match=r"damaged\.safetensors is no safetensors file, or it is damaged"):
            nk.fit(PIXELS, start=damaged, progress=False)
    damaged.write_bytes(whole)
    tensors, about = read_tensors(damaged)
    tensors["backbone.stem.weight"] *= float("nan")
    write_tensors(damaged, tensors, about)
    with pytest.raises(InputError, match=r"has weights that are no numbers"):
        nk.fit(PIXELS, start=damaged, settings={"training.images": 8}, progress=False)
