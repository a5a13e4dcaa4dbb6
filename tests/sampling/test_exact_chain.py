"""The exact chain against enumeration: all strings of three tokens in three classes, under a denoiser of no merit."""

import itertools
import math
from functools import partial

import pytest
import torch
from scipy.stats import chisquare

from helpers import LEVEL, generator
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Streams
from noisekernel.kernels import CategoricalKernel, GaussianKernel
from noisekernel.networks import CategoricalHead, Denoiser, Transformer
from noisekernel.networks.exact import exact_denoiser
from noisekernel.sampling import redraws
from noisekernel.sampling.in_order import draw, in_sequence, log_probs
from noisekernel.sampling.model import NoiseModel

CLASSES = LENGTH = 3
KERNEL = CategoricalKernel(classes=CLASSES, carry_visible=True)
ALL = torch.tensor(list(itertools.product(range(CLASSES), repeat=LENGTH)))
#: By the number that the three tokens make.
PLACES = torch.tensor([9, 3, 1])


def untrained():
    """A denoiser with weights at random throughout: its orders disagree."""
    head = CategoricalHead(CLASSES, None)
    denoiser = Denoiser(Transformer(head.in_channels, head.out_channels, width=16, depth=1, heads=2), head)
    g = generator(1)
    for weight in denoiser.parameters():
        weight.data = torch.randn(weight.shape, generator=g) * 0.4
    return denoiser


MODEL = NoiseModel(KERNEL, untrained(), shape=(LENGTH,))


def likelihoods(z, order, hidden=None):
    order = torch.tensor(order).expand(len(z), -1)
    return log_probs(KERNEL, MODEL.denoiser, z, order, hidden=hidden).double().sum(dim=1).exp()


@pytest.fixture(scope="module")
def target():
    """p_s of every string, the first token first."""
    return likelihoods(ALL, range(LENGTH))


def tilt(z):
    """An asymmetric score."""
    return 0.7 * z[:, 0].float() - 0.4 * (z[:, 1] == z[:, 2]).float()


def transitions(size, tilted, corrected=True):
    """The chain as a matrix, by enumeration of what a step can redraw, in which order, and what can come of it."""
    pi = tilted / tilted.sum()
    matrix = torch.zeros(len(ALL), len(ALL), dtype=torch.float64)
    ways = list(itertools.permutations(range(LENGTH), size))
    for way in ways:
        order = (*way, *(i for i in range(LENGTH) if i not in way))
        hidden = torch.zeros(len(ALL), LENGTH, dtype=torch.bool)
        hidden[:, list(way)] = True
        proposed = likelihoods(ALL, order, hidden)  # of the redrawn part of each string, given its rest
        rest = [i for i in range(LENGTH) if i not in way]
        same = (ALL[:, None, rest] == ALL[None, :, rest]).all(dim=2)
        forth = torch.where(same, proposed[None, :], 0.0)
        back = torch.where(same, proposed[:, None], 0.0)
        ratio = torch.where(same, pi[None, :] * back / (pi[:, None] * forth.clamp(min=1e-300)), 0.0)
        matrix += forth * (ratio.clamp(max=1.0) if corrected else 1.0) / len(ways)
    return matrix + torch.diag(1.0 - matrix.sum(dim=1))


def stationary(matrix):
    values, vectors = torch.linalg.eig(matrix.T)
    vector = vectors[:, (values - 1).abs().argmin()].real
    return vector / vector.sum()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_matrix_is_stationary_for_the_likelihood_and_without_acceptance_it_is_not(target, size):
    torch.testing.assert_close(stationary(transitions(size, target)), target, atol=1e-6, rtol=1e-5)
    flow = target[:, None] * transitions(size, target)
    torch.testing.assert_close(flow, flow.T, atol=1e-9, rtol=1e-5)
    off = (stationary(transitions(size, target, corrected=False)) - target).abs().sum() / 2
    assert off > 0.02 or size == 3  # with all redrawn in a random order it is the mixture over orders
    tilted = target * tilt(ALL).double().exp()
    torch.testing.assert_close(stationary(transitions(size, tilted)), tilted / tilted.sum(), atol=1e-6, rtol=1e-5)


