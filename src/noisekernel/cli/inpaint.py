"""`nk inpaint`: fill in parts of pictures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from noisekernel.cli import common


def inpaint(
    model: common.ModelArgument,
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...", help="The pictures to fill in.")],
    mask: Annotated[
        Path | None,
        typer.Option(help="White is filled in, black kept; of the picture's proportions, or the model's size."),
    ] = None,
    tiles: Annotated[int | None, typer.Option(min=1, help="Not a mask but random square tiles of this side.")] = None,
    keep: Annotated[
        float | None,
        typer.Option(callback=common.within(0, 1), help="The share of tiles that is kept (default: 0.3)."),
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Ways to fill in each picture.")] = 4,
    steps: Annotated[int, typer.Option(min=1, help="Annealing steps.")] = 100,
    equilibrium: Annotated[int, typer.Option(min=0, help="Equilibrium steps after each of them.")] = 0,
    out: common.Out = Path("inpainted"),
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    batch_size: common.BatchSize = 64,
    json: common.Json = False,
    force: common.ForceOfFolder = False,
    yes: common.Yes = False,
) -> None:
    """Fill in what a mask hides; all else comes back as it was, bit by bit."""
    import torch

    from noisekernel import models, tasks
    from noisekernel.cli.cost import Cost
    from noisekernel.core.errors import InputError
    from noisekernel.files import outputs
    from noisekernel.kinds.pictures import drawing
    from noisekernel.kinds.pictures.masks import check_fits, read_mask, tile_masks
    from noisekernel.kinds.pictures.reading import MOST_SIDE, open_image, size_of
    from noisekernel.kinds.pictures.record import Record

    if (mask is None) == (tiles is None):
        raise InputError("say what to fill in: either --mask MASK or --tiles SIDE")
    if keep is not None and tiles is None:
        raise InputError("--keep is the share of tiles that is kept; with a mask, the mask says it")
    folder = outputs.new_folder(out, force=force)
    chain = models.load(model, device)
    z = common.read_pictures(chain, pictures)
    if mask is not None:
        drawn = open_image(mask)
        for picture in pictures:
            shape = size_of(picture, MOST_SIDE)
            assert shape is not None  # it has been read
            check_fits(drawn.size, (shape.width, shape.height), chain.size)
        if drawn.size != (chain.size.width, chain.size.height):
            size = f"{chain.size.width} x {chain.size.height}"
            common.note(
                f"the mask has {drawn.width} x {drawn.height} pixels; its middle is resized to the model's {size}, "
                "each pixel the nearest one"
            )
        masks = read_mask(drawn, chain.size).expand(len(z), *chain.shape)
    else:
        if (tiles or 1) > max(chain.size.height, chain.size.width):
            raise InputError(f"--tiles is {tiles}; the pictures have {chain.size.height} x {chain.size.width} pixels")
        masks = tile_masks(chain.size, tiles or 1, 0.3 if keep is None else keep, len(z), seed=seed)
        if not bool(masks.any()):
            raise InputError(f"--keep {keep} keeps every tile of {tiles} pixels, so there is nothing to fill in")
    labels = common.label_for(chain, label, len(z))
    cost = Cost(yes)
    cost.check(
        chain, len(z) * n, batch_size, kept=len(z) * (n + 2) * drawing.bytes_of_a_cell(chain.size), folder=folder
    )
    many, fills = z.repeat_interleave(n, dim=0), masks.repeat_interleave(n, dim=0)
    many_labels = None if labels is None else labels.repeat_interleave(n, dim=0)
    lag = float(chain.kernel.lag) if equilibrium else None
    parts = [slice(at, min(at + batch_size, len(many))) for at in range(0, len(many), batch_size)]
    done = []
    each = steps * (equilibrium + 1)
    with common.bar(len(parts) * each, "filling in") as bar:
        advance = cost.timed(bar, len(parts) * each, each)
        for rows in parts:
            own = None if many_labels is None else many_labels[rows]
            options: dict[str, Any] = {"steps": steps, "equilibrium": equilibrium, "lag": lag, "label": own}
            run = tasks.inpainting(chain, many[rows], fills[rows], first=rows.start, seed=seed, **options)
            done.append(common.walk_to_the_end(run, advance).cpu())
    filled = torch.cat(done).unflatten(0, (-1, n))
    how = {
        "task": "inpaint",
        "model": common.model_name(model),
        "mask": None if mask is None else mask.name,
        "tiles": tiles,
        "keep": keep if keep is not None or tiles is None else 0.3,
        "steps": steps,
        "equilibrium": equilibrium,
        "seed": seed,
        "label": label,
    }
    seen = torch.where(masks, torch.full_like(z, chain.middle), z)
    files = [[f"{name}-{k:02d}.png" for k in range(n)] for name in outputs.names_of(pictures)]
    listed = [
        {"file": file, **how, "picture": i, "source": pictures[i].name, "way": k, "sample": i * n + k}
        for i, own_files in enumerate(files)
        for k, file in enumerate(own_files)
    ]
    record = Record(folder, how, listed, inputs=pictures if mask is None else [*pictures, mask])
    cells = []
    for i in range(len(z)):
        images = chain.draw(filled[i])
        record.write(images, files[i])
        cells += [*chain.draw(z[i : i + 1]), *chain.draw(seen[i : i + 1]), *images]
    record.sheet(drawing.contact_sheet(cells, columns=n + 2), "sheet.png")
    record.finish()
    share = float(masks.float().mean())
    figures = {**how, "filled_share": round(share, 4), "n": n, "out": str(folder)}
    text = f"{len(listed)} pictures, {share:.0%} of each filled in: {folder}/; original, what was seen and results on "
    common.say(figures, json, text + str(folder / "sheet.png"))
