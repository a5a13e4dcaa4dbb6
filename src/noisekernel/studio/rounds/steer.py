"""Variants towards what was liked in the design, by a walk at constant noise."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from noisekernel import tasks
from noisekernel.core.errors import InputError
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.studio.models import Served
from noisekernel.studio.opinions import check_enough, opinions_of
from noisekernel.studio.rounds import constant_noise
from noisekernel.studio.rounds.constant_noise import Variants
from noisekernel.studio.rounds.fields import Asked
from noisekernel.studio.rounds.record import Known, Round, damaged
from noisekernel.studio.rounds.task import Doing, Ending, Place, drawing, rows_of
from noisekernel.studio.store import Store
from noisekernel.studio.taste import AT_ONCE, Taste, calls_to_see, seeing


class Steer(Variants):
    """Variants of the parents by a walk at constant noise, towards what was liked in this design.

    Of its strength equal turns go equally far, as measured for the model.
    """

    task: Literal["steer"]
    taste: Annotated[float, Field(ge=0.0, le=1.0, description="How insistently.")] = 0.5


class SteerTask(Ending):
    """Learn the taste from the opinions at the moment of asking, and walk towards it."""

    request = Steer
    told = ("strength", "beta", "taste")

    def settled(self, request: Asked, served: Served, store: Store, design: str) -> dict[str, Any]:
        settings = super().settled(request, served, store, design)
        constant_noise.check_distance(settings, "strength", "beta")
        opinions = opinions_of(store, design)
        check_enough(opinions)
        return {**constant_noise.settled(served, settings), "opinions": opinions}

    def checked(self, one: Round) -> dict[str, Any]:
        settings = dict(one["settings"])
        opinions = settings.pop("opinions", None)
        settings = super().checked({**one, "settings": settings})
        if not constant_noise.is_settled(settings):
            raise constant_noise.left_open(self.name)
        if not isinstance(opinions, dict) or not opinions or any(value not in (1, -1) for value in opinions.values()):
            raise damaged("a round towards taste without its opinions")
        return {**settings, "opinions": opinions}

    def named(self, settings: Mapping[str, Any]) -> list[str]:
        opinions = settings.get("opinions")
        return list(opinions) if isinstance(opinions, dict) else []

    def renamed(self, settings: Mapping[str, Any], new: Mapping[str, str]) -> dict[str, Any]:
        return {**settings, "opinions": {new[id]: value for id, value in settings["opinions"].items()}}

    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        settings, z = one["settings"], known.clean_of(one["parents"])[rows_of(one)]
        opinions = settings["opinions"]
        if not opinions:
            raise InputError("a round towards taste needs what was judged")
        seen = yield from seeing(model, known.clean_of(list(opinions)))
        score = Taste.of(model, seen, list(opinions.values())).score(settings["taste"])
        return Doing(tasks.steering(model, z, score, **drawing(model, one, known), **constant_noise.options(settings)))

    def calls(self, one: Round, known: Known) -> list[tuple[int, int]]:
        settings, n = one["settings"], one["n"]
        judged = len(settings["opinions"])
        # A walk's steps are scored where they end, the first where it begins too.
        scored = settings["steps"] + (settings["steps"] > 0)
        walked = 1 + constant_noise.steps(settings) + scored * calls_to_see(n)
        return [(calls_to_see(judged), min(judged, AT_ONCE)), (walked, n)]

    def steps(self, one: Round, places: Sequence[Place]) -> int:
        return constant_noise.steps(one["settings"])
