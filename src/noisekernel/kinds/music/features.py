"""What music is judged by: how often pitches, melodic steps, intervals between voices and onsets occur.

Each is a share, and the square root is taken, so that rare events count: distances of square roots of shares are those
of Hellinger. The features know nothing of where in an example an event occurs.
"""

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from noisekernel.kinds.music.grid import REST

#: Melodic steps beyond an octave are counted as one.
WIDEST = 12


def music_features(codes: Tensor, low: int, high: int, per_beat: int) -> Tensor:
    """Square roots of shares, (n, features).

    Args:
        codes: Codes of a grid, (n, voices, steps), in which each note is struck where it begins (`grid.tidied`).
        low: The lowest MIDI pitch there is.
        high: The highest.
        per_beat: Steps per beat.
    """
    sounding = codes > REST
    pitch = torch.where(sounding, (codes - 1).div(2, rounding_mode="floor"), 0).long()
    struck = sounding & ((codes - 1) % 2 == 1)
    n, voices, steps = codes.shape
    found = [_shares(one_hot((pitch - low).clamp(0, high - low), high - low + 1), sounding)]
    step = (pitch[..., 1:] - pitch[..., :-1]).clamp(-WIDEST, WIDEST) + WIDEST
    found.append(_shares(one_hot(step, 2 * WIDEST + 1), struck[..., 1:] & sounding[..., :-1]))
    place = torch.arange(steps, device=codes.device) % per_beat
    found.append(_shares(one_hot(place, per_beat).expand(n, voices, steps, per_beat), struck))
    found.append(struck.float().mean(dim=2))
    upper, lower = torch.triu_indices(voices, voices, 1)
    between = (pitch[:, upper] - pitch[:, lower]) % 12
    found.append(_shares(one_hot(between, 12), sounding[:, upper] & sounding[:, lower]))
    return torch.cat([each.flatten(1) for each in found], dim=1).sqrt()


def _shares(hot: Tensor, counted: Tensor) -> Tensor:
    """Of one-hot events (n, lines, steps, events) the share of each among those that are counted, per line."""
    total = (hot * counted[..., None]).sum(dim=2).float()
    return total / counted.sum(dim=2).clamp(min=1)[..., None]
