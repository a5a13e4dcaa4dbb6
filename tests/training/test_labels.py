"""A model trained with labels follows them; one trained with shuffled labels cannot."""

import numpy as np
import pytest
import torch

import noisekernel as nk

SETTINGS = {
    "network.channels": 16,
    "training.images": 6_000,
    "training.warmup": 500,
    "training.average.images": 500,
    "training.draw_every": 10**9,
}


@pytest.mark.training
def test_labels_are_followed(tmp_path):
    """Pictures that are bright on the left (0) or on the right (1)."""
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 2, 400)
    pixels = chance.integers(0, 60, (400, 8, 8), dtype=np.uint8)
    pixels[labels == 0, :, :4] += 150
    pixels[labels == 1, :, 4:] += 150
    asked = torch.arange(200) % 2

    def followed(name, labels):
        np.savez(tmp_path / name, pixels=pixels, labels=labels)
        model = nk.fit(tmp_path / name, recipe="digits", settings=SETTINGS, progress=False)
        samples = nk.synthesize(model, 200, steps=20, label=asked)
        right = samples[..., 4:].mean((1, 2, 3)) > samples[..., :4].mean((1, 2, 3))
        return float((right.long() == asked).float().mean())

    assert followed("true.npz", labels) > 0.9
    assert followed("shuffled.npz", chance.permutation(labels)) < 0.7  # the wrong twin
