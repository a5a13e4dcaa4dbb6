"""The rule for odd pictures: real ones are odd as often as it says, pictures of nothing always."""

import torch

from helpers import generator
from lab.oddness import Oddness, oddness


def pictures(n, seed):
    """Bars of two directions, a little rough, at a random place."""
    g = generator(seed)
    kind, place = torch.randint(2, (n,), generator=g), torch.randint(1, 7, (n,), generator=g)
    pixels = torch.zeros(n, 8, 8)
    pixels[torch.arange(n), place] = 200.0
    pixels = torch.where(kind.bool()[:, None, None], pixels.mT, pixels)
    return (pixels + 20 * torch.rand(n, 8, 8, generator=g)).round().to(torch.uint8)[:, None]


def looks_like(pixels):
    """0 for a bar across, 1 for one down."""
    square = pixels[:, 0].float()
    return (square.mean(dim=1).var(dim=1) > square.mean(dim=2).var(dim=1)).long()


def odd(share, pixels):
    known, held_out = pictures(400, 1), pictures(1000, 2)
    rule = Oddness(known, oddness(held_out, known), looks_like(held_out))
    return (rule.excess(pixels, looks_like(pixels), share) > 1).double().mean()


def test_of_real_pictures_the_stated_share_is_odd():
    assert 0.06 < float(odd(0.9, pictures(1000, 3))) < 0.14  # four standard errors of a tenth


def test_pictures_of_nothing_are_odd():
    soup = torch.randint(0, 256, (50, 1, 8, 8), generator=generator(4)).to(torch.uint8)
    assert float(odd(0.99, soup)) == 1.0
    assert float(odd(0.99, pictures(400, 1))) == 0.0  # those that are known have oddness nought
