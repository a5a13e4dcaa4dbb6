"""Folders of pictures: every kind of file that people have, and every kind that they should not."""

import numpy as np
import pytest
import torch
from huge import png_header_of
from PIL import Image

from noisekernel.core.errors import InputError
from noisekernel.data import load, load_data, open_source
from noisekernel.kinds.pictures import Pictures, Size
from noisekernel.kinds.pictures.items import natural_size

RED = (200, 30, 40)


GREY = 120


@pytest.fixture
def mixed(tmp_path):
    """One folder with everything in it; below it, what each good file should come out as (mean colour, RGB)."""
    good = {}

    def save(name, image, expected, **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        image.save(path, **options)
        good[name] = expected

    rgb = Image.new("RGB", (40, 30), RED)
    save("a.png", rgb, RED)
    save("b.jpg", rgb, RED, quality=95)
    save("c.webp", rgb, RED, lossless=True)
    save("d.gif", rgb, RED, save_all=True, append_images=[Image.new("RGB", (40, 30), (0, 0, 255))])
    save("sub/grey.png", Image.new("L", (10, 30), GREY), (GREY,) * 3)
    save("sub/deep/palette.png", rgb.convert("P", palette=Image.Palette.ADAPTIVE), RED)
    save("sub/clear.png", Image.new("RGBA", (20, 20), (*RED, 0)), (255, 255, 255))
    save("sub/bit.png", Image.new("1", (9, 9), 1), (255, 255, 255))
    save("sub/cmyk.jpg", Image.new("CMYK", (20, 20), (0, 0, 0, 0)), (255, 255, 255))
    save("sub/sixteen.png", Image.fromarray(np.full((20, 20), GREY * 257, np.uint16)), (GREY,) * 3)
    turned = Image.new("RGB", (40, 20), RED)
    turned.paste((0, 0, 0), (0, 0, 20, 20))  # black on the left; upright, it is on top
    exif = Image.Exif()
    exif[0x0112] = 6
    save("turned.jpg", turned, None, exif=exif, quality=95)
    bad = {
        "half.png": (tmp_path / "a.png").read_bytes()[:60],
        "fake.png": b"this is text",
        "notes.txt": b"so is this",
        "empty.jpg": b"",
        "bomb.png": png_header_of(60_000, 60_000),
        "smaller-bomb.png": png_header_of(12_000, 12_000),
    }
    for name, content in bad.items():
        (tmp_path / name).write_bytes(content)
    Image.fromarray(np.full((8, 8), 0.5, np.float32)).save(tmp_path / "float.tiff")
    (tmp_path / ".hidden").write_bytes(b"not counted")
    return tmp_path, good, {*bad, "float.tiff"}


def test_a_mixed_folder_is_read_as_documented_and_counted(mixed):
    root, good, bad = mixed
    source = open_source(root)
    found = load(source, Pictures(size=(3, 16, 16)), bad="skip")
    names = [source.name(i) for i in range(len(source)) if source.name(i) in good]
    assert set(names) == set(good)
    assert {name for name, _ in found.summary.skipped} == bad
    assert found.summary.read == len(found) == len(good)
    assert dict(found.summary.notes) == {"d.gif": "first of 2 frames used"}
    assert found.values.shape == (len(good), 3, 16, 16)
    for name, pixels in zip(names, found.values, strict=True):
        if good[name] is not None:
            assert (pixels.float().mean((1, 2)) - torch.tensor(good[name]).float()).abs().max() <= 6, name
    upright = found.values[names.index("turned.jpg")].float()
    assert upright[0, :6].mean() < 20
    assert upright[0, -6:].mean() > 180
    reasons = dict(found.summary.skipped)
    assert "more than the 100,000,000 allowed" in reasons["smaller-bomb.png"]
    assert reasons["bomb.png"] == "more pixels than the 100,000,000 allowed"
    assert reasons["half.png"] == "the file is cut short"
    assert "not a picture" in reasons["fake.png"]
    assert "floating-point" in reasons["float.tiff"]
    assert f"{len(good)} pictures read, {len(bad)} skipped" in str(found.summary)
    assert found.labels is None  # some files lie in no subfolder


def test_a_bad_file_is_fatal_unless_the_user_chose_otherwise(mixed):
    root, _, _ = mixed
    with pytest.raises(InputError, match=r"bomb\.png: .*pixels.*bad='skip'"):
        load(open_source(root), Pictures(size=(3, 8, 8)))
    with pytest.raises(InputError, match="can 'fail' the whole"):
        load(open_source(root), Pictures(size=(3, 8, 8)), bad="ignore")


def some(folder, *sizes, mode="RGB"):
    folder.mkdir()
    for i, size in enumerate(sizes):
        Image.new(mode, size, 3 * i).save(folder / f"{i:03d}.png")
    return folder


def test_pictures_of_one_size_keep_it_where_they_are_small(tmp_path):
    assert natural_size(open_source(some(tmp_path / "a", *[(20, 16)] * 3))) == Size(3, 16, 20)
    assert natural_size(open_source(some(tmp_path / "grey", (16, 16), (16, 16), mode="L"))) == Size(1, 16, 16)
    assert natural_size(open_source(some(tmp_path / "mixed", (16, 16), (16, 17)))) is None
    assert natural_size(open_source(some(tmp_path / "large", (65, 16), (65, 16)))) is None
    Image.new("RGBA", (16, 16), (1, 2, 3, 4)).save(tmp_path / "grey" / "glass.png")
    (tmp_path / "grey" / "notes.txt").write_text("no picture")
    assert natural_size(open_source(tmp_path / "grey")) == Size(3, 16, 16)
    turned = Image.Exif()
    turned[0x0112] = 6
    for name in "ab":
        Image.new("RGB", (20, 16)).save(tmp_path / "a" / f"{name}.jpg", exif=turned)
    assert natural_size(open_source(tmp_path / "a")) is None  # upright, they are 16 x 20
    for path in (tmp_path / "a").glob("*.png"):
        path.unlink()
    assert load_data(tmp_path / "a")[0].values.shape == (2, 3, 20, 16)


def test_what_systems_leave_in_folders_is_no_picture(tmp_path):
    folder = some(tmp_path / "a", (8, 8))
    for name in ("Thumbs.db", "desktop.ini", ".DS_Store"):
        (folder / name).write_bytes(b"left here")
    assert len(open_source(folder)) == 1


def test_subfolders_are_classes(tmp_path):
    for name, value in [("dog", 10), ("cat", 200)]:
        (tmp_path / name).mkdir()
        Image.new("L", (4, 4), value).save(tmp_path / name / "1.png")
    pictures = load(open_source(tmp_path), Pictures(size=(1, 4, 4)))
    assert pictures.classes == ("cat", "dog")
    assert pictures.labels.tolist() == [0, 1]
    assert pictures.values[:, 0, 0, 0].tolist() == [200, 10]
