"""`nk demo`: train on digits, use the chain, and write a report to look at."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def demo(
    out: common.Out = Path("demo"),
    data: Annotated[str, typer.Option(help="Any data, as for nk train.")] = "digits",
    recipe: Annotated[str | None, typer.Option(help="A recipe's name or file (default: as for nk train).")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated.")] = None,
    seed: common.Seed = 0,
    device: common.DeviceOfTraining = None,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Train, draw, vary, fill in and walk, and write it all into one report.html."""
    from noisekernel import demo as tour
    from noisekernel import models

    figures = tour.run(out, data, recipe, set_ or (), seed, device, force=force)
    common.say(figures, json, tour.next_commands(out, models.load(out / "run", "cpu").kind))
