"""What does a film of a walk look like: trembling or gliding, with the same number of network calls?

    python benchmarks/walk_film.py [--model fashion] [--chains 32] [--frames 60]

All walks start from the same new samples. Changes from frame to frame, and from the first to the last, are shares of
the distance between two unrelated pictures. The figures are appended to benchmarks/results/walk_film.jsonl. The frames
are drawn in DATE-walk_film.png, one row per chain, every other frame.
"""

import argparse

import torch
from PIL import Image
from torch import Tensor

import noisekernel as nk
from lab.results import RESULTS, record_run, today
from noisekernel.kinds.pictures.drawing import contact_sheet

#: The way to move, and the share of the noise that each step redraws.
WALKS = (("step", 0.15), ("step", 0.08), ("glide", 0.08))
DRAWN = (WALKS[0], WALKS[-1])
SHOWN, SHOWN_FRAMES = 6, 36


def film(model: nk.Model, chains: int, frames: int, how: str, share: float) -> Tensor:
    """(chains, frames, *shape)"""
    walk = nk.NoiseWalk.of(model, chains, seed=0)
    seen = [walk.clean]
    for _ in range(frames - 1):
        getattr(walk, how)(share)
        seen.append(walk.clean)
    return torch.stack(seen, 1)


def figures(seen: Tensor) -> dict[str, float]:
    def apart(a: Tensor, b: Tensor) -> Tensor:
        return (a - b).flatten(2).norm(dim=2)

    others = float(apart(seen[:, :1], seen[:, :1].roll(1, 0)).mean())
    change = apart(seen[:, 1:], seen[:, :-1]) / others
    return {
        "change a frame, median": round(float(change.median()), 4),
        "change a frame, mean": round(float(change.mean()), 4),
        "largest change a frame, mean over chains": round(float(change.amax(1).mean()), 4),
        "from start to end": round(float(apart(seen[:, -1:], seen[:, :1]).mean()) / others, 4),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", default="fashion")
    arguments.add_argument("--chains", type=int, default=32)
    arguments.add_argument("--frames", type=int, default=60)
    options = arguments.parse_args()
    model = nk.load(options.model)
    found, strips = {}, []
    for how, share in WALKS:
        seen = film(model, options.chains, options.frames, how, share)
        found[f"{how} {share}"] = figures(seen)
        print(how, share, figures(seen), flush=True)
        if (how, share) in DRAWN:
            pictures = seen[:SHOWN, :SHOWN_FRAMES:2]
            strips.append(contact_sheet(model.draw(pictures.flatten(0, 1)), columns=pictures.shape[1]))
    record_run("walk_film", {"model": options.model, **found})
    sheet = Image.new(strips[0].mode, (strips[0].width, sum(strip.height for strip in strips) + 12), "white")
    for strip, top in zip(strips, (0, strips[0].height + 12), strict=True):
        sheet.paste(strip, (0, top))
    sheet.save(RESULTS / f"{today()}-walk_film.png")


if __name__ == "__main__":
    main()
