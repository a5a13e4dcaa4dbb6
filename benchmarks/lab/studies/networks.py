"""How good is our network? Ours, the paper's U-Net and that of `diffusers`, trained for equal times."""

from collections.abc import Iterator

from lab.effort import Effort
from lab.findings import Findings
from lab.network_arms import Diffusers, OtherNetwork, paper_unet
from lab.own_arms import Ours, ours, recipe_of
from lab.tables import CURVE_HEAD, curve_cells, over_seeds, table
from lab.unit import Unit

STUDY = "networks"


def arms(material: str) -> dict[str, Ours]:
    recipe = recipe_of(material)
    return {
        "ours": ours(material),
        "the paper's": OtherNetwork("network of the paper", recipe, build=paper_unet),
        "of diffusers": OtherNetwork("network of diffusers", recipe, build=Diffusers),
    }


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    for arm in arms(material).values():
        yield Unit(STUDY, material, arm, seed, [(arm, effort.middle)], curve=True)


def networks_table(found: Findings, material: str, effort: Effort) -> str:
    """Shown where another network than ours was measured."""
    rows: list[list[str]] = []
    if not all(found.curves(material, arm.name) for arm in arms(material).values()):
        return table([""], rows)
    for name, arm in arms(material).items():
        curves = found.curves(material, arm.name).values()
        images = over_seeds((curve.get("images_in_equal_time", curve["images"]) for curve in curves), 0)
        fids = [over_seeds(found.fids(material, arm.name, calls).values()) for calls in effort.middle]
        rows.append([name, images, *curve_cells(curves), *fids])
    return table(["network", "images in equal time", *CURVE_HEAD, *(f"{n} calls" for n in effort.middle)], rows)
