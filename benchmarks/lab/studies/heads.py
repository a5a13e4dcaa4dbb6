"""What does a head that knows the covariance of the data give? Two heads by the number of training images."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from lab.effort import Effort
from lab.findings import Findings
from lab.own_arms import DEFAULT, Ours, log_normal
from lab.tables import over_seeds, table
from lab.unit import Unit

STUDY = "heads"

#: The same recipe with either head, at the noise levels that were the default when this study was made.
LEVELS = log_normal(-0.4, 1.4, 1.0)
HEADS: dict[str, dict[str, Any]] = {
    "preconditioned": {**DEFAULT, **LEVELS, "head.kind": "preconditioned"},
    "covariance": {**DEFAULT, **LEVELS, "head.kind": "covariance"},
}
#: Numbers of training images for both heads, and further ones for the covariance head, to see where it reaches the
#: result of the other head after `REACHED` images.
BUDGETS = (8_000, 24_000, 120_000)
FURTHER = (4_000, 6_000, 12_000)
REACHED = 24_000


def arm(head: str) -> Ours:
    return Ours(f"head {head}", HEADS[head])


def budgets(head: str, effort: Effort) -> list[int]:
    """The numbers of training images of a head, from few to many."""
    further = FURTHER if head == "covariance" else ()
    return [_scaled(images, effort) for images in sorted((*BUDGETS, *further))]


def units(material: str, seed: int, effort: Effort) -> Iterator[Unit]:
    """From few images to many, both heads at each number."""
    asked = sorted((images, head) for head in HEADS for images in budgets(head, effort))
    for images, head in asked:
        unit = Unit(STUDY, material, arm(head), seed, [(arm(head), effort.middle)], curve=True, images=images)
        if (images, head) == (_scaled(BUDGETS[0], effort), "preconditioned"):
            unit.timed = [arm(each) for each in HEADS]
        yield unit


def _scaled(images: int, effort: Effort) -> int:
    return round(images * effort.share)


def heads_table(found: Findings, material: str, effort: Effort) -> str:
    """Bits per element and distances by number of images and head."""
    rows = []
    for images in sorted({images for head in HEADS for images in budgets(head, effort)}):
        bits = {head: found.bits(material, arm(head).name, images) for head in HEADS}
        fids = [
            over_seeds(found.fids(material, arm(head).name, calls, images=images).values())
            for calls in effort.middle
            for head in HEADS
        ]
        less = differences(bits["covariance"], bits["preconditioned"]).values()
        rows.append(
            [f"{images:,} images", *(over_seeds(bits[head].values(), 4) for head in HEADS), over_seeds(less, 4), *fids]
        )
    distances = [f"{head}, {calls} calls" for calls in effort.middle for head in HEADS]
    return table(["", *(f"bits, {head}" for head in HEADS), "difference", *distances], rows)


def cost_table(found: Findings, material: str, effort: Effort) -> str:
    """What the covariance head saves in images, and what a step costs with it."""
    reached = images_to_reach(found, material, effort)
    paces = found.paces(material, STUDY).values()
    times = [over_seeds(entry["ms"][arm(head).name] for entry in paces) for head in HEADS]
    over = over_seeds(entry["over_first"][arm("covariance").name]["median"] for entry in paces)
    goal = _scaled(REACHED, effort)
    share = over_seeds(images / goal for images in reached.values())
    head = [f"images to reach the other's bits at {goal:,}, over {goal:,}"]
    columns = ["", *head, *(f"ms per image, {name}" for name in HEADS), "ratio"]
    return table(columns, [["covariance", share, *times, over]])


def images_to_reach(found: Findings, material: str, effort: Effort) -> dict[int, float]:
    """By seed: after how many images the covariance head has the bits of the other head after `REACHED` images.

    A head that is there already after the fewest images that were measured counts as these; one that never is there is
    left out.
    """
    goals = found.bits(material, arm("preconditioned").name, _scaled(REACHED, effort))
    measured = {n: found.bits(material, arm("covariance").name, n) for n in budgets("covariance", effort)}
    reached = {
        seed: crossing({n: bits[seed] for n, bits in measured.items() if seed in bits}, goal)
        for seed, goal in goals.items()
    }
    return {seed: images for seed, images in reached.items() if images is not None}


def crossing(bits: Mapping[int, float], goal: float) -> float | None:
    """After how many images the bits first fall to the goal, by a straight line in the logarithm of images.

    >>> round(crossing({100: 3.0, 400: 1.0}, 2.0))
    200
    """
    before: tuple[int, float] | None = None
    for images, here in sorted(bits.items()):
        if here <= goal:
            if before is None:
                return float(images)
            share = (before[1] - goal) / (before[1] - here)
            return math.exp((1.0 - share) * math.log(before[0]) + share * math.log(images))
        before = images, here
    return None


def differences(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    """At equal seeds."""
    return {seed: one[seed] - other[seed] for seed in sorted(one.keys() & other.keys())}
