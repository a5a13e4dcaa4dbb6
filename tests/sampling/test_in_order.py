"""The chain rule against an exact model: a table of probabilities of all strings of three tokens in three classes."""

import itertools

import pytest
import torch

from helpers import generator
from noisekernel.core.categories import Categorical
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kernels import CategoricalKernel
from noisekernel.kinds.tokens import Tokens
from noisekernel.networks import CategoricalHead, Denoiser, Transformer
from noisekernel.sampling.in_order import at_random, in_sequence, log_probs, mixture

CLASSES = LENGTH = 3
KERNEL = CategoricalKernel(classes=CLASSES, carry_visible=True)
ALL = torch.tensor(list(itertools.product(range(CLASSES), repeat=LENGTH)))
TABLE = torch.rand(len(ALL), generator=generator(3), dtype=torch.float64) ** 3
TABLE = TABLE / TABLE.sum()
ORDERS = list(itertools.permutations(range(LENGTH)))


def exact(x, beta):
    """p(z | x) of the table: the strings that agree with what is visible, each element's marginal."""
    visible = x != CLASSES
    agree = ((ALL[None] == x[:, None]) | ~visible[:, None]).all(dim=2) * TABLE
    hot = torch.nn.functional.one_hot(ALL, CLASSES).double()
    return Categorical.from_probs(torch.einsum("bs,slk->blk", agree / agree.sum(dim=1, keepdim=True), hot))


def network(classes, seed):
    """A denoiser that was never trained, with weights at random throughout."""
    head = CategoricalHead(classes, None)
    denoiser = Denoiser(Transformer(head.in_channels, head.out_channels, width=16, depth=1, heads=2), head)
    g = generator(seed)
    for weight in denoiser.parameters():
        weight.data = torch.randn(weight.shape, generator=g) * 0.4
    return denoiser


def total(denoiser, z, order, kernel=KERNEL, **options):
    return log_probs(kernel, denoiser, z, torch.tensor(order).expand(len(z), -1), **options).flatten(1).sum(dim=1)


@pytest.mark.parametrize("order", ORDERS)
def test_an_exact_denoiser_gives_the_probability_of_each_string_in_every_order(order):
    torch.testing.assert_close(total(exact, ALL, order).exp().double(), TABLE, rtol=1e-5, atol=1e-8)


def test_all_elements_at_once_is_the_wrong_twin():
    """Elements that are drawn together ignore each other: the same comparison refuses that."""
    x = torch.full_like(ALL, KERNEL.masked)
    assert not torch.allclose(exact(x, 1.0).log_prob(ALL).exp().double(), TABLE, rtol=0.05)


@pytest.mark.parametrize("order", ORDERS)
def test_any_denoiser_has_a_total_probability_of_one(order):
    assert float(total(network(CLASSES, 1), ALL, order).exp().sum()) == pytest.approx(1.0, abs=1e-5)


def test_a_denoiser_that_is_not_exact_differs_from_order_to_order():
    denoiser = network(CLASSES, 1)
    assert not torch.allclose(total(denoiser, ALL, (0, 1, 2)), total(denoiser, ALL, (2, 1, 0)), rtol=0.01)


def test_each_number_stands_at_its_element():
    """The first of an order has its marginal, the last what is left."""
    each = log_probs(KERNEL, exact, ALL, torch.tensor([2, 0, 1]).expand(len(ALL), -1)).exp().double()
    marginal = torch.stack([TABLE[ALL[:, 2] == k].sum() for k in range(CLASSES)])
    torch.testing.assert_close(each[:, 2], marginal[ALL[:, 2]], rtol=1e-5, atol=1e-8)
    pair = torch.stack([TABLE[(ALL[:, 0] == z[0]) & (ALL[:, 2] == z[2])].sum() for z in ALL])
    torch.testing.assert_close(each[:, 1], TABLE / pair, rtol=1e-5, atol=1e-8)


def test_the_level_is_the_share_that_is_masked_and_inputs_are_counted():
    seen = []

    def watched(x, beta):
        seen.append((x, beta))
        return exact(x, beta)

    total(watched, ALL[:5], (1, 0, 2), batch_size=6)
    assert [len(x) for x, _ in seen] == [6, 6, 3]  # two examples of three elements per call
    for x, beta in seen:
        torch.testing.assert_close(beta, (x == KERNEL.masked).float().mean(dim=1))
    assert float(seen[0][1].max()) == 1.0


def test_data_of_any_shape():
    denoiser = network(CLASSES, 2)
    pictures = ALL[:, None, None, :]

    def as_rows(x, beta):
        return Categorical(denoiser(x.flatten(1), beta).table().unflatten(1, (1, 1, LENGTH)))

    found = log_probs(KERNEL, as_rows, pictures, in_sequence(pictures))
    assert found.shape == pictures.shape
    torch.testing.assert_close(found.flatten(1), log_probs(KERNEL, denoiser, ALL, in_sequence(ALL)))


def test_strings_and_their_ends_have_a_total_probability_of_one():
    """Behind an end nothing is drawn: strings in sequence are all that can come out."""
    kind = Tokens(alphabet="ab", length=LENGTH)
    ended = ALL[(kind.decode(ALL) == ALL).all(dim=1)]
    assert len(ended) == 1 + 2 + 4 + 8  # no character, one, two, and three without an end
    denoiser = network(CLASSES, 4)
    found = log_probs(KERNEL, denoiser, ended, in_sequence(ended), known=kind.known)
    assert float(found.sum(dim=1).exp().sum()) == pytest.approx(1.0, abs=1e-5)
    behind = (ended == kind.end).cumsum(dim=1) > 1
    assert bool((found[behind] == 0).all())
    # The twin that draws the places behind the end as well gives strings less than they have.
    assert float(log_probs(KERNEL, denoiser, ended, in_sequence(ended)).sum(dim=1).exp().sum()) < 0.99


def test_orders_at_random_are_orders_and_all_come_up():
    z = torch.zeros(6_000, LENGTH, dtype=torch.int64)
    orders = at_random(z, generator(5))
    assert bool((orders.sort(dim=1).values == in_sequence(z)).all())
    share = torch.stack([(orders == torch.tensor(order)).all(dim=1).float().mean() for order in ORDERS])
    # Five standard deviations of a share of 1/6: less than one run in 100,000 fails by chance.
    assert float((share - 1 / 6).abs().max()) < 5 * (1 / 6 * 5 / 6 / len(z)) ** 0.5


def test_the_mixture_is_a_mean_of_probabilities():
    logs = torch.tensor([[0.1, 0.5], [0.3, 0.5]]).log()
    torch.testing.assert_close(mixture(logs).exp(), torch.tensor([0.2, 0.5]))


def test_orders_that_are_none_are_refused():
    with pytest.raises(ShapeError, match=r"order has shape \(27, 2\)"):
        total(exact, ALL, (0, 1))
    with pytest.raises(InputError, match="each of the elements 0 to 2 once"):
        total(exact, ALL, (0, 1, 1))
