"""Cases that several test files run over: models of every kernel, data for them, random distributions."""

import pytest
import torch
from hypothesis import strategies as st

import noisekernel as nk
from helpers import generator

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


def random_normal(shape, g):
    return nk.Normal(torch.randn(shape, generator=g), torch.rand(shape, generator=g) + 0.1)


def random_categorical(shape, classes, g):
    return nk.Categorical.from_logits(2 * torch.randn((*shape, classes), generator=g))


def noise_model(kind, shape=(1, 6, 6), classes=None):
    """Untrained but not trivial networks: what is tested here holds for any weights."""
    torch.manual_seed(1)
    if kind == "gaussian":
        kernel, head = nk.GaussianKernel(0.5), nk.PreconditionedGaussian(shape[0], 0.1, 0.5)
    else:
        kernel, head = nk.CategoricalKernel(0.7, classes=3), nk.CategoricalHead(3, shape[0])
    if len(shape) == 3:
        net = nk.networks.UNet(
            head.in_channels, head.out_channels, 8, (1, 2), blocks=1, attention=(1,), classes=classes
        )
    else:
        net = nk.networks.MLP(head.in_channels, head.out_channels, width=16, depth=1, classes=classes)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return nk.NoiseModel(kernel, nk.Denoiser(net, head), shape)


def examples(model, n=5):
    if isinstance(model.kernel, nk.CategoricalKernel):
        return torch.randint(3, (n, *model.shape), generator=generator(3))
    return torch.randn((n, *model.shape), generator=generator(3))


KINDS = ["gaussian", "categorical"]
kinds = pytest.mark.parametrize("kind", KINDS)