@pytest.mark.statistical
@pytest.mark.parametrize("size", [1, 2, 3])
def test_steps_have_the_probabilities_of_the_matrix(target, size):
    """From one string, 20,000 first steps."""
    begin, n = torch.tensor([2, 0, 1]), 20_000
    many = begin.expand(n, -1)
    tilted = target * tilt(ALL).double().exp()
    state = redraws.start(MODEL, many, Streams.of(3, range(n)), tilt)
    moved, info = redraws.step(MODEL, state, size / LENGTH, score=tilt)
    counts = torch.bincount((moved.z * PLACES).sum(dim=1), minlength=len(ALL)).double()
    row = int((begin * PLACES).sum())

    def fits(matrix):
        expected = matrix[row] * n
        there = expected > 1e-9
        assert float(counts[~there].sum()) == 0
        return chisquare(counts[there].numpy(), (expected / expected.sum() * n)[there].numpy()).pvalue > LEVEL

    assert fits(transitions(size, tilted))
    assert not fits(transitions(size, tilted, corrected=False))
    assert bool((moved.z[~info.accepted] == begin).all())
    assert torch.equal(info.changed, (moved.z != begin).any(dim=1))
    torch.testing.assert_close(moved.log_target, redraws.log_target(MODEL, moved.z, tilt))


@pytest.mark.statistical
def test_what_is_drawn_along_an_order_has_the_likelihood_of_that_order():
    n, order = 20_000, torch.tensor([2, 0, 1])
    z = torch.tensor([1, 0, 0]).expand(n, -1)
    hidden = torch.tensor([False, True, True]).expand(n, -1)
    found, log_prob = draw(KERNEL, MODEL.denoiser, z, order.expand(n, -1), hidden, generator(4))
    assert bool((found[:, 0] == 1).all())
    again = log_probs(KERNEL, MODEL.denoiser, found, order.expand(n, -1), hidden=hidden)
    torch.testing.assert_close(log_prob, again.sum(dim=1))
    assert bool((again[:, 0] == 0).all())
    some = ALL[ALL[:, 0] == 1]
    counts = torch.bincount((found * PLACES).sum(dim=1) - 9, minlength=9).double()

    def fits(order):
        expected = likelihoods(some, order, torch.tensor([False, True, True]).expand(9, -1)) * n
        return chisquare(counts.numpy(), (expected / expected.sum() * n).numpy()).pvalue > LEVEL

    assert fits((2, 0, 1))
    assert not fits((1, 0, 2))


def test_examples_that_hide_more_or_nothing_share_a_batch():
    z = torch.tensor([[0, 1, 2], [2, 2, 1], [1, 0, 0]])
    hidden = torch.tensor([[True, True, True], [False, True, False], [False, False, False]])
    calls = []

    def watched(x, beta):
        calls.append((x, beta))
        return MODEL.denoiser(x, beta)

    found, log_prob = draw(KERNEL, watched, z, in_sequence(z), hidden, Streams.of(0, range(3)))
    assert len(calls) == 3
    assert torch.equal(found[~hidden], z[~hidden])
    assert float(log_prob[2]) == 0.0
    for x, beta in calls:
        share = (x == KERNEL.masked).float().mean(dim=1)
        torch.testing.assert_close(beta[share > 0], share[share > 0])
    alone, _ = draw(KERNEL, MODEL.denoiser, z[1:2], in_sequence(z[:1]), hidden[1:2], Streams.of(0, [1]))
    assert torch.equal(alone[0], found[1])  # in its own stream, whatever else is in the batch


def test_a_step_redraws_the_share_and_only_what_may_change():
    z = torch.zeros(500, 10, dtype=torch.int64)
    model = NoiseModel(KERNEL, MODEL.denoiser, shape=(10,))
    may = (torch.arange(10) < 6).expand(500, -1)
    chosen, order = redraws.redrawn(model, z, 0.5, may, Streams.of(0, range(500)))
    assert bool((chosen.sum(dim=1) == 3).all())
    assert not bool(chosen[:, 6:].any())
    assert bool((order.sort(dim=1).values == torch.arange(10)).all())
    # Each comes first, and is chosen, equally often: five standard deviations.
    for share, expected in ((chosen[:, :6].float().mean(dim=0), 0.5), (torch.bincount(order[:, 0]) / 500, 1 / 6)):
        assert float((share - expected).abs().max()) < 5 * math.sqrt(expected * (1 - expected) / 500)
    least, _ = redraws.redrawn(model, z, 0.01, None, Streams.of(0, range(500)))
    assert bool((least.sum(dim=1) == 1).all())


def test_numbers_have_no_such_chain():
    model = NoiseModel(GaussianKernel(), partial(exact_denoiser, mean=0.0, variance=1.0), shape=(2,))
    with pytest.raises(InputError, match="for data in categories"):
        redraws.start(model, torch.zeros(1, 2), Streams.of(0, range(1)))
