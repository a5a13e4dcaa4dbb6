"""The processor that the suite runs on does what it is there for: bits differ where they may, and only there."""

from functools import partial

import pytest
import torch

import noisekernel as nk
from cases import examples, kinds, noise_model
from noisekernel.networks.exact import exact_denoiser

EXACT = nk.NoiseModel(nk.GaussianKernel(), partial(exact_denoiser, mean=1.0, variance=0.25), (40,))


def alike():
    """What a chain sees of two equal rows, and of the same two again."""
    x = torch.linspace(-1.0, 1.0, 40).expand(2, 40).contiguous()
    return EXACT.look(x, 0.3).loc, EXACT.look(x, 0.3).loc


def test_equal_rows_and_equal_calls_differ_in_their_last_bits():
    first, second = alike()
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first, second)
    torch.testing.assert_close(first[0], first[1], rtol=1e-6, atol=0)
    torch.testing.assert_close(first, second, rtol=1e-6, atol=0)


@pytest.mark.same_call
def test_the_processor_that_is_there_repeats_itself():
    first, second = alike()
    assert torch.equal(first, second)


@kinds
def test_what_networks_return_in_training_is_perturbed_too_and_can_be_differentiated(kind):
    model = noise_model(kind)
    z = examples(model)
    losses = []
    for _ in range(2):
        loss, _ = nk.KL()(model.kernel, model.denoiser, z, nk.Streams.of(0, range(len(z))))
        loss.backward()
        losses.append(float(loss.detach().double()))
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    gradients = [parameter.grad for parameter in model.denoiser.parameters()]
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients if gradient is not None)
    first, second = ([t for t in model.denoiser(z, 0.5).tensors() if t.is_floating_point()] for _ in range(2))
    assert not all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_what_is_observed_is_not_computed_and_stays():
    model = noise_model("gaussian")
    z, fill = examples(model), torch.zeros(5, 1, 6, 6)
    run = nk.tasks.filling(model, z, fill, steps=3)
    assert torch.equal(run.state.view.best, z)
