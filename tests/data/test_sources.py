"""Sources: every kind of file that people have, and every kind that they should not."""

import gzip
import io
import pickle
import struct
import subprocess
import sys
import tarfile

import numpy as np
import pytest
import torch
from PIL import Image

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.data import load, load_data, open_source
from noisekernel.kinds.pictures import Pictures, Size, reading
from noisekernel.kinds.pictures.items import natural_size
from noisekernel.kinds.pictures.reading import fit, open_picture, read_picture

RED, GREY = (200, 30, 40), 120


def png_header_of(width, height):
    """A PNG that says it is huge and holds next to nothing: a decompression bomb."""
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


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


def test_classes_are_the_numbers_that_occur(tmp_path):
    np.savez(tmp_path / "a.npz", pixels=np.zeros((3, 4, 4), np.uint8), labels=np.array([20, 0, 10**9]))
    source = open_source(tmp_path / "a.npz")
    assert source.classes == ("0", "20", "1000000000")
    assert load(source, Pictures(size=(1, 4, 4))).labels.tolist() == [1, 0, 2]
    for wrong, said in ((np.array([0, -1, 2]), "there is a label -1"), (np.array([0.5, 1, 2]), "labels are float64")):
        np.savez(tmp_path / "b.npz", pixels=np.zeros((3, 4, 4), np.uint8), labels=wrong)
        with pytest.raises(InputError, match=said):
            open_source(tmp_path / "b.npz")


def test_arrays_are_data_and_what_is_none_is_refused():
    assert load_data(np.zeros((3, 4, 5), np.uint8))[0].values.shape == (3, 1, 4, 5)
    with pytest.raises(InputError, match=r"float64; pictures are bytes .*astype\('uint8'\)"):
        load_data(np.zeros((3, 4, 5)))
    with pytest.raises(InputError, match=r"channels first become last"):
        load_data(np.zeros((3, 1, 4, 5), np.uint8))
    with pytest.raises(InputError, match=r"float32; pictures are bytes"):
        load_data(torch.zeros(3, 4, 5))
    with pytest.raises(InputError, match=r"data is a builtins\.float; give a word"):
        open_source(0.5)


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


def test_subfolders_are_classes(tmp_path):
    for name, value in [("dog", 10), ("cat", 200)]:
        (tmp_path / name).mkdir()
        Image.new("L", (4, 4), value).save(tmp_path / name / "1.png")
    pictures = load(open_source(tmp_path), Pictures(size=(1, 4, 4)))
    assert pictures.classes == ("cat", "dog")
    assert pictures.labels.tolist() == [0, 1]
    assert pictures.values[:, 0, 0, 0].tolist() == [200, 10]


def test_digits_are_the_default_and_need_no_size():
    pictures = load_data("digits")[0]
    assert pictures.values.shape == (1797, 1, 8, 8)
    assert pictures.labels.bincount().min() > 170
    assert int(pictures.values.max()) == 255


def idx(array):
    return b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


@pytest.mark.parametrize("zipped", [False, True])
def test_idx_files_and_their_labels(tmp_path, zipped):
    pixels = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)
    pack = gzip.compress if zipped else bytes
    suffix = ".gz" if zipped else ""
    images = tmp_path / f"train-images-idx3-ubyte{suffix}"
    images.write_bytes(pack(idx(pixels)))
    (tmp_path / f"train-labels-idx1-ubyte{suffix}").write_bytes(pack(idx(np.array([3, 1, 0, 2, 3], np.uint8))))
    for given in (tmp_path, images):
        pictures = load_data(given)[0]
        assert torch.equal(pictures.values[:, 0], torch.from_numpy(pixels))
        assert pictures.labels.tolist() == [3, 1, 0, 2, 3]
    images.write_bytes(pack(idx(pixels)[:-7]))
    with pytest.raises(InputError, match="cut short or damaged"):
        open_source(images)
    images.write_bytes(pack(b"nothing of the kind"))
    with pytest.raises(InputError, match="not an idx file"):
        open_source(images)
    images.write_bytes(b"\x1f\x8bgarbage")
    with pytest.raises(InputError, match="cannot be unpacked" if zipped else "not an idx file"):
        open_source(images)


