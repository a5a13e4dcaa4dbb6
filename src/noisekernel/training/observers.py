"""Who watches a training run: the log file, the samples, the model file, TensorBoard, the bar on the screen."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from noisekernel import models
from noisekernel.core.errors import NoiseKernelError
from noisekernel.data.source import Summary
from noisekernel.files.formats import write_bytes, write_json, write_text
from noisekernel.kinds.exchanged import Shown
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.schema import Recipe
from noisekernel.recipes.training import TrainingSettings
from noisekernel.tasks.samples import synthesize
from noisekernel.training.log import Entry
from noisekernel.training.watch import Look

#: From the average of a moment to a model.
Make = Callable[[Denoiser, int], models.Model]


class Silent:
    """An observer that does nothing but know how to make a model of an average, to build others on."""

    make: Make

    def begin(self, make: Make) -> None:
        """Called once, before training begins or goes on."""
        self.make = make

    def logged(self, entry: Entry) -> None: ...

    def saved(self, images: int, average: Denoiser) -> None: ...

    def drew(self, images: int, average: Denoiser) -> None: ...

    def early(self, images: int, average: Denoiser) -> None: ...

    def planned(self, settings: TrainingSettings) -> None: ...

    def close(self) -> None:
        """Called once, at the end of the run, however it came about."""


@dataclass
class LogFile(Silent):
    """log.jsonl: one line of JSON an entry. What a killed run logged beyond its last checkpoint is logged again."""

    path: Path

    def resume(self, images: int) -> None:
        lines = [line for line in read_log(self.path) if line["images"] <= images]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        write_text(self.path, text)

    def logged(self, entry: Entry) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({k: v for k, v in asdict(entry).items() if v is not None}) + "\n")


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries of a log; a last line that a killed process left half-written is none."""
    if not path.exists():
        return []
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entries.append(json.loads(line))
        except ValueError:
            continue
    return entries


@dataclass
class RecipeFile(Silent):
    """recipe.json: every setting; written again where the plan of a run by the clock was corrected."""

    path: Path
    recipe: Recipe

    def begin(self, make: Make) -> None:
        super().begin(make)
        write_json(self.path, self.recipe.model_dump(mode="json"))

    def planned(self, settings: TrainingSettings) -> None:
        self.recipe = self.recipe.model_copy(update={"training": settings})
        write_json(self.path, self.recipe.model_dump(mode="json"))


@dataclass
class RunFile(Silent):
    """run.json: the data, the seed, and what became of each example that was not simply read, as it becomes known."""

    path: Path
    told: dict[str, Any]
    summary: Summary
    console: Console

    def __post_init__(self) -> None:
        self._known = len(self.summary.skipped)

    def write(self) -> None:
        skipped, notes = ([list(item) for item in items] for items in (self.summary.skipped, self.summary.notes))
        write_json(self.path, {**self.told, "skipped": skipped, "notes": notes})

    def saved(self, images: int, average: Denoiser) -> None:
        for name, reason in self.summary.skipped[self._known :]:
            self.console.print(f"skipped {name}: {reason}", highlight=False, markup=False)
        self._known = len(self.summary.skipped)
        self.write()


@dataclass
class ModelFile(Silent):
    """model.safetensors: the average of the moment, so that a run can be used while it goes on."""

    folder: Path

    def saved(self, images: int, average: Denoiser) -> None:
        models.save(self.make(average, images), self.folder / models.FILE, force=True)


@dataclass
class EarlyFile(Silent):
    """early.safetensors: the average of an early moment. A run that is resumed later leaves the file as it is."""

    path: Path

    def early(self, images: int, average: Denoiser) -> None:
        if not self.path.exists():
            models.save(self.make(average, images), self.path)


@dataclass
class SampleFiles(Silent):
    """samples/…: the same 16 samples (the same seed, the same noise) on one page, as training goes on."""

    folder: Path
    number: int = 16
    steps: int = 20
    also: list[Callable[[int, models.Model, Shown], None]] = field(default_factory=list)

    def drew(self, images: int, average: Denoiser) -> None:
        average.eval()
        model = self.make(average, images)
        with torch.no_grad():
            z = synthesize(model, self.number, steps=self.steps)
        page = model.kind.overview(model.kind.decode(z.cpu()), how={"images": images, "seed": 0, "steps": self.steps})
        write_bytes(self.folder / f"{images:012d}{page.suffix}", page.content)
        for tell in self.also:
            tell(images, model, page)


