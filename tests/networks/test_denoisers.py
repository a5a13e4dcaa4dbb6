"""Heads and denoisers: preconditioning against its definition, layouts of channels, clamping."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks.exact import exact_denoiser


class Echo(nn.Module):
    """A backbone that returns given features, and keeps what it was shown."""

    def __init__(self, out_channels, fill=0.0):
        super().__init__()
        self.out_channels, self.fill = out_channels, fill

    def forward(self, h, level, label=None):
        self.seen, self.told = h, level
        return torch.full((len(h), self.out_channels, *h.shape[2:]), self.fill)


@given(mean=st.floats(-2, 2), variance=st.floats(0.01, 4), beta=st.floats(1e-4, 1.0))
def test_a_preconditioned_network_of_zeros_is_the_best_linear_denoiser(mean, variance, beta):
    x = torch.randn(3, 2, 4, generator=generator())
    head = nk.PreconditionedGaussian(2, mean, variance)
    r = nk.Denoiser(Echo(head.out_channels), head)(x, beta)
    exact = exact_denoiser(x, beta, mean, variance)
    torch.testing.assert_close(r.loc, exact.loc)
    torch.testing.assert_close(r.variance, exact.variance)


@pytest.mark.parametrize("beta", [1e-4, 0.01, 0.3, 0.9, 1.0])
def test_preconditioning_scales_input_and_target_to_one(beta):
    z = 0.4 * torch.randn(200_000, 1, generator=generator()) + 0.7
    head, kernel = nk.PreconditionedGaussian.of(z, 1), nk.GaussianKernel()
    x = kernel.noise(z, beta).sample(generator(1))
    shown, _ = head.encode(x, torch.full((len(x),), beta))
    assert float(shown.mean()) == pytest.approx(0.0, abs=0.01)
    assert float(shown.std()) == pytest.approx(1.0, abs=0.01)
    linear = exact_denoiser(x, beta, head.mean, head.variance)
    target = (z - linear.loc) / linear.variance.sqrt()  # what the network has to produce
    assert float(target.std()) == pytest.approx(1.0, abs=0.01)


def test_the_variance_is_bounded_either_way():
    head = nk.PreconditionedGaussian(1, 0.0, 1.0)
    for fill in (-1e6, 1e6):
        r = nk.Denoiser(Echo(2, fill), head)(torch.zeros(1, 1), 0.5)
        factor = r.variance / exact_denoiser(torch.zeros(1, 1), 0.5, 0.0, 1.0).variance
        assert float(factor.log().abs()) == pytest.approx(5.0, rel=1e-5)


LAYOUTS = [(3, (3,), ()), (3, (3, 5), (5,)), (None, (5,), (5,)), (2, (2, 4, 3), (4, 3)), (None, (4, 3), (4, 3))]


@pytest.mark.parametrize(("channels", "event", "space"), LAYOUTS)
def test_layouts(channels, event, space):
    for head in (nk.PlainGaussian(channels), nk.PreconditionedGaussian(channels, 0.1, 0.5)):
        backbone = Echo(head.out_channels, 1.0)
        r = nk.Denoiser(backbone, head)(torch.randn(6, *event), 0.5)
        assert backbone.seen.shape == (6, head.in_channels, *space)
        assert r.loc.shape == r.variance.shape == (6, *event)
    for head in (nk.CategoricalHead(4, channels), nk.OrdinalHead(4, channels, components=3)):
        backbone = Echo(head.out_channels, 1.0)
        r = nk.Denoiser(backbone, head)(torch.randint(5, (6, *event)), 0.5)
        assert backbone.seen.shape == (6, head.in_channels, *space)
        assert r.table().shape == (6, *event, 4)


def test_each_element_gets_its_own_features():
    """Features are laid out channel by channel, class by class; an element must not get its neighbour's."""
    head = nk.CategoricalHead(classes=3, channels=2)
    features = torch.arange(2 * 3 * 2, dtype=torch.float32).reshape(1, 6, 2)  # (batch, channels x classes, space)
    r = head.decode(features, torch.zeros(1, 2, 2, dtype=torch.int64), torch.ones(1))
    expected = torch.log_softmax(torch.tensor([6.0 + 1, 8 + 1, 10 + 1]), 0)
    torch.testing.assert_close(r.log_probs[0, 1, 1], expected)
    hot, _ = nk.CategoricalHead(2, channels=2).encode(torch.tensor([[[0, 2], [1, 1]]]), torch.ones(1))
    assert hot[0, :, 1].tolist() == [0, 0, 1, 0, 1, 0]  # channel 0 masked, channel 1 of class 1


