"""Draws docs/bach.png and docs/bach.mid, all of it made by the bundled model `bach`. Usage: python docs/bach.py [SEED].

Above: two new pieces of eight bars. Below: the soprano of a new piece alone, and three ways to harmonise it.
"""

import sys
from pathlib import Path

import numpy as np
import torch

import noisekernel as nk
from noisekernel.kinds.music.roll import roll

HERE = Path(__file__)
BARS = 8


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    model = nk.load("bach").of_length(BARS)
    kind = model.kind
    new = model.sample(3, seed=seed)
    mask = kind.mask("alto,tenor,bass", [])[0]
    ways = model.fill(new[2:], mask, 3, seed=seed)[0]
    given = torch.where(mask, -1, new[2:])
    codes = kind.decode(torch.cat((new[:2], given, ways))).numpy()
    captions = ["new", "new", "a soprano", *(f"harmonised, {way}" for way in ("one", "two", "three"))]
    page = roll(codes, per_beat=kind.per_beat, bar=kind.bar, columns=2, captions=captions, across=4, up=3)
    page.save(HERE.with_suffix(".png"))
    pause = np.zeros((codes.shape[1], kind.bar), dtype=codes.dtype)
    parts = [part for piece in (codes[0], *codes[3:]) for part in (piece, pause)]
    HERE.with_suffix(".mid").write_bytes(kind.midi(np.concatenate(parts, axis=1), {"model": "bach", "seed": seed}))


if __name__ == "__main__":
    main()
