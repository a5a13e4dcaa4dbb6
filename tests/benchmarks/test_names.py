"""The comparison on names is one: the rival is causal and its likelihood exact, the split is fixed, the time equal."""

import itertools

import pytest
import torch

import names
from lab.causal import Causal, Rival, nats
from noisekernel.recipes.training import TrainingSettings

CLASSES, LENGTH, END = 3, 3, 2


def shaken(seed=0):
    torch.manual_seed(seed)
    network = Causal(CLASSES, LENGTH, width=8, depth=1, heads=2)
    for weight in network.parameters():
        weight.data = 0.5 * torch.randn_like(weight)
    return network


def test_the_rival_sees_only_what_stands_before():
    network, z = shaken(), torch.tensor([[0, 1, 0], [0, 0, 1]])
    one, other = network(z)
    torch.testing.assert_close(one[:2], other[:2])  # they differ from the second token on, which the third place sees
    assert (one[2] - other[2]).abs().max() > 1e-3


def test_the_rivals_strings_have_a_total_probability_of_one():
    rows = torch.tensor(list(itertools.product(range(CLASSES), repeat=LENGTH)))
    strings = rows[(((rows == END).cumsum(dim=1) == 0) | (rows == END)).all(dim=1)]
    assert len(strings) == 1 + 2 + 4 + 8
    assert float(torch.exp(-nats(shaken(), strings, END).sum(dim=1)).sum().detach()) == pytest.approx(1.0, abs=1e-5)


def test_the_rival_trains_for_its_seconds_and_learns():
    torch.manual_seed(0)
    z = torch.tensor([[0, 1, END], [0, END, END]] * 8)
    rival = Rival(z, END, Causal(CLASSES, LENGTH, 8, 1, 2), TrainingSettings(images=2_000, batch=8, rate=0.02), 0)
    before = rival.nats_per_character(z)
    rival.train(0.2, 0.0, 0.5)
    spent = rival.seconds
    rival.train(spent, 0.5, 0.6)  # it has had them
    assert rival.seconds == spent >= 0.2
    assert rival.nats_per_character(z) < before
    assert rival.sample(5, torch.Generator().manual_seed(0)).shape == (5, LENGTH)


def test_the_split_is_fixed_and_leaves_nothing_out():
    all_names = [f"name{i}" for i in range(100)]
    parts = names.split(all_names)
    assert [len(part) for part in parts] == [80, 10, 10]
    assert sorted(itertools.chain(*parts)) == sorted(all_names)
    assert parts == names.split(all_names)


def test_lengths_are_shares():
    torch.testing.assert_close(names.lengths(["a", "bc", "de", ""], 3), torch.tensor([0.25, 0.25, 0.5, 0.0]))
