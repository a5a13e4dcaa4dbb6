"""One picture to bytes: sizes, channels, large files, files that are cut short."""

import io
import subprocess
import sys

import numpy as np
import pytest
from huge import png_header_of
from PIL import Image

from noisekernel.core.errors import BadExampleError
from noisekernel.data import load, open_source
from noisekernel.kinds.pictures import Pictures, Size, reading
from noisekernel.kinds.pictures.reading import fit, open_picture, read_picture

RED = (200, 30, 40)


GREY = 120


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_jpeg_is_unpacked_small_and_looks_the_same(orientation):
    """A smooth picture, also one that lies on its side: against the whole of it unpacked, then resized."""
    across, down = np.meshgrid(np.linspace(0, 3, 640), np.linspace(0, 2, 480))
    waves = np.stack([np.sin(across + down), np.cos(3 * across), np.sin(2 * down)], axis=-1)
    image = Image.fromarray(np.rint(127.5 + 120 * waves).astype(np.uint8))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    image.save(file, "JPEG", quality=95, exif=exif)
    size = Size(3, 24, 40)
    assert open_picture(file.getvalue(), side=80)[0].size in ((160, 120), (120, 160))
    assert open_picture(file.getvalue(), side=500)[0].size in ((640, 480), (480, 640))  # never less than asked for
    whole = fit(open_picture(file.getvalue())[0], size).astype(int)
    assert np.abs(read_picture(file.getvalue(), size).pixels - whole).max() <= 3


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK", "clear palette"])
def test_a_large_picture_is_made_small_first_and_looks_the_same(mode, monkeypatch):
    """Against the whole of it converted, then resized; lying on its side, and in several bands."""
    monkeypatch.setattr(reading, "LARGE", 10_000)
    monkeypatch.setattr(reading, "BAND", 20_000)
    across, down = np.meshgrid(np.linspace(0, 3, 645), np.linspace(0, 2, 487))
    waves = np.stack([np.sin(across + down), np.cos(3 * across), np.sin(2 * down), 0.6 + 0.3 * np.cos(across)], axis=-1)
    image = Image.fromarray(np.rint(127.5 + 120 * waves).astype(np.uint8))
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)
    elif mode == "clear palette":
        image = image.convert("RGB").convert("P")
        image.info["transparency"] = 3
    else:
        image = image.convert(mode)
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    image.save(file, "TIFF" if mode == "CMYK" else "PNG", exif=exif)
    small, _ = open_picture(file.getvalue(), side=80)
    assert min(small.size) in range(80, 162)
    assert small.height > small.width
    for channels in (1, 3, 4):
        size = Size(channels, 40, 24)
        whole = fit(reading.to_channels(open_picture(file.getvalue())[0], channels), size).astype(int)
        difference = np.abs(read_picture(file.getvalue(), size).pixels - whole)
        # Dithered modes are noise, which the two ways of resizing weigh differently.
        assert difference.mean() <= (6 if mode in ("1", "P", "clear palette") else 1.5)
        assert difference.max() <= (60 if mode in ("1", "P", "clear palette") else 12)


def test_a_large_picture_is_never_copied_whole(tmp_path):
    """A file of 190 kB that unpacks to 196 MB, and one of 66 bytes that claims 50 million rows."""
    Image.new("RGBA", (7000, 7000)).save(tmp_path / "large.png")
    (tmp_path / "tall.png").write_bytes(png_header_of(1, 50_000_000))
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from noisekernel.core.errors import BadExampleError\n"
        "from noisekernel.kinds.pictures.reading import Size, read_picture\n"
        "content = Path(sys.argv[1]).read_bytes()\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "try:\n"
        "    said = read_picture(content, Size(3, 28, 28)).pixels.shape\n"
        "except BadExampleError as error:\n"
        "    said = error\n"
        "print(peak() - before, said, sep=';')\n"
    )
    told = {}
    for name in ("large", "tall"):
        command = [sys.executable, "-c", code, str(tmp_path / f"{name}.png")]
        kilobytes, said = subprocess.check_output(command, text=True).split(";", 1)
        told[name] = int(kilobytes) / 1e3, said.strip()
    assert told["large"][1] == "(3, 28, 28)"
    assert told["large"][0] < 300  # 957 with copies
    assert "1 x 50000000 pixels; a side may be at most 65,535 long" in told["tall"][1]
    assert told["tall"][0] < 50


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"])
def test_files_that_are_cut_short_are_refused(kind):
    file = io.BytesIO()
    noise = np.random.default_rng(0).integers(0, 256, (20, 20, 3), dtype=np.uint8)
    Image.fromarray(noise).save(file, kind)
    whole = file.getvalue()
    assert open_picture(whole)[0].size == (20, 20)
    # A GIF without its last byte has all of its pixels, as many have that programs wrote.
    for size in [len(whole) // 4, len(whole) // 2, *range(len(whole) - 30, len(whole) - 2 * (kind == "GIF"))]:
        with pytest.raises(BadExampleError, match=r"cut short|damaged|cannot be decoded|not a picture"):
            open_picture(whole[:size])
    if kind in ("PNG", "JPEG", "BMP"):
        with pytest.raises(BadExampleError, match="the file is cut short"):
            open_picture(whole[: len(whole) - 5])


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize(("height", "width"), [(8, 8), (5, 13), (1, 1)])
def test_any_channels_and_aspect_ratio(tmp_path, channels, height, width):
    Image.new("RGBA", (31, 17), (*RED, 128)).save(tmp_path / "a.png")
    pixels = load(open_source(tmp_path), Pictures(size=(channels, height, width))).values
    assert pixels.shape == (1, channels, height, width)
    if channels == 4:
        assert pixels[0, 3].unique().tolist() == [128]


def test_the_middle_is_kept(tmp_path):
    image = Image.new("L", (30, 10), 0)
    image.paste(255, (10, 0, 20, 10))
    image.save(tmp_path / "a.png")
    assert (load(open_source(tmp_path), Pictures(size=(1, 10, 10))).values == 255).all()


@pytest.mark.parametrize("side", [29, 58, 116, 123, 225])
def test_squares_of_any_size_are_fitted(side):
    """28 times 58 / 28 is a hair more than 58, and Pillow takes no part of a picture that is larger than the whole."""
    assert fit(Image.new("L", (side, side), GREY), Size(1, 28, 28)).tolist() == np.full((1, 28, 28), GREY).tolist()
