"""The CIFAR-10 archive, of which nothing is executed."""

import io
import pickle
import tarfile

import numpy as np
import pytest
import torch

from noisekernel.core.errors import InputError
from noisekernel.data import load_data, open_source


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
