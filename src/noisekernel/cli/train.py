"""`nk train`: from data to a model."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def train(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="digits, a folder, .csv, .parquet, .txt, .npy/.npz, an idx file, a CIFAR-10 archive, or hf:NAME.",
        ),
    ],
    out: Annotated[Path | None, typer.Option(help="The folder of the run; new, unless --resume.")] = None,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="A recipe's name or file (default: digits for digits, else small on a CPU, default on a GPU)."
        ),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value, such as training.batch=128; may be repeated.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="The kind of data: pictures, points, tables, tokens, … (default: found by looking)."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--from", help="Begin with the weights of this model (name, file, folder of a run), as far as they fit."
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="The time it may take: sizes and number of images follow from the speed of this machine."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint, if there is one.")] = False,
    calibrate: Annotated[
        bool, typer.Option("--calibrate/--no-calibrate", help="Measure the strength of variants at the end.")
    ] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="A few steps only: what would it cost?")] = False,
    seed: Annotated[
        int | None,
        typer.Option(min=0, callback=common.check_seed, help="The same seed gives the same weights (default: 0)."),
    ] = None,
    device: common.DeviceOfTraining = None,
    json: common.Json = False,
) -> None:
    """Train a chain on your data.

    Stop it with Ctrl-C or kill it: --resume goes on to the same end. For many GPUs: torchrun --nproc-per-node 8 -m
    noisekernel train DATA --out DIR.
    """
    from noisekernel.core.errors import InputError, Stopped
    from noisekernel.training.dry_run import dry_run as plan_run
    from noisekernel.training.dry_run import told
    from noisekernel.training.run import fit

    if dry_run:
        figures = plan_run(
            data,
            recipe=recipe,
            settings=set_ or (),
            seed=seed or 0,
            device=device,
            start=start,
            kind=kind,
            minutes=minutes,
        )
        if common.process()[0] == 0:
            common.say(figures, json, told(figures))
        return
    if out is None:
        raise InputError("say where the run goes: --out DIR")
    try:
        model = fit(
            data,
            out,
            recipe=recipe,
            settings=set_ or (),
            seed=seed,
            device=device,
            start=start,
            kind=kind,
            minutes=minutes,
            resume=resume,
            calibrate=calibrate,
            progress=not json,
        )
    except Stopped as stopped:
        print(f"nk: {stopped}; go on with the same command and --resume", file=sys.stderr)
        raise typer.Exit(128 + stopped.signal_number) from None
    if common.process()[0] == 0:
        history = {key: value for key, value in model.history.items() if key != "recipe"}
        figures = {"out": str(out), "parameters": model.parameters, **history}
        common.say(figures, json, f"the model is in {out}. Next: nk sample {out} -n 16")
