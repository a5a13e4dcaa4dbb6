"""`nk recipes`: what there is to train by, and what it costs."""

import json as json_
from typing import Annotated, Any

import typer

from noisekernel.cli import common


def recipes(
    name: Annotated[str | None, typer.Argument(help="Show this one in full.")] = None, json: common.Json = False
) -> None:
    """List the recipes: parameters, memory, cost; or show one in full."""
    from noisekernel import config
    from noisekernel.plan import plan

    if name is not None:
        chosen = config.recipe(name)
        print(json_.dumps(chosen.model_dump(mode="json"), indent=2, ensure_ascii=False))
        return
    rows: list[dict[str, Any]] = []
    for each in config.recipe_names():
        recipe = config.recipe(each)
        size = recipe.data.size_for(None)
        cost = plan(recipe, size)
        rows.append(
            {
                "name": each,
                "about": recipe.about,
                "size": list(size),
                "parameters": cost.parameters,
                "memory_bytes": cost.memory_bytes,
                "batch": recipe.training.batch,
                "images": recipe.training.images,
                "operations": cost.total,
                "published_fid": recipe.published.fid if recipe.published else None,
                "published_in": recipe.published.source if recipe.published else None,
            }
        )
    if json:
        print(json_.dumps(rows, indent=2, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("recipe", "about", "pictures", "parameters", "memory", "images", "cost", "FID published")
    for row in rows:
        table.add_row(
            row["name"],
            row["about"],
            "x".join(str(side) for side in row["size"]),
            f"{row['parameters'] / 1e6:.1f} M",
            f"{row['memory_bytes'] / 1e9:.1f} GB",
            f"{row['images'] / 1e6:.1f} M",
            f"{row['operations'] / 1e18:.2g} EFLOP",
            "" if row["published_fid"] is None else f"{row['published_fid']}",
        )
    console = Console()
    console.print(table)
    console.print(
        "memory: weights, gradients, Adam, average, and activations of one whole batch, which several processes share. "
        "cost: of the whole run; 1 EFLOP is 2.8 hours at 100 TFLOP/s. FID published: the paper's own runs, not ours.",
        style="dim",
    )