def test_numpy_files(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (6, 5, 4, 3), dtype=np.uint8)
    np.save(tmp_path / "a.npy", pixels)
    np.savez(tmp_path / "b.npz", x_train=pixels, y_train=np.arange(6))
    assert torch.equal(load_data(tmp_path / "a.npy")[0].values, torch.from_numpy(pixels).permute(0, 3, 1, 2))
    assert load_data(tmp_path / "b.npz")[0].labels.tolist() == list(range(6))
    np.savez(tmp_path / "c.npz", other=pixels)
    with pytest.raises(InputError, match="holds other; its examples should be called"):
        open_source(tmp_path / "c.npz")
    np.save(tmp_path / "d.npy", pixels.astype(np.float32))
    with pytest.raises(InputError, match="pictures are bytes"):
        load_data(tmp_path / "d.npy")
    np.save(tmp_path / "e.npy", np.array([{"an": "object"}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="plain numbers"):
        open_source(tmp_path / "e.npy")
    np.savez(tmp_path / "f.npz", pixels=pixels, labels=np.arange(5))
    with pytest.raises(InputError, match="6 examples but labels of shape"):
        open_source(tmp_path / "f.npz")


def cifar(path, batches, binary=False):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in batches.items():
            info = tarfile.TarInfo(f"cifar-10-batches/{name}{'.bin' if binary else ''}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


class Evil:
    def __reduce__(self):
        return (exec, ("import pathlib; pathlib.Path('/tmp/noisekernel-was-here').touch(); raise SystemExit",))


@pytest.mark.parametrize("protocol", [2, 4])
def test_the_cifar_archive_in_both_forms_and_nothing_executed(tmp_path, protocol):
    pixels = np.random.default_rng(0).integers(0, 256, (4, 3072), dtype=np.uint8)
    batches = {
        f"data_batch_{k + 1}": pickle.dumps({b"data": pixels[2 * k : 2 * k + 2], b"labels": [k, 9]}, protocol=protocol)
        for k in range(2)
    }
    pickled = load_data(cifar(tmp_path / "cifar-10-python.tar.gz", batches))[0]
    rows = {
        f"data_batch_{k + 1}": b"".join(bytes([label]) + pixels[2 * k + i].tobytes() for i, label in enumerate([k, 9]))
        for k in range(2)
    }
    plain = load_data(cifar(tmp_path / "cifar-10-binary.tar.gz", rows, binary=True))[0]
    expected = torch.from_numpy(pixels).reshape(4, 3, 32, 32)
    for found in (pickled, plain):
        assert torch.equal(found.values, expected)
        assert found.labels.tolist() == [0, 9, 1, 9]
        assert found.classes[9] == "truck"
    evil = {"data_batch_1": pickle.dumps({b"data": Evil(), b"labels": [0]}, protocol=protocol)}
    with pytest.raises(InputError, match=r"asks to call builtins\.exec|asks to call __builtin__\.exec"):
        open_source(cifar(tmp_path / "evil.tar.gz", evil))
    (tmp_path / "broken.tar.gz").write_bytes(b"no archive")
    with pytest.raises(InputError, match="cannot be read as a CIFAR-10 archive"):
        open_source(tmp_path / "broken.tar.gz")


def test_mistakes(tmp_path):
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        open_source("digit")
    with pytest.raises(InputError, match="no file, folder or data set called 'nowhere'"):
        open_source("nowhere")
    with pytest.raises(InputError, match="holds no file"):
        open_source(tmp_path)
    (tmp_path / "a.xyz").write_bytes(b"?")
    with pytest.raises(InputError, match="none of the files that can be read"):
        open_source(tmp_path / "a.xyz")
    with pytest.raises(InputError, match="is of no kind of data that is known here"):
        load_data(tmp_path)
    with pytest.raises(InputError, match="no picture to be had"):
        load(open_source(tmp_path), Pictures(size=(1, 4, 4)), bad="skip")
    with pytest.raises(ValueError, match="1, 3 or 4"):
        load(open_source("digits"), Pictures(size=(2, 4, 4)))


@pytest.mark.parametrize("side", [29, 58, 116, 123, 225])
def test_squares_of_any_size_are_fitted(side):
    """28 times 58 / 28 is a hair more than 58, and Pillow takes no part of a picture that is larger than the whole."""
    assert fit(Image.new("L", (side, side), GREY), Size(1, 28, 28)).tolist() == np.full((1, 28, 28), GREY).tolist()
