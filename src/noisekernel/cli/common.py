"""What subcommands share: their options, and how they report."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from noisekernel.models import Model
    from noisekernel.tasks import Run

ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model's name (digits, fashion), its file, or a training run's folder.")
]
Seed = Annotated[int, typer.Option(min=0, max=2**64 - 1, help="The same seed gives the same pictures.")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps, … (default: the best there is).")]
Json = Annotated[bool, typer.Option("--json", help="Print figures as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what is there.")]
Out = Annotated[Path, typer.Option(help="The folder to write to.")]
Sampler = Annotated[
    str | None,
    typer.Option(help="stochastic, deterministic, ddim, corrected, or paper (default: the model's)."),
]
Steps = Annotated[int | None, typer.Option(min=1, help="Network calls a picture (default: the sampler's).")]
BatchSize = Annotated[int, typer.Option(min=1, help="Pictures at a time.")]
Label = Annotated[
    list[str] | None, typer.Option(help="A class, by name or number, for models that learned any; several by turns.")
]


def model_name(what: str) -> str:
    """A model's name for a record: without the folders of this machine."""
    return Path(what).name or what


def label_for(model: "Model", names: Sequence[str] | None, n: int) -> Any:
    return model.label(names, n) if names else None


def say(figures: Mapping[str, Any], as_json: bool, text: str) -> None:
    """Figures for programs, or a sentence for people."""
    if as_json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        from rich.console import Console

        Console().print(text, highlight=False, markup=False, soft_wrap=True)


@contextmanager
def bar(total: int, what: str) -> "Iterator[Callable[[], None]]":
    """A progress bar on the terminal, advanced by a call; nothing off a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)


def walk_to_the_end(run: "Run", advance: "Callable[[], None]") -> Any:
    """The result of a task, with its progress shown."""
    for _ in run:
        advance()
    return run.clean


def process() -> tuple[int, int]:
    """Which process this is, of how many: as `torchrun` and `accelerate launch` say."""
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def wait_for_everyone(device: str | None) -> None:
    """Until all processes have come here."""
    if process()[1] > 1:
        from accelerate import PartialState

        from noisekernel.models import pick_device

        PartialState(cpu=pick_device(device).type == "cpu").wait_for_everyone()
