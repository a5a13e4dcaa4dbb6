"""`nk sample`: new data."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import Making, with_options


@with_options
def sample(
    model: common.ModelArgument,
    n: Annotated[int, typer.Option("-n", min=1, help="How many.")] = 16,
    out: common.Out = Path("samples"),
    sampler: common.Sampler = None,
    steps: common.Steps = None,
    length: Annotated[
        int | None, typer.Option(min=1, help="How long each is, for data of any length: bars of music.")
    ] = None,
    *,
    guiding: Guiding,
    making: Making,
) -> None:
    """Draw new data: a file each (or all in one, where the data are lines), an overview, and a manifest.

    Under torchrun or accelerate launch the processes share the work, and the samples are those of one process.
    """
    from time import perf_counter

    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.files import outputs
    from noisekernel.kinds.base import counted
    from noisekernel.kinds.record import Record

    rank, world = common.process()
    common.wait_for_everyone(making.device)
    folder = outputs.new_folder(out, force=making.force)
    common.wait_for_everyone(making.device)
    plain = models.load(model, making.device)
    chain = guiding.of(plain if length is None else plain.of_length(length), making.label)
    chosen, schedule = chain.schedule(sampler, steps)
    cost = Cost(making.yes)
    cost.check(chain, n, making.batch_size, folder=folder)
    labels = common.label_for(chain, making.label, n)
    how = {
        "task": "sample",
        "model": common.model_name(model),
        "sampler": chosen,
        "steps": schedule.steps,
        "seed": making.seed,
        **({} if length is None else {"length": length}),
        **guiding.told(chain, schedule),
    }

    def made(i: int) -> dict[str, object]:
        own = {} if labels is None else {"label": chain.classes[int(labels[i])]}
        return {**how, "sample": i, **own}

    names = [f"{i:0{max(4, len(str(n - 1)))}d}" for i in range(n)]
    record = Record(folder, chain.kind, how, {name: made(i) for i, name in enumerate(names)}, rank=rank)
    batches = tasks.batches(n, making.batch_size)[rank::world]
    began = perf_counter()
    with common.bar(len(batches) * schedule.steps, "drawing") as bar:
        advance = cost.timed(bar, len(batches) * schedule.steps, schedule.steps)
        for rows in batches:
            own = None if labels is None else labels[rows.start : rows.stop]
            run = tasks.synthesis(chain, len(rows), schedule=schedule, label=own, seed=making.seed, first=rows.start)
            record.write(chain.kind.decode(run.result(advance).cpu()), names[rows.start : rows.stop])
    record.leave()
    common.wait_for_everyone(making.device)
    if rank > 0:
        return
    seconds = perf_counter() - began
    record.gather()
    sheet = record.sheet("sheet", record.values(names[:400]))
    record.finish()
    figures = {**how, "n": n, "out": str(folder), "seconds": round(seconds, 3)}
    beyond = f" (the first 400 of {n})" if n > 400 else ""
    common.say(figures, making.json, f"{counted(n, chain.kind)} in {seconds:.1f} s: {folder}/, all on {sheet}{beyond}")