class TensorBoard(Silent):
    """Losses, rates and samples for TensorBoard."""

    def __init__(self, folder: Path, images: int = 0) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise NoiseKernelError("TensorBoard is not installed: pip install 'noisekernel[tensorboard]'") from None
        self.writer = SummaryWriter(str(folder), purge_step=images + 1)

    def logged(self, entry: Entry) -> None:
        scalars = {"loss": entry.loss, "rate": entry.rate, "gradient": entry.gradient}
        scalars |= {f"parts/{name}": value for name, value in entry.parts.items()}
        scalars |= {f"seen/{name}": value for name, value in entry.seen.items()}
        scalars |= {f"loss at beta/{name}": value for name, value in entry.by_level.items()}
        scalars["images per second"] = entry.images_per_second
        if entry.held_out is not None:
            scalars |= _scalars(entry.held_out)
        for name, value in scalars.items():
            self.writer.add_scalar(name, value, entry.images)

    def sample(self, images: int, model: models.Model, page: Shown) -> None:
        model.kind.board(self.writer, "samples", page, images)

    def saved(self, images: int, average: Denoiser) -> None:
        self.writer.flush()

    def close(self) -> None:
        self.writer.close()


def _scalars(look: Look) -> dict[str, float]:
    """What the held-out part says, by the names of curves."""
    errors = zip(look.levels, look.errors, strict=True)
    curve = {f"held out at {look.scale}/{level:.3g}": error for level, error in errors}
    return {"held out/bits per element": look.bits, "held out/of training examples": look.trained, **curve}


class Bar(Silent):
    """A live bar: images seen, loss, images a second, time left, loss by noise level. Plain lines off a terminal."""

    def __init__(self, total: int, images: int, console: Console) -> None:
        self.console, self.total = console, total
        self._warned = False
        self.progress = Progress(
            TextColumn("{task.completed:>10,.0f} / {task.total:,.0f} images"),
            BarColumn(),
            TextColumn("loss {task.fields[loss]}"),
            _Speed(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[levels]}", style="dim"),
            console=console,
            transient=False,
        )
        self.task = self.progress.add_task("train", total=total, completed=images, loss="…", levels="", speed=0.0)

    def begin(self, make: Make) -> None:
        super().begin(make)
        if self.console.is_terminal:
            self.progress.start()

    def logged(self, entry: Entry) -> None:
        levels = "by beta " + "  ".join(f"{k.split('-')[1]}: {1000 * v:.1f}" for k, v in entry.by_level.items())
        self.progress.update(
            self.task,
            completed=min(entry.images, self.total),
            loss=f"{entry.loss:.4f}",
            levels=levels,
            speed=entry.images_per_second,
        )
        if not self.console.is_terminal:
            left = (self.total - entry.images) / max(entry.images_per_second, 1e-9)
            self.console.print(
                f"{entry.images:,} of {self.total:,} images, loss {entry.loss:.4f}, "
                f"{entry.images_per_second:.0f} images a second, {max(left, 0) / 60:.1f} minutes left",
                highlight=False,
            )

        if entry.held_out is not None:
            self._looked(entry.held_out)

    def _looked(self, look: Look) -> None:
        told = (
            f"{look.images:,} images: held out {look.bits:.4g} bits per element, trained on {look.trained:.4g} "
            f"(measured in {look.share:.1%} of the time)"
        )
        self.progress.console.print(told, highlight=False, markup=False, soft_wrap=True)
        if look.warning is not None and not self._warned:
            self.progress.console.print(look.warning, highlight=False, markup=False, soft_wrap=True)
        self._warned = look.warning is not None

    def planned(self, settings: TrainingSettings) -> None:
        told = f"the speed has changed: {settings.images:,} images in all, not {self.total:,}, to end in time"
        self.total = settings.images
        self.progress.update(self.task, total=self.total)
        self.progress.console.print(told, highlight=False, markup=False)

    def close(self) -> None:
        self.progress.stop()


class _Speed(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.fields['speed']:.0f}/s")
