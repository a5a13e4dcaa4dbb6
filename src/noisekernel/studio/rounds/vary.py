"""Variants of the parents: their noise renewed, or by a walk at constant noise if a round says so."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import torch
from pydantic import Field

from noisekernel import tasks
from noisekernel.core.errors import InputError
from noisekernel.core.randomness import Purpose, Streams
from noisekernel.core.stepwise import Stepwise
from noisekernel.measuring.dial import DEFAULT, RENEWAL
from noisekernel.models.model import Model
from noisekernel.sampling import renewal
from noisekernel.sampling.samplers import annealing
from noisekernel.studio.models import Served
from noisekernel.studio.rounds import constant_noise
from noisekernel.studio.rounds.constant_noise import Variants
from noisekernel.studio.rounds.fields import Asked
from noisekernel.studio.rounds.lineage import finding, lines_of, searches
from noisekernel.studio.rounds.record import Known, Round
from noisekernel.studio.rounds.task import Doing, Ending, Place, drawing, label_of, rows_of
from noisekernel.studio.store import Store
from noisekernel.tasks.run import Run


class Vary(Variants):
    """Variants of the parents: some of their noise is drawn anew.

    Of the strength equal turns go equally far, as measured for the model. With beta instead, variants are made by a
    walk at that constant noise level; lag and readout are of that walk.
    """

    task: Literal["vary"]
    below: Annotated[
        float | None, Field(ge=0.0, le=1.0, description="The noise level up to which it is, if not by the strength.")
    ] = None


class VaryTask(Ending):
    """Renew some of the parents' noise, which is that of their lines."""

    request = Vary
    told = ("strength", "beta")

    def settled(self, request: Asked, served: Served, store: Store, design: str) -> dict[str, Any]:
        settings = super().settled(request, served, store, design)
        constant_noise.check_distance(settings, "strength", "below", "beta")
        if settings["beta"] is not None:
            return constant_noise.settled(served, settings)
        for name in ("lag", "readout"):
            if settings[name] is not None:
                raise InputError(f"{name} is of a walk at constant noise; say at which level: beta")
        if settings["steps"] == 0:
            raise InputError("steps is 0; what is renewed is annealed in at least 1")
        if settings["below"] is None:
            settings["strength"] = DEFAULT if settings["strength"] is None else settings["strength"]
            settings["below"] = served.curve(RENEWAL).turned(settings["strength"])
        return {**settings, "steps": 20 if settings["steps"] is None else settings["steps"]}

    def checked(self, one: Round) -> dict[str, Any]:
        settings = super().checked(one)
        renewed = settings["below"] is not None and settings["steps"] is not None
        if not renewed and not constant_noise.is_settled(settings):
            raise constant_noise.left_open(self.name)
        return settings

    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        settings, rows = one["settings"], rows_of(one)
        if settings["beta"] is None:
            return Doing((yield from _renewed(model, one, known, rows)))
        z = known.clean_of(one["parents"])[rows]
        return Doing(tasks.variation(model, z, **drawing(model, one, known), **constant_noise.options(settings)))

    def calls(self, one: Round, known: Known) -> list[tuple[int, int]]:
        if one["settings"]["beta"] is not None:
            return super().calls(one, known)
        steps = one["settings"]["steps"]
        found = [(steps, len(some)) for some in searches(lines_of(one, known.came_of))]
        return [*found, (steps + 1, one["n"])]

    def steps(self, one: Round, places: Sequence[Place]) -> int:
        settings = one["settings"]
        return settings["steps"] if settings["beta"] is None else constant_noise.steps(settings)


def _renewed(model: Model, one: Round, known: Known, rows: list[int]) -> Stepwise[Run]:
    """Variants of parents whose noise is that of their lines, by streams of its generation."""
    settings, lines = one["settings"], lines_of(one, known.came_of)
    origins = list(dict.fromkeys(line.origin for line in lines))
    z = dict(zip(origins, known.clean_of(origins), strict=True))
    schedule = annealing(model.kernel, settings["steps"])
    found = yield from finding(model, lines, z, schedule, settings.get("label"))
    noise = renewal.rows_of(found, torch.tensor(rows))
    numbers = [lines[row].stream(i) for i, row in enumerate(rows)]
    streams = Streams.of(one["seed"], numbers, model.device, Purpose.RENEWING)
    by = renewal.shares(schedule, len(noise.noise), settings["below"])
    return tasks.development(model, renewal.renewed(noise, by, streams), schedule, label=label_of(model, one))
