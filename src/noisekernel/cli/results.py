"""What commands write that make several results of each picture: a PNG of each, a sheet, and a manifest."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from noisekernel.files import outputs
from noisekernel.kinds.pictures import drawing
from noisekernel.kinds.pictures.record import Record
from noisekernel.models.model import Model


def write_results(
    folder: Path,
    model: Model,
    how: Mapping[str, Any],
    pictures: Sequence[Path],
    results: Tensor,
    beside: Sequence[Tensor],
    *,
    numbered: str,
    inputs: Sequence[Path],
) -> Path:
    """Write the results of each picture, of shape (pictures, n, *shape), and return the path of the sheet.

    The sheet has one row per picture: first it in each batch of `beside`, then its results. The manifest says `how`
    they were made, and numbers the results of a picture by the word `numbered`. `inputs` are files to leave alone.
    """
    n = results.shape[1]
    files = [[f"{name}-{k:02d}.png" for k in range(n)] for name in outputs.names_of(pictures)]
    listed = [
        {"file": file, **how, "picture": i, "source": pictures[i].name, numbered: k, "sample": i * n + k}
        for i, own in enumerate(files)
        for k, file in enumerate(own)
    ]
    record = Record(folder, dict(how), listed, inputs=inputs)
    cells = []
    for i, own in enumerate(files):
        images = model.draw(results[i])
        record.write(images, own)
        cells += [image for batch in beside for image in model.draw(batch[i : i + 1])] + images
    record.sheet(drawing.contact_sheet(cells, columns=n + len(beside)), "sheet.png")
    record.finish()
    return folder / "sheet.png"
