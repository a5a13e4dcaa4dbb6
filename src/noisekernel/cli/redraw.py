"""`nk redraw`: variants of rows and strings by the exact chain, with a score or without."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.making import Making, with_options


@with_options
def redraw(
    model: common.ModelArgument,
    examples: common.ExampleArgument,
    share: Annotated[
        float,
        typer.Option(
            callback=common.within(0, 1, open_low=True), help="Which share of an example a step redraws, in (0, 1]."
        ),
    ] = 0.3,
    steps: Annotated[int, typer.Option(min=0, help="How many steps.")] = 20,
    mask: Annotated[
        str | None, typer.Option(help="What may change: the names of columns, or a pattern such as _ar__a; else all.")
    ] = None,
    score: Annotated[
        str | None, typer.Option(help="Prefer examples with a high score: its name, or FILE.py:FUNCTION.")
    ] = None,
    insist: Annotated[float, typer.Option(help="What the score is multiplied by.")] = 1.0,
    n: Annotated[int, typer.Option("-n", min=1, help="Variants of each example.")] = 16,
    out: common.Out = Path("redrawn"),
    *,
    making: Making,
) -> None:
    """Make variants of rows or strings by a chain that is exact for the model's likelihood, times exp(score).

    A step hides a share of the elements, draws them anew, one at a time, and takes the result by Metropolis' rule.
    """
    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.cli.rounds import score_of
    from noisekernel.cli.writing import write_results
    from noisekernel.files import outputs

    folder = outputs.new_folder(out, force=making.force)
    chain = common.spanning(models.load(model, making.device), examples)
    given = common.read_examples(chain, examples)
    z = given.z
    common.say_if_unlike(chain, model, given)
    hidden = None if mask is None else chain.as_mask(mask, z)
    cost = Cost(making.yes)
    cost.check(chain, len(z) * n, making.batch_size, kept=len(z) * (n + 1) * chain.kind.bytes_shown, folder=folder)
    total = len(tasks.batches(len(z) * n, making.batch_size)) * steps
    with common.bar(total, "redrawing") as bar:
        variants = tasks.redraw(
            chain,
            z,
            n,
            share=share,
            steps=steps,
            mask=hidden,
            score=None if score is None else score_of(score, chain.kind, insist),
            label=common.label_for(chain, making.label, len(z)),
            seed=making.seed,
            batch_size=making.batch_size,
            advance=cost.timed(bar, total, steps),
        ).cpu()
    how = {
        "task": "redraw",
        "model": common.model_name(model),
        "share": share,
        "steps": steps,
        **({} if mask is None else {"mask": mask}),
        **({} if score is None else {"score": score, "insist": insist}),
        "seed": making.seed,
        "label": making.label,
    }
    sheet = write_results(folder, chain, how, given, variants, numbered="variant")
    figures = {**how, "n": n, "out": str(folder)}
    common.say(figures, making.json, f"{len(z) * n} variants: {folder}/; side by side, the original first, on {sheet}")
