"""The table of what time budgets gave: what is said beforehand, and when there is a warning."""

import dataclasses

import pytest

from noisekernel.kinds.pictures import Pictures
from noisekernel.kinds.points.kind import Points
from noisekernel.training.experience import WORDS, Row, expected, rows

GOOD = Row("a", "pictures", (1, 28, 28), 1000, 400_000, 60.0, "unet", 1e14, 0.6, 0.2, 0.8, 0.7, "2026-11-18")
FOG = dataclasses.replace(GOOD, shape=(3, 32, 32), minutes=5.0, operations=1e13, distance=4.0)


def said(shape, operations, known=(GOOD, FOG)):
    return " ".join(expected(Pictures(size=shape), operations, known))


def test_the_nearest_row_is_told():
    assert said((1, 28, 28), 1e14).startswith(
        "what to expect: 60 minutes on two cores gave, on 1,000 pictures of 1 x 28"
    )
    assert "good; distance 3.0 times that of real data, precision 0.80, recall 0.70" in said((1, 28, 28), 1e14)
    assert "WARNING" not in said((1, 28, 28), 1e14)
    assert "extrapolation" not in said((1, 28, 28), 1e14)


def test_what_was_not_measured_is_called_an_extrapolation():
    assert "pictures of 1 x 64 x 64 were not measured" in said((1, 64, 64), 1e14)
    assert "3.0 times the arithmetic" in said((1, 28, 28), 3e14)
    assert expected(Points(columns=("a", "b"), means=(0, 0), scales=(1, 1)), 1e9, (GOOD,)) == [
        "what a time budget gives on points has not been measured"
    ]


def test_what_will_not_do_is_warned_of():
    short = said((3, 32, 32), 1e13)
    assert "fog" in short
    assert "WARNING" in short
    assert "no budget that was measured here did for pictures of 3 x 32 x 32" in short
    assert "--from" in short
    assert "60 minutes on two cores did" in said((1, 28, 28), 1e12)
    assert "WARNING" not in said((3, 32, 32), 2e14)
    assert "WARNING" in said((3, 64, 64), 2e14)  # as much arithmetic on four times the numbers


def test_the_table_of_the_package_is_sound():
    assert {row.kind for row in rows()} >= {"pictures", "tokens", "points"}
    for row in rows():
        assert row.word in WORDS
        assert 0 < row.real < row.distance * 2
        assert 0 <= row.precision <= 1
        assert 0 <= row.recall <= 1
        assert row.images > 0 < row.operations


@pytest.mark.parametrize(
    ("ratio", "recall", "word"),
    [(1.0, 0.9, "good"), (6.0, 0.9, "recognisable"), (30.0, 0.9, "fog"), (3.0, 0.6, "recognisable"), (3.0, 0.4, "fog")],
)
def test_words(ratio, recall, word):
    assert dataclasses.replace(GOOD, distance=ratio * GOOD.real, recall=recall).word == word