@given(
    classes=st.integers(2, 300),
    components=st.integers(1, 4),
    features=st.lists(st.floats(-8, 8), min_size=12, max_size=12),
)
def test_ordinal_probabilities_are_those_of_a_mixture_of_logistics(classes, components, features):
    weight, place, scale = (torch.tensor(features).reshape(3, 4)[:, :components]).double()
    head = nk.OrdinalHead(classes, None, components)
    r = head.decode(torch.stack((weight, place, scale)).flatten()[None, :, None], torch.zeros(1, 1), torch.ones(1))
    edges = torch.linspace(-1, 1, classes + 1)
    edges[0], edges[-1] = -torch.inf, torch.inf
    place = place + torch.linspace(-1, 1, components)
    scale = 0.5 * torch.exp(7 * torch.tanh(scale / 7))
    below = torch.sigmoid((edges[:, None] - place) / scale)
    expected = (below.diff(dim=0) * torch.softmax(weight, 0)).sum(1)
    torch.testing.assert_close(r.probs[0, 0].double(), expected, atol=2e-5, rtol=0)
    assert float(r.probs.sum()) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("fill", [-1e6, 0.0, 1e6])
def test_ordinal_probabilities_and_their_gradients_stay_finite(fill):
    features = torch.full((2, 30, 4), fill, requires_grad=True)
    head = nk.OrdinalHead(256, 2)
    r = head.decode(features, torch.zeros(2, 2, 4, dtype=torch.int64), torch.ones(2))
    assert bool(torch.isfinite(r.table()).all())
    r.log_prob(torch.full((2, 2, 4), 200)).sum().backward()
    assert bool(torch.isfinite(features.grad).all())


def test_ordinal_features_and_input_are_laid_out_element_by_element():
    head = nk.OrdinalHead(classes=4, channels=2, components=1)
    shown, _ = head.encode(torch.tensor([[[0, 4], [3, 1]]]), torch.ones(1))
    assert shown[0, :, 0].tolist() == [-0.75, 0, 0.75, 0]  # channel 0 of class 0, channel 1 of class 3
    assert shown[0, :, 1].tolist() == [0, 1, -0.25, 0]  # channel 0 masked
    features = torch.zeros(1, 6, 2)
    features[0, 4, 1] = 9.0  # the place of channel 1's second element: far up, at the narrowest scale
    features[0, 5, 1] = -1e6
    r = head.decode(features, torch.zeros(1, 2, 2, dtype=torch.int64), torch.ones(1))
    assert float(r.probs[0, 1, 1, 3]) == pytest.approx(1.0)
    torch.testing.assert_close(r.probs[0, 0, 0], r.probs[0, 0, 1])
    torch.testing.assert_close(r.probs[0, 0, 0], r.probs[0, 1, 0])


@pytest.mark.parametrize("head", [nk.OrdinalHead(200, 1), nk.CategoricalHead(200, 1)], ids=["ordinal", "categorical"])
def test_from_few_examples_an_ordinal_head_knows_more_of_many_classes(head):
    """Forty examples of 200 classes in two bumps: what lies between examples is likely to the one, unheard of to the
    other, its wrong twin."""
    g = generator(5)
    bumps = torch.where(torch.rand(2040, 1, generator=g) < 0.3, 50.0, 140.0)
    z = (bumps + 12 * torch.randn(2040, 1, generator=g)).round().long()
    own, held = z[:40], z[40:]
    logits = nn.Parameter(torch.zeros(head.out_channels))
    optimiser = torch.optim.Adam([logits], 0.05)
    masked = torch.full((1, 1), 200)

    def likelihood(data):
        r = head.decode(logits[None], masked, torch.ones(1))
        return r.table()[0, 0][data].mean()

    for _ in range(300):
        optimiser.zero_grad()
        (-likelihood(own)).backward()
        optimiser.step()
    better = float(likelihood(held).detach()) > -4.9  # the truth has about -4.5, ignorance log(1/200) = -5.3
    assert better == isinstance(head, nk.OrdinalHead)


