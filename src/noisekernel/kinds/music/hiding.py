"""What people hide of a piece, drawn at random: voices, bars, single notes, whatever comes after a moment.

A network that has been trained on such holes, and not on scattered ones alone, fills them better: that a voice is
harmonised, a bar rewritten, a piece continued.
"""

import torch
from torch import Tensor

from noisekernel.core.randomness import Randomness, uniform

#: How often the end of a window is hidden, whole voices, and a stretch of some voices.
ENDS, VOICES = 0.6, 0.2
#: The end begins in the last so many steps as often as anywhere, so that often nearly all is seen that can be.
LAST, MOST = 6, 0.5


def hidden_parts(n: int, voices: int, steps: int, generator: Randomness) -> Tensor:
    """Which cells are hidden, (n, voices, steps): for each example at least one.

    Args:
        n: The number of examples.
        voices: How many voices they have.
        steps: How many steps.
        generator: Draws them; the same number of draws for each example.
    """
    u = uniform((n, 8 + voices), generator)
    scattered = uniform((n, voices, steps), generator)
    rank = u[:, 8:].argsort(dim=1).argsort(dim=1)  # of each voice, in an order of its own for each example
    time = torch.arange(steps)
    # The end: all after a step, and at that step some of the voices.
    late = steps - 1 - (u[:, 1] * min(LAST, steps)).long()
    start = torch.where(u[:, 2] < MOST, late, (u[:, 1] * steps).long())
    there = rank < 1 + (u[:, 3] * voices).long()[:, None]
    end = (time > start[:, None])[:, None] | ((time == start[:, None])[:, None] & there[:, :, None])
    # Some voices, all but one at the most, a share of whose cells is hidden that is often all of them.
    some = rank < 1 + (u[:, 3] * max(voices - 1, 1)).long()[:, None]
    whole = some[:, :, None] & (scattered < u[:, 4].sqrt()[:, None, None])
    # A stretch of time, of any of the voices.
    length = 4 + (u[:, 5] * (steps - 3)).long()
    first = (u[:, 6] * (steps - length + 1)).long()[:, None]
    inside = (time >= first) & (time < first + length[:, None])
    stretch = inside[:, None] & there[:, :, None] & (scattered < u[:, 4].sqrt()[:, None, None])
    which = u[:, :1, None]
    hidden = torch.where(which < ENDS, end, torch.where(which < ENDS + VOICES, whole, stretch))
    least = scattered.flatten(1) <= scattered.flatten(1).amin(dim=1, keepdim=True)
    none = ~hidden.flatten(1).any(dim=1)
    return hidden | (none[:, None] & least).unflatten(1, (voices, steps))
