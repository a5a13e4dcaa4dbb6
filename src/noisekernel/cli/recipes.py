"""`nk recipes`: what there is to train by, and what it costs."""

import json as json_
from contextlib import suppress
from typing import Annotated, Any

import typer

from noisekernel.cli import common


def recipes(
    name: Annotated[str | None, typer.Argument(help="Show this one in full.")] = None, json: common.Json = False
) -> None:
    """List the recipes: parameters, memory, cost; or show one in full."""
    from noisekernel import recipes
    from noisekernel.core.errors import InputError
    from noisekernel.training.cost import plan

    if name is not None:
        chosen = recipes.recipe(name)
        print(json_.dumps(chosen.model_dump(mode="json"), indent=2, ensure_ascii=False))
        return
    rows: list[dict[str, Any]] = []
    for each in recipes.recipe_names():
        recipe = recipes.recipe(each)
        kind, cost = recipe.data, None
        with suppress(InputError):  # what some kinds of data cost is known only once they are seen
            kind = recipe.data.fitted(None)[0]
            cost = plan(recipe, kind)
        rows.append(
            {
                "name": each,
                "about": recipe.about,
                "kind": kind.kind,
                "shape": None if cost is None else list(kind.shape),
                "parameters": None if cost is None else cost.parameters,
                "memory_bytes": None if cost is None else cost.memory_bytes,
                "batch": recipe.training.batch,
                "images": recipe.training.images,
                "operations": None if cost is None else cost.total,
                "published_fid": recipe.published.fid if recipe.published else None,
                "published_in": recipe.published.source if recipe.published else None,
            }
        )
    if json:
        print(json_.dumps(rows, indent=2, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    names = ("data", "weights", "memory", "images", "FLOP", "FID")
    table = Table("recipe", *names, box=None, padding=(0, 1, 0, 0))
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(
            f"[bold]{row['name']}[/bold]",
            row["kind"] if row["shape"] is None else "x".join(str(side) for side in row["shape"]),
            told("{:.3g} M", row["parameters"], 1e6),
            told("{:.3g} GB", row["memory_bytes"], 1e9),
            f"{row['images'] / 1e6:.3g} M",
            told("{:.1e}", row["operations"], 1.0),
            "" if row["published_fid"] is None else f"{row['published_fid']}",
        )
    console = Console()
    console.print(table)
    for row in rows:
        console.print(f"[bold]{row['name']}[/bold]: {row['about']}", highlight=False)
    console.print(
        "\nweights: parameters. memory: weights, gradients, Adam, average, and the activations of one whole batch, "
        "which several processes share. FLOP: of the whole run; 1e+18 is 2.8 hours at 100 TFLOP/s. FID: published by "
        "the paper for its own runs, not ours.",
        style="dim",
    )


def told(form: str, value: float | None, unit: float) -> str:
    """A figure in a unit; nothing where it depends on the data."""
    return "" if value is None else form.format(value / unit)
