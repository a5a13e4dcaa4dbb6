"""Small runs, and ways to end them."""

import numpy as np
import torch
from PIL import Image

import noisekernel as nk
from noisekernel.training.observers import Silent

SMALL = {"network.channels": 8, "training.batch": 16, "training.images": 160, "training.log_every": 32}


def train(out, images=160, **more):
    settings = {**SMALL, "training.images": images, "training.save_every": 48, "training.draw_every": 10**6}
    return nk.fit("digits", out, settings=settings, progress=False, **more)


def weights(folder):
    return nk.load(folder).denoiser.state_dict()


def same(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


class Bomb(Silent):
    """Stops a run as if it had been killed: without a word."""

    def __init__(self, at):
        self.at = at

    def logged(self, entry):
        if entry.images >= self.at:
            raise SystemExit


def pictures_in(folder, n=12, size=8):
    folder.mkdir(exist_ok=True)
    for i in range(n):
        Image.fromarray(np.full((size, size), 20 * i, np.uint8)).save(folder / f"{i:02d}.png")
    return folder


TINY = {"network.channels": 8, "network.multipliers": [1], "training.batch": 8, "training.images": 48}


EARLY = {**TINY, "training.save_every": 16, "training.draw_every": 10**6}
