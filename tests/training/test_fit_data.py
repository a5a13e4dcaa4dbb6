"""`nk.fit` on every kind of object that holds data: a few steps, and something drawn."""

import numpy as np
import pandas
import pytest
import torch
from PIL import Image

import noisekernel as nk
from noisekernel.core.errors import InputError
from noisekernel.data.opening import kind_for

RANDOM = np.random.default_rng(0)
PIXELS = RANDOM.integers(0, 256, (12, 8, 8), dtype=np.uint8)
NAMES = ["anna", "otto", "bob", "hannah", "ada", "eve"] * 4
FEW = {"training.images": 32, "training.batch": 8}
#: Small networks, by kind of data.
SMALL = {"pictures": {"network.channels": 8}, "points": {"network.width": 8}, "tokens": {"network.width": 16}}


class Pairs(torch.utils.data.Dataset):
    """Pictures with the numbers of their classes."""

    def __len__(self):
        return len(PIXELS)

    def __getitem__(self, i):
        return torch.from_numpy(PIXELS[i])[None], i % 3


def folder_of_pictures(root):
    root.mkdir()
    for i, pixels in enumerate(PIXELS):
        Image.fromarray(pixels).save(root / f"{i}.png")
    return root


def file(root, name, content):
    root.mkdir(exist_ok=True)
    (root / name).write_text(content)
    return root / name


MADE = {
    "an array": ("pictures", lambda at: PIXELS),
    "a tensor": ("points", lambda at: torch.randn(32, 3)),
    "a Dataset": ("pictures", lambda at: Pairs()),
    "a TensorDataset": ("points", lambda at: torch.utils.data.TensorDataset(torch.randn(32, 2))),
    "a DataFrame": ("points", lambda at: pandas.DataFrame(RANDOM.normal(size=(32, 2)), columns=["height", "age"])),
    "a folder": ("pictures", lambda at: folder_of_pictures(at / "pictures")),
    "a list of strings": ("tokens", lambda at: NAMES),
    "a text file": ("tokens", lambda at: file(at, "names.txt", "\n".join(NAMES))),
    "a table": ("points", lambda at: file(at, "t.csv", "a,b\n" + "\n".join(f"{i % 5},{i % 7}.5" for i in range(40)))),
}


@pytest.mark.training
@pytest.mark.parametrize("made", MADE)
def test_anything_that_holds_data_is_trained_on_and_drawn_from(tmp_path, made):
    kind, make = MADE[made]
    model = nk.fit(make(tmp_path), settings={**FEW, **SMALL[kind]}, progress=False)
    assert model.kind.kind == kind
    assert model.history["images"] == 32
    drawn = model.draw(model.sample(3, steps=2))
    assert len(drawn) == 3
    if made == "a DataFrame":
        assert set(drawn[0]) == {"height", "age"}
    if made == "a list of strings":
        assert all(set(each) <= set("".join(NAMES)) for each in drawn)
    if made in ("an array", "a Dataset", "a folder"):
        assert drawn[0].size == (8, 8)


@pytest.mark.training
def test_the_classes_of_a_dataset_are_learned_if_asked_for():
    settings = {**FEW, **SMALL["pictures"], "data.labels": True}
    assert nk.fit(Pairs(), settings=settings, progress=False).classes == ("0", "1", "2")


def test_two_kinds_in_one_folder_are_named_and_counted(tmp_path):
    root = folder_of_pictures(tmp_path / "p")
    file(root, "labels.csv", "a,b\n1,2\n")
    file(root, "notes.txt", "hello\n")
    file(root, "more.txt", "hello\n")
    wanted = (
        r"holds data of 3 kinds: 12 files of pictures \(\.png\) and 1 file of points \(\.csv\) and 2 files of strings "
        r"\(\.txt\).*data\.bad=skip.*labels\.csv"
    )
    with pytest.raises(InputError, match=wanted):
        nk.fit(root, settings={**FEW, **SMALL["pictures"]}, progress=False)
    with pytest.raises(InputError, match="data of 3 kinds"):
        nk.data.load_data(root)
    model = nk.fit(root, settings={**FEW, **SMALL["pictures"], "data.bad": "skip"}, progress=False)
    assert model.history["examples"] == 12
    texts = tmp_path / "texts"
    file(texts, "a.txt", "hello\n")
    file(texts, "b.txt", "hello\n")
    with pytest.raises(InputError, match=r"folder of 2 files of strings \(\.txt\).*give one of them: .*a\.txt"):
        nk.fit(texts, progress=False)


class Stream:
    """Items that come one after the other."""

    classes = ()

    def __init__(self, items):
        self.items = items

    def turn(self, number, seed):
        return iter([(f"item {i}", item, None) for i, item in enumerate(self.items)])


def test_the_first_items_of_a_stream_tell_its_kind():
    assert kind_for(Stream(NAMES), None, "s").__name__ == "Tokens"
    assert kind_for(Stream(list(PIXELS)), None, "s").__name__ == "Pictures"
    assert kind_for(Stream([{"a": 1.0}]), None, "s").__name__ == "Points"
    assert kind_for(Stream(NAMES), "pictures", "s").__name__ == "Pictures"  # what is said counts
    with pytest.raises(InputError, match="--kind NAME"):
        kind_for(Stream([object()]), None, "s")
    with pytest.raises(InputError, match="a stream that holds nothing"):
        kind_for(Stream([]), None, "s")


def test_a_damaged_file_does_not_decide_the_size(tmp_path):
    root = folder_of_pictures(tmp_path / "p")
    large = tmp_path / "large.jpg"
    Image.fromarray(RANDOM.integers(0, 256, (40, 48), dtype=np.uint8)).save(large)
    (root / "cut.jpg").write_bytes(large.read_bytes()[:400])
    _, kind = nk.data.load_data(root, bad="skip")
    assert kind.shape == (1, 8, 8)
    (root / "whole.jpg").write_bytes(large.read_bytes())
    _, kind = nk.data.load_data(root, bad="skip")
    assert kind.shape == (3, 64, 64)  # the twin: a whole picture of another size counts
