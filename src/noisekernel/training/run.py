"""A whole training run: from a word or a path to a trained model in a folder.

DIR/
  run.json              the data, the seed, what became of each example that was not simply read
  recipe.json           every setting
  log.jsonl             one line every so many images
  model.safetensors     the model as of the last checkpoint: `nk sample DIR` works while training goes on
  checkpoints/          what is needed to go on
  samples/              samples on the way
  tensorboard/          the same for TensorBoard, where it is installed
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from accelerate import PartialState
from rich.console import Console

from noisekernel import models
from noisekernel.core.quantities import told_seconds
from noisekernel.data.opening import Data, name_of
from noisekernel.files.formats import read_json, write_json
from noisekernel.models.model import Model
from noisekernel.models.saving import digest_of_weights
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.schema import Recipe
from noisekernel.training.beginning import CHECKPOINTS, FREE, SAMPLES, alone_in, begin, begun_from, on_cpu, trainer_for
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.observers import Bar, LogFile, ModelFile, RunFile, SampleFiles, Silent, TensorBoard
from noisekernel.training.preparation import Prepared, opened, prepare


def fit(
    data: Data,
    out: str | Path | None = None,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int | None = None,
    device: str | None = None,
    start: str | Path | Model | None = None,
    kind: str | None = None,
    resume: bool = False,
    progress: bool = True,
    tensorboard: bool | None = None,
    observers: Sequence[Silent] = (),
) -> Model:
    """Train a model on data; everything goes to the folder `out`.

    Args:
        data: A word or a path as for `nk train`, an array, a tensor, a list of strings, a DataFrame, a torch Dataset.
        out: The folder of the run: log, checkpoints, samples, model. None keeps nothing but the model that is returned.
        recipe: The name or file of a recipe, or a recipe; by default the usual one for the kind of data.
        settings: Changes of the recipe, such as {"training.images": 5000} or ["training.images=5000"].
        seed: The same seed gives the same weights on the same machine (0, or that of the run that is resumed).
        device: cpu, cuda, mps, …; by default the best there is.
        start: A model, or where to find one, whose weights training begins with. The design is then that model's; all
            else is said by the recipe, its own unless one is given.
        kind: The kind of data by name, where it cannot be told by looking.
        resume: Whether to go on from the newest checkpoint in `out` (or begin, where there is none yet), by the recipe
            that the run was begun with, to the same weights as if it had never stopped.
        progress: Whether to show a bar and say what is done.
        tensorboard: Whether to write for TensorBoard; by default if it is installed.
        observers: Whoever else wants to watch.

    Returns:
        The trained model.

    >>> model = fit("digits", settings=["training.images=64"], progress=False)
    >>> model.shape
    (1, 8, 8)
    """
    console = Console(stderr=True, quiet=not progress)
    folder = None if out is None else Path(out)
    first = opened(start)
    chosen, seed, begun = begin(data, folder, recipe, settings, seed, resume, device, first, kind)
    cpu = on_cpu(device)
    main = PartialState(cpu=cpu).is_main_process
    talk = console if main else Console(quiet=True)
    told_kind = f"taken for {chosen.data.many}" + ("" if kind or recipe else " (--kind says otherwise)")
    talk.print(f"recipe {chosen.name}; data {name_of(data)}, {told_kind}", highlight=False, markup=False)
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
            "examples": ready.count,
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

        first_name = begun_from(start, folder)

        def make(average: Denoiser, images: int) -> Model:
            history = {
                "data": Path(data).name if isinstance(data, str | Path) and Path(data).exists() else name_of(data),
                "examples": ready.count,
                **({} if first_name is None else {"start": first_name}),
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
            watching += _recorders(folder, ready, chosen, data, first_name, seed, trainer.images, tensorboard, console)
        for observer in watching:
            stack.enter_context(closing(observer))
            observer.begin(make)
        trainer.observers = watching
        trainer.run()
    talk.print(f"done: {trainer.images:,} images in {told_seconds(trainer.seconds)}", highlight=False, markup=False)
    trained = trainer.averaged.requires_grad_(False).eval()
    return make(trained, trainer.images)


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
    told = {
        "data": name_of(data),
        "seed": seed,
        "kind": ready.kind.kind,
        "shape": list(ready.kind.shape),
        "examples": ready.count,
        "start": start,
    }
    summary = ready.examples.summary
    if images > 0:  # what was learnt of the data before the run was stopped
        before = read_json(folder / "run.json")
        for items, known in ((summary.skipped, before["skipped"]), (summary.notes, before["notes"])):
            items += [(name, reason) for name, reason in known if (name, reason) not in items]
    run_file = RunFile(folder / "run.json", told, summary, console)
    run_file.write()
    write_json(folder / "recipe.json", recipe.model_dump(mode="json"))
    log = LogFile(folder / "log.jsonl")
    log.resume(images)
    drawn = SampleFiles(folder / SAMPLES)
    recorders = [log, run_file, ModelFile(folder), drawn]
    if tensorboard or (tensorboard is None and find_spec("tensorboard") is not None):
        board = TensorBoard(folder / "tensorboard", images)
        drawn.also.append(board.sample)
        recorders.append(board)
    return recorders
