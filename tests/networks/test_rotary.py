"""The rotary transformer: what it says depends on distances and on the beat, and not on where things stand."""

import pytest
import torch

from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks import RotaryTransformer
from noisekernel.networks.rotary import angles, turned


def network(period=4):
    torch.manual_seed(0)
    net = RotaryTransformer(3, 2, width=32, depth=2, heads=2, period=period, classes=3, told=2).eval()
    for weight in (net.outlet.weight, net.outlet.bias):
        torch.nn.init.normal_(weight, std=0.5)
    return net


def test_products_of_turned_features_depend_on_the_distance():
    g = generator(1)
    q, k = torch.randn(8, generator=g), torch.randn(8, generator=g)
    cos, sin = angles(40, 8, torch.device("cpu"))
    products = turned(q.expand(40, 8), cos, sin) @ turned(k.expand(40, 8), cos, sin).T
    for apart in (-7, 0, 3):
        diagonal = products.diagonal(apart)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), rtol=1e-4, atol=1e-4)
    assert products.diagonal(0)[0] != pytest.approx(float(products.diagonal(3)[0]), abs=1e-3)


def test_a_shift_by_whole_beats_shifts_the_answer():
    """Zeros all around, so that what stands at the ends is the same: up to the ends, the answer moves along."""
    net, level = network(), torch.full((1,), 0.4)
    h = torch.zeros(1, 3, 48)
    h[:, :, 20:24] = torch.randn(1, 3, 4, generator=generator(2))

    def answer(shift):
        with torch.no_grad():
            return net(h.roll(shift, dims=2), level)[0, :, 20 + shift : 24 + shift]

    # Attention reaches the zeros at the ends too, of which there are as many on both sides together.
    torch.testing.assert_close(answer(4), answer(0), rtol=0.05, atol=0.05)
    assert float((answer(1) - answer(0)).abs().max()) > 3 * float((answer(4) - answer(0)).abs().max())


def test_labels_and_changes_are_heard_and_what_does_not_fit_is_refused():
    net, level = network(), torch.full((2,), 0.4)
    h = torch.randn(2, 3, 8, generator=generator(3))
    plain = net(h, level)
    assert not torch.allclose(net(h, level, torch.tensor([0, 1])), plain)
    assert not torch.allclose(net(h, level, None, torch.ones(2, 2)), plain)
    assert net.summary(h, level).shape == (2, 32)
    with pytest.raises(ShapeError, match="takes"):
        net(torch.zeros(2, 4, 8), level)
    with pytest.raises(InputError, match="does not divide into 3 heads"):
        RotaryTransformer(3, 2, width=32, heads=3)
