"""Examples by number, however they are read: from memory, by workers, from the Hub's files, from a stream."""

import io
import threading
from dataclasses import replace

import datasets
import numpy as np
import pytest
import torch
from PIL import Image

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.data import InMemory, ReadAsNeeded, Streamed, Treatment, load, open_source
from noisekernel.data.ahead import ahead
from noisekernel.data.readers.hub import open_hub
from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.pictures.codecs import ContinuousCodec

CPU = torch.device("cpu")
GREY = Pictures(size=(1, 8, 8))
PARTS = [range(0, 7), range(7, 14), range(20, 27), range(50, 57)]


def png(value):
    buffer = io.BytesIO()
    Image.fromarray(np.full((8, 8), value, np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def folder(tmp_path):
    """Twenty plain grey pictures, each of its own grey, in two classes."""
    for i in range(20):
        path = tmp_path / "pictures" / ("even" if i % 2 == 0 else "odd") / f"{i:02d}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(10 * i))
    return tmp_path / "pictures"


def treatment(**more):
    return Treatment(GREY, seed=3, **more)


def greys(examples, parts=PARTS):
    pixels = torch.cat([z for z, _ in examples.stream(parts, CPU)])
    return ContinuousCodec().decode(pixels)[:, 0, 0, 0].tolist()


@pytest.mark.parametrize("workers", [0, 2])
def test_read_as_needed_is_as_in_memory(folder, workers):
    source = open_source(folder)
    memory = InMemory(load(source, GREY), treatment(classes=2))
    needed = ReadAsNeeded(source, treatment(classes=2), workers=workers)
    for (z, label), (z2, label2) in zip(memory.stream(PARTS, CPU), needed.stream(PARTS, CPU), strict=True):
        assert torch.equal(z, z2)
        assert torch.equal(label, label2)
    assert needed.summary.read == 28


def test_pictures_without_a_label_count_as_without_a_label(folder):
    pictures = load(open_source(folder), GREY)
    labels = pictures.labels.clone()
    labels[0] = -1
    examples = InMemory(replace(pictures, labels=labels), treatment(classes=2))
    seen = torch.cat([label for _, label in examples.stream([range(20)], CPU)])
    assert sorted(seen.tolist()) == [0] * 9 + [1] * 10 + [2]


def test_bad_files_are_fatal_or_replaced_and_named(folder):
    (folder / "odd" / "05.png").write_bytes(b"no picture")
    source = open_source(folder)
    failing = ReadAsNeeded(source, treatment(), workers=0)
    with pytest.raises(InputError, match=r"05\.png: not a picture.*data\.bad=skip"):
        greys(failing, [range(20)])
    skipping = ReadAsNeeded(source, treatment(), bad="skip", workers=0)
    seen = greys(skipping, [range(20)])
    assert len(seen) == 20
    assert 50 not in seen
    assert [name for name, _ in skipping.summary.skipped] == ["odd/05.png"]
    # In whatever parts it is read, the same picture takes the place.
    assert greys(ReadAsNeeded(source, treatment(), "skip", 0), [range(i, i + 1) for i in range(20)]) == seen


def test_nothing_but_bad_files_ends(folder):
    for path in folder.rglob("*.png"):
        path.write_bytes(b"no picture")
    with pytest.raises(InputError, match="not a picture"):
        greys(ReadAsNeeded(open_source(folder), treatment(), "skip", 0))


@pytest.fixture
def parquet(tmp_path):
    """The same as a file that the datasets library wrote, with one picture that is none."""
    rows = {
        "img": [{"bytes": png(10 * i) if i != 7 else b"none", "path": None} for i in range(20)],
        "label": [i % 2 for i in range(20)],
    }
    features = datasets.Features({"img": datasets.Image(), "label": datasets.ClassLabel(names=["even", "odd"])})
    path = tmp_path / "some.parquet"
    datasets.Dataset.from_dict(rows, features=features).to_parquet(path)
    return path


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    # The library sleeps for five seconds after each pass over a stream.
    monkeypatch.setattr(datasets.config, "SLEEP_TIME_ON_THREADS_SHUTDOWN", 0)


def test_parquet_files_are_read(parquet):
    source = open_source(f"hf:{parquet}")
    assert len(source) == 20
    assert source.classes == ("even", "odd")
    assert [source.label(i) for i in (4, 5)] == [0, 1]
    pictures = load(source, GREY, bad="skip")
    assert pictures.values[:, 0, 0, 0].tolist() == [10 * i for i in range(20) if i != 7]
    assert [name for name, _ in pictures.summary.skipped] == [source.name(7)]


def test_a_stream_is_the_same_from_anywhere(parquet):
    def stream(workers=0, bad="skip"):
        return Streamed(open_source(f"hf:{parquet}?streaming=true"), treatment(), bad, workers)

    whole = greys(stream(), [range(0, 60)])
    assert sorted(whole[:20]) != whole[:20]
    assert 70 not in whole
    assert set(whole[20:40]) == {10 * i for i in range(20) if i != 7}
    assert whole[:20] != whole[20:40]
    # Resumed, or one process of two, or read by a worker: example k is example k.
    assert greys(stream(), [range(23, 30), range(37, 44)]) == whole[23:30] + whole[37:44]
    assert greys(stream(workers=1), [range(0, 30), range(30, 60)]) == whole
    with pytest.raises(InputError, match="not a picture"):
        greys(stream(bad="fail"), [range(0, 60)])


def test_reading_ahead_hands_on_items_errors_and_the_end():
    assert list(ahead(iter(range(100)), 3)) == list(range(100))

    def failing():
        yield 1
        raise InputError("no more")

    with pytest.raises(InputError, match="no more"):
        list(ahead(failing()))
    before = set(threading.enumerate())
    endless = ahead(iter(int, 1), 2)
    next(endless)
    (reader,) = set(threading.enumerate()) - before
    endless.close()
    reader.join(300)
    assert not reader.is_alive()


def test_streams_train(parquet):
    settings = ["network.channels=8", "training.images=64", "training.batch=16", "data.size=[1,8,8]", "data.bad=skip"]
    model = nk.fit(f"hf:{parquet}?streaming=true", settings=[*settings, "data.workers=0"], progress=False)
    assert model.history["examples"] is None


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("?splt=train", "there is no option 'splt'"),
        ("?streaming=perhaps", "it is true or false"),
        ("?image=label", "none of the picture columns: img"),
        ("?label=img", "no column of labels"),
    ],
)
def test_options_of_the_hub_are_checked(parquet, what, said):
    with pytest.raises(InputError, match=said):
        open_hub(f"{parquet}{what}")


def test_what_is_not_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="cannot be opened"):
        open_hub("nobody/nothing-of-the-kind")
    with pytest.raises(InputError, match=r"no \.parquet and no \.arrow"):
        open_hub(str(tmp_path))
