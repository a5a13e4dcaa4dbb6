"""A whole training run: from a word or a path to a trained model in a folder.

DIR/
  run.json              the data, the seed, what became of each picture that was not simply read
  recipe.json           every setting
  log.jsonl             one line every so many images
  model.safetensors     the model as of the last checkpoint: `nk sample DIR` works while training goes on
  checkpoints/          what is needed to go on
  pictures/             samples on the way
  tensorboard/          the same for TensorBoard, where it is installed
"""

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from rich.console import Console

from noisekernel import config, models
from noisekernel.config import Recipe
from noisekernel.data.examples import Examples, InMemory, ReadAsNeeded, Streamed, Treatment
from noisekernel.data.pictures import Size
from noisekernel.data.source import Source, load
from noisekernel.data.sources import open_source
from noisekernel.denoisers import Denoiser
from noisekernel.errors import InputError, StorageError
from noisekernel.models import Model
from noisekernel.observers import Bar, LogFile, ModelFile, PictureFiles, RunFile, Silent, TensorBoard
from noisekernel.plan import plan
from noisekernel.storage import read_json, remove_unfinished, write_json
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.trainer import Entry, Trainer

#: Settings that may differ when a run is resumed: they change how it is done, not what comes out.
FREE = {"save_every", "keep", "log_every", "draw_every", "accumulate", "compile"}
#: Held by the process that trains in a folder.
LOCK = ".lock"
#: How many examples the moments of the data are measured on.
MEASURED = 10_000


@dataclass(frozen=True)
class Prepared:
    """Data and design, ready to train."""

    examples: Examples
    design: config.Design
    size: Size
    count: int | None


def train(
    data: str | Path,
    out: str | Path | None = None,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int | None = None,
    device: str | None = None,
    resume: bool = False,
    progress: bool = True,
    tensorboard: bool | None = None,
    observers: Sequence[Silent] = (),
) -> Model:
    """Train on `data` by `recipe` with `settings`; everything goes to the folder `out`. Returns the model.

    With `resume` a run goes on from its newest checkpoint (or begins, where there is none yet), by the recipe it was
    begun with; to the same weights, bit for bit on the same machine, as if it had never stopped.

    >>> model = train("digits", settings=["training.images=64"], progress=False)
    >>> model.shape
    (1, 8, 8)
    """
    console = Console(stderr=True, quiet=not progress)
    folder = None if out is None else Path(out)
    chosen, seed, begun = _begin(data, folder, recipe, settings, seed, resume, device)
    cpu = _on_cpu(device)
    main = PartialState(cpu=cpu).is_main_process
    talk = console if main else Console(quiet=True)
    talk.print(f"recipe {chosen.name}; data {data}", highlight=False, markup=False)
    checkpoints = None if folder is None else Checkpoints(folder / "checkpoints", chosen.training.keep)
    newest = checkpoints.newest if checkpoints is not None and begun else None
    with ExitStack() as stack:
        before = None if checkpoints is None or newest is None else checkpoints.about(newest)
        ready = prepare(data, chosen, seed, talk, before)
        if ready.examples.summary.skipped:
            talk.print(str(ready.examples.summary), highlight=False, markup=False)
        if folder is not None and main:
            stack.enter_context(alone_in(folder))
        about = {
            "seed": seed,
            "training": chosen.training.model_dump(mode="json", exclude=FREE),
            "design": ready.design.model_dump(mode="json"),
            "pictures": ready.count,
        }
        trainer = trainer_for(ready, chosen, seed, checkpoints=checkpoints, about=about, cpu=cpu)
        if newest is not None:
            trainer.resume(newest)
            talk.print(f"resuming after {trainer.images:,} images", highlight=False, markup=False)
        trainer.agree()

        def make(average: Denoiser, images: int) -> Model:
            history = {
                "data": str(data) if not Path(data).exists() else Path(data).name,
                "pictures": ready.count,
                "recipe": chosen.model_dump(mode="json"),
                "seed": seed,
                "images": images,
                "seconds": round(trainer.seconds, 1),
                "processes": trainer.accelerator.num_processes,
                "device": str(trainer.accelerator.device),
            }
            return models.build(ready.design, average, history)

        watching = list(observers)
        if main and progress:
            watching.append(stack.enter_context(closing(Bar(chosen.training.images, trainer.images, console))))
        if folder is not None and main:
            watching += _recorders(folder, ready, chosen, data, seed, trainer.images, tensorboard, console)
        for observer in watching:
            observer.begin(make)
        trainer.observers = watching
        trainer.run()
    talk.print(f"done: {trainer.images:,} images in {trainer.seconds / 60:.1f} minutes", highlight=False, markup=False)
    trained = trainer.averaged.requires_grad_(False).eval()
    return make(trained, trainer.images)


