"""`nk walk`: a film of the chain."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noisekernel.cli import common

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import Tensor

    from noisekernel.models.model import Model


def walk(
    model: common.ModelArgument,
    pictures: Annotated[
        list[Path] | None, typer.Argument(metavar="[PICTURE...]", help="Where to start (default: at new samples).")
    ] = None,
    pace: Annotated[
        float | None,
        typer.Option(callback=common.within(0, 1), help="The share of noise that a step moves (default: 0.08)."),
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps (default: 60; with --beta, 200).")] = None,
    every: Annotated[int | None, typer.Option(min=1, help="Steps between frames (default: 1; with --beta, 2).")] = None,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Chains side by side (default: at least 16).")] = None,
    beta: common.WalkBeta = None,
    lag: common.WalkLag = None,
    readout: common.WalkReadout = None,
    fps: Annotated[float, typer.Option(callback=common.within(0.1, 100), help="Frames per second.")] = 12.0,
    out: Annotated[Path, typer.Option(help="The film: .gif or .mp4.")] = Path("walk.gif"),
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    json: common.Json = False,
    force: common.Force = False,
    yes: common.Yes = False,
) -> None:
    """Film a chain as it walks through the data.

    The walk is of the noise that pictures are made of, which each step moves on a little; it may go on for ever.
    With --beta it is one at that constant noise level, as in the paper, which slowly leaves the data.
    """
    from noisekernel import models
    from noisekernel.cli.cost import Cost
    from noisekernel.core.errors import InputError
    from noisekernel.files import outputs
    from noisekernel.kinds.pictures import drawing
    from noisekernel.kinds.pictures.film import check_film, save_film

    options = common.how_to_vary("pace", pace, beta, None, lag, readout, usual=0.08, sharp=5)
    steps = (60 if beta is None else 200) if steps is None else steps
    every = (1 if beta is None else 2) if every is None else every
    check_film(out)
    outputs.new_file(out, force=force)
    number = n or max(16, len(pictures or ()))
    if pictures and len(pictures) > number:
        raise InputError(f"{len(pictures)} pictures to start from, but -n {number} chains; give each picture a chain")
    chain = models.load(model, device)
    cost = Cost(yes)
    in_film = (steps // every + 1) * number * drawing.bytes_of_a_cell(chain.size)
    cost.check(chain, number, number, kept=in_film, instead="ask for fewer steps, or to show fewer of them (--every)")
    starts = common.read_pictures(chain, pictures) if pictures else None
    if pictures and starts is not None:
        common.say_if_unlike(chain, model, starts, pictures)
    z = None if starts is None else starts[[i % len(starts) for i in range(number)]]
    labels = common.label_for(chain, label, number)
    if beta is None:
        clean = _renewed(chain, number if z is None else z, options["pace"], labels, seed)
    else:
        clean = _at_constant_noise(chain, number if z is None else z, steps, {**options, "lag": lag}, labels, seed)
    frames = []
    with common.bar(steps, "walking") as bar:
        advance = cost.timed(bar, steps, steps)
        for done, look in enumerate(clean):
            if done % every == 0 or done == steps:
                frames.append(drawing.contact_sheet(chain.draw(look())))
            if done == steps:
                break
            advance()
    save_film(frames, out, fps)
    figures = {
        "task": "walk",
        "model": common.model_name(model),
        **({"pace": options["pace"]} if beta is None else {"beta": beta}),
        "steps": steps,
        "frames": len(frames),
        "seed": seed,
        "out": str(out),
    }
    common.say(figures, json, f"{len(frames)} frames of {number} chains: {out}")


def _renewed(
    model: "Model", z: "Tensor | int", share: float, label: "Tensor | None", seed: int
) -> "Iterator[Callable[[], Tensor]]":
    """How to look at the start, and at the walk after each step."""
    from noisekernel.tasks.noise_walk import NoiseWalk

    walk = NoiseWalk.of(model, z, label=label, seed=seed)
    while True:
        yield lambda: walk.clean
        walk.glide(share)


def _at_constant_noise(
    model: "Model", z: "Tensor | int", steps: int, options: dict[str, Any], label: "Tensor | None", seed: int
) -> "Iterator[Callable[[], Tensor]]":
    from noisekernel import tasks

    start = tasks.synthesize(model, z, label=label, seed=seed) if isinstance(z, int) else z
    readout = options["readout"]
    how = {"beta": options["beta"], "lag": options["lag"], "steps": steps, "readout": 0}
    run = tasks.variation(model, start, label=label, seed=seed, **how)
    yield lambda: start
    for _ in run:
        yield lambda: tasks.read_out(run.model, run.state, readout) if readout else run.clean
