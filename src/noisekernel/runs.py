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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from rich.console import Console

from noisekernel import models
from noisekernel.checks import pick_device
from noisekernel.config import Recipe, recorded
from noisekernel.data.sources import Data, name_of
from noisekernel.denoisers import Denoiser
from noisekernel.errors import InputError, StorageError
from noisekernel.models import Model, digest_of_weights
from noisekernel.observers import Bar, LogFile, ModelFile, PictureFiles, RunFile, Silent, TensorBoard
from noisekernel.plan import plan
from noisekernel.preparation import Prepared, chosen_recipe, opened, prepare
from noisekernel.quantities import told_bytes, told_seconds
from noisekernel.settings import changed
from noisekernel.storage import is_unfinished, lock, read_json, remove_unfinished, write_json
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.trainer import Entry, Trainer

#: Settings that may differ when a run is resumed: they change how it is done, not what comes out.
FREE = {"save_every", "save_minutes", "keep", "log_every", "draw_every", "accumulate", "compile"}
#: Held by the process that trains in a folder.
LOCK = ".lock"
CHECKPOINTS = "checkpoints"


def train(
    data: Data,
    out: str | Path | None = None,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int | None = None,
    device: str | None = None,
    start: str | Path | Model | None = None,
    resume: bool = False,
    progress: bool = True,
    tensorboard: bool | None = None,
    observers: Sequence[Silent] = (),
) -> Model:
    """Train on `data` by `recipe` with `settings`; everything goes to the folder `out`. Returns the model.

    `data` is a word or a path as for `nk train`, or an array of bytes of shape (n, height, width[, channels]).

    With `start`, a model or where to find one, training begins with its weights: to train it further, or on other data.
    The design is then that model's; all else is said by the recipe, its own unless one is given.

    With `resume` a run goes on from its newest checkpoint (or begins, where there is none yet), by the recipe it was
    begun with; to the same weights, bit for bit on the same machine, as if it had never stopped.

    >>> model = train("digits", settings=["training.images=64"], progress=False)
    >>> model.shape
    (1, 8, 8)
    """
    console = Console(stderr=True, quiet=not progress)
    folder = None if out is None else Path(out)
    first = opened(start)
    chosen, seed, begun = _begin(data, folder, recipe, settings, seed, resume, device, first)
    cpu = _on_cpu(device)
    main = PartialState(cpu=cpu).is_main_process
    talk = console if main else Console(quiet=True)
    talk.print(f"recipe {chosen.name}; data {name_of(data)}", highlight=False, markup=False)
    if chosen.training.warming < chosen.training.warmup:
        sentence = (
            f"the learning rate rises for {chosen.training.warming:,} images, a tenth of the run, and not for "
            f"{chosen.training.warmup:,} (training.warmup)"
        )
        talk.print(sentence, highlight=False, markup=False, soft_wrap=True)
    checkpoints = None if folder is None else Checkpoints(folder / CHECKPOINTS, chosen.training.keep)
    newest = checkpoints.newest if checkpoints is not None and begun else None
    with ExitStack() as stack:
        before = None if checkpoints is None or newest is None else checkpoints.about(newest)
        ready = prepare(data, chosen, seed, talk, before, first)
        if ready.examples.summary.skipped:
            talk.print(str(ready.examples.summary), highlight=False, markup=False)
        if folder is not None and main:
            stack.enter_context(alone_in(folder))
        about = {
            "seed": seed,
            "training": chosen.training.model_dump(mode="json", exclude=FREE),
            "design": ready.design.model_dump(mode="json"),
            "pictures": ready.count,
            "data": ready.digest,
        }
        if first is not None:
            about["start"] = digest_of_weights(first)
        elif before is not None and before.get("start"):
            about["start"] = before["start"]
        trainer = trainer_for(ready, chosen, seed, first, checkpoints=checkpoints, about=about, cpu=cpu)
        if newest is not None:
            trainer.resume(newest)
            talk.print(f"resuming after {trainer.images:,} images", highlight=False, markup=False)
        trainer.agree()

        begun_from = _begun_from(start, folder)

        def make(average: Denoiser, images: int) -> Model:
            history = {
                "data": Path(data).name if isinstance(data, str | Path) and Path(data).exists() else name_of(data),
                "pictures": ready.count,
                **({} if begun_from is None else {"start": begun_from}),
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
            watching.append(Bar(chosen.training.images, trainer.images, console))
        if folder is not None and main:
            watching += _recorders(folder, ready, chosen, data, begun_from, seed, trainer.images, tensorboard, console)
        for observer in watching:
            stack.enter_context(closing(observer))
            observer.begin(make)
        trainer.observers = watching
        trainer.run()
    talk.print(f"done: {trainer.images:,} images in {told_seconds(trainer.seconds)}", highlight=False, markup=False)
    trained = trainer.averaged.requires_grad_(False).eval()
    return make(trained, trainer.images)


def trainer_for(ready: Prepared, recipe: Recipe, seed: int, start: Model | None = None, **rest: Any) -> Trainer:
    """A trainer that begins at the weights of this seed, or of a model; `rest` as for `Trainer`."""
    torch.manual_seed(seed)
    kernel, denoiser = ready.design.kernel.build(), ready.design.denoiser()
    if start is not None:
        denoiser.load_state_dict(start.denoiser.state_dict())  # type: ignore[attr-defined]
    return Trainer(kernel, denoiser, recipe.objective.build(), ready.examples, recipe.training, seed, **rest)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Refuse to train in a folder in which another process trains. The system forgets the lock of a killed one."""
    held = lock(folder / LOCK)
    if held is None:
        raise InputError(f"another process is training in {folder}; wait for its end, or choose another")
    with held:
        for inner in (folder, folder / CHECKPOINTS, folder / "pictures"):
            remove_unfinished(inner)
        yield


def dry_run(
    data: Data,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int = 0,
    device: str | None = None,
    start: str | Path | Model | None = None,
    steps: int = 5,
) -> dict[str, Any]:
    """What a run would cost: counted on its network, and timed over a few of its steps."""
    first = opened(start)
    chosen = chosen_recipe(recipe, settings, data, device, first)
    ready = prepare(data, chosen, seed, Console(stderr=True), start=first)
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
        "data": name_of(data),
        "pictures": ready.count,
        "size": list(ready.size),
        "parameters": cost.parameters,
        "memory_bytes": cost.memory_bytes,
        "operations": cost.total,
        "device": str(trainer.accelerator.device),
        "images": chosen.training.images,
        "images_per_second": round(speed, 1),
        "seconds": round(chosen.training.images / speed, 1),
        "skipped": [list(each) for each in ready.examples.summary.skipped],
        "notes": [list(each) for each in ready.examples.summary.notes],
    }


class _Timed(Silent):
    def __init__(self) -> None:
        self.speeds: list[float] = []

    def logged(self, entry: Entry) -> None:
        self.speeds.append(entry.images_per_second)


def told(figures: Mapping[str, Any]) -> str:
    """The figures of a dry run for people."""
    size = " x ".join(str(side) for side in figures["size"])
    lines = [
        f"recipe {figures['recipe']} on {figures['data']}: {figures['pictures'] or 'a stream of'} pictures of {size}",
        f"{figures['parameters']:,} parameters; about {told_bytes(figures['memory_bytes'])} of memory",
        f"{figures['images']:,} images at {figures['images_per_second']:,.0f} per second on {figures['device']}: "
        f"{told_seconds(figures['seconds'])}",
    ]
    if figures["skipped"]:
        lines.append(f"{len(figures['skipped'])} file{'s' * (len(figures['skipped']) > 1)} would be skipped:")
    lines += [f"  skipped {name}: {reason}" for name, reason in figures["skipped"]]
    lines += [f"  {name}: {note}" for name, note in figures["notes"]]
    return "\n".join(lines)


def _on_cpu(device: str | None) -> bool:
    """Whether to train on the CPU. Which of several accelerators is the launcher's to say, not ours."""
    chosen = pick_device(device)
    if chosen.index is not None and device is not None:
        raise InputError(
            f"device is {device!r}; training takes a kind of device, such as {chosen.type!r}. Which ones of that kind "
            "is said by the launcher, or by CUDA_VISIBLE_DEVICES"
        )
    return chosen.type == "cpu"


def _begin(
    data: Data,
    folder: Path | None,
    recipe: str | Path | Recipe | None,
    settings: Sequence[str] | Mapping[str, Any],
    seed: int | None,
    resume: bool,
    device: str | None,
    start: Model | None,
) -> tuple[Recipe, int, bool]:
    """The recipe and seed of the run, and whether it was begun before."""
    before = folder is not None and (folder / "recipe.json").exists()
    if before and not resume:
        raise InputError(f"{folder} holds a run already; go on with it (--resume), or choose another folder (--out)")
    if resume and folder is None:
        raise InputError("there is nothing to resume without a folder; say which (out)")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give the name of a folder")
    # A run that was killed while it wrote its first files is not begun yet, and can be.
    there = list(folder.iterdir()) if not before and folder is not None and folder.is_dir() else []
    if any(path.name not in ("run.json", LOCK) and not is_unfinished(path) for path in there):
        raise InputError(f"{folder} exists and is not empty; choose another folder")
    if folder is None or not before:
        return chosen_recipe(recipe, settings, data, device, start), seed or 0, False
    begun = recorded(read_json(folder / "recipe.json"), str(folder / "recipe.json"))
    told = read_json(folder / "run.json")
    if not isinstance(told, dict) or not {"data", "seed", "skipped", "notes"} <= told.keys():
        raise StorageError(f"{folder / 'run.json'} does not say the data and the seed of the run; it is damaged")
    base = recipe if recipe is not None else folder / "recipe.json"
    began = Checkpoints(folder / CHECKPOINTS, 1)
    if began.newest is None:
        # There is nothing yet that other settings would spoil.
        if told.get("start") is not None and start is None:
            raise InputError(f"{folder} has no checkpoint yet and was to start from {told['start']}: add --from")
        wanted = chosen_recipe(base, settings, data, device, start)
        return wanted, int(told["seed"]) if seed is None else seed, True
    if not _same(name_of(data), told["data"]):
        raise InputError(f"{folder} was begun with data {told['data']!r}, not {name_of(data)!r}")
    if start is not None and began.about(began.newest).get("start") != digest_of_weights(start):
        raise InputError(f"{folder} did not begin with the weights of this model (--from); resume without it")
    if seed is not None and seed != told["seed"]:
        raise InputError(f"{folder} was begun with seed {told['seed']}, not {seed}")
    if recipe is not None or settings:
        wanted = chosen_recipe(base, settings, data, device, start)
        free = {"training": dict.fromkeys(FREE, True), "name": True, "about": True}
        other = changed(wanted, begun, exclude=free)
        if other:
            raise InputError(
                f"{folder} was begun with another {', '.join(other)}; resume without --recipe and --set (only "
                f"{', '.join(sorted(f'training.{name}' for name in FREE))} may change), or choose another folder"
            )
        begun = wanted
    return begun, int(told["seed"]), True


def _same(data: str, before: str) -> bool:
    """Whether two names are of one place, however it is spelt."""
    return data == before or (Path(data).exists() and Path(data).resolve() == Path(before).resolve())


def _begun_from(start: str | Path | Model | None, folder: Path | None) -> str | None:
    """The name of the model that a run began with, if it did: as is said now, or was when it was begun."""
    if start is None:
        told = read_json(folder / "run.json") if folder is not None and (folder / "run.json").exists() else {}
        return told.get("start")
    return "a model" if isinstance(start, Model) else Path(start).resolve().name


def _recorders(
    folder: Path,
    ready: Prepared,
    recipe: Recipe,
    data: Data,
    start: str | None,
    seed: int,
    images: int,
    tensorboard: bool | None,
    console: Console,
) -> list[Silent]:
    """Those that write to the run's folder."""
    told = {"data": name_of(data), "seed": seed, "size": list(ready.size), "pictures": ready.count, "start": start}
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
