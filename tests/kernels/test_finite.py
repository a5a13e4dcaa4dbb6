"""FiniteKernel: exact quantities against matrix powers and by hand. Its training is in statistical/."""

import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError


def random_kernel(n=5, seed=0):
    kernel = nk.FiniteKernel(n)
    kernel.logits.data = torch.randn(n, n, generator=generator(seed))
    return kernel


def test_the_stationary_vector_is_where_the_powers_go():
    kernel = random_kernel()
    power = torch.linalg.matrix_power(kernel.matrix(), 500)
    torch.testing.assert_close(kernel.stationary(), power[0], rtol=1e-9, atol=1e-12)
    assert (kernel.stationary() - 0.2).abs().max() > 0.01  # the wrong twin: uniform


def test_metropolis_is_balanced_and_a_cycle_is_not():
    p = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    metropolis = torch.minimum(torch.ones(3, 3), p[None, :] / p[:, None]) / 3
    metropolis += torch.diag(1 - metropolis.sum(1))
    kernel = nk.FiniteKernel(3)
    kernel.logits.data = metropolis.log().float()
    assert kernel.balance_gap(p) < 1e-7
    torch.testing.assert_close(kernel.stationary(), p, rtol=1e-6, atol=1e-7)
    cycle = nk.FiniteKernel(3)  # stationary for the uniform distribution, but not in balance: it goes round
    cycle.logits.data = 20 * torch.eye(3).roll(1, dims=1)
    uniform = torch.full((3,), 1 / 3, dtype=torch.float64)
    torch.testing.assert_close(cycle.stationary(), uniform, rtol=1e-6, atol=1e-7)
    assert cycle.balance_gap(uniform) == pytest.approx(1.0, abs=1e-6)


def test_the_expected_loss_is_the_mean_of_the_sampled_one():
    kernel, p = random_kernel(), torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05], dtype=torch.float64)
    x = torch.multinomial(p, 200_000, replacement=True, generator=generator(3))
    loss, info = nk.contrastive_adjustment(kernel.transition, x, generator(4))
    error = float(info.loss.std()) / len(x) ** 0.5
    assert abs(float(loss.detach()) - float(kernel.expected_loss(p).detach())) < 4 * error


def test_algorithm_1_moves_logits_by_the_imbalance():
    kernel, n = random_kernel(), 400_000
    p = torch.tensor([0.4, 0.3, 0.15, 0.1, 0.05], dtype=torch.float64)
    before, flow = kernel.logits.data.clone(), kernel.flow(p)
    kernel.adjust(torch.multinomial(p, n, replacement=True, generator=generator(5)), rate=1.0, generator=generator(6))
    moved = (kernel.logits.data - before).double()
    error = 5 * (flow + flow.T).sqrt() / n**0.5
    assert ((moved + (flow - flow.T)).abs() <= error + 1e-6).all()
    assert not ((moved - (flow - flow.T)).abs() <= error + 1e-6).all()  # the wrong twin: the wrong sign


def test_mistakes():
    with pytest.raises(InputError, match="states is 1"):
        nk.FiniteKernel(1)
    with pytest.raises(InputError, match="with 3 classes"):
        nk.FiniteKernel(3).transition(torch.tensor([3]))
    with pytest.raises(InputError, match="3 probabilities that sum to 1"):
        nk.FiniteKernel(3).balance_gap(torch.tensor([0.5, 0.5, 0.5]))
