"""Arrays: in memory, .npy, .npz, idx files, the digits of scikit-learn."""

import gzip
import struct

import numpy as np
import pytest
import torch

from noisekernel.core.errors import InputError
from noisekernel.data import load, load_data, open_source
from noisekernel.kinds.pictures import Pictures


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
