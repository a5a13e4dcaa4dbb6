"""New rows against real ones: rows without dependence and rows of training are told, and honest ones are not."""

import re

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from helpers import LEVEL
from noisekernel.core.errors import InputError
from noisekernel.kinds.exchanged import Rows, Variable
from noisekernel.measuring.rows import comparison, page
from noisekernel.measuring.rows.classes import Cuts, shares, variation
from noisekernel.measuring.rows.classifier import FOLDS, auc, told_apart
from noisekernel.measuring.rows.nearest import copies, nearest
from noisekernel.measuring.rows.pairs import cramers_v, joint

VARIABLES = (
    Variable("age", None, lambda value: f"{value:.0f}"),
    Variable("pay", None, lambda value: f"{value:.2f}"),
    Variable("town", ("Bonn", "Ulm", "<Wien>", "(empty)")),
)


def people(n, seed):
    """Pay depends on age, the town on pay, and pay is sometimes empty."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 80, n)
    pay = np.round(1000 + 40 * age + 400 * draw.normal(size=n), 2)
    town = np.where(draw.random(n) < 0.1, 3, np.digitize(pay + 500 * draw.normal(size=n), [2400, 3400]))
    return Rows(VARIABLES, np.stack([age, np.where(draw.random(n) < 0.1, np.nan, pay), town], axis=1).astype(float))


def independent(rows, seed=0):
    """The wrong twin of a model: right columns, and nothing between them."""
    draw = np.random.default_rng(seed)
    return Rows(rows.variables, np.stack([draw.permutation(cells) for cells in rows.table.T], axis=1))


@pytest.mark.statistical
def test_independent_columns_pass_by_their_shapes_and_fail_in_pairs_and_before_a_classifier():
    real, new = people(1500, 0), people(1500, 1)
    hollow = independent(new)
    assert told_apart(real, hollow).auc > 0.5 + 3.3 * told_apart(real, hollow).error
    honest = told_apart(real, new)
    assert abs(honest.auc - 0.5) < 3.3 * honest.error
    shape, pair = Cuts(real, 20), Cuts(real, 8)

    def of_columns(rows):
        ours, theirs = shape(rows), shape(real)
        return [variation(shares(ours[:, j], c), shares(theirs[:, j], c)) for j, c in enumerate(shape.counts)]

    assert of_columns(hollow) == of_columns(new)  # by their columns they are the same

    def p_value(rows, times=999):
        """A permutation test of the distance of pairs: all ways to share out the rows are alike if the laws are."""
        both, draw = np.concatenate((real.table, rows.table)), np.random.default_rng(2)

        def distance(order):
            sides = (Rows(VARIABLES, both[part]) for part in np.split(order, [len(real)]))
            one, other = (joint(side, pair) for side in sides)
            return one.distance(other)

        observed = distance(np.arange(len(both)))
        return (1 + sum(distance(draw.permutation(len(both))) >= observed for _ in range(times))) / (1 + times)

    assert p_value(new) > LEVEL
    assert p_value(hollow) <= LEVEL


@pytest.mark.statistical
def test_the_error_of_the_classifier_is_not_too_small():
    """Of equal laws, AUCs vary no more than their errors say; they do vary more than those of independent folds."""
    told = [told_apart(people(400, 100 + 2 * i), people(400, 101 + 2 * i), i) for i in range(90)]
    off = np.array([(each.auc - 0.5) / each.error for each in told])
    assert chi2(90).sf((off**2).sum()) > LEVEL
    naive = off * np.sqrt(1 + FOLDS / (FOLDS - 1))
    assert chi2(90).sf((naive**2).sum()) < LEVEL
    assert max(off) < 3


@pytest.mark.statistical
def test_rows_of_training_are_told_and_honest_rows_are_not():
    training, held, honest = people(1200, 0), people(600, 1), people(800, 2)
    draw = np.random.default_rng(3)
    one_in_ten = Rows(VARIABLES, honest.table.copy())
    one_in_ten.table[:80] = training.table[draw.permutation(1200)[:80]]
    near = one_in_ten.table.copy()
    near[:400] = training.table[draw.permutation(1200)[:400]]
    near[:400, 1] += 0.5  # no copies, but next to rows of training
    assert not nearest(training, held, honest).repeats
    copied, next_to = nearest(training, held, one_in_ten), nearest(training, held, Rows(VARIABLES, near))
    assert copied.repeats
    assert copied.copies >= 0.1 > copied.held_copies
    assert next_to.repeats
    assert next_to.copies == pytest.approx(next_to.held_copies, abs=0.01)
    assert next_to.nearer > 0.5
    assert copies(training, training) == 1.0


@pytest.mark.statistical
def test_the_permutation_test_of_nearness_has_its_level():
    """Honest rows give p-values that are uniform, or larger where rows are equally near."""
    found = [nearest(*(people(60, 3 * i + k) for k in range(3))).nearer_p for i in range(90)]
    assert kstest(found, "uniform", alternative="greater").pvalue > LEVEL
    same = [nearest(*(people(60, 3 * i + k) for k in (0, 1, 0))).nearer_p for i in range(20)]
    assert max(same) < 0.01


def test_a_table_of_rows_is_no_sign_of_copying_where_columns_have_few_values():
    draw = np.random.default_rng(0)
    coarse = [Rows((Variable("a", ("x", "y")),), draw.integers(0, 2, (500, 1)).astype(float)) for _ in range(3)]
    found = nearest(*coarse)
    assert (found.nearer, found.copies, found.held_copies, found.repeats) == (0.5, 1.0, 1.0, False)


def test_figures_by_hand():
    assert cramers_v(np.array([[10.0, 0.0, 0.0], [0.0, 10.0, 0.0]])) == pytest.approx(1.0)
    assert cramers_v(np.array([[7.0, 3.0]])) == 0.0
    value, error = auc(np.array([0.0, 1.0, 1.0, 2.0]), np.array([False, True, False, True]))
    assert value == 0.875
    assert error > 0
    many = Variable("x", tuple("abcdefgh"))
    rows = Rows((many, Variable("y", None)), np.array([[i % 8, np.nan if i == 0 else i] for i in range(80)], float))
    cuts = Cuts(rows, 4)
    assert list(cuts.counts) == [4, 5]  # the rarest are one class; numbers have a class for empty cells
    assert cuts(rows)[0, 1] == 4
    assert np.bincount(cuts(rows)[1:, 1]).tolist() == pytest.approx([20, 20, 20, 19], abs=1)
    # A frequent value has a class of its own: the zeros of a column of gains.
    gains = Rows((Variable("g", None),), np.array([[0.0]] * 900 + [[float(i)] for i in range(1, 101)]))
    assert np.bincount(Cuts(gains, 8)(gains)[:, 0])[0] == 900


def test_a_comparison_and_its_page(tmp_path):
    data, held, new = people(900, 0), people(400, 1), independent(people(400, 2))
    found = comparison.compare_rows(data, new, held)
    assert (found.n, found.held_out, found.names) == (400, True, ("age", "pay", "town"))
    told = found.as_json()
    assert told["new"]["columns"] == pytest.approx(told["floor"]["columns"], abs=0.05)
    assert told["new"]["pairs"] > 1.5 * told["floor"]["pairs"]
    assert told["new"]["auc"] - 0.5 == pytest.approx(told["shuffled"]["auc"] - 0.5, abs=0.1)
    assert found.new.told.found
    assert not found.floor.told.found
    assert any("classifier, AUC" in line for line in found.lines())
    figures = {"model": "m", "data": "d", "examples": 900, "n": 400, "sampler": "s", "steps": 5, "seed": 0}
    page.write_page(tmp_path / "page.html", found, figures)
    text = (tmp_path / "page.html").read_text()
    for words in ("a model that learned no dependence at all", "&lt;Wien&gt;", "Cramér", "exact copies", "(empty)"):
        assert words in text
    assert "<Wien>" not in text
    assert not re.search(r'(src|href)="(?!data:)', text)  # nothing from elsewhere
    alone = comparison.compare_rows(data, new)
    assert alone.nearest is None
    page.write_page(tmp_path / "other.html", alone, figures)
    assert "Give such rows with --held-out" in (tmp_path / "other.html").read_text()
    with pytest.raises(InputError, match="40 new rows, 900 real ones are too few for a comparison"):
        comparison.compare_rows(data, new.some(slice(0, 40)))
