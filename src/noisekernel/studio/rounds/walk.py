"""The live walk as a task: its nodes are the frames that a person saved, each known by its place on the way."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.core.settings import Strict
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.studio.models import Served
from noisekernel.studio.rounds import walking
from noisekernel.studio.rounds.fields import Asked, Label, OneParent
from noisekernel.studio.rounds.lineage import stream_of
from noisekernel.studio.rounds.record import Known, Round, damaged
from noisekernel.studio.rounds.task import Place, Task
from noisekernel.studio.rounds.walking import LiveWalk, frames_again
from noisekernel.studio.store import Row, Store
from noisekernel.studio.work.round_job import RoundJob
from noisekernel.studio.work.walk_job import WalkJob

#: Of a walk, up to a frame of it that was kept: days of walking.
MOST_WALKED = 10 * walking.MOST_STEPS


class Walk(Asked):
    """A live walk, until it is stopped."""

    task: Literal["walk"]
    parents: OneParent
    pace: Annotated[float, Field(ge=0.0, le=1.0, description="The share of noise that a step moves.")] = 0.1
    label: Label = None


class Segment(Strict):
    """A stretch of a walk."""

    pace: Annotated[float, Field(ge=0.0, le=1.0)]
    steps: Annotated[int, Field(ge=0, le=walking.MOST_STEPS)]


class WalkTask(Task):
    """Walk on until stopped."""

    request = Walk
    live = True

    def calls(self, one: Round, known: Known) -> list[tuple[int, int]]:
        raise InputError("a live walk has no end of its own, so there is no saying how long it takes")

    def job(self, one: Row, store: Store, served: Served, client: str, *, attended: bool) -> RoundJob:
        # Whoever asked for it, somebody has to listen: it has no end of its own.
        return WalkJob(one, self.starting(served.model, one, store), store, served, client, attended=True)

    def starting(self, model: Model, one: Round, known: Known) -> Stepwise[LiveWalk]:
        """A walk at its first frame, a network call at a time."""
        settings, start = one["settings"], known.clean_of(one["parents"])
        number = stream_of(one, known.came_of)
        return (yield from LiveWalk.starting(model, start, one["seed"], settings["pace"], settings["label"], number))

    def own(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        try:
            segments = [Segment.model_validate(each).model_dump() for each in settings["segments"]]
        except (TypeError, KeyError, ValidationError):
            segments = []
        if not segments:
            raise damaged("a frame of a walk without its segments")
        if (steps := _length(segments)) > MOST_WALKED:
            raise damaged(f"a frame of a walk after {steps:,} steps; at most {MOST_WALKED:,} are taken")
        return {"segments": segments}

    def again(
        self, model: Model, one: Round, places: Sequence[Place], known: Known, advance: Callable[[], None]
    ) -> list[Tensor]:
        start, number = known.clean_of(one["parents"]), stream_of(one, known.came_of)
        segments = [own["segments"] for _, own in places]
        found = frames_again(model, start, one["seed"], one["settings"]["label"], segments, number, advance)
        return [z[0].cpu() for z in found]

    def steps(self, one: Round, places: Sequence[Place]) -> int:
        return max((_length(own["segments"]) for _, own in places), default=0)


def _length(segments: Sequence[Mapping[str, Any]]) -> int:
    return sum(segment["steps"] for segment in segments)
