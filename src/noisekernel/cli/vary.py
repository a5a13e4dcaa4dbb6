"""`nk vary`: variants of pictures, and rounds of them, each from the best of the one before."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def vary(
    model: common.ModelArgument,
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...", help="The pictures to vary.")],
    beta: Annotated[float, typer.Option(help="How far a step looks: noise level in (0, 1].")] = 0.2,
    steps: Annotated[int, typer.Option(min=0, help="Steps of the walk.")] = 100,
    n: Annotated[int, typer.Option("-n", min=1, help="Variants of each picture.")] = 16,
    lag: Annotated[float | None, typer.Option(help="The share of the state a step carries over, in [0, 1).")] = None,
    readout: Annotated[
        int, typer.Option(min=0, help="Annealing steps at the end; 0 for the paper's blurred mean.")
    ] = 10,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, each from a candidate of the one before.")] = 1,
    choose: Annotated[
        str | None, typer.Option(help="The candidate to go on from after each round, such as 3,0,12.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(help="Go on from the candidate with the highest: bright, dark, contrast, FILE.py:NAME."),
    ] = None,
    out: common.Out = Path("variants"),
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    batch_size: common.BatchSize = 64,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Walk from pictures to variants of them.

    With --rounds, each round starts from one candidate of the round before: the highest in --score, the one you
    --choose beforehand, or, at a terminal, the one you name when asked.
    """
    from noisekernel import models, outputs
    from noisekernel.cli.rounds import Chooser, walk_round

    folder = outputs.new_folder(out, force=force)
    chooser = Chooser.of(rounds, n, choose, score)
    chain = models.load(model, device)
    z = chain.read(pictures)
    how = {
        "task": "vary",
        "model": common.model_name(model),
        "beta": beta,
        "steps": steps,
        "lag": chain.kernel.lag if lag is None else lag,
        "readout": readout,
        "seed": seed,
        "label": label,
    }
    listed: list[dict[str, object]] = []
    history = []
    for number in range(rounds):
        labels = common.label_for(chain, label, len(z))
        # Each round has sample numbers of its own, so that it does not repeat the noise of the one before.
        first = number * len(z) * n
        options = {"beta": beta, "steps": steps, "lag": lag, "readout": readout, "seed": seed, "label": labels}
        variants = walk_round(chain, z, n, first, batch_size, options)
        if number == 0:
            originals = [f"original-{i}" for i in range(len(z))]
            sources = [{**how, "role": "original", "source": path.name} for path in pictures]
            outputs.write_pictures(folder, chain.draw(z), sources, originals)
            listed += [{"file": f"{name}.png", **one} for name, one in zip(originals, sources, strict=True)]
        cells = []
        for i in range(len(z)):
            names = [f"round{number}-{i}-{k:02d}" for k in range(n)]
            own = {**how, "round": number, "picture": i, "source": pictures[i].name}
            made = [{**own, "variant": k, "sample": first + i * n + k} for k in range(n)]
            images = chain.draw(variants[i])
            outputs.write_pictures(folder, images, made, names)
            listed += [{"file": f"{name}.png", **one} for name, one in zip(names, made, strict=True)]
            cells += [*chain.draw(z[i : i + 1]), *images]
        sheet = folder / f"sheet{number}.png"
        outputs.save_png(outputs.contact_sheet(cells, columns=n + 1), sheet, {**how, "round": number})
        if number < rounds - 1:
            picked = [chooser.pick(number, i, chain.draw(variants[i]), sheet) for i in range(len(z))]
            history.append(picked)
            z = variants[range(len(z)), picked]
    outputs.write_manifest(folder, {**how, "rounds": rounds, "chosen": history}, listed)
    figures = {**how, "rounds": rounds, "chosen": history, "out": str(folder), "n": n}
    common.say(
        figures, json, f"{rounds * len(z) * n} variants: {folder}/; side by side, the original first, on {sheet}"
    )
