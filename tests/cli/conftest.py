"""What the tests of the commands share."""

import pytest
from PIL import Image

import noisekernel as nk


@pytest.fixture
def picture(tmp_path):
    path = tmp_path / "three.png"
    digits = nk.data.load_data("digits")[0]
    Image.fromarray(digits.values[3, 0].numpy()).save(path)
    return path
