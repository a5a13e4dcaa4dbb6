"""The strength dial: what it says is how far variants go."""

import numpy as np
import pytest
import torch

import noisekernel as nk
from noisekernel import models
from noisekernel.files.folders import cache_folder
from noisekernel.measuring.chains import renewal_curve
from noisekernel.measuring.dial import RENEWAL, WALK


@pytest.fixture(scope="module")
def digits():
    return nk.load("digits", "cpu")


@pytest.fixture
def curve():
    return RENEWAL.known(models.digest_of("digits"))


@pytest.mark.parametrize("dial", [RENEWAL, WALK], ids=lambda dial: dial.name)
@pytest.mark.parametrize("name", ["digits", "fashion"])
def test_equal_turns_go_equally_far(dial, name):
    curve = dial.known(models.digest_of(name))
    levels = [curve.turned(turn / 10) for turn in range(11)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (0.0, curve.betas[-1])
    turns = np.diff([curve.distance(level) for level in levels])
    assert np.allclose(turns, turns.mean(), atol=0.01)
    # The wrong twin, a dial of the noise level itself, goes most of its way in the first turns.
    twin = np.diff([curve.distance(turn / 10 * curve.betas[-1]) for turn in range(11)])
    assert twin[0] > 3 * twin[5]


@pytest.mark.statistical
@pytest.mark.parametrize("strength", [0.2, 0.35, 0.5])
def test_new_variants_go_as_far_as_the_dial_says(digits, curve, strength):
    """Within what the curve, measured on 48 samples, and 96 others differ by."""
    z = nk.synthesize(digits, 96, steps=20, seed=7)
    unrelated = 2.0 * z.flatten(1).var(dim=0).sum()

    def reached(beta):
        variants = nk.renew(digits, z, 1, below=beta, seed=8)[:, 0]
        return float(((variants - z).flatten(1).square().sum(1).mean() / unrelated).sqrt())

    wanted = strength * curve.monotone[-1]
    assert reached(curve.turned(strength)) == pytest.approx(wanted, abs=0.08)
    assert reached(strength) > wanted + 0.12  # the wrong twin


@pytest.mark.statistical
def test_the_dial_does_not_jump_at_its_low_end(digits, curve):
    """On 24 samples that the curve was not measured on: the way rises with every turn, and evenly."""
    z = nk.synthesize(digits, 48, steps=20, seed=17)
    unrelated = 2.0 * z.flatten(1).var(dim=0).sum()
    noise = nk.NoiseWalk.of(digits, z[:24], seed=18, first=24).noise

    def reached(beta):
        variants = nk.tasks.renewal(digits, z[:24], below=beta, seed=18, noise=noise).result()
        return float(((variants - z[:24]).flatten(1).square().sum(1).mean() / unrelated).sqrt())

    turns = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
    ways = [reached(curve.turned(turn)) for turn in turns]
    assert ways == sorted(ways)
    assert ways[:3] == pytest.approx(np.multiply(turns[:3], curve.monotone[-1]), abs=0.03)
    assert ways[3:] == pytest.approx(np.multiply(turns[3:], curve.monotone[-1]), abs=0.12)
    assert reached(0.05) > 0.25  # the wrong twin, a dial of the noise level itself, jumps


def test_the_ends_of_the_dial(digits, curve):
    z = nk.synthesize(digits, 4, steps=20, seed=3)
    same = nk.renew(digits, z, 1, below=curve.turned(0.0), seed=1)[:, 0]
    assert torch.allclose(same, z, atol=0.05)
    assert curve.turned(1.0) == 1.0
    with pytest.raises(nk.errors.InputError, match="strength is 1"):
        curve.turned(1.5)


def test_a_curve_is_kept_by_the_weights_it_is_of(digits, tmp_path, monkeypatch):
    monkeypatch.setenv("NK_HOME", str(tmp_path))
    assert RENEWAL.known("0" * 64) is None
    z = nk.synthesize(digits, 8, steps=4, seed=1)
    some = renewal_curve(digits, z, betas=(0.1, 1.0), n=4, steps=4)
    RENEWAL.keep("0" * 64, some)
    assert RENEWAL.known("0" * 64) == some
    assert WALK.known("0" * 64) is None
    (path,) = (cache_folder() / "curves").glob("0000*")
    path.write_text("{}")
    assert RENEWAL.known("0" * 64) is None  # damaged: as if it were not there


def test_measuring_tells_how_far_it_is(digits):
    advanced = []
    RENEWAL.measure(digits, n=2, advance=lambda: advanced.append(1))
    assert len(advanced) == RENEWAL.work
