"""What fills say about each cell: probabilities against enumerated conditionals, intervals against their coverage."""

import csv
import io
import json

import numpy as np
import pytest
import torch
from scipy.stats import binomtest, chisquare

import noisekernel as nk
from helpers import LEVEL
from noisekernel.core.categories import LOG_ZERO, Categorical
from noisekernel.core.errors import InputError
from noisekernel.kinds.summary import ranks, summarised
from noisekernel.kinds.tables import Tables
from noisekernel.kinds.tables.bins import PLACES

#: P(town, pay): two towns, and pay from 0 to 39, which is low in the one and high in the other.
PAY = torch.arange(40, dtype=torch.float64)
JOINT = torch.stack([0.4 * torch.exp(-PAY / 6), 0.6 * torch.exp(-((PAY - 28) ** 2) / 60)])
JOINT = JOINT / JOINT.sum(dim=1, keepdim=True) * torch.tensor([[0.4], [0.6]], dtype=torch.float64)
ROWS = [{"town": "Bonn" if i % 2 else "Ulm", "pay": i % 40} for i in range(81)]
KIND, _ = Tables().fitted(nk.data.open_source(ROWS))
KERNEL = nk.CategoricalKernel(classes=KIND.classes, carry_visible=True)


def exact(x, beta, joint=JOINT):
    """r(z | x) by enumeration: what is masked given what is not. Places are uniform."""
    seen = joint.expand(len(x), 2, 40).clone()
    for column, element in ((0, x[:, 0, None, None]), (1, x[:, 1, None, None])):
        classes = torch.arange(joint.shape[column]).view((-1, 1) if column == 0 else (1, -1))
        seen *= (element == KERNEL.masked) | (element == classes)
    probs = torch.zeros(len(x), 3, KIND.classes, dtype=torch.float64)
    probs[:, 0, :2], probs[:, 1, :40], probs[:, 2, :PLACES] = seen.sum(dim=2), seen.sum(dim=1), 1.0
    probs = probs / probs.sum(dim=-1, keepdim=True)
    return Categorical(torch.where(probs > 0, probs.clamp(min=1e-300).log(), LOG_ZERO).float())


def marginal(x, beta):
    """A wrong twin: each column as if nothing were known of the other."""
    return exact(x, beta, JOINT.sum(dim=1, keepdim=True) * JOINT.sum(dim=0, keepdim=True))


def overconfident(x, beta):
    """Another: the same conditionals, but squared."""
    return exact(x, beta, JOINT**2 / (JOINT**2).sum())


def fills(denoiser, rows, mask, n, seed=0):
    """A summary of fills of these rows."""
    model = nk.NoiseModel(KERNEL, denoiser, KIND.shape)
    z = KIND.encode(torch.from_numpy(np.stack([KIND.store(row).values for row in rows])))
    hidden = KIND.mask_of(mask).expand(len(z), -1)
    return KIND.summarise(nk.fill(model, z, hidden, n=n, steps=40, seed=seed), hidden, 0.9)


@pytest.mark.statistical
def test_probabilities_are_those_of_the_exact_conditionals():
    rows = [{"town": "Bonn", "pay": pay} for pay in (12, 15, 17, 20)]
    names = [str(each) for each in KIND.columns[0].categories]

    def agrees(denoiser):
        found = fills(denoiser, rows, ["town"], 2000)
        seen = [[dict(cell.alternatives).get(name, 0.0) * 2000 for name in names] for cell in found]
        true = [(JOINT[:, row["pay"]] / JOINT[:, row["pay"]].sum() * 2000).tolist() for row in rows]
        return min(chisquare(own, its).pvalue for own, its in zip(seen, true, strict=True)) > LEVEL / len(rows)

    assert agrees(exact)
    assert not agrees(marginal)


