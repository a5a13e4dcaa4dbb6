"""Numbers of a table as numbers: scores and often values, there and back; and one setting that trains on them."""

import math

import numpy as np
import pandas
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, norm

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.core.errors import InputError
from noisekernel.kinds.checking import CHECKS, Case
from noisekernel.kinds.tables import Tables
from noisekernel.kinds.tables.scored import FEW, KEPT, OFTEN, scored
from noisekernel.models import check_model
from noisekernel.models.export import export
from noisekernel.recipes import recipe
from noisekernel.sampling.in_order import in_sequence

finite = st.floats(-1e6, 1e6, allow_nan=False)


def people(n=600, seed=0):
    """Pay that depends on the town, hours that are 40 every other time, and cells in which nothing stands."""
    draw = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        town = ["Bonn", "Ulm", "Wien"][draw.integers(3)]
        pay = round(float({"Bonn": 1000, "Ulm": 2000, "Wien": 4000}[town] * math.exp(0.1 * draw.normal())), 2)
        rows.append(
            {
                "town": town,
                "pay": None if draw.random() < 0.1 else pay,
                "hours": 40 if draw.random() < 0.5 else int(draw.integers(10, 70)),
                "since": f"20{10 + i % 9}-0{1 + i % 8}-1{i % 9}",
            }
        )
    return rows


def kind_of(rows):
    loaded, kind = nk.data.load_data(rows, Tables(numbers="continuous"))
    return kind, loaded.values


BAD = [{"town": "Bonn"}, {**people(1)[0], "town": "Paris"}, {**people(1)[0], "hours": "many"}, "word", [1, 2]]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_a_kind_is_kept(check):
    rows = people(60)
    check(Case(kind_of(rows)[0], rows, BAD, "Ulm, 2000, 40, 2012-03-12", "hours,pay"))


# There and back -------------------------------------------------------------------------------------------------------


@given(values=st.lists(finite, min_size=1, max_size=300))
def test_scores_are_in_order_and_those_of_the_shares_below(values):
    column = np.array(values)
    found = scored(column)
    assert list(found.values) == sorted(set(values))
    assert all(a < b for a, b in zip(found.scores, found.scores[1:], strict=False))
    for value, score in zip(found.values, found.scores, strict=True):
        share = (column < value).mean() + 0.5 * (column == value).mean()
        assert norm.cdf(score) == pytest.approx(share, abs=1e-9)
    few = len(found.values) <= FEW
    expected = [i for i, value in enumerate(found.values) if few or (column == value).mean() >= OFTEN - 1e-12]
    assert list(found.often) == expected


@pytest.mark.statistical
def test_scores_of_a_density_are_normal_and_its_values_are_not():
    values = np.exp(np.random.default_rng(0).normal(size=5000))
    scores = np.array(scored(values).scores)
    assert kstest(scores, "norm").pvalue > LEVEL
    assert kstest((values - values.mean()) / values.std(), "norm").pvalue < LEVEL


def test_of_very_many_values_those_at_quantiles_are_kept_and_often_ones():
    draw = np.random.default_rng(0)
    column = np.concatenate((draw.normal(size=20_000), np.full(2000, 0.125)))
    found = scored(column)
    assert KEPT / 2 < len(found.values) <= KEPT + 3
    assert [found.values[i] for i in found.often] == [0.125]
    assert (found.values[0], found.values[-1]) == (column.min(), column.max())
    gaps = np.diff(norm.cdf(found.scores))
    assert gaps.max() < 0.1  # that beside the often value
    assert np.sort(gaps)[-3] < 3 / KEPT


def test_rows_come_back_as_they_were():
    rows = people()
    kind, values = kind_of(rows)
    z = kind.encode(values)
    assert z.dtype == torch.float32
    assert kind.drawn(kind.decode(z)) == rows
    assert kind.counts == (3, 2, 2, kind.columns[3].count, 0, 0, 0)
    assert (kind.classes, kind.uniform, kind.made_of) == (None, 0, "both")
    names = list(kind.names)
    hours = kind.columns[names.index("hours")]
    assert [hours.values[i] for i in hours.often] == [40.0]
    place = names.index("hours")
    assert torch.equal(z[:, place] == 0, torch.tensor([row["hours"] == 40 for row in rows]))
    empty = torch.tensor([row["pay"] is None for row in rows])
    assert torch.equal(z[:, 1] == 1, empty)
    assert bool((z[empty, 4] == 0).all())


