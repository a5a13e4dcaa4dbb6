"""A whole training run: from a word or a path to a trained model in a folder.

DIR/
  run.json              the data, the seed, what is held out, what became of each example that was not simply read
  recipe.json           every setting
  log.jsonl             one line every so many images
  model.safetensors     the model as of the last checkpoint, or of the best look at what is held out if the run may
                        stop there: `nk sample DIR` works while training goes on
  early.safetensors     the model as of an early moment, to guide the other by (`training.early`)
  checkpoints/          what is needed to go on
  samples/              samples on the way
  tensorboard/          the same for TensorBoard, where it is installed
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from accelerate import PartialState
from accelerate.utils import broadcast_object_list
from rich.console import Console

from noisekernel import models
from noisekernel.core.errors import InputError
from noisekernel.core.quantities import told_seconds
from noisekernel.data.opening import Data, name_of
from noisekernel.files.digest import digest
from noisekernel.files.formats import read_json
from noisekernel.models.model import Model
from noisekernel.models.saving import digest_of_weights
from noisekernel.networks.denoiser import Denoiser
from noisekernel.recipes.schema import Recipe
from noisekernel.training.beginning import (
    CHECKPOINTS,
    EARLY,
    SAMPLES,
    alone_in,
    begin,
    begun_from,
    identity,
    on_cpu,
    trainer_for,
)
from noisekernel.training.budget import Budget, budget, check_minutes
from noisekernel.training.calibration import with_strength
from noisekernel.training.checkpoint import Checkpoints
from noisekernel.training.observers import (
    Bar,
    EarlyFile,
    LogFile,
    ModelFile,
    RecipeFile,
    RunFile,
    SampleFiles,
    Silent,
    TensorBoard,
)
from noisekernel.training.preparation import Prepared, opened, prepare
from noisekernel.training.taking_over import TakenOver
from noisekernel.training.watch import Watch


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
    minutes: float | None = None,
    resume: bool = False,
    calibrate: bool = True,
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
        start: A model, or where to find one, whose weights training begins with. Kernel, network and head are then by
            default that model's; sizes, channels, classes and moments are those of the data. What fits is taken over,
            the rest is new. All else is said by the recipe, the model's own unless one is given.
        kind: The kind of data by name, where it cannot be told by looking.
        minutes: The time that training may take. Size of the network and of the examples (where they are not set),
            number of images and the rest then follow from the speed of this machine, and the run ends in time. With a
            recipe or a model to start from, only the number of images and what goes with it.
        resume: Whether to go on from the newest checkpoint in `out` (or begin, where there is none yet), by the recipe
            that the run was begun with, to the same weights as if it had never stopped.
        calibrate: Whether to measure the strength of variants at the end, so that the first `vary` does not wait.
        progress: Whether to show a bar and say what is done.
        tensorboard: Whether to write for TensorBoard; by default if it is installed.
        observers: Whoever else wants to watch.

    Returns:
        The trained model.

    >>> model = fit("digits", settings=["training.images=64"], progress=False)
    >>> model.shape
    (1, 8, 8)
    """
    clock = time.perf_counter()
    console = Console(stderr=True, quiet=not progress)
    if minutes is not None:
        check_minutes(minutes, settings)
    folder = None if out is None else Path(out)
    first = opened(start)
    chosen, seed, begun = begin(data, folder, recipe, settings, seed, resume, device, first, kind, minutes)
    if folder is None and chosen.training.early is not None:
        raise InputError("training.early keeps an early model in the run's folder; say which folder (out)")
    cpu = on_cpu(device)
    main = PartialState(cpu=cpu).is_main_process
    talk = console if main else Console(quiet=True)
    told_kind = f"taken for {chosen.data.many}" + ("" if kind or recipe else " (--kind says otherwise)")
    talk.print(f"recipe {chosen.name}; data {name_of(data)}, {told_kind}", highlight=False, markup=False)
    checkpoints = None if folder is None else Checkpoints(folder / CHECKPOINTS, chosen.training.keep)
    newest = checkpoints.newest if checkpoints is not None and begun else None
    limit: Budget | None = None
    if minutes is not None and newest is None:
        given = recipe is not None or first is not None
        with talk.status("timing a few training steps of each size"):
            limit = budget(data, chosen, minutes, settings=settings, given=given, seed=seed, cpu=cpu)
        chosen = limit.recipe
        for sentence in limit.told():
            talk.print(sentence, highlight=False, markup=False, soft_wrap=True)
    elif chosen.training.warming < chosen.training.warmup:
        sentence = (
            f"the learning rate rises for {chosen.training.warming:,} images, a tenth of the run, and not for "
            f"{chosen.training.warmup:,} (training.warmup)"
        )
        talk.print(sentence, highlight=False, markup=False, soft_wrap=True)
    with ExitStack() as stack:
        before = None if checkpoints is None or newest is None else checkpoints.about(newest)
        # The time that reading takes is not planned with yet: what is held out follows from about how many images.
        ready = prepare(data, chosen if limit is None else limit.planned(0.0), seed, talk, before, first)
        if ready.examples.summary.skipped:
            talk.print(str(ready.examples.summary), highlight=False, markup=False)
        if folder is not None and main:
            stack.enter_context(alone_in(folder))
        if limit is not None:
            chosen = broadcast_object_list([limit.planned(time.perf_counter() - clock)])[0]
            # The plan may be corrected, but what is held out stays: the recipe says how many, so that it is repeated.
            known = {"held_out": 0 if ready.held_out is None else len(ready.held_out.names)}
            chosen = chosen.model_copy(update={"training": chosen.training.model_copy(update=known)})
        about = {
            "seed": seed,
            "training": identity(chosen.training),
            "design": ready.design.model_dump(mode="json"),
            "examples": ready.count,
            "data": ready.digest,
        }
        watch: Watch | None = None
        if ready.held_out is not None:
            data_digest = digest(ready.held_out.values, ready.held_out.trained)
            about["held_out"] = {"examples": len(ready.held_out.names), "data": data_digest}
            watch = Watch(ready.design.kernel.build(), ready.kind, ready.held_out, chosen.training.stop is not None)
        if first is not None:
            about["start"] = digest_of_weights(first)
        elif before is not None and before.get("start"):
            about["start"] = before["start"]
        first_name = begun_from(start, folder)

        def say(taken: TakenOver) -> None:
            if newest is None:
                talk.print(taken.told(first_name or "a model"), highlight=False, markup=False, soft_wrap=True)

        trainer = trainer_for(
            ready, chosen, seed, first, say, checkpoints=checkpoints, about=about, watch=watch, cpu=cpu
        )
        if limit is not None:
            trainer.seconds = time.perf_counter() - clock
        if newest is not None:
            trainer.resume(newest)
            chosen = chosen.model_copy(update={"training": trainer.settings})
            talk.print(f"resuming after {trainer.images:,} images", highlight=False, markup=False)
        trainer.agree()

        def make(average: Denoiser, images: int) -> Model:
            history = {
                "data": Path(data).name if isinstance(data, str | Path) and Path(data).exists() else name_of(data),
                "examples": ready.count,
                **({} if ready.held_out is None else {"held_out": len(ready.held_out.names)}),
                **({} if first_name is None else {"start": first_name}),
                "recipe": chosen.model_copy(update={"training": trainer.settings}).model_dump(mode="json"),
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
        with ExitStack() as watched:
            for observer in watching:
                watched.enter_context(closing(observer))
                observer.begin(make)
            trainer.observers = watching
            trainer.run()
        images, denoiser = trainer.result
        ended = f"done: {trainer.images:,} images in {told_seconds(trainer.seconds)}"
        if images < trainer.images:
            ended += f"; the model is that after {images:,} images, when what is held out was at its best"
        talk.print(ended, highlight=False, markup=False, soft_wrap=True)
        model = make(denoiser.requires_grad_(False).eval(), images)
        if calibrate and main:
            model = with_strength(model, images, folder, talk)
    return model


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
        "held_out": [] if ready.held_out is None else list(ready.held_out.names),
    }
    summary = ready.examples.summary
    if images > 0:  # what was learnt of the data before the run was stopped
        before = read_json(folder / "run.json")
        for items, known in ((summary.skipped, before["skipped"]), (summary.notes, before["notes"])):
            items += [(name, reason) for name, reason in known if (name, reason) not in items]
    run_file = RunFile(folder / "run.json", told, summary, console)
    run_file.write()
    log = LogFile(folder / "log.jsonl")
    log.resume(images)
    drawn = SampleFiles(folder / SAMPLES)
    early = EarlyFile(folder / EARLY)
    recorders = [RecipeFile(folder / "recipe.json", recipe), log, run_file, early, ModelFile(folder), drawn]
    if tensorboard or (tensorboard is None and find_spec("tensorboard") is not None):
        board = TensorBoard(folder / "tensorboard", images)
        drawn.also.append(board.sample)
        recorders.append(board)
    return recorders
