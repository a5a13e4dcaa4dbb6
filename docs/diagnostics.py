"""Draws docs/diagnostics.png: the diagnosis of a chain that is exactly right, and of one that is not.

python docs/diagnostics.py
"""

import io
from functools import partial
from pathlib import Path

import torch
from PIL import Image

import noisekernel as nk
from noisekernel.measuring.chains import page
from noisekernel.networks.exact import exact_denoiser

MEAN, VARIANCE, SHAPE = 0.7, 0.25, (16,)
EXACT = partial(exact_denoiser, mean=MEAN, variance=VARIANCE)


def too_sure(x: torch.Tensor, beta: float) -> nk.Normal:
    """The right mean, and no variance."""
    return EXACT(x, beta).point()


def main() -> None:
    z = MEAN + VARIANCE**0.5 * torch.randn(4000, *SHAPE, generator=torch.Generator().manual_seed(0))
    plots = []
    for denoiser in (EXACT, too_sure):
        model = nk.NoiseModel(nk.GaussianKernel(0.5), denoiser, SHAPE)
        found = nk.diagnose(model, z, steps=1000, levels=[0.05, 0.5, 0.8])
        print(found)
        for plot in (page.plot_reversible, page.plot_stationary):
            buffer = io.BytesIO()
            plot(found.paper).figure.savefig(buffer, format="png", dpi=100)
            plots.append(Image.open(buffer).convert("RGB"))
    width, height = plots[0].size
    whole = Image.new("RGB", (2 * width, 2 * height))
    for i, plot in enumerate(plots):
        whole.paste(plot, (i % 2 * width, i // 2 * height))
    whole.quantize(64).save(Path(__file__).with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
