"""Draws docs/fashion.png. Usage: python docs/fashion.py FOLDER, with idx files of Fashion-MNIST for real pictures."""

import sys
from pathlib import Path

import torch
from PIL import Image

import noisekernel as nk
from noisekernel.kinds.pictures import drawing

COLUMNS = 16


def main() -> None:
    model = nk.load("fashion")
    loaded, _ = nk.data.load_data(sys.argv[1], model.kind)
    real = model.kind.encode(loaded.values[:64])
    new = nk.synthesize(model, 3 * COLUMNS, seed=3)
    walks = []
    for row in range(2):
        z, run = real[[18 + row]], []
        walk = nk.walk(model, z, pace=0.06, seed=row)
        run.append(z)
        for _ in range(COLUMNS - 1):
            for _ in range(4):  # of a film, one frame in four
                walk.step()
            run.append(walk.clean)
        walks.append(torch.cat(run))
    examples = real[30:38]
    mask = nk.kinds.pictures.tile_masks(model.kind.box, 7, 0.4, len(examples))
    filled = nk.fill(model, examples, mask, 2)
    shown = torch.where(mask, torch.zeros_like(examples), examples)
    cells = torch.cat((examples[:, None], shown[:, None], filled), dim=1).flatten(0, 1)
    strips = [drawing.contact_sheet(model.draw(z), COLUMNS, least=56) for z in (new, torch.cat(walks), cells)]
    gap = 14
    sheet = Image.new("L", (strips[0].width, sum(strip.height + gap for strip in strips) - gap), 255)
    top = 0
    for strip in strips:
        sheet.paste(strip, (0, top))
        top += strip.height + gap
    drawing.save_png(sheet, Path(__file__).with_suffix(".png"), {"model": "fashion"})


if __name__ == "__main__":
    main()
