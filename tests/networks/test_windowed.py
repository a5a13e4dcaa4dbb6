"""Windows of longer data: each element from the window that it is most central to, and no seam."""

import pytest
import torch

from helpers import generator
from noisekernel.core.categories import Categorical
from noisekernel.core.errors import InputError
from noisekernel.networks import Windowed

CLASSES, MASKED = 3, 3


def near(x, beta):
    """r that depends on the neighbours alone, two places to each side."""
    hot = torch.nn.functional.one_hot(x, CLASSES + 1).float()
    seen = torch.zeros_like(hot)
    for shift in (-2, -1, 1, 2):
        rolled = hot.roll(shift, dims=-2)
        edge = slice(None, shift) if shift > 0 else slice(shift, None)
        rolled[..., edge, :] = 0.0
        seen += rolled * (1.0 + 0.3 * shift)
    return Categorical.from_logits(seen[..., :CLASSES])


@pytest.mark.parametrize("length", [16, 17, 24, 61])
def test_a_denoiser_that_looks_no_further_than_a_quarter_window_is_the_same_on_the_whole(length):
    x = torch.randint(0, CLASSES + 1, (4, 2, length), generator=generator(length))
    whole = near(x, 0.5).log_probs
    torch.testing.assert_close(Windowed(near, 16, 8, MASKED)(x, 0.5).log_probs, whole)
    if length > 17:  # windows that do not overlap have seams
        wrong = torch.cat([near(part, 0.5).log_probs for part in x.split(16, dim=-1)], dim=-2)
        assert not torch.allclose(wrong, whole)


def test_each_window_is_told_the_share_that_is_masked_in_it():
    told = []

    def denoiser(x, beta, label=None):
        told.append((x == MASKED).flatten(1).float().mean(dim=1) - beta)
        assert label.tolist() == [5, 5, 5, 7, 7, 7]
        return near(x, beta)

    x = torch.full((2, 32), MASKED)
    x[:, :20] = 1
    x[0, 5] = MASKED
    Windowed(denoiser, 16, 8, MASKED)(x, torch.tensor([0.5, 0.7]), label=torch.tensor([5, 7]))
    (apart,) = told
    # The first window of the second sample has nothing masked, so that it is told the level of the state.
    assert apart.tolist() == pytest.approx([0, 0, 0, -0.7, 0, 0], abs=1e-6)


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="give at most half of the window of 16"):
        Windowed(near, 16, 9, MASKED)
    with pytest.raises(InputError, match="shorter than the window"):
        Windowed(near, 16, 8, MASKED)(torch.zeros(1, 12, dtype=torch.int64), 0.5)
