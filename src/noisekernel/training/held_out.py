"""How many examples a run holds out.

A run is measured whenever it draws samples, on held-out examples and on as many that it trains on. An example costs as
many passes forward as there are noise levels, and a training step three or more passes per example. So the number of
images between two draws says how many examples can be measured in a given share of the time, and by default no more
are held out.
"""

from collections.abc import Mapping
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.kinds.base import Kind, counted
from noisekernel.measuring.denoising import yardstick
from noisekernel.recipes.schema import Recipe

#: The share of the time that measuring may take.
SHARE = 0.02
#: By default so much of the data is held out, but no fewer examples than these. Data of fewer examples than the last
#: number have none to spare.
PART, FEWEST, SPARED = 0.05, 10, 100
#: No more are measured, and by default no more are held out.
MOST = 500


def affordable(recipe: Recipe, kind: Kind) -> int:
    """How many held-out examples can be measured at each draw.

    Args:
        recipe: That of the run, with the number of images that is planned.
        kind: What the data are, fitted to them.

    >>> from noisekernel.recipes import recipe
    >>> digits = recipe("digits")
    >>> affordable(digits, digits.data.fitted(None)[0])
    64
    """
    passes = recipe.objective.build().passes
    every = min(recipe.training.draw_every, recipe.training.images)
    levels = len(yardstick(recipe.design(kind).kernel.build()).levels(few=True))
    return int(SHARE * every * (passes.forward + 3 * passes.with_gradient) / (2 * levels))


def how_many(
    recipe: Recipe, kind: Kind, examples: int | None, before: Mapping[str, Any] | None = None
) -> tuple[int, str | None]:
    """How many examples to hold out, and where there are none though they might be, the reason in a sentence.

    Args:
        recipe: That of the run.
        kind: What the data are.
        examples: How many there are; None for a stream.
        before: What the checkpoint of a begun run says, which goes on with what it has held out.
    """
    wanted, stop = recipe.training.held_out, recipe.training.stop
    if before is not None:
        return (before.get("held_out") or {"examples": 0})["examples"], None
    if wanted == "auto":
        count, reason = _by_itself(recipe, kind, examples)
    else:
        count, reason = _as_set(wanted or 0, kind, examples), "training.held_out is 0"
    if stop is not None and not count:
        raise InputError(
            f"training.stop is {stop!r}, and nothing is held out: {reason}. Set training.held_out to a share of the "
            "examples, such as 0.1, or leave out training.stop"
        )
    return count, f"nothing is held out: {reason}" if wanted == "auto" and not count else None


def _by_itself(recipe: Recipe, kind: Kind, examples: int | None) -> tuple[int, str]:
    if examples is None:
        return 0, "the data are a stream"
    if examples < SPARED:
        return 0, f"{counted(examples, kind)} are too few to spare any (from {SPARED})"
    if kind.labels and kind.forget == 0.0:
        return 0, "labels are never forgotten (data.forget is 0), and without them there is nothing to measure"
    most = affordable(recipe, kind)
    if most < FEWEST:
        return 0, f"the run is so short, or draws so often, that measuring would take over {SHARE:.0%} of its time"
    return min(MOST, most, max(FEWEST, round(PART * examples))), ""


def _as_set(wanted: float, kind: Kind, examples: int | None) -> int:
    """The number that was set, or that of the share that was set."""
    if not wanted:
        return 0
    if examples is None:
        raise InputError(f"training.held_out is {wanted:g}, and of a stream nothing can be held out; set it to 0")
    if kind.labels and kind.forget == 0.0:
        raise InputError(
            f"training.held_out is {wanted:g}, and held-out {kind.many} are measured without labels, which this run "
            "never forgets: set data.forget above 0, or training.held_out=0"
        )
    count = round(wanted * examples) if wanted < 1 else int(wanted)
    if not 2 <= count <= examples // 2:
        raise InputError(
            f"training.held_out is {wanted:g}, which of {counted(examples, kind)} is {count:,}; hold out at least 2 "
            "and at most half of them, or none (0)"
        )
    return count
