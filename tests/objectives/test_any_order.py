"""Any-order likelihood against enumeration: every set of elements, every order."""

import itertools
import math

import pytest
import torch

import noisekernel as nk
from helpers import generator
from noisekernel.core.categories import Categorical
from noisekernel.core.errors import InputError
from noisekernel.objectives import KL, AnyOrder, Noised
from noisekernel.sampling.in_order import log_probs

KERNEL = nk.CategoricalKernel(0.8, classes=2)
#: An asymmetric distribution of three bits that are not independent.
TABLE = torch.tensor([0.3, 0.05, 0.1, 0.05, 0.02, 0.18, 0.1, 0.2])
STATES = torch.tensor(list(itertools.product((0, 1), repeat=3)))


def exact(x, beta):
    """r(z | x) by enumeration."""
    fits = ((STATES[None] == x[:, None]) | (x[:, None] == KERNEL.masked)).all(dim=2)
    weight = fits * TABLE
    probs = torch.stack([(weight[:, :, None] * (STATES[None] == k)).sum(dim=1) for k in (0, 1)], dim=-1)
    return Categorical.from_probs(probs / probs.sum(dim=-1, keepdim=True))


def of_set(z, hidden):
    x = torch.where(hidden, KERNEL.masked, z)
    return AnyOrder().anchor(KERNEL, exact(x, None), Noised(z, x, hidden.float().mean(dim=1)))


@pytest.mark.parametrize("number", [1, 6])
def test_the_mean_over_sets_of_all_sizes_is_the_mean_over_orders(number):
    z = STATES[number][None]
    sizes = []
    for m in (1, 2, 3):
        sets = [torch.tensor([[i in chosen for i in range(3)]]) for chosen in itertools.combinations(range(3), m)]
        sizes.append(torch.stack([of_set(z, hidden) for hidden in sets]).mean())
    orders = [torch.tensor([order]) for order in itertools.permutations(range(3))]
    exactly = torch.stack([log_probs(KERNEL, exact, z, order).sum() for order in orders]).mean()
    torch.testing.assert_close(torch.stack(sizes).mean(), -exactly)
    torch.testing.assert_close(exactly, TABLE[number].log())  # every order agrees where r is exact
    # KL weighs the sizes otherwise, so its mean over them is another number.
    wrong = []
    for m in (1, 2, 3):
        sets = [torch.tensor([[i in chosen for i in range(3)]]) for chosen in itertools.combinations(range(3), m)]
        level = torch.tensor([m / 3 - 0.01])
        xs = [torch.where(hidden, KERNEL.masked, z) for hidden in sets]
        wrong.append(torch.stack([KL().anchor(KERNEL, exact(x, None), Noised(z, x, level)) for x in xs]).mean())
    assert abs(float(torch.stack(wrong).mean() + exactly)) > 0.1


def test_the_loss_of_the_exact_denoiser_is_the_entropy_of_the_data():
    drawn = torch.multinomial(TABLE, 40_000, replacement=True, generator=generator(2))
    loss, _ = AnyOrder(nk.UniformLevels(1e-6, 1.0))(KERNEL, exact, STATES[drawn], generator(3))
    entropy = float(-(TABLE * TABLE.log()).sum())
    # With levels that are uniform the number of hidden elements is uniform on 0 … L, and none is a loss of 0.
    assert float(loss) * 3 * 4 / 3 == pytest.approx(entropy, abs=0.03)


def test_parts_are_hidden_in_their_share_of_examples():
    def last(n, g):
        return torch.tensor([False, False, True]).expand(n, 3)

    objective = AnyOrder(parts=0.25).hiding_by(last)
    z = torch.zeros(20_000, 3, dtype=torch.int64)
    noised = objective.noised(KERNEL, z, generator(4))
    hidden = noised.x == KERNEL.masked
    only_last = (hidden == torch.tensor([False, False, True])).all(dim=1).float().mean()
    # Noise alone hides the last and no other in one example out of twelve: E[b (1 - b)^2].
    assert float(only_last) == pytest.approx(0.25 + 0.75 / 12, abs=4 * math.sqrt(0.3 * 0.7 / 20_000))
    torch.testing.assert_close(noised.beta, hidden.float().mean(dim=1).clamp(min=1e-3))


def test_what_it_is_not_for_is_refused():
    with pytest.raises(InputError, match="for kernels that mask"):
        AnyOrder()(nk.GaussianKernel(0.5), exact, torch.zeros(2, 3), generator())
    with pytest.raises(InputError, match=r"objective\.parts is 0\.5, and this kind of data does not say"):
        AnyOrder(parts=0.5).hiding_by(None)
    with pytest.raises(InputError, match="parts"):
        AnyOrder(parts=1.5)
