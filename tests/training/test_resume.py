"""Training that is stopped and resumed equals training that was not, bit for bit."""

import io

import pytest
import torch

import noisekernel as nk
from helpers import generator

KERNEL = nk.GaussianKernel(0.5)
DATA = torch.randn(512, 2, generator=generator(0)) * torch.tensor([0.5, 1.0]) + 0.3
BATCH = 32


def fresh():
    torch.manual_seed(7)
    head = nk.PreconditionedGaussian.of(DATA, 2)
    denoiser = nk.Denoiser(nk.networks.MLP(2, 4, width=16, depth=1), head)
    return denoiser, torch.optim.Adam(denoiser.parameters(), 1e-2)


def train(denoiser, optimiser, begin, end):
    """The randomness of an example depends on its number in the run alone: there is nothing else to save."""
    for i in range(begin, end):
        numbers = range(i * BATCH, (i + 1) * BATCH)
        z = DATA[torch.tensor(numbers) % len(DATA)]
        loss, _ = nk.Anchored()(KERNEL, denoiser, z, nk.Streams.of(3, numbers))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def weights(denoiser):
    return torch.cat([p.detach().flatten() for p in denoiser.parameters()])


def interrupted(keep_optimiser=True, resume_at=10):
    denoiser, optimiser = fresh()
    train(denoiser, optimiser, 0, 10)
    file = io.BytesIO()
    torch.save({"weights": denoiser.state_dict(), "optimiser": optimiser.state_dict()}, file)
    file.seek(0)
    stored = torch.load(file, weights_only=True)
    denoiser, optimiser = fresh()
    denoiser.load_state_dict(stored["weights"])
    if keep_optimiser:
        optimiser.load_state_dict(stored["optimiser"])
    train(denoiser, optimiser, resume_at, resume_at + 10)
    return weights(denoiser)


@pytest.mark.same_call
def test_resumed_training_equals_uninterrupted_training_bit_for_bit():
    denoiser, optimiser = fresh()
    train(denoiser, optimiser, 0, 20)
    assert torch.equal(interrupted(), weights(denoiser))
    assert not torch.equal(interrupted(keep_optimiser=False), weights(denoiser))  # the wrong twins
    assert not torch.equal(interrupted(resume_at=0), weights(denoiser))
