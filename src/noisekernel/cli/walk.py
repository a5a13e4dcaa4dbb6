"""`nk walk`: a film of the endless walk."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import with_options

if TYPE_CHECKING:
    from torch import Tensor


@with_options
def walk(
    model: common.ModelArgument,
    examples: Annotated[
        list[str] | None, typer.Argument(metavar="[EXAMPLE...]", help="Where to start (default: at new samples).")
    ] = None,
    pace: Annotated[
        float, typer.Option(callback=common.within(0, 1), help="How much of the noise a step moves.")
    ] = 0.08,
    steps: Annotated[int, typer.Option(min=1, help="Steps of the walk.")] = 60,
    every: Annotated[int, typer.Option(min=1, help="Steps between frames.")] = 1,
    n: Annotated[int | None, typer.Option("-n", min=1, help="Chains side by side (default: at least 16).")] = None,
    fps: Annotated[float, typer.Option(callback=common.within(0.1, 100), help="Frames per second.")] = 12.0,
    out: Annotated[
        Path | None, typer.Option(help="The film: its ending says its format, which the kind of data has to know.")
    ] = None,
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    json: common.Json = False,
    force: common.Force = False,
    yes: common.Yes = False,
    *,
    guiding: Guiding,
) -> None:
    """Film a walk through the data.

    The walk is of the noise that samples are made of, which each step moves on a little. It may go on for ever and
    never leaves what the model draws.
    """
    from itertools import islice

    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.core.errors import InputError
    from noisekernel.files import outputs

    plain = common.spanning(models.load(model, device), examples or [])
    chain = guiding.of(plain, label)
    kind = chain.kind
    out = Path(f"walk{kind.reel}") if out is None else out
    kind.check_film(out)
    outputs.new_file(out, force=force)
    given = common.read_examples(chain, examples) if examples else None
    starts = None if given is None else given.z
    number = n or max(16, 0 if starts is None else len(starts))
    if starts is not None and len(starts) > number:
        raise InputError(
            f"{len(starts)} {kind.many} to start from, but -n {number} chains; give each {kind.one} a chain"
        )
    cost = Cost(yes)
    in_film = (steps // every + 1) * number * kind.bytes_shown
    cost.check(chain, number, number, kept=in_film, instead="ask for fewer steps, or to show fewer of them (--every)")
    if given is not None:
        common.say_if_unlike(plain, model, given)
    z = None if starts is None else starts[[i % len(starts) for i in range(number)]]
    labels = common.label_for(chain, label, number)
    going = tasks.walk(chain, number if z is None else z, pace=pace, label=labels, seed=seed)
    stored = None if given is None else given.values[[i % len(given.values) for i in range(number)]]

    def frame() -> "Tensor":
        values = kind.decode(going.clean.cpu())
        return values if stored is None else kind.kept(values, stored)

    frames = [frame()]
    with common.bar(steps, "walking") as bar:
        advance = cost.timed(bar, steps, steps)
        for state, _ in islice(going, steps):
            if state.t % every == 0 or state.t == steps:
                frames.append(frame())
            advance()
    kind.film(frames, out, fps)
    figures = {
        "task": "walk",
        "model": common.model_name(model),
        "pace": pace,
        "steps": steps,
        "frames": len(frames),
        "seed": seed,
        **guiding.told(chain),
        "out": str(out),
    }
    common.say(figures, json, f"{len(frames)} frames of {number} chains: {out}")
