"""`nk`: finds the subcommand, and turns our errors into one sentence and exit code 2."""

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from noisekernel import __version__
from noisekernel.cli import (
    adopt,
    demo,
    diagnose,
    equilibrate,
    evaluate,
    export,
    fill,
    hub,
    info,
    recipes,
    redraw,
    replay,
    sample,
    studio,
    train,
    vary,
    walk,
)
from noisekernel.core.errors import NoiseKernelError


class Commands(TyperGroup):
    """Those of `nk`. Who interrupts one is told that it was."""

    def invoke(self, ctx: Any) -> Any:
        try:
            done = super().invoke(ctx)
            _leave_the_others()
            return done
        except KeyboardInterrupt:
            print("nk: interrupted; what is written so far is whole", file=sys.stderr)
            ctx.exit(130)


app = typer.Typer(
    name="nk",
    cls=Commands,
    help="Learn, from examples, a Markov chain whose stationary distribution is your data, and use it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("train")(train.train)
app.command("sample")(sample.sample)
app.command("vary")(vary.vary)
app.command("equilibrate")(equilibrate.equilibrate)
app.command("fill")(fill.fill)
app.command("redraw")(redraw.redraw)
app.command("walk")(walk.walk)
app.command("studio")(studio.studio)
app.command("replay")(replay.replay)
app.command("evaluate")(evaluate.evaluate)
app.command("diagnose")(diagnose.diagnose)
app.command("info")(info.info)
app.command("recipes")(recipes.recipes)
app.command("adopt")(adopt.adopt)
app.command("push")(hub.push)
app.command("pull")(hub.pull)
app.command("export")(export.export)
app.command("demo")(demo.demo)


def _leave_the_others() -> None:
    """Where several processes did this together, go when all are done.

    One that just ends while another is busy leaves gloo's threads with half a connection, and may be aborted.
    """
    torch = sys.modules.get("torch")
    if torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None: ...


def main() -> None:
    """The entry point."""
    try:
        app()
    except NoiseKernelError as error:
        print(f"nk: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            sys.exit(0)
        print(f"nk: {error.filename or 'the disk'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(2)
