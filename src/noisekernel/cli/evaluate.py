"""`nk evaluate`: how good a model's samples are."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import with_options


@with_options
def evaluate(
    model: common.ModelArgument,
    data: Annotated[
        str, typer.Option(metavar="DATA", help="What to measure against, as for nk train: the training set.")
    ],
    n: Annotated[int | None, typer.Option("-n", min=1, help="How many samples (default: as many as the data).")] = None,
    features: Annotated[
        str | None,
        typer.Option(
            help="inception:PATH, inception, MODULE:FUNCTION, FILE.py:FUNCTION (default: learned from the data)."
        ),
    ] = None,
    sampler: common.Sampler = None,
    steps: common.Steps = None,
    label: common.Label = None,
    held_out: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Real data not trained on, for the floor and the denoising (default: of the data).",
        ),
    ] = None,
    bad: Annotated[str, typer.Option(help="What to do with an example that cannot be read: fail, or skip.")] = "fail",
    seed: common.Seed = 0,
    device: common.Device = None,
    batch_size: common.BatchSize = 64,
    json: common.Json = False,
    page: Annotated[
        Path | None,
        typer.Option(help="An HTML file: new rows beside real ones, by columns, pairs, a classifier (tables)."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A file to write the figures to as well, as JSON.")] = None,
    force: common.Force = False,
    *,
    guiding: Guiding,
) -> None:
    """Measure samples against data: FID, KID, Inception score, precision, recall, density, coverage; and the denoiser.

    Each with an interval, and beside what real data score. Under torchrun or accelerate launch the processes share
    the work, and the figures are those of one process.
    """
    from dataclasses import replace

    from noisekernel import models
    from noisekernel.files import outputs
    from noisekernel.files.formats import write_json
    from noisekernel.measuring.rows.page import write_page
    from noisekernel.models.named import measure

    if page is not None:
        outputs.new_file(page, force=force)
    if out is not None:
        outputs.new_file(out, force=force)
    chain = guiding.of(models.load(model, device), label)
    judged = measure(
        chain,
        data,
        n=n,
        features=features,
        sampler=sampler,
        steps=steps,
        label=label,
        held_out=held_out,
        rows=page is not None,
        bad=bad,
        seed=seed,
        device=device,
        batch_size=batch_size,
        called=common.model_name(model),
        show=common.bar,
    )
    judged = replace(judged, how={**judged.how, **guiding.told(chain, chain.schedule(sampler, steps)[1])})
    if common.process()[0] > 0:
        return
    if out is not None:
        write_json(out, judged.as_json())
    if page is not None and judged.rows is not None:
        write_page(page, judged.rows, judged.as_json())
    common.say(judged.as_json(), json, str(judged) + ("" if page is None else f"\n{page} has the rows"))
