"""`nk vary`: variants of examples, and rounds of them, each from the best of the one before."""

from pathlib import Path
from typing import Annotated, Any

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import Making, with_options


@with_options
def vary(
    model: common.ModelArgument,
    examples: common.ExampleArgument,
    strength: Annotated[
        float | None,
        typer.Option(
            callback=common.within(0, 1), help="How far: 0 is the example itself (nearly), 1 a new one (default: 0.3)."
        ),
    ] = None,
    below: Annotated[
        float | None,
        typer.Option(callback=common.within(0, 1), help="The noise level below which noise is redrawn, for experts."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Annealing steps.")] = 20,
    n: Annotated[int, typer.Option("-n", min=1, help="Variants of each example.")] = 16,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, each from a candidate of the one before.")] = 1,
    choose: Annotated[
        str | None, typer.Option(help="The candidate to go on from after each round, such as 3,0,12.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            help="Go on from the candidate with the highest score: bright, dark, … (by kind), or FILE.py:NAME."
        ),
    ] = None,
    out: common.Out = Path("variants"),
    *,
    guiding: Guiding,
    making: Making,
) -> None:
    """Make variants of examples.

    An example is made of noise, and a variant redraws the fine part of it: as much as it takes for variants to go
    --strength of the way to an unrelated example. A model is measured for that once, which takes a moment. With
    --below it is the noise below that level. (nk equilibrate makes variants as the paper does.)

    With --rounds, each round starts from one candidate of the round before: the highest in --score, the one you
    --choose beforehand, or, at a terminal, the one you name when asked.
    """
    import torch

    from noisekernel import models
    from noisekernel.cli.cost import Cost
    from noisekernel.cli.rounds import Choice, Variants
    from noisekernel.files import outputs
    from noisekernel.kinds.record import Record
    from noisekernel.tasks.strength import DEFAULT, RENEWAL

    RENEWAL.check(strength, below)
    folder = outputs.new_folder(out, force=making.force)
    choice = Choice.of(rounds, n, choose, score)
    plain = common.spanning(models.load(model, making.device), examples)
    chain = guiding.of(plain, making.label)
    kind = chain.kind
    chooser = choice.chooser(kind)
    given = common.read_examples(chain, examples)
    z, stored = given.z, given.values
    common.say_if_unlike(plain, model, given)
    cost = Cost(making.yes)
    kept = kind.bytes_shown + (4 * z[0].numel() * (steps + 1) if rounds > 1 else 0)
    cost.check(chain, rounds * len(z) * n, making.batch_size, kept=len(z) * n * kept, folder=folder)
    how: dict[str, Any] = {
        "task": "vary",
        "model": common.model_name(model),
        "strength": DEFAULT if strength is None and below is None else strength,
        "below": common.level_of(chain, RENEWAL, strength, below),
        "steps": steps,
        "seed": making.seed,
        "label": making.label,
        **guiding.told(chain),
    }
    varying = Variants(chain, n, making.batch_size, below=how["below"], steps=steps, seed=making.seed, more=rounds > 1)
    originals = [f"{name}-original" for name in given.names]
    made: dict[str, dict[str, object]] = {
        name: {**how, "role": "original", "source": source}
        for name, source in zip(originals, given.sources, strict=True)
    }
    names = [[[f"{name}-round{r}-{k:02d}" for k in range(n)] for name in given.names] for r in range(rounds)]
    for number in range(rounds):
        for i, source in enumerate(given.sources):
            own = {**how, "round": number, "example": i, "source": source}
            for k, name in enumerate(names[number][i]):
                made[name] = {**own, "variant": k, "sample": (number * len(z) + i) * n + k}
    sheets = [f"sheet{number}" for number in range(rounds)]
    record = Record(folder, kind, {**how, "rounds": rounds}, made, sheets=sheets, inputs=given.files)
    history: list[list[int]] = []
    for number in range(rounds):
        labels = common.label_for(chain, making.label, len(z))
        # Each round has sample numbers of its own, so that it does not repeat the noise of the one before.
        variants = varying.of(z, number * len(z) * n, labels, cost, rounds)
        starts = kind.kept(kind.decode(z), stored)
        if number == 0:
            record.write(starts, originals)
        rows = []
        for i in range(len(z)):
            values = kind.kept(kind.decode(variants[i]), starts[i : i + 1].expand(n, *starts.shape[1:]))
            record.write(values, names[number][i])
            rows += [starts[i : i + 1], values]
        sheet = record.sheet(sheets[number], torch.cat(rows), n + 1, round=number)
        if number < rounds - 1:
            picked = [chooser.pick(number, i, chain.draw(variants[i]), sheet) for i in range(len(z))]
            history.append(picked)
            z, stored = variants[range(len(z)), picked], starts
            varying.go_on_from(picked)
    record.finish(chosen=history)
    figures = {**how, "rounds": rounds, "chosen": history, "out": str(folder), "n": n}
    common.say(
        figures, making.json, f"{rounds * len(z) * n} variants: {folder}/; side by side, the original first, on {sheet}"
    )