def test_a_score_beside_a_value_is_that_value_and_no_often_one():
    rows = people()
    kind, values = kind_of(rows)
    z = kind.encode(values)
    nudged = z.clone()
    nudged[:, 4:] += 1e-4 * torch.randn(nudged[:, 4:].shape, generator=generator())
    assert kind.drawn(kind.decode(nudged)) == rows
    other = z.clone()
    other[:, 2], other[:, 5] = 1, scored(np.array([float(row["hours"]) for row in rows])).scores[30]
    assert all(row["hours"] != 40 for row in kind.drawn(kind.decode(other)))


def test_numbers_that_have_not_changed_keep_their_last_digit():
    rows = people()
    kind, _ = kind_of(rows)
    given_ = torch.from_numpy(np.stack([kind.store({**rows[0], "pay": 2000.123456}).values]))
    back = kind.decode(kind.encode(given_))
    assert kind.drawn(back)[0]["pay"] != 2000.123456
    assert kind.drawn(kind.kept(back, given_))[0]["pay"] == 2000.123456
    hidden = kind.mask_of(["pay"])[None]
    assert kind.drawn(kind.kept(back, given_, hidden))[0]["pay"] != 2000.123456


def test_what_is_open_is_told_and_a_score_of_minus_one_is_none():
    kind, values = kind_of(people())
    z = kind.encode(values)
    z[:, 5] = -1.0
    kind.check_whole(z)
    z[3, 2] = -1.0
    with pytest.raises(InputError, match="row 4: the cell of hours is empty"):
        kind.check_whole(z)
    assert kind.holes(z)[3].tolist() == [False, bool(z[3, 1] == 1), True, False, bool(z[3, 1] == 1), True, False]


# The setting ----------------------------------------------------------------------------------------------------------


def test_one_setting_chooses_kernel_and_head():
    mixed, bins = recipe("tables", ["data.numbers=continuous"]), recipe("tables")
    assert (mixed.kernel.kind, mixed.head.kind, mixed.kernel.carry_visible) == ("product", "product", True)
    assert (bins.kernel.kind, bins.head.kind) == ("categorical", "columns")
    back = recipe(mixed.model_dump(), ["data.numbers=bins"])
    assert (back.kernel, back.head, back.objective) == (bins.kernel, bins.head, bins.objective)
    assert (mixed.objective.kind, mixed.objective.lag) == ("kl", 0.0)
    same = recipe("tables", ["data.numbers=bins", "objective.kind=any-order"])
    assert (same.kernel, same.objective.kind) == (bins.kernel, "any-order")
    other = recipe("tables", ["data.numbers=continuous", "kernel.lag=0.8"])
    assert (other.kernel.kind, other.kernel.lag) == ("product", 0.8)
    with pytest.raises(InputError, match="these data take the kernel product, and one of the heads product"):
        recipe("tables", ["data.numbers=continuous", "kernel.kind=categorical"])
    with pytest.raises(InputError, match="any-order likelihood is for categories"):
        recipe("tables", ["data.numbers=continuous", "objective.kind=any-order"])
    with pytest.raises(InputError, match=r"data\.numbers.*(bins|continuous)"):
        recipe("tables", ["data.numbers=exact"])


def test_a_model_that_was_put_together_by_hand_is_saved_with_its_kind(tmp_path):
    kind, values = kind_of(people(60))
    z = kind.encode(values)
    head = nk.networks.ProductHead.of(z, kind.counts, kind.ordered)
    network = nk.networks.ColumnsTransformer(
        head.in_channels, head.out_channels, head.learned, head.in_order, width=16, depth=1, heads=2
    )
    by_hand = nk.NoiseModel(nk.ProductKernel(0.9, counts=kind.counts), nk.Denoiser(network, head), kind.shape)
    again = nk.load(nk.save(by_hand, tmp_path, kind=kind))
    assert again.kernel == by_hand.kernel
    torch.testing.assert_close(again.denoiser(z, 0.3).mean, by_hand.denoiser(z, 0.3).mean)
    other, _ = kind_of([{**row, "town": "Rom"} if i == 0 else row for i, row in enumerate(people(60))])
    with pytest.raises(InputError, match=r"counts is .*, and the columns of the data are"):
        nk.save(by_hand, tmp_path / "other", kind=other)


def test_a_table_without_numbers_is_told():
    with pytest.raises(InputError, match=r"leave out data\.numbers"):
        kind_of([{"a": "xy"[i % 2], "b": "uvw"[i % 3]} for i in range(30)])