@pytest.mark.statistical
def test_intervals_of_exact_fills_hold_the_truth_as_often_as_they_say():
    draw = np.random.default_rng(3)
    cells = draw.choice(80, 500, p=JOINT.flatten().numpy())
    rows = [{"town": KIND.columns[0].categories[cell // 40], "pay": int(cell % 40)} for cell in cells]

    def held(denoiser):
        found = fills(denoiser, rows, ["pay"], 19)
        assert found.attained == pytest.approx(0.9)
        return sum(cell.low <= rows[cell.row]["pay"] <= cell.high for cell in found)

    # Values come up twice, so that more than the coverage are held; fewer must not be.
    assert binomtest(held(exact), 500, 0.9, alternative="less").pvalue > LEVEL
    assert binomtest(held(overconfident), 500, 0.9, alternative="less").pvalue < LEVEL


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "coverage"), [(19, 0.9), (50, 0.9), (20, 0.5), (99, 0.9), (7, 0.75)])
def test_the_order_statistics_cover_what_they_say(n, coverage):
    """Of n + 1 equal draws without ties one is the truth."""
    draw = np.sort(np.random.default_rng(n).normal(size=(4000, n)), axis=1)
    truth = np.random.default_rng(n + 1).normal(size=4000)
    k, attained = ranks(n, coverage)
    assert coverage <= attained + 1e-12 < coverage + 2 / (n + 1)

    def pvalue(low, high):
        return binomtest(int(((low <= truth) & (truth <= high)).sum()), 4000, attained).pvalue

    assert pvalue(draw[:, k - 1], draw[:, n - k]) > LEVEL
    if n < 25:  # wrong twin: the empirical quantiles of the draws
        low, high = np.quantile(draw, [(1 - attained) / 2, (1 + attained) / 2], axis=1)
        assert pvalue(low, high) < LEVEL


def test_a_summary_of_a_few_fills():
    rows = [[{"size": size, "age": age} for size, age in zip("SSMLS", (5, 1, 4, 2, 3), strict=True)]]
    orders = {"age": float}
    found = summarised(rows, [["size", "age"]], orders, {"size": str, "age": str}, 0.5, 5)
    size, age = found
    assert (size.value, size.probability, size.alternatives) == ("S", 0.6, (("S", 0.6), ("M", 0.2), ("L", 0.2)))
    assert (size.low, size.high, size.ordered) == (None, None, False)
    assert (age.value, age.low, age.high, age.ordered) == (3, 1, 5, True)
    assert (found.n, found.coverage, found.attained) == (5, 0.5, pytest.approx(4 / 6))
    assert found.of(0, "age") is age
    table = list(csv.DictReader(io.StringIO(found.csv(["one"]))))
    assert table[1] | {"alternatives": ""} == {
        "row": "one",
        "column": "age",
        "value": "3",
        "probability": "0.2",
        "low": "1",
        "high": "5",
        "alternatives": "",
    }
    assert json.loads(table[0]["alternatives"]) == {"S": 0.6, "M": 0.2, "L": 0.2}
    assert table[0]["low"] == ""
    assert "row 0, size: S 60%, M 20%, L 20%" in str(found)
    assert "row 0, age: 3 [1, 5]" in str(found)


def test_summaries_that_cannot_be():
    with pytest.raises(InputError, match="4 fills are too few for intervals that hold the truth 90% of the time"):
        ranks(4, 0.9)
    with pytest.raises(InputError, match="at least 39"):
        ranks(38, 0.95)
    with pytest.raises(InputError, match="coverage is 1"):
        ranks(100, 1.0)
    with pytest.raises(InputError, match="age of row 0 is empty in some of these"):
        summarised([[{"age": None}] * 5], [["age"]], {"age": float}, {"age": str}, 0.5, 5)
    found = summarised([[{"age": 3, "town": "x"}] * 5], [["age"]], {"age": float}, {"age": str}, 0.5, 5)
    with pytest.raises(InputError, match="town of row 0 was not filled in"):
        found.of(0, "town")
    digits = nk.load("digits")
    with pytest.raises(InputError, match="fills of pictures have no summary"):
        digits.summarise(torch.zeros(1, 20, 1, 8, 8), mask=torch.ones(1, 8, 8))
    with pytest.raises(InputError, match=r"give what model\.fill returned"):
        digits.summarise(torch.zeros(20, 1, 8, 8))
    with pytest.raises(InputError, match="say which cells were filled in"):
        digits.summarise(torch.zeros(1, 20, 1, 8, 8))
