"""What subcommands share: their options, and how they report."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress, TaskID

    from noisekernel.kinds.examples import Given
    from noisekernel.models.model import Model
    from noisekernel.tasks.strength import Way


def check_seed(seed: int | None) -> int | None:
    """What streams take; a range in the option itself would be the widest column of its help."""
    from noisekernel.core.errors import InputError

    if seed is not None and seed >= 2**64:
        raise InputError(f"seed is {seed}; give a whole number from 0 to 2**64 - 1")
    return seed


def within(low: float, high: float, *, open_low: bool = False, open_high: bool = False) -> "Callable[..., Any]":
    """A check of an option's number, for intervals that may be open at an end."""

    def check(param: typer.CallbackParam, value: float | None) -> float | None:
        if value is not None:
            from noisekernel.core import checks

            checks.number(param.opts[0], value, low, high, open_low=open_low, open_high=open_high)
        return value

    return check


ExampleArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="EXAMPLE...", help="What to start from: files, or where the data are text or numbers, those."
    ),
]
ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A model's name (emoji, bach, digits, fashion), its file, or a training run's folder."
    ),
]
Seed = Annotated[int, typer.Option(min=0, callback=check_seed, help="The same seed gives the same results.")]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, cuda:1, mps, … (default: the best there is).")]
DeviceOfTraining = Annotated[str | None, typer.Option(help="cpu, cuda, mps, … (default: the best there is).")]
Json = Annotated[bool, typer.Option("--json", help="Print figures as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Write over what is there.")]
ForceOfFolder = Annotated[
    bool, typer.Option("--force", help="Write over what is there; examples listed by a manifest before are removed.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before work of over an hour, or of over 10 GB.")]
Out = Annotated[Path, typer.Option(help="The folder to write to.")]
Sampler = Annotated[
    str | None,
    typer.Option(help="stochastic, deterministic, ddim, corrected, or paper (default: the model's)."),
]
Lag = Annotated[
    float | None,
    typer.Option(
        callback=within(0, 1, open_high=True),
        help="The share of the state a step carries over, in [0, 1) (default: the paper's).",
    ),
]
Steps = Annotated[int | None, typer.Option(min=1, help="Network calls per sample (default: the sampler's).")]
BatchSize = Annotated[int, typer.Option(min=1, help="Samples at a time.")]
Label = Annotated[
    list[str] | None, typer.Option(help="A class, by name or number, for models that learned any; several by turns.")
]


def model_name(what: str) -> str:
    """A model's name for a record: without the folders of this machine."""
    return Path(what).name or what


def note(sentence: str) -> None:
    """Something that a user should know, beside what was asked for."""
    if process()[0] == 0:
        print(f"nk: {sentence}", file=sys.stderr)


def read_examples(model: "Model", words: Sequence[str], *, whole: bool = True) -> "Given":
    """Examples as the model's data; of those that are not taken as they are, a note says so.

    Where nothing is filled in, they have to be `whole`.
    """
    from noisekernel.kinds.examples import read_examples

    given = read_examples(model.kind, list(words))
    if whole:
        model.kind.check_whole(given.z)
    for sentence in given.notes:
        note(sentence)
    return given


def spanning(model: "Model", words: Sequence[str]) -> "Model":
    """The model for examples as long as these, where its kind of data may be longer than the window it learned."""
    from noisekernel.kinds.examples import items_of

    if model.kind.window is None or not words:
        return model
    return model.spanning(model.kind.spanning(items_of(model.kind, list(words))))


def label_for(model: "Model", names: Sequence[str] | None, n: int) -> Any:
    from noisekernel.core.errors import InputError
    from noisekernel.kinds.base import counted

    if names and len(names) > n:
        raise InputError(
            f"--label was given {len(names)} times, for {counted(n, model.kind)}; give as many at the most"
        )
    return model.label(names, n) if names else None


def level_of(model: "Model", way: "Way", strength: float | None, level: float | None) -> float:
    """The noise level of variants of this strength, or the level given. A model is measured for that once."""
    if strength == 0.0 or level is not None or way.name in model.curves:
        return way.level(model, strength, level)
    often = "once for each model" if model.guidance is None else "each time for a guided model; --below needs none"
    with bar(way.work, f"how far do variants go? ({often})") as advance:
        return way.level(model, strength, level, advance=advance)


def say_if_unlike(model: "Model", what: str, given: "Given") -> None:
    """Name those of the examples, on stderr, whose like the model never saw. It is measured for that once."""
    from noisekernel.measuring.familiarity import DRAWN, UNLIKE, WORDS, Familiarity
    from noisekernel.models.saving import digest_of
    from noisekernel.networks.guided import needs_label

    if needs_label(model.denoiser):  # how strange an example is, it could say of each class alone
        return
    weights = digest_of(what)
    usual = Familiarity.known(weights)
    if usual is None:
        with bar(DRAWN, "what is usual for this model? (once for each model)") as advance:
            usual = Familiarity.learn(model, weights, advance)
    for source, strangeness in zip(given.sources, usual.strangeness(model, given.z).tolist(), strict=True):
        if strangeness > UNLIKE:
            print(f"nk: {source}: {WORDS}", file=sys.stderr)


def say(figures: Mapping[str, Any], as_json: bool, text: str) -> None:
    """Figures for programs, or a sentence for people."""
    if as_json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        from rich.console import Console

        Console().print(text, highlight=False, markup=False, soft_wrap=True)


class Bar:
    """A progress bar, advanced by a call."""

    def __init__(self, progress: "Progress", task: "TaskID") -> None:
        self._progress, self._task = progress, task

    def __call__(self) -> None:
        self._progress.advance(self._task)

    @contextmanager
    def paused(self) -> "Iterator[None]":
        """Off the terminal for the time of a question."""
        self._progress.stop()
        yield
        self._progress.start()


@contextmanager
def bar(total: int, what: str) -> "Iterator[Bar]":
    """A progress bar on the terminal; nothing off a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Bar(progress, progress.add_task(what, total=total))


def process() -> tuple[int, int]:
    """Which process this is, of how many: as `torchrun` and `accelerate launch` say."""
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def wait_for_everyone(device: str | None) -> None:
    """Until all processes have come here."""
    if process()[1] > 1:
        from accelerate import PartialState

        from noisekernel.core.checks import pick_device

        PartialState(cpu=pick_device(device).type == "cpu").wait_for_everyone()
