"""`nk fill`: fill in parts of examples."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import Making, with_options


@with_options
def fill(
    model: common.ModelArgument,
    examples: common.ExampleArgument,
    mask: Annotated[
        str | None,
        typer.Option(
            help="What to fill in, as the kind of data says it: a black and white file, a pattern (_ar*), names of "
            "columns (default: the empty cells of tables)."
        ),
    ] = None,
    tiles: Annotated[int | None, typer.Option(min=1, help="Not a mask but random parts of this side.")] = None,
    keep: Annotated[
        float | None,
        typer.Option(callback=common.within(0, 1), help="The share of parts that is kept (default: 0.3)."),
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Ways to fill in each example (default: 4; with --summary 99).")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Annealing steps.")] = 100,
    equilibrium: Annotated[int, typer.Option(min=0, help="Equilibrium steps after each of them.")] = 0,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Write summary.csv too: alternatives and interval of each cell (tables)."),
    ] = False,
    coverage: Annotated[
        float | None,
        typer.Option(
            callback=common.within(0, 1, open_low=True, open_high=True),
            help="How often intervals of the summary are to hold the truth (default: 0.9).",
        ),
    ] = None,
    out: common.Out = Path("filled"),
    *,
    guiding: Guiding,
    making: Making,
) -> None:
    """Fill in what a mask hides, as in the paper's inpainting; all else comes back as it was, bit by bit."""
    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.cli.writing import write_results
    from noisekernel.core.errors import InputError
    from noisekernel.files import outputs
    from noisekernel.kinds.base import counted
    from noisekernel.kinds.examples import open_in, read_mask
    from noisekernel.kinds.summary import ranks

    if mask is not None and tiles is not None:
        raise InputError("say what to fill in: either --mask MASK or --tiles SIDE")
    if keep is not None and tiles is None:
        raise InputError("--keep is the share of tiles that is kept; with a mask, the mask says it")
    if coverage is not None and not summary:
        raise InputError("--coverage is that of the intervals of a summary; add --summary, or leave it out")
    n = (99 if summary else 4) if n is None else n
    level = 0.9 if coverage is None else coverage
    if summary:
        ranks(n, level)
    folder = outputs.new_folder(out, force=making.force)
    chain = guiding.of(common.spanning(models.load(model, making.device), examples), making.label)
    given = common.read_examples(chain, examples, whole=False)
    z = given.z
    if mask is None and tiles is None:
        if chain.kind.holes(z) is None:
            raise InputError("say what to fill in: either --mask MASK or --tiles SIDE")
        masks = open_in(chain.kind, z)
    elif mask is not None:
        one, notes = read_mask(chain.kind, mask, given.items)
        for sentence in notes:
            common.note(sentence)
        masks = one.expand(len(z), *chain.shape)
    else:
        masks = chain.kind.masks(tiles or 1, 0.3 if keep is None else keep, len(z), seed=making.seed)
        if not bool(masks.any()):
            raise InputError(f"--keep {keep} keeps every part of {tiles}, so there is nothing to fill in")
    if summary:
        chain.kind.check_summary()
    labels = common.label_for(chain, making.label, len(z))
    some = masks.flatten(1).any(dim=1)  # the others are kept as they are, and cost nothing
    number = int(some.sum()) * n
    cost = Cost(making.yes)
    cost.check(chain, number, making.batch_size, kept=len(z) * (n + 2) * chain.kind.bytes_shown, folder=folder)
    each = steps * (equilibrium + 1)
    total = len(tasks.batches(number, making.batch_size)) * each
    with common.bar(total, "filling in") as bar:
        made = tasks.fill(
            chain,
            z[some],
            masks[some],
            n,
            steps=steps,
            equilibrium=equilibrium,
            label=labels if labels is None else labels[some],
            seed=making.seed,
            batch_size=making.batch_size,
            advance=cost.timed(bar, total, each),
        ).cpu()
    filled = z[:, None].repeat(1, n, *(1,) * len(chain.shape)).to(made.dtype)
    filled[some] = made
    how = {
        "task": "fill",
        "model": common.model_name(model),
        "mask": None if mask is None else Path(mask).name,
        "tiles": tiles,
        "keep": keep if keep is not None or tiles is None else 0.3,
        "steps": steps,
        "equilibrium": equilibrium,
        "seed": making.seed,
        "label": making.label,
        **guiding.told(chain),
    }
    inputs = [] if mask is None else [Path(mask)]
    found = chain.kind.summarise(filled, masks, level) if summary else None
    beside = {} if found is None else {"summary.csv": found.csv(given.names)}
    sheet = write_results(folder, chain, how, given, filled, numbered="way", masks=masks, inputs=inputs, beside=beside)
    share = float(masks.float().mean())
    figures = {**how, "filled_share": round(share, 4), "n": n, "out": str(folder)}
    text = f"{counted(len(z) * n, chain.kind)}, {share:.0%} of each filled in: {folder}/; original, what was seen and "
    text = f"{text}results on {sheet}"
    if found is not None:
        figures |= {"summary": str(folder / "summary.csv"), "cells": len(found), "coverage": found.attained}
        text += (
            f"\n{folder / 'summary.csv'}: {len(found):,} cells; an interval holds the truth {found.attained:.1%} of "
            "the time or more, if the model's fills have the right distribution"
        )
    common.say(figures, making.json, text)
