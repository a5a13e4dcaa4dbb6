"""`nk equilibrate`: variants of examples by the paper's chain, at constant noise."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common
from noisekernel.cli.guiding import Guiding
from noisekernel.cli.making import Making, with_options


@with_options
def equilibrate(
    model: common.ModelArgument,
    examples: common.ExampleArgument,
    beta: Annotated[
        float, typer.Option(callback=common.within(0, 1, open_low=True), help="The constant noise level, in (0, 1].")
    ] = 0.2,
    steps: Annotated[int, typer.Option(min=0, help="Steps at that level.")] = 100,
    lag: common.Lag = None,
    readout: Annotated[
        int, typer.Option(min=0, help="Annealing steps at the end: 0 for the paper's blurred mean, 10 for sharp ones.")
    ] = 0,
    corrected: Annotated[
        bool | None,
        typer.Option(
            "--corrected/--uncorrected",
            help="Accept steps by the model's correction (where it has one for this level).",
        ),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Variants of each example.")] = 16,
    out: common.Out = Path("equilibrated"),
    *,
    guiding: Guiding,
    making: Making,
) -> None:
    """Make variants of examples by the paper's chain: steps at constant noise, with the paper's numbers.

    The error of the model adds up along this chain, so that long ones leave the data, slowly if the model has a
    correction (nk train --recipe correction). nk vary makes variants that do not.
    """
    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.cli.writing import write_results
    from noisekernel.files import outputs

    folder = outputs.new_folder(out, force=making.force)
    plain = common.spanning(models.load(model, making.device), examples)
    chain = guiding.of(plain, making.label)
    given = common.read_examples(chain, examples)
    z = given.z
    common.say_if_unlike(plain, model, given)
    cost = Cost(making.yes)
    kept = len(z) * (n + 1) * chain.kind.bytes_shown
    cost.check(chain, len(z) * n, making.batch_size, kept=kept, folder=folder)
    labels = common.label_for(chain, making.label, len(z))
    without = corrected if labels is None else False
    carried = tasks.chain_lag(chain, beta, without) if lag is None else lag
    total = len(tasks.batches(len(z) * n, making.batch_size)) * (steps + readout)
    with common.bar(total, "equilibrating") as bar:
        variants = tasks.equilibrate(
            chain,
            z,
            n,
            beta=beta,
            steps=steps,
            lag=carried,
            readout=readout,
            corrected=corrected,
            label=labels,
            seed=making.seed,
            batch_size=making.batch_size,
            advance=cost.timed(bar, total, steps + readout),
        ).cpu()
    how = {
        "task": "equilibrate",
        "model": common.model_name(model),
        "beta": beta,
        "steps": steps,
        "lag": carried,
        "readout": readout,
        **({} if corrected is None else {"corrected": corrected}),
        "seed": making.seed,
        "label": making.label,
        **guiding.told(chain),
    }
    sheet = write_results(folder, chain, how, given, variants, numbered="variant")
    figures = {**how, "n": n, "out": str(folder)}
    common.say(figures, making.json, f"{len(z) * n} variants: {folder}/; side by side, the original first, on {sheet}")
