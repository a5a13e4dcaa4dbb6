"""nk walk: films."""

from PIL import Image

from helpers import refused


def test_walks_are_films(run, tmp_path, picture):
    options = ("walk", "digits", "--steps", 6, "--every", 2, "-n", 2)
    assert run(*options)[0] == 0
    with Image.open(tmp_path / "walk.gif") as film:
        assert (film.format, film.n_frames) == ("GIF", 4)
    assert run(*options, picture, "--out", "walk.mp4")[0] == 0
    assert (tmp_path / "walk.mp4").read_bytes()[4:8] == b"ftyp"
    refused(run(*options), "exists", "--force")
    refused(run(*options, "--out", "walk.avi"), "films are .gif or .mp4")
