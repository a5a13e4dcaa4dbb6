"""Elements with different numbers of classes: what one has not is never drawn, and each has an embedding of its own."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import noisekernel as nk
from helpers import generator
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks import CategoricalHead, ColumnsHead, ColumnsTransformer

COUNTS = (2, 5, 3, 4, 4)
HEAD = ColumnsHead(COUNTS, uniform=2)


def network(**more):
    torch.manual_seed(0)
    made = ColumnsTransformer(HEAD.in_channels, HEAD.out_channels, HEAD.learned, width=16, depth=2, heads=2, **more)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return made


def states(n, masked=0.5):
    g = generator(1)
    z = torch.stack([torch.randint(count, (n,), generator=g) for count in COUNTS], dim=1)
    return z, torch.where(torch.rand(z.shape, generator=g) < masked, HEAD.classes, z)


@given(seed=st.integers(0, 1000), counts=st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple))
def test_what_an_element_has_not_has_no_probability(seed, counts):
    head = ColumnsHead(counts)
    features = 30 * torch.randn(3, head.classes, len(counts), generator=generator(seed))
    r = head.decode(features, torch.zeros(3, len(counts), dtype=torch.int64), torch.ones(3))
    there = torch.arange(head.classes) < torch.tensor(counts)[:, None]
    assert bool((r.probs[:, ~there] == 0.0).all())
    torch.testing.assert_close(r.probs.sum(dim=-1), torch.ones(3, len(counts)))
    expected = torch.log_softmax(features.movedim(1, -1)[:, 0, : counts[0]], dim=-1)
    torch.testing.assert_close(r.log_probs[:, 0, : counts[0]], expected, atol=1e-4, rtol=1e-4)
    beyond = torch.tensor([[min(count, head.classes - 1) for count in counts]]).expand(3, -1)
    short = torch.tensor(counts) < head.classes
    assert bool((r.log_prob_elements(beyond)[:, short] == -math.inf).all())


def drawn_by(head, n=4000):
    """The largest class that the chain draws of each element, where the features want classes that are not there."""
    features = torch.linspace(0.0, 2.0, head.classes)[None, :, None].expand(1, -1, 3)
    model = nk.NoiseModel(
        nk.CategoricalKernel(classes=head.classes, carry_visible=True),
        lambda x, beta: head.decode(features.expand(len(x), -1, -1), x, beta),
        (3,),
    )
    return nk.synthesize(model, n, steps=4).max(dim=0).values.tolist()


def test_the_chain_never_draws_what_an_element_has_not():
    assert drawn_by(ColumnsHead((2, 5, 3))) == [1, 4, 2]
    assert drawn_by(CategoricalHead(5, None)) == [4, 4, 4]  # the wrong twin: one number of classes for all


def test_what_is_uniform_is_uniform_and_the_network_does_not_see_it():
    denoiser = nk.Denoiser(network(), HEAD)
    _, x = states(6)
    r = denoiser(x, 0.5)
    torch.testing.assert_close(r.probs[:, 3:].detach(), 0.25 * (torch.arange(5) < 4).expand(6, 2, 5))
    assert bool((r.probs[:, 3:, 4] == 0.0).all())
    others = x.clone()
    others[:, 3:] = (others[:, 3:] + 1) % 4
    torch.testing.assert_close(denoiser(others, 0.5).log_probs, r.log_probs)


def test_every_column_has_an_embedding_and_an_outlet_of_its_own():
    made = network()
    assert made.embedding.num_embeddings == 2 + 5 + 3 + 3
    own = [set(row.tolist()) for row in made.rows(torch.device("cpu"))[0]]
    assert [len(row) for row in own] == [3, 6, 4]
    assert len(set().union(*own)) == 13
    assert not own[0] & own[1]
    # The gradient of a column's loss is in its own rows of the outlet alone, and in none of a class it has not.
    z, x = states(8)
    (-nk.Denoiser(made, HEAD)(x, 0.5).log_prob_elements(z)[:, 1]).sum().backward()
    rows = made.weights.weight.grad.abs().sum(dim=1) > 0
    assert rows.tolist() == [False] * 2 + [True] * 5 + [False] * 3


def test_the_loss_has_finite_gradients_and_leads_to_the_data():
    torch.manual_seed(0)
    head = ColumnsHead((2, 3))
    made = ColumnsTransformer(head.in_channels, head.out_channels, head.learned, width=16, depth=1, heads=2)
    denoiser, kernel = nk.Denoiser(made, head), nk.CategoricalKernel(classes=3, carry_visible=True)
    data = torch.tensor([[0, 0], [1, 2]])
    optimiser = torch.optim.Adam(made.parameters(), 1e-2)
    for i in range(150):
        z = data[torch.arange(32) % 2]
        loss, _ = nk.KL()(kernel, denoiser, z, nk.Streams.of(0, range(32 * i, 32 * i + 32)))
        optimiser.zero_grad()
        loss.backward()
        assert all(bool(torch.isfinite(p.grad).all()) for p in made.parameters() if p.grad is not None)
        optimiser.step()
    probs = denoiser(torch.tensor([[0, 3], [1, 3]]), 0.5).probs[:, 1].detach()
    assert float(probs[0, 0]) > 0.9
    assert float(probs[1, 2]) > 0.9


def test_labels_and_the_level_reach_the_output():
    made = network(classes=3)
    h, level = HEAD.encode(states(1)[1].expand(3, -1), torch.full((3,), 0.5))
    out = made(h, level, torch.tensor([0, 1, 3]))
    assert (out[0] - out[1]).abs().max() > 1e-4
    torch.testing.assert_close(made(h, level)[2], out[2])
    assert (made(h, level + 0.1) - made(h, level)).abs().max() > 1e-4
    assert made.summary(h, level).shape == (3, 16)


def test_mistakes():
    with pytest.raises(InputError, match="at least 1"):
        ColumnsHead((2, 0))
    with pytest.raises(InputError, match="at least one is learned"):
        ColumnsHead((2, 2), uniform=2)
    with pytest.raises(ShapeError, match="made for 5 elements"):
        HEAD.encode(torch.zeros(2, 3, dtype=torch.int64), torch.ones(2))
    with pytest.raises(ShapeError, match="the states of 3 columns"):
        network()(torch.zeros(2, 6, 4), torch.ones(2))
    with pytest.raises(InputError, match="do not fit 4 channels in"):
        ColumnsTransformer(4, 3, counts=(5,))
    with pytest.raises(InputError, match="does not divide"):
        ColumnsTransformer(4, 3, counts=(3,), width=10)
    plain = nk.networks.Transformer(HEAD.in_channels, HEAD.out_channels, width=16, depth=1, heads=2)
    assert nk.Denoiser(plain, HEAD)(states(2)[1], 0.5).shape == (2, 5)


def test_what_is_learned_of_a_class_in_an_order_is_learned_of_those_beside_it():
    torch.manual_seed(0)
    head = ColumnsHead((9, 9), ordered=(8, 0))
    made = ColumnsTransformer(
        head.in_channels, head.out_channels, head.learned, head.ordered, width=16, depth=1, heads=2
    )
    waves = made.basis(torch.device("cpu"))
    assert bool((waves[0, 8] == 0).all())  # "missing" has no place in the order
    assert bool((waves[1] == 0).all())
    places = waves[0, :8]
    apart = (places @ places.T)[3]
    assert apart.argmax() == 3
    assert float(apart[4]) > float(apart[7])
    optimiser = torch.optim.SGD([made.answers], 0.05)
    denoiser, x = nk.Denoiser(made, head), torch.full((4, 2), 9)
    for _ in range(20):
        optimiser.zero_grad()
        (-denoiser(x, 0.9).log_prob_elements(torch.full((4, 2), 3)).sum()).backward()
        optimiser.step()
    learned, other = denoiser(x, 0.9).log_probs[0].detach()
    assert float(learned[4]) > float(learned[7])
    torch.testing.assert_close(other, torch.full((9,), -math.log(9.0)))
    with pytest.raises(InputError, match="at most as many classes as it has"):
        ColumnsHead((2, 3), ordered=(3, 0))