def trainer_for(ready: Prepared, recipe: Recipe, seed: int, **rest: Any) -> Trainer:
    """A trainer that begins at the weights of this seed; `rest` as for `Trainer`."""
    torch.manual_seed(seed)
    kernel, denoiser = ready.design.kernel.build(), ready.design.denoiser()
    return Trainer(kernel, denoiser, recipe.objective.build(), ready.examples, recipe.training, seed, **rest)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Refuse to train in a folder in which another process trains. The system forgets the lock of a killed one."""
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / LOCK, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"another process is training in {folder}; wait for its end, or choose another") from None
        yield


def dry_run(
    data: str | Path,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int = 0,
    device: str | None = None,
    steps: int = 5,
) -> dict[str, Any]:
    """What a run would cost: counted on its network, and timed over a few of its steps."""
    chosen = chosen_recipe(recipe, settings, data, device)
    ready = prepare(data, chosen, seed, Console(stderr=True))
    cost = plan(chosen, ready.size, len(ready.design.classes))
    batch = chosen.training.batch
    few = chosen.training.model_copy(update={"images": (steps + 1) * batch, "log_every": batch})
    timed = _Timed()
    trainer = trainer_for(
        ready, chosen.model_copy(update={"training": few}), seed, observers=[timed], cpu=_on_cpu(device)
    )
    trainer.run()
    # The main process alone is told; the others have nothing to say.
    speed = statistics.median(timed.speeds[1:]) if timed.speeds else float("nan")
    return {
        "recipe": chosen.name,
        "data": str(data),
        "pictures": ready.count,
        "size": list(ready.size),
        "parameters": cost.parameters,
        "memory_bytes": cost.memory_bytes,
        "operations": cost.total,
        "device": str(trainer.accelerator.device),
        "images": chosen.training.images,
        "images_per_second": round(speed, 1),
        "hours": round(chosen.training.images / speed / 3600, 2),
    }


class _Timed(Silent):
    def __init__(self) -> None:
        self.speeds: list[float] = []

    def logged(self, entry: Entry) -> None:
        self.speeds.append(entry.images_per_second)


def told(figures: Mapping[str, Any]) -> str:
    """The figures of a dry run for people."""
    size = " x ".join(str(side) for side in figures["size"])
    return (
        f"recipe {figures['recipe']} on {figures['data']}: {figures['pictures'] or 'a stream of'} pictures of {size}\n"
        f"{figures['parameters']:,} parameters; about {figures['memory_bytes'] / 1e9:.1f} GB of memory\n"
        f"{figures['images']:,} images at {figures['images_per_second']:.0f} a second on {figures['device']}: "
        f"{figures['hours']:.1f} hours"
    )


def _on_cpu(device: str | None) -> bool:
    """Whether to train on the CPU. Which of several accelerators is the launcher's to say, not ours."""
    chosen = models.pick_device(device)
    if chosen.index is not None and device is not None:
        raise InputError(
            f"device is {device!r}; training takes a kind of device, such as {chosen.type!r}. Which ones of that kind "
            "is said by the launcher, or by CUDA_VISIBLE_DEVICES"
        )
    return chosen.type == "cpu"


def _begin(
    data: str | Path,
    folder: Path | None,
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    seed: int | None,
    resume: bool,
    device: str | None,
) -> tuple[Recipe, int, bool]:
    """The recipe and seed of the run, and whether it was begun before."""
    before = folder is not None and (folder / "recipe.json").exists()
    if before and not resume:
        raise InputError(f"{folder} holds a run already; go on with it (resume), or choose another folder")
    if resume and folder is None:
        raise InputError("there is nothing to resume without a folder; say which (out)")
    if not before and folder is not None and folder.is_dir():
        remove_unfinished(folder)
        # A run that was killed while it wrote its first files is not begun yet, and can be.
        if any(path.name not in ("run.json", LOCK) for path in folder.iterdir()):
            raise InputError(f"{folder} exists and is not empty; choose another folder")
    if folder is None or not before:
        return chosen_recipe(recipe, settings, data, device), seed or 0, False
    remove_unfinished(folder)
    begun = config.read(Recipe, read_json(folder / "recipe.json"), str(folder / "recipe.json"))
    told = read_json(folder / "run.json")
    if not isinstance(told, dict) or not {"data", "seed", "skipped", "notes"} <= told.keys():
        raise StorageError(f"{folder / 'run.json'} does not say the data and the seed of the run; it is damaged")
    if str(data) != told["data"]:
        raise InputError(f"{folder} was begun with data {told['data']!r}, not {str(data)!r}")
    if seed is not None and seed != told["seed"]:
        raise InputError(f"{folder} was begun with seed {told['seed']}, not {seed}")
    if recipe is not None or settings:
        wanted = chosen_recipe(recipe if recipe is not None else folder / "recipe.json", settings, data, device)
        free = {"training": dict.fromkeys(FREE, True), "name": True, "about": True}
        if wanted.model_dump(exclude=free) != begun.model_dump(exclude=free):  # type: ignore[arg-type]
            raise InputError(
                f"{folder} was begun with other settings; resume without --recipe and --set (only "
                f"{', '.join(sorted(f'training.{name}' for name in FREE))} may change), or choose another folder"
            )
        begun = wanted
    return begun, int(told["seed"]), True


