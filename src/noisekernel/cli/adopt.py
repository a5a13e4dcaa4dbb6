"""`nk adopt`: a diffusion or flow model of `diffusers`, as a model of ours."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def adopt(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A folder of diffusers, or OWNER/NAME on the Hub.")],
    out: Annotated[Path, typer.Option(help="The model's file (.safetensors), or a folder for it.")],
    pictures: Annotated[
        str | None,
        typer.Option(help="A folder of pictures like those that it learned from (default: its own samples)."),
    ] = None,
    classes: Annotated[str | None, typer.Option(help="The names of its classes, in order: cat,dog,….")] = None,
    examples: Annotated[int, typer.Option(min=2, help="How many pictures its error is measured on.")] = 64,
    seed: common.Seed = 0,
    device: common.Device = None,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Make a model of a diffusion or flow model that was trained with diffusers."""
    from noisekernel import models
    from noisekernel.files import outputs
    from noisekernel.models.adopting import adopt as adopted
    from noisekernel.models.adopting import work

    path = outputs.new_file(out if out.suffix == ".safetensors" else out / models.FILE, force=force)
    names = None if classes is None else [name.strip() for name in classes.split(",")]
    with common.bar(work(examples, pictures is None), "measuring the error of the network by noise level") as advance:
        model = adopted(
            source,
            pictures=pictures,
            classes=names,
            examples=examples,
            seed=seed,
            device=device,
            advance=advance,
        )
    model.save(path, force=force)
    told = model.history["adopted"]
    for sentence in told["notes"]:
        common.note(sentence)
    figures = {"file": str(path), "parameters": model.parameters, **told}
    common.say(figures, json, f"{path}: {model.parameters:,} parameters. Next: nk sample {out} -n 16")
