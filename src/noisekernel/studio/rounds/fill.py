"""What is marked, filled in anew."""

from typing import Annotated, Any, Literal

from pydantic import Field

from noisekernel import tasks
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.studio.models import Served
from noisekernel.studio.rounds.fields import Asked, Count, Label, OneParent, Steps
from noisekernel.studio.rounds.record import Known, Round
from noisekernel.studio.rounds.task import Doing, Ending, drawing, rows_of
from noisekernel.studio.store import Store


class Fill(Asked):
    """Redo what is marked; everything else comes back bit by bit."""

    task: Literal["fill"]
    parents: OneParent
    mask: Annotated[
        str, Field(max_length=2_000_000, description="What to redo, in the words of the model's kind of data.")
    ]
    feather: Annotated[
        float, Field(ge=0.0, le=8.0, description="How softly old turns into new, where the kind has edges.")
    ] = 0.0
    n: Count = 9
    steps: Steps = 100
    label: Label = None


class FillTask(Ending):
    """Fill in what is marked, and blend it in over a feather."""

    request = Fill
    told = ("feather",)
    completes = True

    def settled(self, request: Asked, served: Served, store: Store, design: str) -> dict[str, Any]:
        settings = super().settled(request, served, store, design)
        on_page = served.model.kind.on_page
        on_page.check_feather(settings["feather"])
        return {**settings, "mask": on_page.kept_mask(settings["mask"])}

    def beginning(self, model: Model, one: Round, known: Known) -> Stepwise[Doing]:
        yield from ()  # there is nothing to find out first
        settings, z = one["settings"], known.clean_of(one["parents"])[rows_of(one)]
        mask, holes = model.kind.on_page.read_mask(settings["mask"]), model.kind.holes(z)
        mask = mask if holes is None else mask | holes  # what is open cannot be kept
        run = tasks.filling(model, z, mask.expand(z.shape), steps=settings["steps"], **drawing(model, one, known))
        feather = settings["feather"]
        return Doing(run, model.kind.on_page.blending(z, mask, feather) if feather else None)
