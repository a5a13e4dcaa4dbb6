"""Redrawing rows of a table whose joint distribution is known, and that of a model that was trained a little."""

import math

import pytest
import torch
from scipy.stats import chisquare

import noisekernel as nk
from helpers import LEVEL
from noisekernel.core.categories import LOG_ZERO
from noisekernel.core.errors import InputError, ShapeError
from noisekernel.networks import ColumnsHead, Denoiser
from noisekernel.sampling.model import NoiseModel
from noisekernel.tasks import redrawing

#: Two columns of 2 and 3 classes, and a place of 4, which is uniform and independent.
HEAD = ColumnsHead(counts=(2, 3, 4), uniform=1)
KERNEL = nk.CategoricalKernel(classes=4, carry_visible=True)
JOINT = torch.tensor([[0.30, 0.05, 0.15], [0.05, 0.35, 0.10]])


class Exact(torch.nn.Module):
    """Features of the enumerated conditionals of what a state hides."""

    def forward(self, h, level, label=None):
        first, second = h[:, :3, 0].clone(), h[:, :4, 1].clone()
        hidden = h[:, 4] > 0.5
        rows = torch.where(hidden[:, :1], 1.0, first[:, :2])
        columns = torch.where(hidden[:, 1:2], 1.0, second[:, :3])
        seen = JOINT * rows[:, :, None] * columns[:, None, :]
        found = torch.full((len(h), 4, 2), LOG_ZERO)
        found[:, :2, 0], found[:, :3, 1] = seen.sum(dim=2).log(), seen.sum(dim=1).log()
        return found.clamp(min=LOG_ZERO)


EXACT = NoiseModel(KERNEL, Denoiser(Exact(), HEAD), shape=(3,))


def fits(z, joint):
    counts = torch.bincount(12 * z[:, 0] + 4 * z[:, 1] + z[:, 2], minlength=24).double()
    expected = (joint.double() / joint.double().sum())[:, :, None].expand(2, 3, 4).reshape(-1) / 4 * len(z)
    return chisquare(counts.numpy(), expected.numpy()).pvalue > LEVEL


@pytest.mark.statistical
def test_an_exact_denoiser_is_never_refused_and_forgets_where_it_began():
    begin = torch.tensor([[0, 0, 0]]).expand(6_000, -1)
    run = redrawing(EXACT, begin, share=0.5, steps=25)
    accepted = torch.cat([info.accepted for _, info in run])
    assert accepted.float().mean() > 0.999  # but for the rounding of a ratio that is 1
    assert fits(run.clean, JOINT)
    assert not fits(run.clean, JOINT.sum(dim=1, keepdim=True) * JOINT.sum(dim=0, keepdim=True))


@pytest.mark.statistical
def test_a_score_tilts_the_distribution_by_its_exponential():
    def score(z):
        return torch.where(z[:, 1] == 2, 1.3, 0.0) - 0.8 * z[:, 0].float()

    found = nk.redraw(EXACT, torch.zeros(1, 3, dtype=torch.int64), 6_000, share=0.5, steps=60, score=score)[0]
    tilt = torch.tensor([[0.0, 0.0, 1.3], [-0.8, -0.8, 0.5]])
    assert fits(found, JOINT * tilt.exp())
    assert not fits(found, JOINT)


def test_what_may_not_change_stays_and_forbidden_states_are_left_and_not_entered():
    z = torch.tensor([[0, 1, 3], [1, 2, 0]])
    found = nk.redraw(EXACT, z, 50, mask=torch.tensor([0, 1, 0]), steps=10)
    assert bool((found[..., [0, 2]] == z[:, None, [0, 2]]).all())
    assert len(found[..., 1].unique()) == 3

    def no_twos(z):
        return torch.where(z[:, 1] == 2, -math.inf, 0.0)

    found = nk.redraw(EXACT, z, 50, score=no_twos, share=1.0, steps=10)
    assert not bool((found[..., 1] == 2).any())


def test_a_sample_is_the_same_in_any_batch_and_run():
    z = torch.tensor([[0, 1, 3], [1, 2, 0]])
    together = nk.redraw(EXACT, z, 4, steps=6, seed=5)
    assert torch.equal(together, nk.redraw(EXACT, z, 4, steps=6, seed=5, batch_size=3))
    assert torch.equal(together[1:], nk.redraw(EXACT, z[1:], 4, steps=6, seed=5, first=4))
    assert not torch.equal(together, nk.redraw(EXACT, z, 4, steps=6, seed=6))
    run = redrawing(EXACT, z, 4, steps=6, seed=5)
    next(iter(run))
    assert len(run) == 5
    assert torch.equal(run.result(), together.flatten(0, 1))


def test_mistakes_are_told():
    z = torch.zeros(1, 3, dtype=torch.int64)
    with pytest.raises(InputError, match="share is 0"):
        nk.redraw(EXACT, z, share=0.0)
    with pytest.raises(InputError, match="score is a str"):
        nk.redraw(EXACT, z, score="age")
    with pytest.raises(ShapeError, match="one number per sample"):
        nk.redraw(EXACT, z, score=lambda z: z.float())
    with pytest.raises(InputError, match="nothing may change"):
        nk.redraw(EXACT, z, mask=torch.zeros(3))
    with pytest.raises(InputError, match="for data in categories"):
        nk.redraw(nk.load("digits", "cpu"), torch.zeros(1, 1, 8, 8))


@pytest.fixture(scope="module")
def names():
    small = {"network.width": 16, "network.depth": 1, "network.heads": 2, "training.images": 3_200}
    words = ["anna", "otto", "bob", "hannah", "ada", "eve", "nan", "abba"] * 6
    return nk.fit(words, recipe="tokens", settings=small, device="cpu", progress=False)


@pytest.mark.training
def test_a_model_tells_how_probable_strings_are(names):
    likely, unlikely = names.log_prob(["anna", "nnnnnn"]).tolist()
    assert likely > unlikely
    one = names.log_prob(["anna"], orders=1, seed=3)
    several = names.log_prob(["anna"], orders=8, seed=3)
    assert several.shape == (1,)
    assert float(several) >= float(one) - math.log(8)  # the mean of eight has the first in it
    with pytest.raises(InputError, match="no probability by the chain rule"):
        nk.load("digits", "cpu").log_prob(torch.zeros(1, 1, 8, 8))


@pytest.mark.training
def test_strings_keep_what_a_pattern_keeps(names):
    found = names.draw(names.redraw(["otto"], 12, mask="_tt_", steps=8))
    assert {word[1:3] for word in found} == {"tt"}
