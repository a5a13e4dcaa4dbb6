"""`nk push` and `nk pull`: models to and from the Hugging Face Hub, or a folder."""

from typing import Annotated

import typer

from noisekernel.cli import common


def push(
    model: common.ModelArgument,
    target: Annotated[str, typer.Argument(help="OWNER/NAME on the Hub, or a folder: ./NAME.")],
    private: Annotated[bool, typer.Option("--private", help="For a new repository on the Hub.")] = False,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Publish a model: its file, and a page that says what it is."""
    from noisekernel.models import hub

    where = hub.push(model, target, private=private, force=force)
    common.say({"model": common.model_name(model), "where": where}, json, f"{model} is now at {where}")


def pull(
    source: Annotated[str, typer.Argument(help="OWNER/NAME on the Hub, or a folder: ./NAME.")],
    out: common.Out,
    revision: Annotated[str | None, typer.Option(help="A branch, tag or commit on the Hub.")] = None,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Fetch a model, check that it is one, and put it into a folder."""
    from noisekernel.models import hub

    path = hub.pull(source, out, revision=revision, force=force)
    common.say({"source": source, "file": str(path)}, json, f"{path}. Next: nk sample {out} -n 16")
