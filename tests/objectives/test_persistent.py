"""Persistent contrast: the stationary vector of a corrected chain, by enumeration; numbers, by their distribution."""

import copy

import pytest
import torch
from scipy import stats

import noisekernel as nk
from helpers import LEVEL, generator
from noisekernel.core.distributions import Delta, Normal
from noisekernel.core.errors import InputError
from noisekernel.networks import Correction, Denoiser, exact_denoiser
from noisekernel.objectives import PersistentContrast, Walkers, persistent_contrast
from noisekernel.objectives.persistent import walked
from noisekernel.sampling.model import PlainModel

P = torch.tensor([0.05, 0.30, 0.10, 0.35, 0.15, 0.05], dtype=torch.float64)  # the data
Q = torch.tensor([0.40, 0.05, 0.20, 0.05, 0.10, 0.20], dtype=torch.float64)  # what the chain has instead
STAYS = 0.7


class Lazy:
    """A kernel of one's own: stays, or jumps to a state drawn from q. Balanced for q, which is not the data's p."""

    rows = STAYS * torch.eye(len(Q), dtype=torch.float64) + (1 - STAYS) * Q

    def transition(self, x):
        return nk.Categorical.from_probs(self.rows[x])


def by_state(table):
    """A table by state."""
    return lambda x, view, beta: table[x]


def stationary(correction):
    """The exact stationary vector of the chain whose steps are accepted by min(1, exp(C(y) - C(x)))."""
    step = Lazy.rows * torch.exp(correction[None, :] - correction[:, None]).clamp(max=1.0)
    step = step - torch.diag(torch.diag(step))
    step = step + torch.diag(1.0 - step.sum(dim=1))
    values, vectors = torch.linalg.eig(step.T)
    vector = vectors[:, values.real.argmax()].real
    return vector / vector.sum()


def off(vector):
    """Total variation from the data."""
    return float(0.5 * (vector - P).abs().sum())