def chosen_recipe(
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    data: str | Path,
    device: str | None,
) -> Recipe:
    if isinstance(recipe, Recipe):
        if settings:
            raise InputError("settings go with a recipe's name or file; a Recipe has its settings already")
        return recipe
    if recipe is None:
        usual = "small" if models.pick_device(device).type == "cpu" else "default"
        recipe = "digits" if str(data) == "digits" else usual
    return config.recipe(recipe, settings)


def prepare(
    data: str | Path, recipe: Recipe, seed: int, console: Console, before: Mapping[str, Any] | None = None
) -> Prepared:
    """Read what has to be read before training can begin. `before` is what the checkpoint of a begun run says."""
    source, wanted = open_source(data), recipe.data
    size = wanted.size_for(source.natural_size() if isinstance(source, Source) else None).check()
    classes: Sequence[str] = tuple(source.classes) if wanted.labels else ()
    if wanted.labels and not classes:
        raise InputError(f"data.labels is set, but {data} has no labels")
    if wanted.class_names is not None and classes:
        if len(wanted.class_names) != len(classes):
            raise InputError(f"data.class_names has {len(wanted.class_names)} names for {len(classes)} classes")
        classes = wanted.class_names
    forget = wanted.forget if classes else 0.0
    treatment = Treatment(wanted.codec.build(), seed, wanted.flip, len(classes) or None, forget)
    examples: Examples
    count: int | None = None
    if not isinstance(source, Source):
        examples = Streamed(source, size, treatment, wanted.bad, wanted.workers)
    elif len(source) * size.channels * size.height * size.width > wanted.memory * 1_000_000:
        examples, count = ReadAsNeeded(source, size, treatment, wanted.bad, wanted.workers), len(source)
    else:
        with console.status("") as status:
            began = time.perf_counter()

            def progress(done: int) -> None:
                if done % 256 == 0 and time.perf_counter() - began > 0.5:
                    status.update(f"reading pictures: {done:,} of {len(source):,}")

            pictures = load(source, size, wanted.bad, progress)
        examples, count = InMemory(pictures, treatment), len(pictures)
    design = recipe.design(size, classes)
    if isinstance(recipe.head, config.PreconditionedHeadConfig) and recipe.head.mean is None:
        head = _known_head(before) or _measured_head(recipe.head, examples, count, console)
        design = design.model_copy(update={"head": head})
    return Prepared(examples, design, size, count)


def _known_head(before: Mapping[str, Any] | None) -> config.PreconditionedHeadConfig | None:
    """The moments that a run was begun with: measured again they might differ in the last bit."""
    told = (before or {}).get("design", {}).get("head")
    return None if told is None else config.read(config.PreconditionedHeadConfig, told, "the checkpoint")


def _measured_head(
    head: config.PreconditionedHeadConfig, examples: Examples, count: int | None, console: Console
) -> config.PreconditionedHeadConfig:
    """The moments of the first examples, measured by the main process for all."""
    known = MEASURED if count is None else min(MEASURED, count)
    told: list[Any] = [None]
    if PartialState().is_main_process:
        with console.status("measuring the data's mean and variance"):
            parts = [range(first, min(first + 100, known)) for first in range(0, known, 100)]
            told = [head.measured(z for z, _ in examples.stream(parts, torch.device("cpu")))]
        if not isinstance(examples, InMemory):
            examples.summary.read = 0
    return broadcast_object_list(told)[0]


def _recorders(
    folder: Path,
    ready: Prepared,
    recipe: Recipe,
    data: str | Path,
    seed: int,
    images: int,
    tensorboard: bool | None,
    console: Console,
) -> list[Silent]:
    """Those that write to the run's folder."""
    told = {"data": str(data), "seed": seed, "size": list(ready.size), "pictures": ready.count}
    summary = ready.examples.summary
    if images > 0:  # what was learnt of the pictures before the run was stopped
        before = read_json(folder / "run.json")
        for items, known in ((summary.skipped, before["skipped"]), (summary.notes, before["notes"])):
            items += [(name, reason) for name, reason in known if (name, reason) not in items]
    run_file = RunFile(folder / "run.json", told, summary, console)
    run_file.write()
    write_json(folder / "recipe.json", recipe.model_dump(mode="json"))
    log = LogFile(folder / "log.jsonl")
    log.resume(images)
    drawn = PictureFiles(folder / "pictures")
    recorders = [log, run_file, ModelFile(folder), drawn]
    if tensorboard or (tensorboard is None and find_spec("tensorboard") is not None):
        board = TensorBoard(folder / "tensorboard", images)
        drawn.also.append(board.picture)
        recorders.append(board)
    return recorders
