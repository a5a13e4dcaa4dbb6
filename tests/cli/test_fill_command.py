"""nk fill: what is kept, and where masks lie."""

import json

import numpy as np
from PIL import Image

from helpers import refused


def test_filling_keeps_what_is_kept(run, tmp_path, picture):
    mask = np.zeros((8, 8), np.uint8)
    mask[:, 4:] = 255
    Image.fromarray(mask).save(tmp_path / "mask.png")
    assert run("fill", "digits", picture, "--mask", "mask.png", "--steps", 5, "-n", 2)[0] == 0
    original = np.asarray(Image.open(picture))
    for k in range(2):
        filled = np.asarray(Image.open(tmp_path / "filled" / f"three-{k:02d}.png"))
        assert np.array_equal(filled[:, :4], original[:, :4])
        assert not np.array_equal(filled[:, 4:], original[:, 4:])
    code, out, _ = run("fill", "digits", picture, "--tiles", 4, "--keep", 0.25, "--steps", 5, "--out", "t", "--json")
    assert (code, json.loads(out)["filled_share"]) == (0, 0.75)


def test_filling_refuses(run, tmp_path, picture):
    refused(run("fill", "digits", picture), "either --mask MASK or --tiles SIDE")
    refused(run("fill", "digits", picture, "--mask", picture), "neither black (keep) nor white")
    refused(run("fill", "digits", picture, "--mask", picture, "--keep", 0.5), "with a mask, the mask says it")
    refused(run("fill", "digits", picture, "--tiles", 2, "--keep", 2), "keep is 2")
    refused(run("fill", "digits", picture, "--tiles", 2, "--summary"), "fills of pictures have no summary")


def test_masks_lie_where_they_were_drawn(run, tmp_path, picture):
    """What is opaque may have an alpha channel; what would be cut elsewhere than the picture is refused."""
    mask = np.zeros((8, 8, 4), np.uint8)
    mask[..., 3] = 255
    mask[:, 4:, :3] = 255
    Image.fromarray(mask).save(tmp_path / "opaque.png")
    assert run("fill", "digits", picture, "--mask", "opaque.png", "--steps", 2, "-n", 1)[0] == 0
    Image.fromarray(mask).resize((16, 8)).save(tmp_path / "wide.png")
    refused(
        run("fill", "digits", picture, "--mask", "wide.png", "--out", "x"),
        "the mask has 16 x 8 pixels and the picture 8 x 8",
    )
    Image.new("L", (16, 8)).save(tmp_path / "broad.png")
    Image.fromarray(mask).save(tmp_path / "small.png")  # of the model's size: laid on what the model sees
    assert run("fill", "digits", "broad.png", "--mask", "small.png", "--steps", 2, "-n", 1, "--out", "y")[0] == 0
    Image.fromarray(mask).resize((10, 10), Image.Resampling.NEAREST).save(tmp_path / "ten.png")
    code, _, err = run("fill", "digits", picture, "--mask", "ten.png", "--steps", 2, "-n", 1, "--out", "z")
    assert code == 0
    assert "the mask has 10 x 10 pixels; its middle is resized to the model's 8 x 8, each pixel the nearest one" in err
    assert (
        "broad.png (16 x 8; its middle is resized"
        in run("vary", "digits", "broad.png", "-n", 1, "--steps", 1, "--out", "v")[2]
    )
    assert run("vary", "digits", picture, "-n", 1, "--steps", 1, "--out", "w")[2] == ""
    refused(run("fill", "digits", picture, "--tiles", 2, "--keep", 1, "--out", "x"), "keeps every part")
    Image.new("L", (80, 80)).save(tmp_path / "black.png")
    refused(run("fill", "digits", picture, "--mask", "black.png", "--out", "x"), "nothing to fill in: white is filled")
    refused(run("fill", "digits", picture, "--tiles", 9, "--out", "x"), "--tiles is 9; the pictures have 8 x 8 pixels")