def test_clamped_denoiser():
    denoiser = nk.Clamped(
        lambda x, beta: exact_denoiser(x, beta, 0.0, 1.0), torch.full((1, 2), 9.0), torch.tensor([[1, 0]])
    )
    r = denoiser(torch.ones(1, 2), 0.5)
    assert r.loc[0, 1] == 9.0
    assert r.variance[0, 1] == 0.0
    assert r.variance[0, 0] > 0.0


def test_mistakes():
    with pytest.raises(InputError, match="nothing to learn"):
        nk.PreconditionedGaussian.of(torch.ones(5, 2), 2)
    with pytest.raises(InputError, match="variance is 0"):
        nk.PreconditionedGaussian(1, 0.0, 0.0)
    with pytest.raises(ShapeError, match=r"features of shape \(2, 5\); its head needs \(2, 6\)"):
        nk.Denoiser(Echo(5), nk.PlainGaussian(3))(torch.zeros(2, 3), 0.5)
    with pytest.raises(InputError, match="other than 0"):
        nk.Clamped(lambda x, beta: exact_denoiser(x, beta, 0.0, 1.0), torch.zeros(1, 2), torch.full((1, 2), 0.5))(
            torch.zeros(1, 2), 0.5
        )
    with pytest.raises(ShapeError, match="made for 3 channels"):
        nk.Denoiser(Echo(6), nk.PlainGaussian(3))(torch.zeros(2, 4), 0.5)
    with pytest.raises(InputError, match=r"\(0, 1\]"):
        nk.Denoiser(Echo(6), nk.PlainGaussian(3))(torch.zeros(2, 3), 0.0)
    with pytest.raises(InputError, match="with 5 classes"):
        nk.Denoiser(Echo(6), nk.CategoricalHead(4, None))(torch.full((2, 3), 5), 0.5)


@pytest.mark.parametrize(
    "head",
    [nk.PreconditionedGaussian(1, 0.1, 0.5), nk.CategoricalHead(3, 1), nk.OrdinalHead(3, 1)],
    ids=["gaussian", "categorical", "ordinal"],
)
def test_a_denoiser_can_be_exported_and_the_export_agrees(head):
    network = nk.networks.UNet(head.in_channels, head.out_channels, 8, (1, 2), blocks=1)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))

    class Plain(nn.Module):
        """Export wants tensors out."""

        def __init__(self):
            super().__init__()
            self.denoiser = nk.Denoiser(network, head)

        def forward(self, x, beta):
            return self.denoiser(x, beta).mean

    continuous = isinstance(head, nk.PreconditionedGaussian)
    x = torch.randn(2, 1, 6, 6) if continuous else torch.randint(4, (2, 1, 6, 6))
    inputs = (x, torch.tensor([0.3, 0.8]))
    exported = torch.export.export(Plain().eval(), inputs).module()
    torch.testing.assert_close(exported(*inputs), Plain()(*inputs))


@pytest.mark.parametrize("data", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("weights", [torch.float32, torch.float64])
def test_the_network_computes_in_its_own_precision_and_r_has_that_of_the_data(data, weights):
    head = nk.PreconditionedGaussian(2, 0.1, 0.5)
    denoiser = nk.Denoiser(nk.networks.MLP(2, 4, width=8, depth=1), head).to(weights)
    r = denoiser(torch.randn(3, 2).to(data), 0.3)
    assert r.loc.dtype == r.variance.dtype == data
    kernel = nk.GaussianKernel(0.5)
    assert kernel.transition(r, torch.randn(3, 2).to(data), 0.3, 0.3).loc.dtype == data
