"""What strings tell of themselves: their characters, and what a visible end makes known."""

import torch

import noisekernel as nk
from noisekernel.core.categories import Categorical
from noisekernel.kernels import CategoricalKernel
from noisekernel.kinds.tokens import Tokens
from noisekernel.sampling.model import NoiseModel

KIND = Tokens(alphabet="ab", length=5)


def encoded(*texts):
    return KIND.encode(torch.stack([torch.from_numpy(KIND.store(text).values) for text in texts]))


def test_characters_are_counted_with_the_end():
    assert KIND.characters(encoded("", "a", "abba")).tolist() == [1, 2, 5]
    # What stands behind the first end is not read, so it does not count.
    assert KIND.characters(torch.tensor([[0, 2, 1, 1, 2]])).tolist() == [2]


def test_behind_a_visible_end_everything_is_known_and_before_it_nothing():
    z = encoded("ab")
    for place, known in [(1, 0), (2, 3), (3, 2), (4, 1)]:
        visible = torch.zeros_like(z, dtype=torch.bool)
        visible[0, place] = True
        found = KIND.known(z, visible)[0].tolist()
        assert found == [False] * (5 - known) + [True] * known
    assert not bool(KIND.known(z, torch.zeros_like(z, dtype=torch.bool)).any())


def test_the_end_is_barred_before_what_is_kept_and_nowhere_else():
    z = encoded("abab")
    hidden = torch.tensor([[1, 0, 1, 0, 1]]).bool()
    barred = KIND.barred(z, hidden)
    assert barred.shape == (1, 5, 3)
    assert not bool(barred[..., :2].any())
    assert barred[0, :, 2].tolist() == [True, False, True, False, False]
    # What is hidden is not read: the same with other characters there.
    assert torch.equal(barred, KIND.barred(torch.where(hidden, 2, z), hidden))


def mostly_ends(x, beta):
    """A denoiser that would end any string at once: the end has nine tenths of every place's probability."""
    return Categorical.from_probs(torch.tensor([0.04, 0.06, 0.9]).expand(*x.shape, 3))


class Ending(NoiseModel):
    """Strings that know their kind."""

    def barred(self, z, hidden):
        return KIND.barred(z, hidden)


def filled(made, seed):
    model = made(CategoricalKernel(classes=3, carry_visible=True), mostly_ends, shape=KIND.shape)
    hidden = torch.tensor([1, 0, 1, 0, 1]).bool()
    return nk.fill(model, encoded("abab"), hidden, n=2000, steps=20, seed=seed)[0]


def test_what_is_kept_is_never_cut_off_by_an_end_before_it():
    z = filled(Ending, seed=0)
    assert all(text[1] == "b" and text[3] == "b" for text in KIND.drawn(KIND.decode(z)))
    # Of the two characters that are left for a hole, each in its share: .4 and .6; five standard errors of 4,000.
    share = float((z[:, [0, 2]] == 0).double().mean())
    assert abs(share - 0.4) < 5 * (0.4 * 0.6 / 4000) ** 0.5
    # A model that knows nothing of ends cuts nearly all of them.
    assert sum(len(text) < 4 for text in KIND.drawn(KIND.decode(filled(NoiseModel, seed=0)))) > 1800
