"""The head of mixed rows: numbers as preconditioned features, categories in one-hot, and only classes that exist."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.kernels.product import number_level
from noisekernel.networks import ColumnsTransformer, ProductHead
from noisekernel.networks.exact import exact_denoiser
from noisekernel.networks.product_head import PLACES, WIDTH

COUNTS = (3, 0, 2, 0)
HEAD = ProductHead(COUNTS, ordered=(3, 0, 0, 0), means=(5.0, -1.0), variances=(4.0, 0.25))


def data(n=400):
    g = generator(3)
    classes = [torch.randint(k, (n,), generator=g).float() for k in (3, 2)]
    numbers = [5.0 + 2.0 * torch.randn(n, generator=g), -1.0 + 0.5 * torch.randn(n, generator=g)]
    return torch.stack((classes[0], numbers[0], classes[1], numbers[1]), dim=1)


class Fixed(nn.Module):
    """A backbone that returns the same features everywhere, and keeps what it was shown."""

    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, h, level, label=None):
        self.seen = h
        return torch.full((len(h), HEAD.out_channels, len(COUNTS)), self.value)


@pytest.mark.parametrize("beta", [0.01, 0.3, 0.9, 1.0])
def test_numbers_are_seen_with_a_mean_of_0_and_a_variance_of_1_and_classes_in_one_hot(beta):
    kernel, z = nk.ProductKernel(counts=COUNTS), data(50_000)
    x = kernel.noise(z, beta).sample(generator(1))
    h, told = HEAD.encode(x, torch.full((len(x),), beta, dtype=torch.float64))
    assert h.shape == (len(x), HEAD.in_channels, 4)
    for column in (1, 3):
        u = h[:, PLACES, column]
        assert (float(u.mean()), float(u.std())) == (pytest.approx(0.0, abs=0.03), pytest.approx(1.0, abs=0.03))
        near = h[:, :PLACES, column]
        torch.testing.assert_close(near.sum(dim=1), torch.ones(len(x)))
        line = torch.linspace(-3.0, 3.0, PLACES)
        torch.testing.assert_close(near @ line, u.clamp(-3.0, 3.0), atol=1e-4, rtol=1e-4)  # where it is can be read off
        assert bool((h[:, WIDTH:, column] == 0).all())
    for column, k in ((0, 3), (2, 2)):
        assert bool((h[:, :, column].sum(dim=1) == 1).all())
        assert torch.equal(h[:, -1, column] == 1, x[:, column] == kernel.masked)
        for each in range(k):
            assert torch.equal(h[:, each, column] == 1, x[:, column] == each)
    assert torch.equal(told, torch.full((len(x),), beta, dtype=torch.float64))


@given(beta=st.floats(1e-3, 1.0))
def test_a_network_of_zeros_is_the_best_linear_denoiser_of_each_column(beta):
    x = nk.ProductKernel(counts=COUNTS).noise(data(6), 0.5).sample(generator(1))
    r = nk.Denoiser(Fixed(0.0), HEAD)(x, beta)
    g = number_level(torch.tensor(beta, dtype=torch.float64))
    for place, (column, mean, variance) in enumerate(((1, 5.0, 4.0), (3, -1.0, 0.25))):
        exact = exact_denoiser(x[:, column : column + 1], g, mean, variance)
        torch.testing.assert_close(r.normal.loc[:, place : place + 1], exact.loc)
        torch.testing.assert_close(r.normal.variance[:, place : place + 1], exact.variance)
    third, half = torch.full((6, 3), 1 / 3), torch.tensor([0.5, 0.5, 0.0]).expand(6, 3)
    torch.testing.assert_close(r.categories.probs, torch.stack((third, half), dim=1))


def test_the_chain_draws_only_classes_that_a_column_has():
    model = nk.NoiseModel(nk.ProductKernel(counts=COUNTS), nk.Denoiser(Fixed(1.0), HEAD), (4,))
    z = nk.synthesize(model, 2000, steps=5)
    assert z[:, 0].unique().tolist() == [0.0, 1.0, 2.0]
    assert z[:, 2].unique().tolist() == [0.0, 1.0]


def test_of_measures_each_column():
    head = ProductHead.of(data(20_000), COUNTS)
    assert head.means == (pytest.approx(5.0, abs=0.06), pytest.approx(-1.0, abs=0.02))
    assert head.variances == (pytest.approx(4.0, rel=0.05), pytest.approx(0.25, rel=0.05))
    with pytest.raises(InputError, match="one and the same value"):
        ProductHead.of(torch.zeros(5, 4), COUNTS)


def test_one_network_of_columns_takes_both_sorts():
    network = ColumnsTransformer(
        HEAD.in_channels, HEAD.out_channels, HEAD.learned, HEAD.in_order, width=16, depth=1, heads=2
    )
    assert HEAD.learned == (3, WIDTH, 2, WIDTH)
    assert HEAD.in_order == (3, 0, 0, 0)
    denoiser = nk.Denoiser(network, HEAD)
    nn.init.normal_(network.weights.weight)
    x = data(3)
    moved = x.clone()
    moved[:, 1] += 1.0
    before, after = denoiser(x, 0.5), denoiser(moved, 0.5)
    assert not torch.equal(before.categories.log_probs, after.categories.log_probs)  # each column sees the others
    assert not torch.equal(before.normal.loc[:, 1], after.normal.loc[:, 1])


def test_mistakes():
    for counts in ((2, 3), (0,), (0, -1, 2)):
        with pytest.raises(InputError, match="at least one of each"):
            ProductHead(counts)
    with pytest.raises(InputError, match="means has 1 numbers, and there are 2"):
        ProductHead(COUNTS, means=(0.0,))
    with pytest.raises(InputError, match="at most as many classes"):
        ProductHead(COUNTS, ordered=(4, 0, 0, 0))
    with pytest.raises(InputError, match="variances is 0"):
        ProductHead(COUNTS, variances=(0.0, 1.0))
    with pytest.raises(ShapeError, match="made for 4 columns"):
        HEAD.encode(torch.zeros(2, 3), torch.ones(2))
    with pytest.raises(InputError, match=r"0\.5 in a column of categories"):
        HEAD.encode(torch.tensor([[0.5, 0.0, 0.0, 0.0]]), torch.ones(1))
