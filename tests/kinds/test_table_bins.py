"""Numbers as bins and places: values come back, frequent ones stand alone, and draws follow the data."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, kstwo

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.kinds.tables import Tables
from noisekernel.kinds.tables.bins import PLACES, binned, nearest
from noisekernel.kinds.tables.column import Column, bits_of, value_of
from noisekernel.networks import ColumnsHead

finite = st.floats(-1e12, 1e12)


@given(values=st.lists(finite, min_size=1, max_size=300), most=st.integers(1, 80))
def test_places_are_in_order_and_every_bin_has_them_all(values, most):
    atoms, starts = binned(np.array(values), most)
    assert set(atoms) <= set(values)
    assert bool((np.diff(atoms) > 0).all())
    assert bool((np.diff(starts) > 0).all())
    bins = starts // PLACES
    assert starts[0] == 0
    assert sorted(set(bins.tolist())) == list(range(bins[-1] + 1))
    # The first value of each bin begins with the bin's first place.
    assert all(starts[bins == bin_][0] == bin_ * PLACES for bin_ in range(bins[-1] + 1))
    if len(set(values)) <= most:
        assert bins.tolist() == list(range(len(set(values))))
    # About as many bins as were asked for: a frequent value may part those beside it.
    assert bins[-1] + 1 <= 2 * most + 1


@given(seed=st.integers(0, 100), n=st.integers(2, 3000), most=st.integers(2, 64))
def test_the_shares_of_bins_and_of_values_are_those_of_the_data(seed, n, most):
    draw = np.random.default_rng(seed)
    values = np.where(draw.random(n) < 0.6, 0.0, np.round(draw.lognormal(5, 1, n)))
    atoms, starts = binned(values, most)
    bins = starts // PLACES
    counts = np.array([(values == atom).sum() for atom in atoms])
    ends = np.append(starts[1:], (bins[-1] + 1) * PLACES)
    for bin_ in range(bins[-1] + 1):
        own = bins == bin_
        places = np.minimum(ends[own], (bin_ + 1) * PLACES) - starts[own]
        assert places.sum() == PLACES
        if own.sum() < PLACES and counts[own].sum() > 0:
            share = counts[own] / counts[own].sum()
            # Each value has at least one place, so a rare one may take a few from the others.
            assert np.abs(places / PLACES - share).max() <= (own.sum() + 1) / PLACES


def test_a_frequent_value_has_a_bin_of_its_own():
    draw = np.random.default_rng(0)
    gain = np.where(draw.random(20_000) < 0.92, 0.0, draw.integers(100, 100_000, 20_000))
    atoms, starts = binned(gain, 64)
    assert atoms[0] == 0.0
    assert (starts // PLACES == 0).sum() == 1
    rest = np.bincount(np.searchsorted(atoms, gain[gain > 0], side="right"))
    assert 60 <= starts[-1] // PLACES + 1 <= 66
    assert rest.max() < 0.05 * (gain > 0).sum()


def test_the_nearest_value():
    assert [nearest((1.0, 2.0, 4.0), value) for value in (-9, 1.4, 1.6, 2.9, 3.1, 9)] == [0, 0, 1, 1, 2, 2]


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_bits_keep_a_number_to_its_last_digit(value):
    assert value_of(bits_of(value)) == value
    assert str(value_of(bits_of(value))) == str(value)


def hours():
    """Working hours as a census has them: 40 in nearly half of the rows, and other round numbers often."""
    draw = np.random.default_rng(1)
    other = np.round(draw.normal(38, 13, 20_000)).clip(1, 99)
    pay = np.round(draw.lognormal(10, 1, 20_000), 2)
    return np.where(draw.random(20_000) < 0.45, 40.0, other), pay


def column_of(values, name="x"):
    kind, _ = Tables().fitted(rows_of(values, name))
    return kind


def rows_of(values, name="x"):
    frame = {name: list(values), "other": ["a", "b"] * (len(values) // 2)}
    return nk.data.open_source([dict(zip(frame, cells, strict=True)) for cells in zip(*frame.values(), strict=True)])


def drawn(kind, values, n, seed):
    """Numbers that the chain draws where the classes have the shares that they have in the data."""
    stored = torch.from_numpy(np.stack([kind.store({"x": v, "other": "a"}).values for v in values]))
    head = ColumnsHead(kind.counts, kind.uniform)
    own = torch.stack([torch.bincount(stored[:, i], minlength=head.classes) for i in range(2)], dim=-1)
    features = (own.double() / len(values)).clamp(min=1e-12).log().float()
    model = nk.NoiseModel(
        nk.CategoricalKernel(classes=head.classes, carry_visible=True),
        lambda x, beta: head.decode(features.expand(len(x), -1, -1), x, beta),
        kind.shape,
    )
    z = nk.synthesize(model, n, steps=6, seed=seed)
    return np.array([row["x"] for row in kind.drawn(kind.decode(z))])


def smeared(kind, numbers, seed):
    """The wrong twin: uniform between the ends of the bin, as a quantile transform does it."""
    column, draw = kind.columns[0], np.random.default_rng(seed)
    ends = [value for value, start in zip(column.values, column.starts, strict=True) if start % PLACES == 0]
    at = np.searchsorted(ends, numbers, side="right") - 1
    high = np.append(ends[1:], column.values[-1])
    return draw.uniform(np.array(ends)[at], np.maximum(high[at], np.array(ends)[at] + 1e-9))


def distance(numbers, values):
    """The probability of so large a distance between the two distribution functions, if they are one (Kolmogorov).

    With ties the test keeps its level: a distance as large is then less probable than the figure says.
    """
    order = np.sort(values)

    def below(x):
        return np.searchsorted(order, x, side="right") / len(order)

    at = np.unique(np.concatenate((numbers, values)))
    own = np.searchsorted(np.sort(numbers), at, side="right") / len(numbers)
    return float(kstwo.sf(np.abs(own - below(at)).max(), len(numbers)))


@pytest.mark.statistical
@pytest.mark.parametrize("which", [0, 1], ids=["hours", "pay"])
def test_draws_follow_the_data(which):
    values = hours()[which]
    kind = column_of(values)
    numbers = drawn(kind, values[:5000], 4000, seed=2)
    assert set(numbers) <= set(values)
    assert distance(numbers, values[:5000]) > LEVEL
    if which == 0:  # smearing ties is wrong where there are any
        assert distance(smeared(kind, numbers, 3), values[:5000]) < LEVEL


@pytest.mark.statistical
def test_within_a_bin_places_draw_the_values_as_often_as_they_come_up():
    values = np.repeat([1.0, 2.0, 3.0, 4.0], [400, 100, 300, 200])
    atoms, starts = binned(values, 1)
    place = torch.randint(PLACES, (4000,), generator=generator(5)).numpy()
    found = atoms[np.searchsorted(starts, place, side="right") - 1]
    assert distance(found, values) > LEVEL
    assert distance(np.random.default_rng(0).choice(atoms, 4000), values) < LEVEL  # each as often: the wrong twin
    assert kstest(place / PLACES + np.random.default_rng(1).random(4000) / PLACES, "uniform").pvalue > LEVEL


def test_a_column_needs_its_parts():
    with pytest.raises(ValueError, match="needs categories, or as many starts or scores as values"):
        Column(name="x", type="integer", values=(1.0,), starts=())
