"""How much of the data a run holds out, and how many of these examples it is measured on.

A run is measured whenever it draws samples, on held-out examples and on as many that it trains on. An example costs as
many passes forward as there are noise levels, and a training step three or more passes per example. So the number of
images between two draws says how many examples can be measured in a given share of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.kinds.base import Kind, counted
from noisekernel.measuring.denoising import yardstick
from noisekernel.recipes.schema import Recipe

#: The share of the time that measuring may take.
SHARE = 0.02
#: By default so much of the data is held out, but no more examples and no fewer than these. Data of fewer examples than
#: the last number have none to spare.
PART, MOST, FEWEST, SPARED = 0.05, 500, 10, 100


@dataclass(frozen=True)
class Numbers:
    """How many examples are held out, and how many of these are measured."""

    held: int
    measured: int


def affordable(recipe: Recipe) -> int:
    """How many held-out examples can be measured at each draw.

    Args:
        recipe: That of the run, with the number of images that is planned.

    >>> from noisekernel.recipes import recipe
    >>> affordable(recipe("digits"))
    64
    """
    passes = recipe.objective.build().passes
    every = min(recipe.training.draw_every, recipe.training.images)
    levels = len(yardstick(recipe.kernel.build()).levels(few=True))
    return int(SHARE * every * (passes.forward + 3 * passes.with_gradient) / (2 * levels))


def how_many(
    recipe: Recipe, kind: Kind, examples: int | None, before: Mapping[str, Any] | None = None
) -> tuple[Numbers | None, str | None]:
    """How many to hold out, or None and, where it was left open, the reason in a sentence.

    Args:
        recipe: That of the run.
        kind: What the data are.
        examples: How many there are; None for a stream.
        before: What the checkpoint of a begun run says, which goes on with what it has held out.
    """
    wanted = recipe.training.held_out
    if before is not None:
        told = before.get("held_out")
        return (None if told is None else Numbers(told["examples"], told["measured"])), None
    if wanted == "auto":
        found, reason = _by_itself(recipe, kind, examples)
    else:
        found, reason = _as_set(wanted, recipe, kind, examples), "training.held_out is set to none"
    if found is None and recipe.training.stop is not None:
        raise InputError(
            f"training.stop is {recipe.training.stop!r}, and nothing is held out: {reason}. Set training.held_out to a "
            "share of the examples, such as 0.1, or leave out training.stop"
        )
    return found, f"nothing is held out: {reason}" if found is None and wanted == "auto" else None


def _by_itself(recipe: Recipe, kind: Kind, examples: int | None) -> tuple[Numbers | None, str]:
    if examples is None:
        return None, "the data are a stream"
    if examples < SPARED:
        return None, f"{counted(examples, kind)} are too few to spare any (from {SPARED})"
    if kind.labels and kind.forget == 0.0:
        return None, "labels are never forgotten (data.forget is 0), and without them there is nothing to measure"
    most = affordable(recipe)
    if most < FEWEST:
        return None, f"the run draws so often, or is so short, that measuring would take over {SHARE:.0%} of its time"
    count = min(MOST, most, max(FEWEST, round(PART * examples)))
    return Numbers(count, count), ""


def _as_set(share: float | None, recipe: Recipe, kind: Kind, examples: int | None) -> Numbers | None:
    if not share:
        return None
    if examples is None:
        raise InputError(f"training.held_out is {share:g}, and of a stream nothing can be held out; leave it out")
    if kind.labels and kind.forget == 0.0:
        raise InputError(
            f"training.held_out is {share:g}, and held-out {kind.many} are measured without labels, which this run "
            "never forgets: set data.forget above 0, or training.held_out=0"
        )
    count = round(share * examples)
    if count < 2:
        raise InputError(
            f"training.held_out is {share:g}, which is fewer than two of {counted(examples, kind)}; hold out more, or "
            "none (0)"
        )
    return Numbers(count, min(count, MOST, max(FEWEST, affordable(recipe))))
