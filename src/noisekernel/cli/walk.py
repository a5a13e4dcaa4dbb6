"""`nk walk`: a film of the chain."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def walk(
    model: common.ModelArgument,
    pictures: Annotated[
        list[Path] | None, typer.Argument(metavar="[PICTURE...]", help="Where to start (default: at new samples).")
    ] = None,
    beta: Annotated[float, typer.Option(help="Noise level in (0, 1]: the larger, the further a step.")] = 0.2,
    steps: Annotated[int, typer.Option(min=1, help="Steps of the chain.")] = 200,
    every: Annotated[int, typer.Option(min=1, help="Steps between frames.")] = 2,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Chains side by side (default: at least 16).")] = None,
    lag: Annotated[float | None, typer.Option(help="The share of the state a step carries over, in [0, 1).")] = None,
    readout: Annotated[int, typer.Option(min=0, help="Annealing steps for each frame; 0 for the blurred mean.")] = 5,
    fps: Annotated[float, typer.Option(min=0.1, help="Frames a second.")] = 12.0,
    out: Annotated[Path, typer.Option(help="The film: .gif or .mp4.")] = Path("walk.gif"),
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Film the chain as it walks through the data."""
    from noisekernel import models, outputs, tasks
    from noisekernel.errors import InputError

    if not fps <= 100:
        raise InputError(f"--fps is {fps}; films have up to 100 frames a second")
    outputs.check_film(out)
    outputs.new_file(out, force=force)
    number = n or max(16, len(pictures or ()))
    if pictures and len(pictures) > number:
        raise InputError(f"{len(pictures)} pictures to start from, but -n {number} chains; give each picture a chain")
    chain = models.load(model, device)
    if pictures:
        starts = chain.read(pictures)
        z = starts[[i % len(starts) for i in range(number)]]
        labels = common.label_for(chain, label, number)
    else:
        labels = common.label_for(chain, label, number)
        z = tasks.synthesize(chain, number, label=labels, seed=seed)
    run = tasks.variation(chain, z, beta=beta, steps=steps, lag=lag, readout=0, label=labels, seed=seed)
    frames = [outputs.contact_sheet(chain.draw(z))]
    with common.bar(steps, "walking") as advance:
        for done, (state, _) in enumerate(run, start=1):
            advance()
            if done % every == 0 or done == steps:
                sharp = tasks.read_out(run.model, state, readout) if readout else run.clean
                frames.append(outputs.contact_sheet(chain.draw(sharp)))
    outputs.save_film(frames, out, fps)
    figures = {
        "task": "walk",
        "model": common.model_name(model),
        "beta": beta,
        "steps": steps,
        "frames": len(frames),
        "seed": seed,
        "out": str(out),
    }
    common.say(figures, json, f"{len(frames)} frames of {number} chains: {out}")
