"""Pictures on the studio's page: masks that are none, and feathers."""

import base64
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image

from noisekernel.core.errors import InputError
from noisekernel.kinds.pictures.kind import Pictures
from noisekernel.kinds.pictures.on_page import feathered, share_of_new


def in_base64(picture):
    content = BytesIO()
    Image.fromarray(picture).save(content, "PNG")
    return base64.b64encode(content.getvalue()).decode()


def test_a_feather_leads_from_old_to_new():
    fill = torch.zeros(1, 8, 8, dtype=torch.bool)
    fill[:, :, 4:] = True
    share = share_of_new(fill, 3.0)
    assert share[0, 0].tolist() == [0, 0, 0, 0, 0.25, 0.5, 0.75, 1.0]
    old, new = torch.zeros(1, 1, 8, 8), torch.ones(1, 1, 8, 8)
    assert torch.equal(feathered(new, old, share)[0, 0, 0], share[0, 0])
    levels = feathered(torch.full((1, 1, 8, 8), 9), torch.zeros(1, 1, 8, 8, dtype=torch.int64), share)
    assert levels.dtype == torch.int64
    assert levels[0, 0, 0].tolist() == [0, 0, 0, 0, 2, 4, 7, 9]
    assert torch.equal(share_of_new(torch.ones_like(fill), 3.0), torch.ones(1, 8, 8))


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("%%%", "base64"),
        (base64.b64encode(b"GIF89a").decode(), "send a PNG of 8 x 8"),
        (in_base64(np.zeros((4, 4), np.uint8)), "it needs as many as the model, 8 x 8"),
        (in_base64(np.zeros((800, 800), np.uint8)), "more than the 64 allowed"),
        (in_base64(np.zeros((8, 8), np.uint8)), "nothing is painted"),
    ],
)
def test_masks_that_are_none(mask, said):
    with pytest.raises(InputError, match=said):
        Pictures(size=(1, 8, 8)).on_page.read_mask(mask)
