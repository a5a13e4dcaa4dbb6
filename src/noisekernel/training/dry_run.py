"""What a run would cost, before it costs."""

import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from noisekernel.core.quantities import told_bytes, told_seconds
from noisekernel.data.opening import Data, name_of
from noisekernel.models.model import Model
from noisekernel.recipes.schema import Recipe
from noisekernel.training.beginning import on_cpu, trainer_for
from noisekernel.training.budget import budget
from noisekernel.training.cost import plan
from noisekernel.training.log import Entry
from noisekernel.training.observers import Silent
from noisekernel.training.preparation import chosen_recipe, opened, prepare


def dry_run(
    data: Data,
    *,
    recipe: str | Path | Recipe | None = None,
    settings: Sequence[str] | Mapping[str, Any] = (),
    seed: int = 0,
    device: str | None = None,
    start: str | Path | Model | None = None,
    kind: str | None = None,
    minutes: float | None = None,
    steps: int = 5,
) -> dict[str, Any]:
    """What a run would cost: counted on its network, and timed over a few of its steps."""
    began = time.perf_counter()
    first = opened(start)
    chosen = chosen_recipe(recipe, settings, data, device, first, kind)
    told_first: list[str] = []
    limit = None
    if minutes is not None:
        given = recipe is not None or first is not None
        limit = budget(data, chosen, minutes, settings=settings, given=given, seed=seed, cpu=on_cpu(device))
        chosen, told_first = limit.recipe, limit.told()
    ready = prepare(data, chosen, seed, Console(stderr=True), start=first)
    if limit is not None:
        chosen = limit.planned(time.perf_counter() - began)
    held = 0 if ready.held_out is None else len(ready.held_out.names)
    cost = plan(chosen, ready.kind, len(ready.design.classes))
    batch = chosen.training.batch
    few = chosen.training.model_copy(update={"images": (steps + 1) * batch, "log_every": batch})
    timed = _Timed()
    trainer = trainer_for(
        ready, chosen.model_copy(update={"training": few}), seed, observers=[timed], cpu=on_cpu(device)
    )
    trainer.run()
    # The main process alone is told; the others have nothing to say.
    speed = statistics.median(timed.speeds[1:]) if timed.speeds else float("nan")
    return {
        "recipe": chosen.name,
        "data": name_of(data),
        "examples": None if ready.count is None else ready.count + held,
        "held_out": held,
        "kind": ready.kind.kind,
        "described": ready.kind.described(),
        "shape": list(ready.kind.shape),
        "parameters": cost.parameters,
        "memory_bytes": cost.memory_bytes,
        "operations": cost.total,
        "device": str(trainer.accelerator.device),
        "images": chosen.training.images,
        "images_per_second": round(speed, 1),
        "seconds": round(chosen.training.images / speed, 1),
        "expected": told_first,
        "skipped": [list(each) for each in ready.examples.summary.skipped],
        "notes": [list(each) for each in ready.examples.summary.notes],
    }


class _Timed(Silent):
    def __init__(self) -> None:
        self.speeds: list[float] = []

    def logged(self, entry: Entry) -> None:
        self.speeds.append(entry.images_per_second)


def told(figures: Mapping[str, Any]) -> str:
    """The figures of a dry run for people."""
    lines = [
        f"recipe {figures['recipe']} on {figures['data']}: "
        f"{figures['examples'] or 'a stream of'} {figures['described']}"
        + (f", {figures['held_out']:,} of them held out" if figures["held_out"] else ""),
        f"{figures['parameters']:,} parameters; about {told_bytes(figures['memory_bytes'])} of memory",
        f"{figures['images']:,} images at {figures['images_per_second']:,.0f} per second on {figures['device']}: "
        f"{told_seconds(figures['seconds'])}",
    ]
    lines += figures["expected"]
    if figures["skipped"]:
        lines.append(f"{len(figures['skipped'])} file{'s' * (len(figures['skipped']) > 1)} would be skipped:")
    lines += [f"  skipped {name}: {reason}" for name, reason in figures["skipped"]]
    lines += [f"  {name}: {note}" for name, note in figures["notes"]]
    return "\n".join(lines)