SMALL = {
    "data.numbers": "continuous",
    "training.batch": 64,
    "training.warmup": 1000,
    "training.rate": 4e-3,
    "network.width": 32,
    "network.depth": 2,
    "network.heads": 2,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that was trained for some seconds, saved and loaded."""
    folder = tmp_path_factory.mktemp("numbers")
    pandas.DataFrame(people(2000)).to_csv(folder / "people.csv", index=False)
    made = nk.fit(
        folder / "people.csv",
        settings={**SMALL, "training.images": 60_000},
        seed=1,
        calibrate=False,
        progress=False,
    )
    made.save(folder / "people.safetensors")
    return nk.load(folder / "people.safetensors")


@pytest.mark.training
def test_defaults_train_and_the_model_does_everything():
    rows = people(64)
    settings = {**SMALL, "training.images": 256, "training.batch": 32}
    made = nk.fit(rows, settings=settings, progress=False)
    assert made.kind == kind_of(rows)[0].bare
    check_model(made, rows)
    judged = nk.measure(made, rows, n=20, steps=2)
    assert judged.how["kind"] == "rows"


@pytest.mark.training
@pytest.mark.statistical
def test_new_rows_are_like_those_of_the_data(model):
    real, new = (pandas.DataFrame(each) for each in (people(2000, seed=5), model.draw(model.sample(2000, seed=2))))
    for name in ("town", "hours"):
        shares = (frame[name].value_counts(normalize=True) for frame in (real, new))
        assert next(shares).sub(next(shares), fill_value=0).abs().max() < 0.06
    assert abs(new["pay"].isna().mean() - real["pay"].isna().mean()) < 0.04
    assert set(new["pay"].dropna()) <= {row["pay"] for row in people(2000)}
    for town, own in real.groupby("town"):
        there = new[new["town"] == town]["pay"].dropna()
        assert abs(there.median() / own["pay"].median() - 1) < 0.05
        spread = np.log(there).std()
        assert spread < 0.35  # of all towns together it is 0.57


@pytest.mark.training
def test_fills_go_with_what_is_pinned(model):
    for town, pay in (("Bonn", 1000), ("Wien", 4000)):
        one = {"town": town, "pay": None, "hours": 40, "since": None}
        filled = model.draw(model.fill(one, n=60), of=one)
        assert {row["town"] for row in filled} == {town}
        assert {row["hours"] for row in filled} == {40}
        assert all(row["pay"] is not None for row in filled)
        assert float(np.median([row["pay"] for row in filled])) == pytest.approx(pay, rel=0.15)
        one = {"town": None, "pay": pay * 1.01, "hours": None, "since": "2012-03-12"}
        filled = model.draw(model.fill(one, n=60), of=one)
        assert {row["pay"] for row in filled} == {pay * 1.01}
        assert sum(row["town"] == town for row in filled) > 50
    summary = model.summarise(model.fill(one, n=39), of=one)
    assert summary.of(0, "hours").low <= 40 <= summary.of(0, "hours").high


@pytest.mark.training
def test_variants_walks_and_noisy_states(model):
    rows = people(20, seed=9)
    z = model.read([{**row, "pay": row["pay"] or 1000.0} for row in rows])
    varied = model.vary(z, 3, below=0.2, steps=20)
    assert varied.shape == (20, 3, 7)
    assert len(model.draw(varied)) == 60
    x = model.kernel.noise(z, 0.6).sample(generator())
    shown = model.kind.show_state(x)
    masked = x[0, :4] == model.kernel.masked
    assert shown[0].text.count("?") == int(masked.sum())
    page = model.kind.on_page.noisy(x)
    assert [cell is None for cell in page[0]] == masked.tolist()


@pytest.mark.training
def test_other_programs_get_all_that_r_says(model, tmp_path):
    path = model.save(tmp_path / "people.safetensors")
    told = export(path, tmp_path / "people.pt2")
    assert told["outputs"] == "mean, variance, log_probs"


@pytest.mark.training
def test_what_such_a_model_cannot_do_is_said(model):
    rows = people(3)
    whole = [{**row, "pay": row["pay"] or 1000.0} for row in rows]
    with pytest.raises(InputError, match="have no probability by the chain rule"):
        model.log_prob(whole)
    with pytest.raises(InputError, match="for data in categories"):
        model.redraw(whole)
    with pytest.raises(InputError, match="take the sampler stochastic"):
        model.sample(3, sampler="paper")
    assert in_sequence(model.read(whole)).shape == (3, 7)
