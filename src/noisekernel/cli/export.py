"""`nk export`: the denoiser for other programs."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def export(
    model: common.ModelArgument,
    out: Annotated[
        Path, typer.Option(help="The file: .pt2 (torch.export) or .onnx; a folder for diffusers, if adopted from it.")
    ],
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Write the denoiser as a torch.export program, an ONNX file or a folder of diffusers, and compare it."""
    from noisekernel.files import outputs
    from noisekernel.models.export import export as write

    (outputs.new_file if out.suffix else outputs.new_folder)(out, force=force)
    figures = write(model, out)
    text = f"{out}: {figures['inputs']} to {figures['outputs']}; largest difference from the original "
    common.say(figures, json, text + f"{figures['largest_difference']:.2g}")
