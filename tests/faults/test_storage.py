"""Files that are whole or not there; nothing executed; full disks, pickles and half files get a sentence."""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile

import pytest
import torch

import noisekernel as nk
from noisekernel import models
from noisekernel.core.errors import InputError, NoiseKernelError, ShapeError, StorageError
from noisekernel.files import atomic, formats


class Trap:
    """Were this unpickled, a file would appear."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.mkdir, (str(self.path),))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_in_place_of_weights_is_not_opened(tmp_path, protocol):
    path = tmp_path / "model.safetensors"
    path.write_bytes(pickle.dumps(Trap(tmp_path / "executed"), protocol=protocol))
    with pytest.raises(StorageError, match="could run any code"):
        nk.load(path)
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize("byte", [0x50, 0x80])
def test_weights_that_begin_like_a_pickle_are_opened(tmp_path, byte):
    """The first byte of a safetensors file is part of a length, and may be any."""
    path, about = tmp_path / "a.safetensors", {"pad": ""}
    for _ in range(300):
        formats.write_tensors(path, {"a": torch.ones(2)}, about)
        if path.read_bytes()[0] == byte:
            break
        about["pad"] += "x"
    assert path.read_bytes()[0] == byte
    assert formats.read_tensors(path)[1] == about


def test_what_torch_saves_is_not_opened(tmp_path):
    path = tmp_path / "model.safetensors"
    torch.save({"a": torch.zeros(1)}, path)
    assert zipfile.is_zipfile(path)
    with pytest.raises(StorageError, match="pickle"):
        nk.load(path)


@pytest.mark.parametrize("content", [b"", b"\0", b"hello", b"(I1\n.", b"\xff" * 64, b"\x08" + b"\0" * 7 + b"{}      "])
def test_what_is_no_model_is_refused(tmp_path, content):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"model\.safetensors"):
        nk.load(path)


def test_every_truncation_of_a_model_is_refused(tmp_path):
    whole = (models.save(nk.load("digits"), tmp_path / "whole")).read_bytes()
    path = tmp_path / "model.safetensors"
    for size in [*range(0, 4000, 97), len(whole) // 2, len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(StorageError):
            nk.load(path)


def test_weights_of_another_design_are_refused(tmp_path):
    model = nk.load("digits")
    about = {"format": 2, "noisekernel": "x", "design": model.design.model_dump(mode="json"), "history": {}}
    about["design"]["network"]["channels"] = 16
    formats.write_tensors(tmp_path / "m.safetensors", model.denoiser.state_dict(), about)
    with pytest.raises(ShapeError, match="do not fit the design"):
        nk.load(tmp_path / "m.safetensors")
    about["design"]["network"]["kind"] = "os.system"
    formats.write_tensors(tmp_path / "m.safetensors", model.denoiser.state_dict(), about)
    with pytest.raises(InputError, match=r"os\.system"):
        nk.load(tmp_path / "m.safetensors")
    formats.write_tensors(tmp_path / "m.safetensors", {}, {"format": 99})
    with pytest.raises(StorageError, match="format 99"):
        nk.load(tmp_path / "m.safetensors")


def test_models_come_back_as_they_were(tmp_path):
    model = nk.load("digits")
    path = models.save(model, tmp_path)
    again = nk.load(tmp_path)
    assert again.design == model.design
    assert again.history == model.history
    weights, before = again.denoiser.state_dict(), model.denoiser.state_dict()
    assert weights.keys() == before.keys()
    assert all(torch.equal(weights[name], before[name]) for name in before)
    torch.testing.assert_close(nk.synthesize(again, 2, steps=3), nk.synthesize(model, 2, steps=3), rtol=1e-3, atol=1e-4)
    with pytest.raises(InputError, match="exists"):
        models.save(model, tmp_path)
    assert models.save(model, path, force=True) == path
    assert models.about(path)["design"] == json.loads(model.design.model_dump_json())


def test_a_full_disk_is_a_sentence_and_the_old_file_stays(tmp_path):
    """A real refusal by the system: files of this process may not grow beyond 64 KiB."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"old")
    code = (
        "import resource, sys, torch\n"
        "from pathlib import Path\n"
        "from noisekernel.files import formats\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))\n"
        "try:\n"
        "    formats.write_tensors(Path(sys.argv[1]), {'a': torch.zeros(100_000)}, {})\n"
        "except formats.StorageError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    assert "untouched" in done.stdout
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_interrupted_writes_leave_nothing(tmp_path):
    def fail(path):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomic.write_atomically(tmp_path / "a", fail)
    assert list(tmp_path.iterdir()) == []


def test_files_can_be_read_by_whom_the_umask_allows(tmp_path):
    path = models.save(nk.load("digits"), tmp_path)
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_models_refuse_pictures_and_labels_that_are_none(tmp_path):
    model = nk.load("digits")
    with pytest.raises(InputError, match="cannot be opened"):
        model.read([tmp_path / "missing.png"])
    (tmp_path / "fake.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match="not a picture"):
        model.read([tmp_path / "fake.png"])
    with pytest.raises(InputError, match="no class called 'eleven'"):
        model.label(["eleven"], 2)
    assert model.label(["3", "5"], 3).tolist() == [3, 5, 3]
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        nk.load("digit")
    with pytest.raises(InputError, match="holds no model"):
        nk.load(tmp_path)
    with pytest.raises(InputError, match="cannot be used here"):
        nk.load("digits", "cuda:77")


def test_pictures_and_data_are_one(tmp_path):
    model = nk.load("digits")
    z = model.kind.encode(nk.data.load_data("digits")[0].values[:3])
    for image, row in zip(model.draw(z), z, strict=True):
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        (tmp_path / "x.png").write_bytes(buffer.getvalue())
        assert torch.equal(model.read([tmp_path / "x.png"])[0], row)


def test_all_our_errors_are_of_one_family():
    for error in (StorageError, InputError, ShapeError):
        assert issubclass(error, NoiseKernelError)


def test_an_export_to_a_full_disk_is_a_sentence_and_leaves_nothing(tmp_path):
    """torch's own writer of .pt2 files would end the process; .onnx files are written by the same call as these."""
    code = (
        "import resource, sys\n"
        "from noisekernel.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "sys.argv = ['nk', 'export', sys.argv[1], '--out', sys.argv[2]]\n"
        "main()\n"
    )
    settings = {"network.channels": 8, "network.multipliers": [1], "network.blocks": 1}
    design = nk.recipes.recipe("digits", {**settings, "data.size": [1, 4, 4]})
    design = design.design(design.data)
    design = design.model_copy(update={"head": design.head.model_copy(update={"mean": 0.0, "variance": 1.0})})
    model = nk.save(models.build(design), tmp_path / "m.safetensors")
    command = [sys.executable, "-c", code, str(model), str(tmp_path / "d.pt2")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "d.pt2 cannot be written: File too large" in done.stderr
    assert list(tmp_path.iterdir()) == [model]
