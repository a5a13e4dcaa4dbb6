"""A pinwheel, continuous and discrete: a classifier cannot tell samples from data, nor after a walk of 2,000 steps."""

import math

import pytest
import torch

import noisekernel as nk
from helpers import generator, train
from two_sample import accuracy

pytestmark = [pytest.mark.statistical, pytest.mark.training]

N, GRID, TELL = 2000, 24, 0.55


def pinwheel(n, g):
    """Five arms, no two alike."""
    arm = torch.randint(5, (n,), generator=g)
    radius = 1 + 0.3 * torch.randn(n, generator=g) * (0.6 + 0.15 * arm)
    across = 0.08 * torch.randn(n, generator=g)
    angle = arm * 2 * math.pi / 5 + 0.9 * radius
    along = torch.stack((angle.cos(), angle.sin()), 1)
    return radius[:, None] * along + across[:, None] * torch.stack((-angle.sin(), angle.cos()), 1)


def grid(n, g):
    """The same, as two coordinates of 24 classes each; what falls outside is left out, not clamped."""
    cell = ((pinwheel(2 * n, g) + 2) / 4 * GRID).floor().long()
    return cell[((cell >= 0) & (cell < GRID)).all(1)][:n]


def continuous():
    data = pinwheel(20_000, generator(0))
    head = nk.PreconditionedGaussian.of(data, 2)
    kernel = nk.GaussianKernel(0.9)
    denoiser = nk.Denoiser(nk.networks.MLP(head.in_channels, head.out_channels), head)
    train(nk.KL(nk.LogNormalLevels()), kernel, denoiser, data, steps=2000, batch=512, rate=3e-3)
    return nk.NoiseModel(kernel, denoiser.eval(), (2,)), pinwheel, {"beta": 0.1, "lag": 0.9, "readout": 30}


def discrete():
    data = grid(20_000, generator(0))
    head = nk.CategoricalHead(GRID, 2)
    kernel = nk.CategoricalKernel(0.9, classes=GRID)
    denoiser = nk.Denoiser(nk.networks.MLP(head.in_channels, head.out_channels, depth=2), head)
    train(nk.Reconstruction(), kernel, denoiser, data, steps=1200, batch=512, rate=3e-3)
    return nk.NoiseModel(kernel, denoiser.eval(), (2,)), grid, {"beta": 0.5, "lag": 0.9, "readout": 30}


@pytest.fixture(scope="module", params=[continuous, discrete], ids=["continuous", "discrete"])
def learned(request):
    torch.manual_seed(0)
    model, draw, walk = request.param()
    return model, draw(N, generator(1)), draw(N, generator(2)), walk


def test_synthesis(learned):
    model, fresh, other, _ = learned
    assert accuracy(other, fresh) <= TELL  # data against data
    assert accuracy(nk.synthesize(model, N), fresh) <= TELL
    shuffled = torch.stack((other[:, 0], other[torch.randperm(N, generator=generator(3)), 1]), 1)
    assert accuracy(shuffled, fresh) > TELL  # the wrong twin: right marginals, wrong together


def test_a_walk_of_2000_steps_stays_in_the_data(learned):
    model, fresh, start, options = learned
    start, fresh = start[:1000], fresh[:1000]
    walked = nk.equilibrate(model, start, steps=2000, **options)[:, 0]
    assert accuracy(walked, fresh) <= TELL
    assert (walked != start).any(1).float().mean() > 0.9  # and it did walk
