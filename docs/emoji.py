"""Draws docs/emoji.png, all of it made by the bundled model `emoji`. Usage: python docs/emoji.py [SEED]."""

import sys
from pathlib import Path

import torch
from PIL import Image

import noisekernel as nk
from noisekernel.kinds.pictures import drawing

COLUMNS = 16


def main() -> None:
    model = nk.load("emoji")
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    new = nk.synthesize(model, 4 * COLUMNS, seed=seed)
    walks = []
    for row in range(2):
        z = new[[34 + 21 * row]]
        run, walk = [z], nk.walk(model, z, pace=0.08, seed=row)
        for _ in range(COLUMNS - 1):
            for _ in range(4):  # of a film, one frame in four
                walk.step()
            run.append(walk.clean)
        walks.append(torch.cat(run))
    chosen = new[COLUMNS : COLUMNS + 2]
    variants = nk.vary(model, chosen, COLUMNS - 1, strength=0.35, seed=1)
    varied = torch.cat((chosen[:, None], variants), dim=1).flatten(0, 1)
    strips = [drawing.contact_sheet(model.draw(z), COLUMNS, least=56) for z in (new, varied, torch.cat(walks))]
    gap = 14
    sheet = Image.new("RGB", (strips[0].width, sum(strip.height + gap for strip in strips) - gap), "white")
    top = 0
    for strip in strips:
        sheet.paste(strip, (0, top))
        top += strip.height + gap
    drawing.save_png(sheet, Path(__file__).with_suffix(".png"), {"model": "emoji"})


if __name__ == "__main__":
    main()
