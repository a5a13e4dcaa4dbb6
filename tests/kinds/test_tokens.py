"""What strings tell of themselves: their characters, and what a visible end makes known."""

import torch

from noisekernel.kinds.tokens import Tokens

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
