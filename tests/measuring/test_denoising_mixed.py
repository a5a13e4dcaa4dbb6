"""The denoising curve of mixed rows: its bits are those of the data, by quadrature; and a worse denoiser has more."""

import math

import pytest
import torch

import noisekernel as nk
from mixed_rows import COIN, COUNTS, VARIANCES, WEIGHTS, apart, rows, truth
from noisekernel.kernels.product import FLOOR
from noisekernel.measuring import curve_of, yardstick

pytestmark = pytest.mark.statistical


def information():
    """The bits of a row, its number up to noise at the level FLOOR: H(class) + H(coin) + I(number; noisy | class)."""
    classes = -float((WEIGHTS * WEIGHTS.log()).sum() + (COIN * COIN.log()).sum())
    numbers = 0.5 * float((WEIGHTS * torch.log1p((1 - FLOOR) ** 2 / FLOOR * VARIANCES)).sum())
    return (classes + numbers) / math.log(2.0)


def test_the_bits_of_the_truth_are_the_information_of_the_row():
    kernel, z = nk.ProductKernel(counts=COUNTS), rows(4000)
    best, none = (curve_of(kernel, each, z, batch_size=4000) for each in (truth, apart))
    expected = information() / len(COUNTS)
    # Gauss and Legendre in 12 nodes; the rest is the draw of the rows.
    assert best.bits.value == pytest.approx(expected, rel=0.02)
    assert best.bits.low - 0.02 * expected < expected < best.bits.high + 0.02 * expected
    more = none.more_than(best)
    assert more.low > 0.1
    # Without the dependence the class and the number are sent twice: that is their mutual information.
    simple = curve_of(kernel, yardstick(kernel).simple(z), z, batch_size=4000)
    assert simple.bits.low > none.bits.high


def test_a_network_that_knows_nothing_has_the_bits_of_each_column_alone():
    """Normal numbers of variance 1 and even classes: the simple denoiser is the truth, and the same at every level."""
    counts, n = (0, 4), 4000
    g = torch.Generator().manual_seed(0)
    z = torch.stack((torch.randn(n, generator=g), torch.randint(4, (n,), generator=g).float()), dim=1)
    kernel = nk.ProductKernel(counts=counts)
    curve = curve_of(kernel, yardstick(kernel).simple(z), z, few=True, batch_size=n)
    expected = (2.0 + 0.5 * math.log2(1 + (1 - FLOOR) ** 2 / FLOOR)) / 2
    for error in curve.errors:
        assert error == pytest.approx(expected, rel=0.05)
    assert curve.bits.value == pytest.approx(expected, rel=0.02)
