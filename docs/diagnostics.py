"""Draws docs/diagnostics.png, and writes the figures behind it to docs/diagnostics.json: the bundled digits, diagnosed.

    python docs/diagnostics.py

Fewer chains and steps than `nk diagnose` takes by default: a few minutes on one core.
"""

import io
from pathlib import Path

from PIL import Image

import noisekernel as nk
from noisekernel import diagnosis_page as page
from noisekernel.storage import write_json

HERE = Path(__file__).parent


def main() -> None:
    model, digits = nk.load("digits", "cpu"), nk.data.load(nk.data.open_source("digits"))
    z = model.codec.encode(digits.pixels)
    found = nk.diagnose(model, z, digits.labels, n=64, steps=300, levels=[0.05, 0.8], batch_size=64)
    write_json(HERE / "diagnostics.json", found.figures())
    plots = []
    for plot in (page.plot_reversible, page.plot_stationary, page.plot_mixing, page.plot_strength):
        buffer = io.BytesIO()
        plot(found).figure.savefig(buffer, format="png", dpi=100)
        plots.append(Image.open(buffer).convert("RGB"))
    width, height = plots[0].size
    whole = Image.new("RGB", (2 * width, 2 * height))
    for i, plot in enumerate(plots):
        whole.paste(plot, (i % 2 * width, i // 2 * height))
    whole.quantize(64).save(HERE / "diagnostics.png", optimize=True)


if __name__ == "__main__":
    main()
