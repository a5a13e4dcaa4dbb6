"""Backbones: shapes, the paper's parameter counts, labels and noise levels that reach the output, zero starts."""

import pytest
import torch

from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks import MLP, PaperUNet, Transformer, UNet

#: Each backbone, small, with the space its data lives in.
BACKBONES = {
    "mlp": (lambda **k: MLP(3, 4, width=16, depth=2, **k), ()),
    "transformer": (lambda **k: Transformer(3, 4, width=16, depth=2, heads=2, **k), (5,)),
    "paper unet": (lambda **k: PaperUNet(3, 4, channels=8, multipliers=(1, 2), **k), (6, 5)),
    "unet": (lambda **k: UNet(3, 4, channels=8, multipliers=(1, 2), blocks=1, attention=(1,), **k), (6, 5)),
}
backbones = pytest.mark.parametrize(("make", "space"), BACKBONES.values(), ids=BACKBONES)


def shaken(network):
    """With every parameter moved off its start, so that what begins at zero does not hide anything."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return network


@backbones
def test_shape_level_and_independence_of_the_batch(make, space):
    network, x = shaken(make()), torch.randn(4, 3, *space)
    level = torch.tensor([0.1, 0.5, 0.5, 0.9])
    out = network(x, level)
    assert out.shape == (4, 4, *space)
    torch.testing.assert_close(network(x[1:2], level[1:2]), out[1:2], rtol=1e-4, atol=1e-5)
    assert (network(x, level + 0.05) - out).abs().max() > 1e-4


@backbones
def test_a_label_reaches_the_output_and_no_label_is_a_label(make, space):
    network, x, level = shaken(make(classes=5)), torch.randn(1, 3, *space).expand(3, 3, *space), torch.full((3,), 0.5)
    out = network(x, level, torch.tensor([0, 4, 5]))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        assert (out[i] - out[j]).abs().max() > 1e-4
    torch.testing.assert_close(network(x, level)[2], out[2])


@backbones
def test_mistakes(make, space):
    x, level = torch.randn(2, 3, *space), torch.full((2,), 0.5)
    with pytest.raises(InputError, match="built without classes"):
        make()(x, level, torch.tensor([0, 1]))
    with pytest.raises(InputError, match="labels run from 0 to 6"):
        make(classes=5)(x, level, torch.tensor([0, 6]))
    with pytest.raises(ShapeError, match="one class a sample"):
        make(classes=5)(x, level, torch.tensor([0, 1, 2]))
    for label in ([0, 1], torch.tensor([0.0, 1.0]), torch.tensor([True, False])):
        with pytest.raises(InputError, match="give an int64 tensor"):
            make(classes=5)(x, level, label)
    for wrong in (level[:1], level[:, None], torch.tensor(0.5)):
        with pytest.raises(ShapeError, match="one noise level per sample"):
            make()(x, wrong)
    with pytest.raises(InputError, match="classes is 0"):
        make(classes=0)
    with pytest.raises(ShapeError, match="channels"):
        make()(torch.randn(2, 2, *space), level)
    with pytest.raises(ShapeError, match="channels"):
        make()(torch.randn(2, 3, *space, 2), level)


@pytest.mark.parametrize(
    ("channels", "multipliers", "expected"), [(128, (1, 2, 4, 8), 117_934_080), (256, (1, 1, 2, 2, 4, 4), 271_673_600)]
)
def test_the_papers_parameter_counts(channels, multipliers, expected):
    with torch.device("meta"):
        network = PaperUNet(3, 6, channels, multipliers)
    body = [p for name, p in network.named_parameters() if not name.startswith(("stem.", "outlet."))]
    assert sum(p.numel() for p in body) == expected


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (7, 10), (28, 28), (33, 17)])
@pytest.mark.parametrize("kind", [PaperUNet, UNet])
def test_unets_take_any_height_and_width(kind, size):
    network = shaken(kind(1, 2, channels=8, multipliers=(1, 1, 2)))
    out = network(torch.randn(2, 1, *size), torch.full((2,), 0.5))
    assert out.shape == (2, 2, *size)
    out.sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in network.parameters())


@pytest.mark.parametrize("name", ["mlp", "transformer", "unet"])
def test_our_networks_start_at_zero(name):
    make, space = BACKBONES[name]
    assert (make()(torch.randn(2, 3, *space), torch.full((2,), 0.5)) == 0).all()


def test_in_the_papers_every_residual_branch_starts_at_zero():
    network = PaperUNet(1, 1, channels=8, multipliers=(1, 2))
    gains = [p for name, p in network.named_parameters() if name.endswith("gain")]
    assert len(gains) == 3 * (2 + 1 + 2)
    assert all((gain == 0).all() for gain in gains)


def test_linear_attention_is_linear_attention():
    """Against the definition: softmax over keys, then for each query the sum over positions of (q . k) v."""
    from noisekernel.networks.paper_unet import HEAD_WIDTH, HEADS, LinearAttention

    layer = shaken(LinearAttention(8))
    h = torch.randn(2, 8, 3, 2)
    q, k, v = layer.qkv(layer.norm(h)).reshape(2, 3, HEADS, HEAD_WIDTH, 6).unbind(1)
    k = k.softmax(-1)
    slow = torch.einsum("nhdi,nhdj,nhej->nhei", q, k, v)
    expected = h + layer.add.gain[:, None, None] * layer.out(slow.reshape(2, -1, 3, 2))
    torch.testing.assert_close(layer(h), expected, rtol=1e-4, atol=1e-5)


def test_construction_mistakes():
    with pytest.raises(InputError, match="multiple of 8"):
        PaperUNet(1, 1, channels=12)
    with pytest.raises(InputError, match="multiple of 4"):
        UNet(1, 1, channels=6)
    with pytest.raises(InputError, match="levels they run from 0 to 2"):
        UNet(1, 1, attention=(3,))
    with pytest.raises(InputError, match="heads"):
        Transformer(1, 1, width=10, heads=4)
    with pytest.raises(InputError, match="heads is 0"):
        Transformer(1, 1, heads=0)
    with pytest.raises(InputError, match="even number"):
        MLP(1, 1, width=15)
    for kind in (UNet, PaperUNet):
        with pytest.raises(InputError, match="levels is 0"):
            kind(1, 1, multipliers=())
        with pytest.raises(InputError, match=r"multipliers\[1\] is 0"):
            kind(1, 1, multipliers=(1, 0))
        with pytest.raises(InputError, match="channels is -8"):
            kind(1, 1, channels=-8)


def test_the_patch_convolution_is_a_convolution():
    """Many channels and few pixels take another way to the same numbers, forth and back."""
    from noisekernel.networks.unet import Convolution

    layer, h = Convolution(6, 512), torch.randn(2, 6, 3, 5, requires_grad=True)
    results = []
    for out in (layer(h), torch.nn.functional.conv2d(h, layer.weight, layer.bias, padding=1)):
        gradients = torch.autograd.grad(out.square().sum(), [h, layer.weight, layer.bias])
        results.append((out, *gradients))
    for ours, reference in zip(*results, strict=True):
        torch.testing.assert_close(ours, reference, rtol=1e-4, atol=1e-3)
