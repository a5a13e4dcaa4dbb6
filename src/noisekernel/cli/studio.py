"""`nk studio`: a person and the chain design together, in the browser."""

from typing import Annotated

import typer


def studio(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL...]",
            help="Models to serve, by name, file or folder (default: all that come with the package).",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8765,
    host: Annotated[
        str | None, typer.Option(help="An address of this machine, to serve others too; they need a token.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="The token (default with --host: one that is drawn).", envvar="NK_TOKEN")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Examples to start from: as for `nk train`.")] = None,
    length: Annotated[
        int | None,
        typer.Option(min=1, help="How long examples are, for data of any length: bars of music."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads for the model (default: all cores but one).")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page.")] = True,
) -> None:
    """Start the studio: a page on this machine to make variants, choose, paint, and take designs away."""
    from importlib.util import find_spec

    from noisekernel.core.errors import NoiseKernelError

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "python_multipart")):
        raise NoiseKernelError("the studio needs a few packages more: pip install 'noisekernel[studio]'")
    from noisekernel.studio.launch import run

    run(models or [], port=port, host=host, token=token, data=data, length=length, threads=threads, browser=browser)
