"""`nk inpaint`: fill in parts of pictures."""

from pathlib import Path
from typing import Annotated, Any

import typer

from noisekernel.cli import common


def inpaint(
    model: common.ModelArgument,
    pictures: Annotated[list[Path], typer.Argument(metavar="PICTURE...", help="The pictures to fill in.")],
    mask: Annotated[Path | None, typer.Option(help="Black and white: white is filled in, black kept.")] = None,
    tiles: Annotated[int | None, typer.Option(min=1, help="Not a mask but random square tiles of this side.")] = None,
    keep: Annotated[float | None, typer.Option(help="The share of tiles that is kept (default: 0.3).")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Ways to fill in each picture.")] = 4,
    steps: Annotated[int, typer.Option(min=1, help="Annealing steps.")] = 100,
    equilibrium: Annotated[int, typer.Option(min=0, help="Equilibrium steps after each of them.")] = 0,
    out: common.Out = Path("inpainted"),
    label: common.Label = None,
    seed: common.Seed = 0,
    device: common.Device = None,
    batch_size: common.BatchSize = 64,
    json: common.Json = False,
    force: common.Force = False,
) -> None:
    """Fill in what a mask hides; all else comes back as it was, bit by bit."""
    import torch

    from noisekernel import models, outputs, tasks
    from noisekernel.data.masks import check_fits, read_mask, tile_masks
    from noisekernel.errors import InputError
    from noisekernel.models import open_image

    if (mask is None) == (tiles is None):
        raise InputError("say what to fill in: either --mask MASK or --tiles SIDE")
    if keep is not None and tiles is None:
        raise InputError("--keep is the share of tiles that is kept; with a mask, the mask says it")
    folder = outputs.new_folder(out, force=force)
    chain = models.load(model, device)
    z = chain.read(pictures)
    if mask is not None:
        drawn = open_image(mask)
        for picture in pictures:
            check_fits(drawn, open_image(picture), chain.size)
        masks = read_mask(drawn, chain.size).expand(len(z), *chain.shape)
    else:
        if (tiles or 1) > max(chain.size.height, chain.size.width):
            raise InputError(f"--tiles is {tiles}; the pictures have {chain.size.height} x {chain.size.width} pixels")
        masks = tile_masks(chain.size, tiles or 1, 0.3 if keep is None else keep, len(z), seed=seed)
    labels = common.label_for(chain, label, len(z))
    many, fills = z.repeat_interleave(n, dim=0), masks.repeat_interleave(n, dim=0)
    many_labels = None if labels is None else labels.repeat_interleave(n, dim=0)
    lag = float(chain.kernel.lag) if equilibrium else None
    parts = [slice(at, min(at + batch_size, len(many))) for at in range(0, len(many), batch_size)]
    done = []
    with common.bar(len(parts) * steps * (equilibrium + 1), "filling in") as advance:
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
    listed, cells = [], []
    for i in range(len(z)):
        images = chain.draw(filled[i])
        names = [f"{i}-{k:02d}" for k in range(n)]
        made = [{**how, "picture": i, "source": pictures[i].name, "way": k, "sample": i * n + k} for k in range(n)]
        outputs.write_pictures(folder, images, made, names)
        listed += [{"file": f"{name}.png", **one} for name, one in zip(names, made, strict=True)]
        cells += [*chain.draw(z[i : i + 1]), *chain.draw(seen[i : i + 1]), *images]
    outputs.save_png(outputs.contact_sheet(cells, columns=n + 2), folder / "sheet.png", how)
    outputs.write_manifest(folder, how, listed, pictures if mask is None else [*pictures, mask])
    share = float(masks.float().mean())
    figures = {**how, "filled_share": round(share, 4), "n": n, "out": str(folder)}
    text = f"{len(listed)} pictures, {share:.0%} of each filled in: {folder}/; original, what was seen and results on "
    common.say(figures, json, text + str(folder / "sheet.png"))