def learned(steps=800, sign=1.0):
    """A table learned from walkers and data; with sign -1 walkers go against what is learned."""
    table = torch.zeros(len(P), dtype=torch.float64, requires_grad=True)
    slow = torch.zeros(len(P), dtype=torch.float64)
    optimiser = torch.optim.Adam([table], 0.05)
    g, walkers = generator(1), Walkers.none(512, torch.zeros(1, dtype=torch.int64))
    for i in range(steps):
        optimiser.param_groups[0]["lr"] = 0.05 * (1 - i / steps)
        x = torch.multinomial(P, 256, replacement=True, generator=g)
        which = torch.randperm(512, generator=g)[:256]
        loss, _ = persistent_contrast(
            *(PlainModel(Lazy()), by_state(table), by_state(sign * slow), walkers),
            *(x, torch.ones(256), which, g),
            steps=4,
            age=100,
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        slow.lerp_(table.detach(), 0.05)
    return slow


def test_the_chain_is_tilted_by_the_correction():
    """q exp(C) / Z, whatever C is."""
    c = torch.randn(len(Q), generator=generator(3), dtype=torch.float64)
    tilted = Q * c.exp()
    torch.testing.assert_close(stationary(c), tilted / tilted.sum())


@pytest.mark.statistical
def test_walkers_walk_by_the_matrix():
    """Frequencies after many steps against the vector of the matrix; without the correction they are q's."""
    c = torch.linspace(-1.0, 1.0, len(Q), dtype=torch.float64)
    n = 20_000
    for follow, expected in ((c, stationary(c)), (torch.zeros_like(c), Q)):
        x, _, _ = walked(
            PlainModel(Lazy()),
            by_state(follow),
            torch.zeros(n, dtype=torch.int64),
            torch.ones(n),
            60,
            0.0,
            generator(2),
        )
        counts = torch.bincount(x, minlength=len(Q))
        assert stats.chisquare(counts, n * expected).pvalue > LEVEL
        assert stats.chisquare(counts, n * stationary(-c)).pvalue < LEVEL


@pytest.mark.training
def test_the_stationary_vector_becomes_the_data():
    assert off(Q) > 0.5
    table = learned()
    assert off(stationary(table)) < 0.03
    truth = torch.log(P / Q)
    torch.testing.assert_close(table - table.mean(), truth - truth.mean(), atol=0.3, rtol=0.0)


@pytest.mark.training
def test_the_wrong_twin_whose_walkers_go_the_other_way():
    assert off(stationary(learned(steps=300, sign=-1.0))) > 0.1


class Wrong(Denoiser):
    """The exact denoiser of N(0, 1), for data that are not. Its chain is balanced for what it knows."""

    def __init__(self, correction):
        super().__init__(torch.nn.Identity(), None, correction)

    def forward(self, x, beta, label=None, told=None):
        return exact_denoiser(x, beta, 0.0, 1.0)


@pytest.mark.statistical
@pytest.mark.training
def test_numbers_come_to_their_distribution():
    """Data N(0.5, 0.7^2) in one dimension, a denoiser for N(0, 1), beta 0.2: states of the corrected chain against the
    law of noised data; those of the chain as it is must fail the same test."""
    kernel, beta = nk.GaussianKernel(0.5), 0.2
    denoiser = Wrong(Correction((1,), channels=1, width=8))
    torch.manual_seed(0)
    for weight in denoiser.correction.body.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    average = copy.deepcopy(denoiser).requires_grad_(False)
    objective = PersistentContrast(walkers=1024, steps=4, age=200, penalty=1e-4)
    objective.begin(denoiser, average)
    optimiser, steps = torch.optim.Adam(denoiser.correction.parameters(), 3e-3), 400
    data = 0.5 + 0.7 * torch.randn(20_000, 1, generator=generator(5))
    for i in range(steps):
        optimiser.param_groups[0]["lr"] = 3e-3 * (1 - i / steps)
        numbers = range(i * 512, (i + 1) * 512)
        loss, info = objective(kernel, denoiser, data[torch.tensor(numbers) % len(data)], nk.Streams.of(0, numbers))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        for slow, fast in zip(average.parameters(), denoiser.parameters(), strict=True):
            slow.data.lerp_(fast.data, 0.05)
    assert {"apart", "accepted", "age"} <= info.seen.keys()
    law = stats.norm(0.8 * 0.5, (0.64 * 0.49 + beta) ** 0.5)
    model = nk.NoiseModel(kernel, denoiser, (1,))
    n = 1_500
    levels = torch.full((n,), beta, dtype=torch.float64)
    for follow, right in ((average.correction, True), (lambda x, view, level: torch.zeros(n), False)):
        start = kernel.noise(data[:n], beta).sample(generator(6))
        with torch.no_grad():
            x, _, accepted = walked(model, follow, start, levels, 60, 0.5, generator(7))
        assert bool(stats.kstest(x[:, 0].numpy(), law.cdf).pvalue > LEVEL) is right
        assert 0.5 < float(accepted.mean()) <= 1.0


def test_walkers_keep_their_levels_and_ages_and_begin_again():
    kernel = nk.GaussianKernel(0.9)
    denoiser = Wrong(Correction((1,), channels=1, low=0.1, high=0.4))
    objective = PersistentContrast(nk.UniformLevels(0.1, 0.4), walkers=64, steps=2, age=1000)
    objective.begin(denoiser, denoiser)
    for i in range(6):
        objective(kernel, denoiser, torch.zeros(32, 1), nk.Streams.of(0, range(i * 32, (i + 1) * 32)))
    walkers = objective.kept.walkers
    assert bool((walkers.age == 6).float().mean() > 0.9)
    before = walkers.beta.clone()
    assert bool(((before >= 0.1) & (before <= 0.4)).all())
    assert len(before.unique()) == 64
    objective(kernel, denoiser, torch.zeros(32, 1), nk.Streams.of(0, range(192, 224)))
    kept = walkers.age[:32] == 8
    assert torch.equal(walkers.beta[:32][kept], before[:32][kept])
    assert torch.equal(walkers.beta[32:], before[32:])
    hasty = PersistentContrast(walkers=64, steps=2, age=2)
    hasty.begin(denoiser, denoiser)
    for i in range(6):
        hasty(kernel, denoiser, torch.zeros(64, 1), nk.Streams.of(0, range(i * 64, (i + 1) * 64)))
    assert bool((hasty.kept.walkers.age == 2).all())  # each begins again each time


def test_c_sees_categories_too():
    kernel = nk.CategoricalKernel(0.9, classes=3)
    head = nk.CategoricalHead(3, None)
    correction = Correction((5,), classes=3, low=0.3, high=0.3)

    class Flat(Denoiser):
        def forward(self, x, beta, label=None, told=None):
            return nk.Categorical.from_logits(torch.zeros(*x.shape, 3))

    denoiser = Flat(torch.nn.Identity(), head, correction)
    objective = PersistentContrast(nk.UniformLevels(0.3, 0.3), walkers=32, steps=2, age=50)
    objective.begin(denoiser, denoiser)
    loss, info = objective(kernel, denoiser, torch.zeros(16, 5, dtype=torch.int64), nk.Streams.of(0, range(16)))
    loss.backward()
    assert float(info.loss.mean()) == pytest.approx(1.3863, abs=1e-3)
    assert any(bool(weight.grad.abs().max() > 0) for weight in correction.parameters())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"walkers": 0}, "walkers is 0"),
        ({"steps": 10, "age": 5}, "begin again after 5"),
        ({"penalty": -1.0}, "penalty is -1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        PersistentContrast(**options)


def test_what_has_no_correction_cannot_learn_one():
    kernel, z = nk.GaussianKernel(0.9), torch.zeros(10, 1)
    plain = Wrong(None)
    with pytest.raises(InputError, match="no correction to learn"):
        PersistentContrast().begin(plain, plain)
    with pytest.raises(InputError, match="call begin"):
        PersistentContrast()(kernel, plain, z, generator())
    denoiser = Wrong(Correction((1,), channels=1))
    objective = PersistentContrast(walkers=64)
    objective.begin(denoiser, denoiser)
    with pytest.raises(InputError, match="64 walkers do not divide into batches of 10"):
        objective(kernel, denoiser, z, generator())
    with pytest.raises(InputError, match="a product over elements"):
        denoiser.correction(z, Delta(z), 0.2)
    assert Normal(z, z).numbers.shape == (10, 1, 1)
