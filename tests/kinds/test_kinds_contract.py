"""Every kind of data of the package keeps the promises of the contract."""

import numpy as np
import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError
from noisekernel.kinds import kind_of, kinds
from noisekernel.kinds.checking import CHECKS, Case
from noisekernel.kinds.music.grid import Note, Piece, codes_of
from noisekernel.models import check_model

WORDS = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba"] * 4


def small_piece(i):
    """Four voices, of two bars and a half."""
    notes = [
        Note(voice, 72 - 7 * voice + (3 * step + i * voice) % 5, 4 * step, 4)
        for voice in range(4)
        for step in range(10 - (i + voice) % 2)
    ]
    return Piece(codes_of(notes, 4, 40), f"piece {i}")


def some(kind):
    """Data of this kind, items that are none, and how a user names an example and a mask."""
    g = generator(1)
    if kind == "pictures":
        pixels = torch.randint(256, (32, 6, 6), generator=g, dtype=torch.uint8).numpy()
        return pixels, [b"", b"no picture", np.zeros((6, 6)), 3.0], None, None
    if kind == "points":
        points = torch.randn(32, 3, generator=g).numpy() * [1.0, 5.0, 0.1] + [0.0, 2.0, -7.0]
        return (
            points,
            [np.array([1.0]), {"x0": "a", "x1": 0, "x2": 0}, "word", [1.0, float("nan"), 0.0]],
            "0.5,1,-7",
            "x1",
        )
    if kind == "tables":
        rows = [
            {"age": 20 + i % 30, "sex": "mf"[i % 2], "pay": [None, 0.0, 10.5 * i][i % 3], "vip": i % 5 == 0}
            for i in range(32)
        ]
        bad = [{"age": 3}, {**rows[0], "sex": "x"}, {**rows[0], "age": "old"}, {**rows[0], "size": 1}, "word", [1, 2]]
        return rows, bad, "25, m, 10.5, True", "age,vip"
    if kind == "music":
        pieces = [small_piece(i) for i in range(8)]
        bad = [b"", b"MThd", b"no music", small_piece(0).codes[:2], small_piece(0).codes + 90, 3.0]
        return pieces, bad, None, None
    return WORDS, ["x" * 99, "ANNA", 3, "é"], "anna", "_n*"


def test_every_kind_has_a_case():
    assert set(kinds()) == {"music", "pictures", "points", "tables", "tokens"}


@pytest.fixture(params=sorted(kinds()))
def case(request):
    data, bad, example, mask = some(request.param)
    return Case(nk.data.load_data(data)[1], data, bad, example, mask)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_is_kept(case, check):
    check(case)


def test_data_are_recognised_by_one_kind_alone(case):
    source = nk.data.open_source(case.items)
    assert kind_of(source, "these") is type(case.kind)
    assert [name for name, each in kinds().items() if each.recognises(source)] == [case.kind.kind]


@pytest.mark.training
def test_defaults_train_and_the_model_does_everything(case):
    model = nk.fit(case.items, settings={"training.images": 16, "training.batch": 8}, progress=False)
    assert model.kind == case.kind.bare
    check_model(model, case.items)
    judged = nk.measure(model, case.items, n=20, steps=2)
    assert judged.how["kind"] == case.kind.many


def test_data_of_no_kind_and_of_two():
    with pytest.raises(InputError, match="of no kind of data that is known here"):
        nk.data.load_data(np.zeros((3, 2, 2, 2, 2)))
    with pytest.raises(InputError, match=r"there is no kind of data called 'picture'\. Did you mean 'pictures'"):
        nk.data.load_data("digits", "picture")
