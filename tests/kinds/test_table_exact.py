"""A table of two columns whose joint distribution is known: rows, holes and likelihoods against enumeration."""

import math

import pytest
import torch
from scipy.stats import chisquare

import noisekernel as nk
from helpers import LEVEL
from noisekernel.core.categories import LOG_ZERO, Categorical
from noisekernel.kinds.tables import Tables
from noisekernel.kinds.tables.bins import PLACES
from noisekernel.sampling.in_order import at_random, in_sequence, log_probs

#: P(smoker, cigarettes a day), with 0, 10 or 25 cigarettes, or no answer.
JOINT = torch.tensor([[0.55, 0.0, 0.0, 0.05], [0.02, 0.2, 0.13, 0.05]], dtype=torch.float64)
ROWS = [{"smoker": "no", "day": day} for day in (0, None)] + [
    {"smoker": "yes", "day": day} for day in (0, 10, 25, None)
]
KIND, _ = Tables().fitted(nk.data.open_source(ROWS * 5))
KERNEL = nk.CategoricalKernel(classes=KIND.classes, carry_visible=True)


def exact(x, beta, joint=JOINT):
    """r(z | x) by enumeration: what is masked given what is not. Places are uniform."""
    smoker, day = x[:, 0], x[:, 1]
    seen = joint.expand(len(x), 2, 4).clone()
    for row in range(2):
        seen[:, row] *= ((smoker == KERNEL.masked) | (smoker == row))[:, None]
    for column in range(4):
        seen[:, :, column] *= ((day == KERNEL.masked) | (day == column))[:, None]
    probs = torch.zeros(len(x), 3, KIND.classes, dtype=torch.float64)
    probs[:, 0, :2], probs[:, 1, :4] = seen.sum(dim=2), seen.sum(dim=1)
    probs[:, 2, :PLACES] = 1.0
    probs = probs / probs.sum(dim=-1, keepdim=True)
    return Categorical(torch.where(probs > 0, probs.clamp(min=1e-300).log(), LOG_ZERO).float())


def marginal(x, beta):
    """The wrong twin: each column as if nothing were known of the other."""
    return exact(x, beta, JOINT.sum(dim=1, keepdim=True) * JOINT.sum(dim=0, keepdim=True))


class Model(nk.NoiseModel):
    """Rows that know their kind."""

    def barred(self, z, hidden):
        return KIND.barred(z, hidden)


def counts(denoiser, hidden, row, n=4000, seed=0):
    """How often each pair of classes is filled in."""
    model = Model(KERNEL, denoiser, KIND.shape)
    z = KIND.encode(torch.from_numpy(KIND.store(row).values)[None])
    found = nk.fill(model, z, KIND.mask_of(hidden), n=n, steps=30, seed=seed)[0]
    drawn = KIND.drawn(KIND.decode(found))
    return drawn, torch.bincount(4 * found[:, 0] + found[:, 1], minlength=8).reshape(2, 4).double()


def agrees(seen, expected):
    there = expected > 0
    if bool((seen[~there] > 0).any()):
        return False
    return chisquare(seen[there].numpy(), (expected / expected.sum() * seen.sum())[there].numpy()).pvalue > LEVEL


@pytest.mark.statistical
def test_a_hole_is_filled_by_what_is_known_of_the_row():
    given_yes = JOINT[1].clone()
    given_yes[3] = 0.0  # what is filled in is something
    drawn, seen = counts(exact, ["day"], {"smoker": "yes", "day": 10})
    assert {row["smoker"] for row in drawn} == {"yes"}
    assert {row["day"] for row in drawn} == {0, 10, 25}
    assert agrees(seen[1], given_yes)
    assert not agrees(counts(marginal, ["day"], {"smoker": "yes", "day": 10})[1][1], given_yes)
    # And the other way: who smokes 10 a day is a smoker, of those who smoke none few are.
    assert counts(exact, ["smoker"], {"smoker": "no", "day": 10}, 100)[1][1].sum() == 100
    assert agrees(counts(exact, ["smoker"], {"smoker": "no", "day": 0})[1][:, 0], JOINT[:, 0])


@pytest.mark.statistical
def test_new_rows_have_missing_cells_as_often_as_the_data():
    def made(denoiser):
        z = nk.synthesize(nk.NoiseModel(KERNEL, denoiser, KIND.shape), 4000, steps=300, seed=1)
        assert bool((z[:, 2] < PLACES).all())
        return torch.bincount(4 * z[:, 0] + z[:, 1], minlength=8).reshape(2, 4).double()

    assert agrees(made(exact), JOINT) or agrees(made(exact).sum(dim=0), JOINT.sum(dim=0))
    assert agrees(made(exact).sum(dim=0), JOINT.sum(dim=0))
    assert not agrees(made(marginal), JOINT)


def test_the_likelihood_of_a_row_is_that_of_the_table_in_any_order():
    z = KIND.encode(torch.stack([torch.from_numpy(KIND.store(row).values) for row in ROWS]))
    expected = torch.stack([JOINT[a, b] for a, b in z[:, :2].tolist()]).log()
    # Each of the three values is a bin of its own, so that places are known and cost nothing.
    log_prob = log_probs(KERNEL, exact, z, in_sequence(z), known=KIND.known).sum(dim=1)
    torch.testing.assert_close(log_prob.double(), expected, atol=1e-4, rtol=1e-4)
    order = at_random(z, torch.Generator().manual_seed(3))
    other = log_probs(KERNEL, exact, z, order)  # without that, each place is one of 64
    torch.testing.assert_close(other[:, :2].sum(dim=1).double(), expected, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(other[:, 2], torch.full((6,), -math.log(PLACES)))
    assert log_probs(KERNEL, marginal, z, order)[:, :2].sum(dim=1).sub(expected).abs().max() > 0.1
