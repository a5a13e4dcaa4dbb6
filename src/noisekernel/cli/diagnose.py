"""`nk diagnose`: are the chains of a model reversible, stationary, mixing, and how far do they go?"""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def diagnose(
    model: common.ModelArgument,
    data: Annotated[
        str | None, typer.Option(help="Data like those it learned from; better still ones it never saw.")
    ] = None,
    beta: Annotated[
        float,
        typer.Option(callback=common.within(0, 1, open_low=True), help="Noise level of the paper's chain, in (0, 1]."),
    ] = 0.2,
    lag: common.Lag = None,
    steps: Annotated[
        int | None, typer.Option(min=8, help="Steps of the long walks (10000), or of the steered ones (400).")
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", min=2, help="Chains of the long walks, at most half of the data (256), or steered (64)."),
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help="Instead: is a chain that is steered by it where it should be? Its name, or FILE.py:NAME."),
    ] = None,
    insist: Annotated[float, typer.Option(help="What the score is multiplied by.")] = 1.0,
    chain: Annotated[str, typer.Option(help="The chain that is steered: walk, or redraw (rows, strings).")] = "walk",
    samples: Annotated[int, typer.Option(min=2, help="New samples that are weighed by the score.")] = 2000,
    pairs: Annotated[int, typer.Option(min=40, help="Pairs of states that test reversibility, at most.")] = 4000,
    out: common.Out = Path("diagnosis"),
    seed: common.Seed = 0,
    device: common.Device = None,
    batch_size: common.BatchSize = 256,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Measure the chains of a model: reversible, stationary, mixing, how far variants go; figures and a page of plots.

    Measured are the walk of the noise, which nk vary and nk walk run, and beside it the paper's chain, which nk
    equilibrate runs. With --score the question is another: the score along a steered chain stands beside that of new
    samples, weighed by exp(insist x score), which is what it should be.
    """
    from time import perf_counter

    from noisekernel import models
    from noisekernel.cli.steering import Steering, steering
    from noisekernel.core.errors import InputError
    from noisekernel.data.opening import open_source
    from noisekernel.data.source import Source, load, some_of
    from noisekernel.files import outputs
    from noisekernel.files.formats import write_json
    from noisekernel.measuring.chains import diagnosis
    from noisekernel.measuring.chains.mixing import need_arviz
    from noisekernel.measuring.chains.page import need_matplotlib, write_page

    began = perf_counter()
    need_matplotlib()
    need_arviz()
    if score is not None:
        if data is not None:
            raise InputError("with --score the model's own samples are the truth; leave out --data")
        made = Steering(score, insist, chain, samples, n or 64, steps or 400, seed, batch_size)
        return steering(model, made, outputs.new_folder(out, force=force), device, json)
    if data is None:
        raise InputError("say with --data which data the model is to be held to, or with --score what it is steered by")
    folder = outputs.new_folder(out, force=force)
    loaded = models.load(model, device)
    source = open_source(data)
    if not isinstance(source, Source):
        raise InputError("a diagnosis picks examples at random; give it data that is on this disk")
    some = some_of(loaded.kind.excerpts(source), diagnosis.MOST_EXAMPLES, seed)
    examples = load(some, loaded.kind, bad="skip")
    measured = diagnosis.diagnose(
        loaded,
        loaded.kind.encode(examples.values),
        examples.labels,
        beta=beta,
        lag=lag,
        steps=steps or 10_000,
        n=n or 256,
        pairs=pairs,
        seed=seed,
        batch_size=batch_size,
        bar=common.bar,
    )
    figures = {
        "task": "diagnose",
        "model": common.model_name(model),
        "data": common.model_name(data),
        "skipped": len(examples.summary.skipped),
        **measured.figures(),
        "out": str(folder),
        "seconds": round(perf_counter() - began, 1),
    }
    write_json(folder / "diagnosis.json", figures)
    write_page(folder / "diagnose.html", measured, loaded.kind, figures)
    left_out = f"{examples.summary}\n" if examples.summary.skipped else ""
    common.say(
        figures, json, f"{left_out}{measured}\n{folder / 'diagnose.html'} has the plots, diagnosis.json every figure"
    )
